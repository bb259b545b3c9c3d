//! `run()` and the signals that end it. Each test has a process of its own.

use std::process::Command;
use std::sync::{Arc, OnceLock};

use band::{GracefulShutdown, SessionConfig, ShutdownSignal, run_with_graceful_shutdown};

use tokio::signal::unix::{Signal, SignalKind};

use crate::platform::Platform;
use crate::scene::{PATIENCE, agent_of};

/// Listens to these signals for as long as the test runs: one that this process takes up late, on a machine with much
/// to do, finds signals given back already and would end it.
fn outlive(kinds: &[SignalKind]) -> Vec<Signal> {
    kinds.iter().map(|kind| tokio::signal::unix::signal(*kind).unwrap()).collect()
}

fn signal(name: &str) {
    // The shell's own: not every machine has it as a program.
    let kill = format!("kill {name} {}", std::process::id());
    let sent = Command::new("sh").args(["-c", &kill]).status().unwrap();
    assert!(sent.success());
}

#[tokio::test]
async fn the_first_signal_lets_the_turn_finish_and_the_second_ends_it_at_once() {
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let script = async {
        platform.saw("phx_join", 4).await;
        let id = platform.say(1, "wait").await;
        book.saw("turn wait, past [], first true").await;
        signal("-TERM");
        let later = platform.say(1, "later").await;
        signal("-INT");
        book.saw("cancelled").await;
        (id, later)
    };
    let both = async { tokio::join!(agent.run(), script) };
    let (stopped, (id, later)) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert!(!stopped.unwrap().graceful);
    assert_eq!(platform.status(1, id), Some("processing"));
    assert_eq!(platform.status(1, later), None);
}

#[tokio::test]
async fn a_signal_during_the_start_undoes_it() {
    let platform = Platform::start(&[1]).await;
    let _gate = platform.hold("chats");
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let script = async {
        platform.saw("chats", 1).await;
        signal("-INT");
    };
    let both = async { tokio::join!(agent.run(), script) };
    let (stopped, ()) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert!(stopped.unwrap().graceful);
    assert_eq!(book.notes().last().unwrap(), "cleanup all");
}

#[tokio::test]
async fn a_run_without_signals_ends_with_a_stop_from_elsewhere() {
    let platform = Platform::start(&[1]).await;
    let (agent, _) = agent_of(&platform, SessionConfig::default());
    let both = async {
        tokio::join!(agent.run_without_signals(Some(PATIENCE)), async {
            platform.saw("phx_join", 4).await;
            let running = agent.start().await.unwrap();
            running.stop(Some(PATIENCE)).await.unwrap()
        })
    };
    let (run, stopped) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert!(run.unwrap().graceful && stopped.graceful);
}

/// Runs one test of this binary, in a process of its own, with a word that tells it to misbehave.
fn child(test: &str) -> std::process::ExitStatus {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env("BAND_TEST_CHILD", "1");
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status().unwrap()
}

fn is_child() -> bool {
    std::env::var_os("BAND_TEST_CHILD").is_some()
}

