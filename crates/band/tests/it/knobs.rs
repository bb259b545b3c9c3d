//! Every setting of a session, set by its variable, and what becomes of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use band::config::Env;
use band::{Agent, SessionConfig};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::control::steer;
use crate::platform::{Platform, agent};
use crate::scene::{Book, PATIENCE, Puppet, start_with};

/// Shows one setting: its name, and what happens with it.
macro_rules! knobs {
    ($($name:ident)*) => {
        const SHOWN: &[&str] = &[$(stringify!($name)),*];

        #[tokio::test]
        async fn every_setting_of_a_session_does_what_it_says() {
            let mut tasks = JoinSet::new();
            $(tasks.spawn(async { tokio::time::timeout(PATIENCE, $name()).await.expect(stringify!($name)) });)*
            tasks.join_all().await;
        }
    };
}

knobs! {
    enable_context_cache context_cache_ttl_seconds max_context_messages max_message_retries
    enable_context_hydration idle_resync_seconds enable_working_state working_keep_alive_seconds
    working_request_timeout_seconds max_working_state_seconds max_cycle_seconds report_turn_failures_to_room
    idle_resync_max_seconds stopped_resync_seconds max_deliveries enable_journal
}

#[test]
fn no_setting_of_a_session_is_left_out() {
    let all = serde_json::to_value(SessionConfig::default()).unwrap();
    let all: BTreeSet<&str> = all.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(SHOWN.iter().copied().collect::<BTreeSet<_>>(), all);
}

fn session(variables: &[(&str, &str)]) -> SessionConfig {
    SessionConfig::from(&variables.iter().copied().collect::<Env>()).unwrap()
}

/// How often the past was read for a message that was not accepted at first.
async fn reads(variables: &[(&str, &str)]) -> usize {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start_with(&platform, session(variables)).await;
    book.failing.lock().unwrap().push("accept");
    let id = platform.say(1, "hi").await;
    platform.stands(1, id, "processed").await;
    assert_eq!(book.notes().iter().filter(|note| note.ends_with("first true")).count(), 2);
    running.stop(None).await.unwrap();
    platform.count("context")
}

async fn enable_context_cache() {
    assert_eq!(reads(&[]).await, 1);
    assert_eq!(reads(&[("BAND_ENABLE_CONTEXT_CACHE", "off")]).await, 2);
}

async fn context_cache_ttl_seconds() {
    assert_eq!(reads(&[("CONTEXT_CACHE_TTL_SECONDS", "0")]).await, 2);
}

async fn max_context_messages() {
    let platform = Platform::start(&[1]).await;
    for n in 1..=3 {
        let id = platform.store(1, &format!("old {n}"));
        platform.settle(1, id);
    }
    let id = platform.store(1, "now");
    let (running, book) = start_with(&platform, session(&[("MAX_CONTEXT_MESSAGES", "1")])).await;
    platform.stands(1, id, "processed").await;
    assert_eq!(book.notes()[1], "turn now, past [\"old 3\"], first true");
    running.stop(None).await.unwrap();
}

async fn max_message_retries() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start_with(&platform, session(&[("MAX_MESSAGE_RETRIES", "3")])).await;
    platform.say(1, "error").await;
    platform.saw("failed", 3).await;
    platform.saw("events", 1).await;
    assert_eq!(book.notes().iter().filter(|note| note.starts_with("turn error")).count(), 3);
    running.stop(None).await.unwrap();
}

async fn enable_context_hydration() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start_with(&platform, session(&[("Enable_Context_Hydration", "n")])).await;
    let id = platform.say(1, "hi").await;
    platform.stands(1, id, "processed").await;
    assert_eq!((platform.count("context"), platform.count("participants")), (0, 1));
    running.stop(None).await.unwrap();
}

async fn idle_resync_seconds() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start_with(&platform, session(&[("IDLE_RESYNC_SECONDS", "0.1")])).await;
    platform.saw("next", 1).await;
    let id = platform.store(1, "nobody pushed this");
    platform.stands(1, id, "processed").await;
    running.stop(None).await.unwrap();
}

async fn enable_working_state() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start_with(&platform, session(&[("BAND_ENABLE_WORKING_STATE", "0")])).await;
    let id = platform.say(1, "hi").await;
    platform.stands(1, id, "processed").await;
    running.stop(None).await.unwrap();
    assert_eq!(platform.count("activity"), 0);
}

/// How often the room is told that the agent works, in a turn that is ended by `max_cycle_seconds`.
async fn reports(variables: &[(&str, &str)], prepare: impl FnOnce(&Platform)) -> usize {
    let platform = Platform::start(&[1]).await;
    prepare(&platform);
    let (running, _) = start_with(&platform, session(variables)).await;
    let id = platform.say(1, "wait").await;
    platform.stands(1, id, "failed").await;
    running.stop(None).await.unwrap();
    platform.count("activity true")
}

