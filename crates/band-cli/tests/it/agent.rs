use band_testkit::{PATIENCE, Process};

use crate::stage::{Stage, variable};

/// `band agent run --adapter echo` for the agent of these lines.
fn agent(stage: &Stage, lines: &str) -> Process {
    agent_with(stage, lines, &[])
}

/// The same, with more words.
fn agent_with(stage: &Stage, lines: &str, words: &[&str]) -> Process {
    let mut command = stage.command(&["agent", "run", "--adapter", "echo"]);
    command.args(words).envs(variables_of(lines));
    Process::start("agent", &mut command).unwrap()
}

/// Who the agent of these lines is, and where its platform.
pub(crate) fn variables_of(lines: &str) -> impl Iterator<Item = (&'static str, &str)> {
    ["BAND_AGENT_ID", "BAND_API_KEY", "BAND_REST_URL", "BAND_WS_URL"]
        .into_iter()
        .map(|name| (name, variable(lines, name)))
}

/// A person and an agent of theirs, as the lines that introduce them.
pub(crate) async fn registered(stage: &Stage) -> (String, String) {
    let user = stage.run(&["user", "add", "Ann"]).await.done();
    (user, stage.run(&["agent", "add", "Gardener", "--description", "Knows the garden."]).await.done())
}

#[tokio::test]
async fn it_says_when_it_has_started_and_stopped_and_how_it_ended() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (_, lines) = registered(&stage).await;
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let mut process = agent(&stage, &lines);
        process.line("Agent started: Gardener (band-sdk ", PATIENCE).await.unwrap();
        process.signal(signal).await.unwrap();
        process.line("Agent stopped: Gardener (graceful=true)", PATIENCE).await.unwrap();
        assert_eq!(process.ended(PATIENCE).await.unwrap().code(), Some(code));
        assert!(!process.tail().contains(variable(&lines, "BAND_API_KEY")), "no key in the log");
    }
}

#[tokio::test]
async fn a_second_instance_on_this_machine_ends_with_three() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (_, lines) = registered(&stage).await;
    let mut first = agent(&stage, &lines);
    first.line("Agent started", PATIENCE).await.unwrap();
    let mut second = agent(&stage, &lines);
    second.line("error: ", PATIENCE).await.unwrap();
    assert_eq!(second.ended(PATIENCE).await.unwrap().code(), Some(3));
}

#[tokio::test]
async fn a_wrong_key_ends_with_four() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (_, lines) = registered(&stage).await;
    let key = variable(&lines, "BAND_API_KEY").to_owned();
    let mut process = agent(&stage, &lines.replace(&key, "band_a_1_wrong"));
    let line = process.line("error: ", PATIENCE).await.unwrap();
    assert!(line.contains("key"), "{line}");
    assert_eq!(process.ended(PATIENCE).await.unwrap().code(), Some(4));
}

#[tokio::test]
async fn the_entry_of_a_file_beats_the_environment() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (_, lines) = registered(&stage).await;
    let entry = format!(
        "bot:\n  agent_id: {}\n  api_key: {}\n",
        variable(&lines, "BAND_AGENT_ID"),
        variable(&lines, "BAND_API_KEY")
    );
    std::fs::write(stage.home().join("agent_config.yaml"), entry).unwrap();
    let mut command = stage.command(&["agent", "run", "--adapter", "echo", "--config", "bot"]);
    command.current_dir(stage.home()).env("BAND_REST_URL", variable(&lines, "BAND_REST_URL"));
    command.env("BAND_AGENT_ID", "nonsense").env("BAND_API_KEY", "nonsense");
    let mut process = Process::start("agent", &mut command).unwrap();
    process.line("Agent started: Gardener", PATIENCE).await.unwrap();
    process.terminate().await.unwrap();
    process.ended(PATIENCE).await.unwrap();
}
