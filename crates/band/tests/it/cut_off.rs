//! What holds when an agent, its stop or its connection does not come to an orderly end.

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use band::config::Env;
use band::host::{AgentHost, AgentState};
use band::link::StopReason;
use band::sim::{Dial, Dialled, Endpoint, Seams, Stream};
use band::tools::RoomTools;
use band::{AdapterResult, Error, RawHistory, SimpleAdapter, Turn};
use band_wire::ChatId;
use band_wire::rest::EventType;
use tokio::time::timeout;

use crate::platform::{Platform, room};
use crate::scene::{Book, PATIENCE, Puppet, builder_of};

/// Fails to forget each room once, and then forgets the first one only when it may.
struct Fussy(Arc<Book>);

impl SimpleAdapter for Fussy {
    type Converter = RawHistory;

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        self.0.note("turn".to_owned());
        turn.reply("here").await?;
        Ok(())
    }

    async fn on_cleanup(&self, of: ChatId) -> AdapterResult {
        self.0.note(format!("cleanup {of}"));
        self.0.fail(if of == room(1) { "one" } else { "two" })?;
        if self.0.fail("hold").is_err() {
            self.0.note("held".to_owned());
            pending::<()>().await;
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_stop_that_is_given_up_midway_leaves_every_room_it_could_not_forget_to_the_next() {
    let platform = Platform::start(&[1, 2]).await;
    let book = Arc::new(Book::default());
    book.failing.lock().unwrap().extend(["one", "two"]);
    let running = builder_of(&platform, Fussy(Arc::clone(&book))).build().unwrap().start().await.unwrap();
    platform.remove_room(1).await;
    book.saw(&format!("cleanup {}", room(1))).await;
    // When the other room has had a turn, the agent has noted how that went.
    platform.say(2, "hello").await;
    book.saw("turn").await;
    book.failing.lock().unwrap().push("hold");
    tokio::select! {
        biased;
        stopped = running.clone().stop(None) => panic!("it had to wait: {stopped:?}"),
        () = book.saw("held") => {}
    }
    running.stop(None).await.unwrap();
    for of in [room(1), room(2)] {
        let note = format!("cleanup {of}");
        let tries = book.notes().iter().filter(|known| **known == note).count();
        assert!(tries >= 2, "{:?}", book.notes());
    }
}

/// Gives its tools away and never ends.
struct Leaky(Arc<Mutex<Option<RoomTools>>>, Arc<Book>);

impl SimpleAdapter for Leaky {
    type Converter = RawHistory;

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        *self.0.lock().unwrap() = Some(turn.tools.clone());
        self.1.note("given".to_owned());
        pending().await
    }
}

#[tokio::test]
async fn what_outlives_an_agent_that_was_cut_off_may_not_post_any_more() {
    let platform = Platform::start(&[1]).await;
    let (given, book) = (Arc::default(), Arc::new(Book::default()));
    let adapter = Leaky(Arc::clone(&given), Arc::clone(&book));
    let running = builder_of(&platform, adapter).build().unwrap().start().await.unwrap();
    platform.say(1, "hello").await;
    book.saw("given").await;
    let tools = given.lock().unwrap().take().unwrap();
    drop(running);
    timeout(PATIENCE, tools.cancelled()).await.unwrap();
    let late = tools.send_event(EventType::Thought, "late", None).await.unwrap_err();
    assert!(matches!(late, Error::Cancelled), "{late}");
}

/// Breaks the task of the connection.
#[derive(Debug)]
struct Broken;

impl Dial for Broken {
    fn dial<'a>(&'a self, _: Endpoint<'a>) -> Dialled<'a> {
        panic!("on purpose")
    }
}

#[tokio::test]
async fn an_agent_whose_connection_breaks_does_not_wait_for_it_for_ever() {
    let platform = Platform::start(&[1]).await;
    let book = Arc::new(Book::default());
    let mut seams = Seams::default();
    seams.dialer = Some(Arc::new(Broken));
    let agent = builder_of(&platform, Puppet(Arc::clone(&book))).seams(seams).build().unwrap();
    let started = timeout(PATIENCE, agent.start()).await.unwrap();
    assert!(matches!(started.unwrap_err(), Error::Unclean(_)));
    agent.stop(None).await.unwrap();
    assert_eq!(book.notes().last().unwrap(), "cleanup all");
}

/// Connects once; the second time it breaks the task of the connection.
#[derive(Debug, Default)]
struct OnceOnly(AtomicBool);

impl Dial for OnceOnly {
    fn dial<'a>(&'a self, to: Endpoint<'a>) -> Dialled<'a> {
        assert!(!self.0.swap(true, Ordering::Relaxed), "on purpose");
        Box::pin(async move {
            let tcp = tokio::net::TcpStream::connect((to.host, to.port)).await?;
            Ok(Box::new(tcp) as Stream)
        })
    }
}

#[tokio::test]
async fn an_agent_that_breaks_while_it_runs_says_so_and_does_not_run_any_more() {
    let platform = Platform::start(&[1]).await;
    let book = Arc::new(Book::default());
    let mut seams = Seams::default();
    seams.dialer = Some(Arc::new(OnceOnly::default()));
    let agent = builder_of(&platform, Puppet(Arc::clone(&book))).seams(seams).build().unwrap();
    let running = agent.start().await.unwrap();
    platform.drop_socket().await;
    assert_eq!(timeout(PATIENCE, running.closed()).await.unwrap(), StopReason::Broken);
    assert!(!running.is_running());
    let failed = running.run_forever().await.unwrap_err();
    assert!(matches!(failed, Error::Ended(StopReason::Broken)), "{failed}");
    let stopped = running.stop(None).await.unwrap_err();
    stopped.running.stop(None).await.unwrap();
}

#[tokio::test]
async fn an_agent_whose_stop_takes_too_long_leaves_its_place_to_another() {
    let platform = Platform::start(&[1]).await;
    let (book, state) = (Arc::new(Book::default()), tempfile::tempdir().unwrap());
    let folder = state.path().display().to_string();
    let env: Env = [("BAND_STATE_DIR", folder.clone()), ("TMPDIR", folder)].into_iter().collect();
    let builder = |book: &Arc<Book>| builder_of(&platform, Fussy(Arc::clone(book))).single_instance(true);
    let mut host = AgentHost::new();
    let agent = host.add_with(builder(&book), env.clone()).unwrap();
    let mut fleet = host.start().await;
    assert_eq!(fleet.up(), 1);
    book.failing.lock().unwrap().push("hold");
    // Nobody moves any more: the clock runs ahead to the end of what a stop may take.
    tokio::time::pause();
    let report = fleet.stop_one(agent, None).await.unwrap();
    tokio::time::resume();
    assert!(matches!(report.state, AgentState::CutOff), "{report}");
    let other = builder(&Arc::new(Book::default())).build_with(env).unwrap();
    other.start().await.unwrap().stop(None).await.unwrap();
}
