use std::net::SocketAddr;

use band_testkit::{PATIENCE, Process};
use band_wire::phx::Topic;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::end_to_end::person_of;
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
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
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
    assert!(!second.tail().contains("Agent started"), "{}", second.tail());
    // The first one has not noticed.
    first.terminate().await.unwrap();
    first.line("(graceful=true)", PATIENCE).await.unwrap();
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
    assert!(line.contains(&format!("the platform at {}: ", variable(&lines, "BAND_REST_URL"))), "{line}");
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

#[tokio::test]
async fn an_agent_that_was_taken_over_ends_with_zero_or_the_code_that_was_asked_for() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (_, lines) = registered(&stage).await;
    for (words, code) in [(&[][..], 0), (&["--superseded-exit-code", "75"][..], 75)] {
        let mut first = agent_with(&stage, &lines, words);
        first.line("Agent started", PATIENCE).await.unwrap();
        let elsewhere = stage.home().join(format!("elsewhere-{code}"));
        std::fs::create_dir(&elsewhere).unwrap();
        let mut second = stage.command(&["agent", "run", "--adapter", "echo"]);
        second.envs(variables_of(&lines)).env("TMPDIR", &elsewhere).env("BAND_STATE_DIR", &elsewhere);
        let mut second = Process::start("second", &mut second).unwrap();
        first.line("WebSocket connection superseded: reason=", PATIENCE).await.unwrap();
        first.line("Agent stopped: Gardener (graceful=true)", PATIENCE).await.unwrap();
        assert_eq!(first.ended(PATIENCE).await.unwrap().code(), Some(code));
        second.terminate().await.unwrap();
        second.ended(PATIENCE).await.unwrap();
    }
}

#[tokio::test]
async fn a_closed_terminal_is_no_matter_to_an_agent_that_was_told_to_outlive_it() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (_, lines) = registered(&stage).await;
    let mut command = tokio::process::Command::new("nohup");
    command.arg(env!("CARGO_BIN_EXE_band")).args(["agent", "run", "--adapter", "echo"]).env_clear();
    command.env("HOME", stage.home()).env("TMPDIR", stage.home()).envs(variables_of(&lines));
    command.env("PATH", std::env::var_os("PATH").unwrap());
    let mut process = Process::start("agent", &mut command).unwrap();
    process.line("Agent started", PATIENCE).await.unwrap();
    process.signal("HUP").await.unwrap();
    process.terminate().await.unwrap();
    assert_eq!(process.ended(PATIENCE).await.unwrap().code(), Some(143), "{}", process.tail());
}

#[tokio::test]
async fn a_second_signal_does_not_wait_for_the_turn() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (user, lines) = registered(&stage).await;
    let mut command = stage.command(&["agent", "run", "--adapter", "echo"]);
    command.envs(variables_of(&lines)).env("BAND_LOG_LEVEL", "debug");
    let mut process = Process::start("agent", &mut command).unwrap();
    process.line("Agent started", PATIENCE).await.unwrap();
    let person = person_of(&lines, &user).await;
    let id = person.agents().await.unwrap().remove(0).id;
    let room = person.create_room("Garden").await.unwrap();
    person.add(room, id).await.unwrap();
    person.say(room, id, "[[sleep:600000]] hello").await.unwrap();
    process.line("Turn phase=handler state=started", PATIENCE).await.unwrap();
    process.signal("TERM").await.unwrap();
    process.line("stopping", PATIENCE).await.unwrap();
    process.signal("INT").await.unwrap();
    assert_eq!(process.ended(PATIENCE).await.unwrap().code(), Some(130));
    assert!(process.lines_with("Agent stopped").is_empty(), "{}", process.tail());
}

#[tokio::test]
async fn turns_have_as_long_as_the_grace_says() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (user, lines) = registered(&stage).await;
    let person = person_of(&lines, &user).await;
    let id = person.agents().await.unwrap().remove(0).id;
    for (grace, millis, graceful) in [("0", 600_000, false), ("90", 1_000, true)] {
        let mut command = stage.command(&["agent", "run", "--adapter", "echo", "--grace", grace]);
        command.envs(variables_of(&lines)).env("BAND_LOG_LEVEL", "debug");
        let mut process = Process::start("agent", &mut command).unwrap();
        process.line("Agent started", PATIENCE).await.unwrap();
        let room = person.create_room("Garden").await.unwrap();
        person.add(room, id).await.unwrap();
        person.say(room, id, &format!("[[sleep:{millis}]] hello")).await.unwrap();
        process.line("Turn phase=handler state=started", PATIENCE).await.unwrap();
        process.terminate().await.unwrap();
        process.line(&format!("(graceful={graceful})"), PATIENCE).await.unwrap();
        assert_eq!(process.ended(PATIENCE).await.unwrap().code(), Some(143));
        // Nobody answers there any more, so that the message is not the next process's.
        person.remove(room, id).await.unwrap();
    }
}

