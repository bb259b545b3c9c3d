//! The lines that operators look for.

use std::io;
use std::sync::{Arc, Mutex};

use band::SessionConfig;
use band::link::StopReason;
use serde_json::json;

use crate::control::steer;
use crate::platform::{Platform, agent, room};
use crate::scene::{PATIENCE, start_with};

/// Takes all that this thread logs, as `LEVEL target: message`.
#[derive(Debug, Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl io::Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::Error::other("poisoned"))?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Paper {
    fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let pages = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::DEBUG)
            .with_ansi(false)
            .without_time()
            .with_writer(move || pages.clone())
            .finish();
        tracing::subscriber::set_default(subscriber)
    }

    /// What is said by this target at this level, without the spans around it.
    fn said(&self, level: &str, target: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let its = text.lines().filter(|line| line.trim_start().starts_with(level));
        let said =
            its.filter_map(|line| line.split_once(&format!("{target}: ")).map(|(_, said)| said.to_owned()));
        said.collect()
    }

    fn phases(&self, message: &str) -> Vec<String> {
        let all = self.said("DEBUG", "band.room");
        let its = all.iter().filter(|line| line.starts_with("Turn phase=") && line.contains(message));
        let short = its.map(|line| line.split(" room=").next().unwrap().to_owned());
        let mut phases: Vec<String> = short.collect();
        phases.retain(|line| !line.ends_with("=started"));
        phases.sort();
        phases
    }
}

#[tokio::test]
async fn the_lines_that_operators_look_for_are_those_of_the_python_sdk() {
    let paper = Paper::default();
    let _listening = paper.listen();
    let platform = Platform::start(&[1, 2]).await;
    let missed = platform.store(1, "missed");
    let (running, book) = start_with(&platform, SessionConfig::default()).await;
    platform.stands(1, missed, "processed").await;
    let failed = platform.say(1, "error").await;
    platform.stands(1, failed, "failed").await;
    let waits = platform.say(1, "wait").await;
    book.saw("turn wait, past [], first false").await;
    steer(&platform, "interrupt", "c1").await;
    platform.stands(1, waits, "processed").await;
    platform.remove_room(2).await;
    book.saw(&format!("cleanup {}", room(2))).await;
    running.stop(Some(PATIENCE)).await.unwrap();

    let (one, two) = (room(1), room(2));
    assert_eq!(paper.said("INFO", "band.runtime"), [format!("Starting AgentRuntime for agent {}", agent())]);
    let version = env!("CARGO_PKG_VERSION");
    let started = format!("Agent started: Helper (band-sdk {version})");
    let of_agent =
        ["Subscribed to 2 rooms during startup", &started, "Agent stopped: Helper (graceful=true)"];
    assert_eq!(paper.said("INFO", "band.agent"), of_agent);
    let mut of_rooms = paper.said("INFO", "band.presence");
    of_rooms[..2].sort();
    let wanted = [
        format!("Agent joined room: {one}"),
        format!("Agent joined room: {two}"),
        format!("Agent left room via room_removed: {two}"),
    ];
    assert_eq!(of_rooms, wanted);
    let dispatched = format!("Dispatch source=backlog room={one} message={missed}");
    // A message that is pushed while the room is looked into may be served as well.
    assert_eq!(paper.said("INFO", "band.room")[0], dispatched);
    let phases = |id: band_wire::MessageId| paper.phases(&id.to_string());
    let all = ["ack", "claim", "cycle", "handler", "hydrate"]
        .map(|name| format!("Turn phase={name} state=returned"));
    assert_eq!(phases(missed), all);
    let with = |ends: &str| {
        ["ack", "claim", "cycle", "handler"].map(|name| {
            let state = if matches!(name, "cycle" | "handler") { ends } else { "returned" };
            format!("Turn phase={name} state={state}")
        })
    };
    assert_eq!(phases(failed), with("Error"));
    assert_eq!(phases(waits), with("cancelled"));
    let timed =
        paper.said("DEBUG", "band.room").into_iter().filter(|line| line.contains(" elapsed=")).count();
    assert_eq!(timed, 5 + 4 + 4);
}

#[tokio::test]
async fn a_supersede_is_told_in_the_words_of_the_python_sdk() {
    let paper = Paper::default();
    let _listening = paper.listen();
    let platform = Platform::start(&[1]).await;
    let (running, _) = start_with(&platform, SessionConfig::default()).await;
    let payload = json!({
        "reason": "session.already_connected", "message": "m", "retryable": false, "retry_after": null,
        "target_socket_id": format!("agent_socket:{}", agent()), "correlation_id": "c-1",
    });
    platform.push(&format!("agent_control:{}", agent()), "supersede", payload).await;
    assert!(matches!(running.closed().await, StopReason::Superseded { .. }));
    running.stop(None).await.unwrap();
    let words = "WebSocket connection superseded: reason=session.already_connected retryable=false correlation_id=c-1";
    let told: Vec<String> =
        ["band.link", "band.platform"].into_iter().flat_map(|target| paper.said("WARN", target)).collect();
    assert!(told.iter().any(|line| line.starts_with(words)), "{told:?}");
}