fn killed_by(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// Waits for ever: whoever gets here should be killed.
async fn linger() {
    tokio::time::sleep(PATIENCE).await;
}

#[test]
fn after_a_run_a_signal_does_again_what_it_did_before() {
    assert_eq!(killed_by(child("signals::a_child_that_is_signalled_after_its_run")), Some(15));
}

#[tokio::test]
async fn a_child_that_is_signalled_after_its_run() {
    if !is_child() {
        return;
    }
    let platform = Platform::start(&[1]).await;
    let (agent, _) = agent_of(&platform, SessionConfig::default());
    tokio::join!(agent.run(), async {
        platform.saw("phx_join", 4).await;
        signal("-TERM");
    })
    .0
    .unwrap();
    signal("-TERM");
    linger().await;
}

#[test]
fn a_third_signal_ends_the_process_even_when_the_cleanup_hangs() {
    assert_eq!(killed_by(child("signals::a_child_whose_cleanup_hangs")), Some(2));
}

#[tokio::test]
async fn a_child_whose_cleanup_hangs() {
    if !is_child() {
        return;
    }
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let hang = || std::future::pending::<Result<(), String>>();
    agent.add_cleanup("hangs", hang).unwrap();
    let _ = tokio::join!(agent.run(), async {
        platform.saw("phx_join", 4).await;
        platform.say(1, "wait").await;
        book.saw("turn wait, past [], first true").await;
        signal("-TERM");
        signal("-INT");
        book.saw("cleanup all").await;
        signal("-INT");
        linger().await;
    });
}

#[test]
fn a_host_that_listens_itself_keeps_its_listener() {
    assert!(child("signals::a_child_that_listens_itself").success());
}

#[tokio::test]
async fn a_child_that_listens_itself() {
    if !is_child() {
        return;
    }
    let mut own = tokio::signal::unix::signal(SignalKind::terminate()).unwrap();
    let platform = Platform::start(&[1]).await;
    let (agent, _) = agent_of(&platform, SessionConfig::default());
    tokio::join!(agent.run(), async {
        platform.saw("phx_join", 4).await;
        signal("-TERM");
    })
    .0
    .unwrap();
    own.recv().await.unwrap();
    signal("-TERM");
    own.recv().await.unwrap();
}

#[tokio::test]
async fn a_graceful_shutdown_obeys_the_first_signal_and_ignores_the_others() {
    let _late = outlive(&[SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()]);
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let told = Arc::clone(&book);
    let mut shutdown = GracefulShutdown::new(&agent).timeout(Some(PATIENCE)).on_signal(move |signal| {
        told.note(format!("{signal} {}", signal.number()));
        panic!("is only logged");
    });
    shutdown.register().unwrap();
    let _running = agent.start().await.unwrap();
    let id = platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    assert!(!shutdown.is_shutting_down());
    signal("-HUP");
    book.saw("SIGHUP 1").await;
    let given_up = shutdown.wait_for_shutdown();
    drop(given_up);
    for name in ["-TERM", "-INT", "-HUP"] {
        signal(name);
    }
    book.gate.notify_one();
    let (first, stopped) =
        tokio::time::timeout(PATIENCE, shutdown.wait_for_shutdown()).await.unwrap().unwrap();
    assert_eq!(first, ShutdownSignal::Hangup);
    assert!(stopped.graceful, "no later signal cut the turn short");
    platform.stands(1, id, "processed").await;
    assert_eq!(book.notes().iter().filter(|note| note.starts_with("SIG")).count(), 1);
    shutdown.unregister().await;
}

#[tokio::test]
async fn trap_47_the_signal_is_on_record_before_the_callback_and_the_stop_begins_after_it() {
    let _late = outlive(&[SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()]);
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let (told, asked) = (Arc::clone(&book), Arc::new(OnceLock::<GracefulShutdown>::new()));
    let known = Arc::clone(&asked);
    let mut shutdown = GracefulShutdown::new(&agent).timeout(None).on_signal(move |_| {
        let on_record = known.get().is_some_and(GracefulShutdown::is_shutting_down);
        told.note(format!("signal, on record {on_record}"));
        // A second one while the callback is at it.
        signal("-INT");
    });
    shutdown.register().unwrap();
    assert!(asked.set(shutdown).is_ok());
    let _running = agent.start().await.unwrap();
    signal("-TERM");
    let waited = asked.get().unwrap().wait_for_shutdown();
    let (first, _) = tokio::time::timeout(PATIENCE, waited).await.unwrap().unwrap();
    assert_eq!(first, ShutdownSignal::Terminate);
    let notes = book.notes();
    let at = |text: &str| notes.iter().position(|note| note == text).unwrap_or_else(|| panic!("{notes:?}"));
    assert!(at("signal, on record true") < at("cleanup all"), "{notes:?}");
    assert_eq!(notes.iter().filter(|note| note.starts_with("signal")).count(), 1);
}

#[tokio::test]
async fn an_agent_run_with_a_graceful_shutdown_ends_with_the_signal() {
    let platform = Platform::start(&[1]).await;
    let (agent, _) = agent_of(&platform, SessionConfig::default());
    let run = run_with_graceful_shutdown(GracefulShutdown::new(&agent));
    let both = async {
        tokio::join!(run, async {
            platform.saw("phx_join", 4).await;
            signal("-TERM");
        })
    };
    let (stopped, ()) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert!(stopped.unwrap().graceful);
}