/// A proxy whose every way leads to one address, whatever it is asked for. Says what it was asked for.
async fn proxy_to(address: String) -> (SocketAddr, mpsc::Receiver<String>, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let (asked, heard) = mpsc::channel(64);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut open = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            open.spawn(pass_on(stream, address.clone(), asked.clone()));
        }
    });
    (at, heard, tasks)
}

async fn pass_on(mut near: TcpStream, address: String, asked: mpsc::Sender<String>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = near.read_u8().await else { return };
        head.push(byte);
    }
    let line = String::from_utf8_lossy(&head).lines().next().unwrap().to_owned();
    let mut far = TcpStream::connect(address).await.unwrap();
    if line.starts_with("CONNECT ") {
        near.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
    } else {
        far.write_all(&head).await.unwrap();
    }
    // Nobody reads the later ones.
    let _ = asked.try_send(line);
    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
}

#[tokio::test]
async fn an_agent_behind_a_proxy_answers() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (user, lines) = registered(&stage).await;
    let address = variable(&lines, "BAND_REST_URL").trim_start_matches("http://").to_owned();
    let (proxy, mut asked, _passing) = proxy_to(address).await;
    let mut command = stage.command(&["agent", "run", "--adapter", "echo"]);
    command.envs(variables_of(&lines)).env_remove("BAND_WS_URL");
    command.env("BAND_REST_URL", "http://platform.test").env("HTTP_PROXY", format!("http://{proxy}"));
    let mut process = Process::start("agent", &mut command).unwrap();
    process.line("Agent started: Gardener", PATIENCE).await.unwrap();
    let person = person_of(&lines, &user).await;
    let id = person.agents().await.unwrap().remove(0).id;
    let room = person.create_room("Garden").await.unwrap();
    let mut watcher = person.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(room)).await.unwrap();
    person.add(room, id).await.unwrap();
    person.say(room, id, "hello").await.unwrap();
    watcher.message("the answer", |message| message.sender_id == id.into()).await.unwrap();
    process.terminate().await.unwrap();
    process.ended(PATIENCE).await.unwrap();
    let mut seen = Vec::new();
    while let Ok(line) = asked.try_recv() {
        seen.push(line);
    }
    assert!(seen.contains(&"CONNECT platform.test:80 HTTP/1.1".to_owned()), "{seen:?}");
    assert!(seen.iter().any(|line| line.contains(" http://platform.test/api/v1/agent/me ")), "{seen:?}");
}

#[tokio::test]
async fn what_it_would_go_by_is_printed_without_the_key() {
    let stage = Stage::new();
    let mut command = stage.command(&["agent", "run", "--adapter", "echo", "--print-config"]);
    command.env("BAND_AGENT_ID", "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d").env("BAND_API_KEY", "band_a_secret");
    command.env("BAND_REST_URL", "http://ann:hidden@127.0.0.1:4000").env("BAND_MAX_CYCLE_SECONDS", "7");
    command.env("BAND_HEALTH", "127.0.0.1:8080").env("BAND_LOG_LEVEL", "warn");
    let out = crate::stage::Ended::of(command.output().await.unwrap()).done();
    assert!(!out.contains("secret") && !out.contains("hidden"), "{out}");
    let shown: serde_json::Value = serde_json::from_str(&out).unwrap();
    for (pointer, value) in [
        ("/api_key", "(set)".into()),
        ("/rest_url", "http://127.0.0.1:4000".into()),
        ("/ws_url", "ws://127.0.0.1:4000/api/v1/socket/websocket".into()),
        ("/agent/conflict_policy", "supersede".into()),
        ("/session/max_cycle_seconds", serde_json::json!(7.0)),
        ("/session/max_deliveries", 10.into()),
        ("/health", "127.0.0.1:8080".into()),
        ("/log/log_level", "WARNING".into()),
    ] {
        assert_eq!(shown.pointer(pointer), Some(&value), "{pointer}: {out}");
    }
}

#[tokio::test]
async fn a_platform_that_is_not_there_is_named_in_each_warning() {
    let stage = Stage::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = stage.command(&["agent", "run", "--adapter", "echo"]);
    command.env("BAND_AGENT_ID", "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d").env("BAND_API_KEY", "k");
    command.env("BAND_REST_URL", format!("http://{free}"));
    let mut process = Process::start("agent", &mut command).unwrap();
    let line = process.line("did not say who the agent is", PATIENCE).await.unwrap();
    assert!(line.contains(&format!("the platform at http://{free} did not")), "{line}");
    process.terminate().await.unwrap();
    assert_eq!(process.ended(PATIENCE).await.unwrap().code(), Some(143));
}
