//! The page in a real browser, against `band up`.

use band_testkit::{PATIENCE, Process, band, peers};
use tempfile::TempDir;

/// `band up` on a fresh directory, and the link that it printed.
struct Up {
    process: Process,
    link: String,
    _data: TempDir,
}

async fn up() -> Up {
    let data = tempfile::tempdir().unwrap();
    let mut command = band(["up", "--no-open", "--agent", "echo"]).unwrap();
    command.arg("--data").arg(data.path()).env("BAND_STATE_DIR", data.path()).env("TMPDIR", data.path());
    let mut process = Process::start("band up", &mut command).unwrap();
    let line = process.line("#token=", PATIENCE).await.unwrap();
    let link = line.split_whitespace().find(|word| word.contains("#token=")).unwrap().to_owned();
    Up { process, link, _data: data }
}

/// Somebody at the page who does what `scene` says, until they are done.
async fn play(scene: &str, link: &str) -> Process {
    let mut command = peers::node().unwrap();
    command.arg(peers::script("page.cjs")).arg(scene);
    command.env("PEER_LINK", link).env("PEER_CHROMIUM", peers::chromium().unwrap());
    let mut browser = Process::start("the browser", &mut command).unwrap();
    let status = browser.ended(PATIENCE * 3).await.unwrap();
    assert!(status.success(), "{scene}: {status}\n{}", browser.tail());
    browser
}

#[tokio::test]
async fn a_person_signs_in_by_the_link_mentions_the_agent_and_sees_its_answer_without_a_reload() {
    let mut up = up().await;
    play("mention", &up.link).await;
    up.process.signal("INT").await.unwrap();
    let status = up.process.ended(PATIENCE).await.unwrap();
    assert!(status.code().is_some(), "it stops by itself when it is interrupted: {status}");
}

#[tokio::test]
async fn a_person_makes_a_room_and_adds_the_agent_with_the_keyboard_alone() {
    let up = up().await;
    play("rooms", &up.link).await;
}

#[tokio::test]
async fn a_registered_agents_lines_start_it() {
    let up = up().await;
    let browser = play("register", &up.link).await;
    let printed = browser.lines_with("credentials: ");
    let lines: String = serde_json::from_str(printed[0].trim_start_matches("credentials: ")).unwrap();
    let lines = lines.replace("band agent run", "exec band agent run");

    let folder = tempfile::tempdir().unwrap();
    let path = band_testkit::band_path().unwrap();
    let mut shell = tokio::process::Command::new("sh");
    let found = format!("{}:{}", path.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    shell
        .arg("-c")
        .arg(&lines)
        .env("PATH", found)
        .env("BAND_STATE_DIR", folder.path())
        .env("TMPDIR", folder.path());
    let mut agent = Process::start("the pasted lines", &mut shell).unwrap();
    agent.line("Agent started: Gardener", PATIENCE).await.unwrap();
    agent.terminate().await.unwrap();
}

#[tokio::test]
async fn a_link_works_once_and_signing_out_ends_the_session() {
    let up = up().await;
    play("link_once", &up.link).await;
}