const FAST: [(&str, &str); 2] =
    [("WORKING_REQUEST_TIMEOUT_SECONDS", "1"), ("WORKING_KEEP_ALIVE_SECONDS", "1.2")];

async fn working_keep_alive_seconds() {
    assert_eq!(reports(&[("MAX_CYCLE_SECONDS", "2")], |_| {}).await, 1);
    assert_eq!(reports(&[FAST[0], FAST[1], ("MAX_CYCLE_SECONDS", "2")], |_| {}).await, 2);
}

async fn working_request_timeout_seconds() {
    // The first report hangs: only when it is given up can the next one go.
    let hangs = |platform: &Platform| drop(platform.hold("activity true"));
    assert_eq!(reports(&[FAST[0], FAST[1], ("MAX_CYCLE_SECONDS", "3")], hangs).await, 2);
}

async fn max_working_state_seconds() {
    let limit = ("MAX_WORKING_STATE_SECONDS", "1.3");
    assert_eq!(reports(&[FAST[0], FAST[1], ("MAX_CYCLE_SECONDS", "3"), limit], |_| {}).await, 2);
}

async fn max_cycle_seconds() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start_with(&platform, session(&[("BAND_MAX_CYCLE_SECONDS", "0.2")])).await;
    let id = platform.say(1, "wait").await;
    platform.stands(1, id, "failed").await;
    assert!(book.notes().contains(&"cancelled".to_owned()));
    running.stop(None).await.unwrap();
}

async fn report_turn_failures_to_room() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start_with(&platform, session(&[("REPORT_TURN_FAILURES_TO_ROOM", "false")])).await;
    for text in ["error", "silence"] {
        let id = platform.say(1, text).await;
        platform.stands(1, id, "failed").await;
    }
    running.stop(Some(PATIENCE)).await.unwrap();
    assert_eq!(platform.events().len(), 0);
}

async fn idle_resync_max_seconds() {
    let (steady, growing) = (Platform::start(&[1]).await, Platform::start(&[1]).await);
    let base = ("IDLE_RESYNC_SECONDS", "0.1");
    let (one, _) = start_with(&steady, session(&[base, ("IDLE_RESYNC_MAX_SECONDS", "0.1")])).await;
    let (two, _) = start_with(&growing, session(&[base])).await;
    steady.saw("next", 20).await;
    assert!(growing.count("next") < 10, "{} looks", growing.count("next"));
    one.stop(None).await.unwrap();
    two.stop(None).await.unwrap();
}

async fn stopped_resync_seconds() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start_with(&platform, session(&[("STOPPED_RESYNC_SECONDS", "0.1")])).await;
    platform.saw("next", 1).await;
    steer(&platform, "stop", "c1").await;
    book.saw("Stop").await;
    let looks = platform.count("next");
    platform.saw("next", looks + 3).await;
    running.stop(None).await.unwrap();
}

/// Whether a message is given up by the process after the one that was cut off in its turn.
async fn is_given_up(variables: &[(&str, &str)]) -> bool {
    // The lock against a second instance holds for the whole process.
    static ALONE: Mutex<()> = Mutex::const_new(());
    let _alone = ALONE.lock().await;
    let platform = Platform::start(&[1]).await;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    let start = async || {
        let book = Arc::new(Book::default());
        let places = [("TMPDIR", place), ("BAND_STATE_DIR", place)];
        let env = places.into_iter().chain(variables.iter().copied()).collect();
        let agent =
            Agent::builder(Puppet(Arc::clone(&book))).credentials(agent(), "k").rest_url(platform.url());
        (agent.build_with(env).unwrap().start().await.unwrap(), book)
    };
    let id = platform.store(1, "wait");
    let (running, book) = start().await;
    book.saw("turn wait, past [], first true").await;
    drop(running);
    let (running, book) = start().await;
    let given_up = tokio::select! {
        () = platform.stands(1, id, "failed") => true,
        () = book.saw("turn wait, past [], first true") => false,
    };
    running.stop(None).await.unwrap();
    given_up
}

async fn max_deliveries() {
    assert!(is_given_up(&[("MAX_DELIVERIES", "1")]).await);
    assert!(!is_given_up(&[("MAX_DELIVERIES", "0")]).await);
}

async fn enable_journal() {
    assert!(!is_given_up(&[("MAX_DELIVERIES", "1"), ("ENABLE_JOURNAL", "no")]).await);
}
