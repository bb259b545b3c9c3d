//! Traps of the runtime, by their numbers.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use band::{
    AdapterResult, Identity, InterruptMode, PlatformConnection, RawHistory, SimpleAdapter, Turn, adapter_fn,
};
use band_wire::ChatId;
use serde_json::{Value, json};

use crate::platform::{Fault, Platform, ada, agent, room};
use crate::scene::{Book, PATIENCE, Puppet, builder_of, start};

fn grace() -> Value {
    json!({ "id": uuid::Uuid::from_u128(0xc), "type": "User", "name": "Grace", "handle": "grace" })
}

/// Takes its time to start: it asks the platform again and again.
struct Slow(Arc<Book>);

impl SimpleAdapter for Slow {
    type Converter = RawHistory;

    async fn on_started(&self, _: &Identity, platform: &PlatformConnection) -> AdapterResult {
        for _ in 0..20 {
            platform.rest_client().me().await?;
        }
        self.0.note("started".to_owned());
        Ok(())
    }

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        self.0.note(format!("turn {}", turn.text()));
        turn.reply("ok").await?;
        Ok(())
    }
}

#[tokio::test]
async fn trap_01_no_socket_is_opened_and_no_message_comes_before_the_adapter_has_started() {
    let platform = Platform::start(&[1]).await;
    let waiting = platform.store(1, "hi");
    let book = Arc::new(Book::default());
    let running = builder_of(&platform, Slow(Arc::clone(&book))).build().unwrap().start().await.unwrap();
    platform.stands(1, waiting, "processed").await;
    let log = platform.log();
    let socket = log.iter().position(|name| name == "socket").unwrap();
    assert_eq!(log.iter().take(socket).filter(|name| *name == "me").count(), 21, "{log:?}");
    assert_eq!(book.notes(), ["started", "turn hi"]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn trap_02_what_waits_in_front_of_a_message_that_was_served_too_is_not_lost_with_it() {
    let platform = Platform::start(&[1]).await;
    let gate = platform.hold("next");
    let id = platform.store(1, "hi");
    let book = Arc::new(Book::default());
    let came = Arc::clone(&book);
    let agent = builder_of(&platform, Puppet(Arc::clone(&book)))
        .on_participant_added(move |_, who| {
            came.note(format!("{} came", who.name.unwrap_or_default()));
            async { Ok::<(), String>(()) }
        })
        .build()
        .unwrap();
    let running = agent.start().await.unwrap();
    platform.saw("next", 1).await;
    platform.push(&format!("room_participants:{}", room(1)), "participant_added", grace()).await;
    platform.push_again(1, id).await;
    gate.notify_one();
    platform.stands(1, id, "processed").await;
    book.saw("Grace came").await;
    let last = platform.say(1, "bye").await;
    platform.stands(1, last, "processed").await;
    assert_eq!(platform.texts(), ["re: hi", "re: bye"]);
    running.stop(None).await.unwrap();
}

async fn steer(platform: &Platform, n: u128, mode: &str, id: &str) {
    let payload = json!({
        "type": "agent.control", "mode": mode, "scope": "room", "agent_id": agent(), "execution_id": null,
        "room_id": room(n), "reason": "user_requested", "correlation_id": id,
    });
    platform.push(&format!("agent_control:{}", agent()), "agent.control", payload).await;
}

#[tokio::test]
async fn trap_26_a_signal_that_found_no_room_is_obeyed_when_it_comes_again_and_then_once() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    steer(&platform, 2, "stop", "c1").await;
    platform.add_room(2).await;
    platform.say(2, "wait").await;
    book.saw("turn wait, past [], first true").await;
    steer(&platform, 2, "stop", "c1").await;
    book.saw("cancelled").await;
    steer(&platform, 2, "play", "c2").await;
    book.saw("turn wait, past [], first false").await;
    // Once: it does not stop the turn again.
    steer(&platform, 2, "stop", "c1").await;
    let other = platform.say(1, "other").await;
    platform.stands(1, other, "processed").await;
    assert_eq!(book.notes().iter().filter(|note| *note == "cancelled").count(), 1);
    book.gate.notify_one();
    running.stop(Some(PATIENCE)).await.unwrap();
}

/// Does not come back from its hook until it is told to.
struct Stuck {
    entered: SyncSender<()>,
    release: Mutex<Receiver<()>>,
}

impl SimpleAdapter for Stuck {
    type Converter = RawHistory;

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        turn.no_reply(None);
        Ok(())
    }

    fn on_interrupt(&self, _: ChatId, _: InterruptMode) {
        self.entered.send(()).unwrap();
        // An error means that the test is over.
        let _ = self.release.lock().unwrap().recv();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn trap_27_a_hook_that_hangs_does_not_hold_up_a_supersede() {
    let platform = Platform::start(&[1]).await;
    let ((entered, was_entered), (release, released)) = (sync_channel(1), sync_channel::<()>(1));
    let adapter = Stuck { entered, release: Mutex::new(released) };
    let running = builder_of(&platform, adapter).build().unwrap().start().await.unwrap();
    steer(&platform, 1, "interrupt", "c1").await;
    tokio::task::spawn_blocking(move || was_entered.recv().unwrap()).await.unwrap();
    let payload = json!({
        "type": "disconnect", "reason": "session.already_connected", "message": "Replaced", "retryable": false,
        "correlation_id": "c",
    });
    platform.push(&format!("agent_control:{}", agent()), "supersede", payload).await;
    let ended = tokio::time::timeout(PATIENCE, running.closed()).await;
    drop(release);
    assert!(matches!(ended.unwrap(), band::link::StopReason::Superseded { .. }));
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn trap_39_null_where_a_name_or_metadata_could_be_does_not_cost_the_message() {
    let platform = Platform::start(&[1]).await;
    let id = platform.store(1, "hi");
    for field in ["sender_name", "metadata", "attachments", "inserted_at", "chat_room_id"] {
        platform.change(1, id, field, Value::Null);
    }
    let (running, _) = start(&platform).await;
    platform.stands(1, id, "processed").await;
    let last = platform.store(1, "bye");
    platform.change(1, last, "sender_name", Value::Null);
    platform.push_again(1, last).await;
    platform.stands(1, last, "processed").await;
    assert_eq!(platform.texts(), ["re: hi", "re: bye"]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn trap_41_what_a_tool_learns_of_the_participants_is_known_in_the_next_turn() {
    let platform = Platform::start(&[1]).await;
    let updates: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let noted = Arc::clone(&updates);
    let adapter = adapter_fn(move |turn: Turn| {
        noted.lock().unwrap().push(turn.participants_update.clone());
        async move {
            if turn.text() == "who" {
                turn.tools.get_participants().await?;
            }
            turn.reply("ok").await
        }
    });
    let running = builder_of(&platform, adapter).build().unwrap().start().await.unwrap();
    let first = platform.say(1, "hi").await;
    platform.stands(1, first, "processed").await;
    let ada = json!({ "id": ada(), "type": "User", "role": "owner", "status": "active", "name": "Ada", "handle": "ada" });
    let mut grace = grace();
    grace["role"] = json!("member");
    grace["status"] = json!("active");
    platform.fault("participants", Fault::Answer(200, json!({ "data": [ada, grace] })));
    for text in ["who", "next", "last"] {
        let id = platform.say(1, text).await;
        platform.stands(1, id, "processed").await;
    }
    let updates = updates.lock().unwrap().clone();
    assert!(updates[0].as_ref().is_some_and(|text| !text.contains("Grace")));
    assert_eq!(updates[1], None);
    assert!(updates[2].as_ref().is_some_and(|text| text.contains("- @grace")), "{updates:?}");
    assert_eq!(updates[3], None, "once");
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn trap_43_mentions_by_id_are_shown_by_handle_in_the_message_and_in_the_past() {
    let platform = Platform::start(&[1]).await;
    let old = platform.store(1, &format!("@[[{}]] said it", ada()));
    platform.settle(1, old);
    let (running, book) = start(&platform).await;
    let id = platform.say(1, &format!("ask @[[{}]]", ada())).await;
    platform.stands(1, id, "processed").await;
    assert_eq!(book.notes()[1], "turn ask @ada, past [\"@ada said it\"], first true");
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn trap_49_what_was_cleaned_up_is_not_cleaned_up_again_however_often_the_rest_fails() {
    let platform = Platform::start(&[1, 2]).await;
    let (running, book) = start(&platform).await;
    book.failing.lock().unwrap().extend(["on_cleanup", "cleanup_all", "cleanup_all"]);
    let mut stopped = running.stop(None).await;
    let mut said = book.notes().len();
    for more in [2, 1] {
        stopped = stopped.unwrap_err().running.stop(None).await;
        assert_eq!(book.notes().len() - said, more, "{:?}", book.notes());
        said = book.notes().len();
    }
    stopped.unwrap();
}
