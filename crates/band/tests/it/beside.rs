//! Turns that go on beside their room, that cannot be ended, and messages that are words to work under way.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use band::{
    AdapterError, AdapterResult, ControlMessage, Detached, Error, RawHistory, Running, SimpleAdapter, Turn,
};
use serde_json::json;

use crate::control::steer;
use crate::platform::{Fault, Platform, room};
use crate::scene::{Book, PATIENCE, builder_of};

/// Does as the message says, beside the room if it says "beside".
struct Patient {
    book: Arc<Book>,
    /// Work that outlives the adapter's turn is over when this is emptied.
    kept: Mutex<Option<Detached>>,
    /// What says "block" blocks its thread until something comes.
    blocked: Mutex<Option<mpsc::Receiver<()>>>,
}

impl SimpleAdapter for Patient {
    type Converter = RawHistory;

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        let text = turn.text().to_owned();
        self.book.note(format!("turn {text}, first {}", turn.is_bootstrap));
        match text.as_str() {
            "beside" => {
                let work = turn.detach();
                self.book.note("detached".to_owned());
                tokio::select! {
                    () = self.book.gate.notified() => turn.reply("at last").await.map(drop)?,
                    () = turn.cancelled() => return Err(Error::Cancelled.into()),
                }
                drop(work);
            }
            "keep" => *self.kept.lock().unwrap() = Some(turn.detach()),
            "ask" => {
                if self.book.notes().iter().any(|note| note == "told yes") {
                    turn.reply("you said yes").await?;
                } else {
                    return Err(AdapterError::not_accepted("waiting for a word"));
                }
            }
            "retain" => {
                turn.retain_context();
                return Err("lost it".into());
            }
            "block" => {
                let blocked = self.blocked.lock().unwrap().take().unwrap();
                // Nothing can end this but the other side.
                tokio::task::block_in_place(|| blocked.recv())?;
            }
            _ => drop(turn.reply(format!("re: {text}")).await?),
        }
        Ok(())
    }

    async fn try_handle_control(&self, control: &ControlMessage) -> AdapterResult<bool> {
        let text = &control.message.content;
        if text == "yes" {
            self.book.note(format!("told {text}"));
        }
        Ok(text == "yes")
    }

    fn on_interrupt(&self, _: band_wire::ChatId, mode: band::InterruptMode) {
        self.book.note(format!("{mode:?}"));
    }

    async fn on_cleanup(&self, _: band_wire::ChatId) -> AdapterResult {
        self.book.note("cleanup".to_owned());
        Ok(())
    }
}

struct Scene {
    platform: Platform,
    running: Running,
    book: Arc<Book>,
    unblock: mpsc::SyncSender<()>,
}

async fn scene() -> Scene {
    let platform = Platform::start(&[1]).await;
    let book = Arc::new(Book::default());
    let (unblock, blocked) = mpsc::sync_channel(1);
    let patient =
        Patient { book: Arc::clone(&book), kept: Mutex::default(), blocked: Mutex::new(Some(blocked)) };
    let agent = builder_of(&platform, patient).build().unwrap();
    let running = tokio::time::timeout(PATIENCE, agent.start()).await.unwrap().unwrap();
    Scene { platform, running, book, unblock }
}

fn failures(platform: &Platform) -> Vec<String> {
    let events = platform.events();
    events.iter().map(|event| event["event"]["content"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn a_turn_that_waits_for_a_person_lets_its_room_go_on_and_answers_when_it_can() {
    let Scene { platform, running, book, .. } = scene().await;
    let first = platform.say(1, "beside").await;
    platform.stands(1, first, "processed").await;
    let second = platform.say(1, "hi").await;
    platform.stands(1, second, "processed").await;
    assert_eq!(platform.texts(), ["re: hi"]);
    book.gate.notify_one();
    platform.saw("send", 2).await;
    assert_eq!(platform.texts(), ["re: hi", "at last"]);
    assert!(running.stop(Some(PATIENCE)).await.unwrap().graceful);
    assert!(failures(&platform).is_empty());
}

#[tokio::test]
async fn detached_work_that_comes_to_nothing_is_told_at_its_real_end_and_changes_no_status() {
    let Scene { platform, running, .. } = scene().await;
    let first = platform.say(1, "keep").await;
    platform.stands(1, first, "processed").await;
    let second = platform.say(1, "hi").await;
    platform.stands(1, second, "processed").await;
    assert!(failures(&platform).is_empty(), "it is not over yet");
    // The stop ends it, since whoever holds it never lets go.
    let stopped = running.stop(None).await.unwrap();
    assert!(!stopped.graceful);
    let told = failures(&platform);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("The agent ended its turn without replying"), "{told:?}");
    assert_eq!(platform.status(1, first), Some("processed"));
}

#[tokio::test]
async fn a_word_behind_a_message_that_is_held_up_is_found_and_marked_once_taken() {
    let Scene { platform, running, book, .. } = scene().await;
    let ask = platform.say(1, "ask").await;
    book.saw("turn ask, first true").await;
    let hello = platform.say(1, "hello").await;
    let yes = platform.say(1, "yes").await;
    platform.stands(1, yes, "processed").await;
    platform.stands(1, ask, "processed").await;
    platform.stands(1, hello, "processed").await;
    assert_eq!(platform.texts(), ["you said yes", "re: hello"]);
    assert_eq!(book.notes().iter().filter(|note| *note == "told yes").count(), 1);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn context_that_a_turn_retains_comes_with_the_next_one() {
    let Scene { platform, running, book, .. } = scene().await;
    let first = platform.say(1, "retain").await;
    platform.stands(1, first, "failed").await;
    let second = platform.say(1, "hi").await;
    platform.stands(1, second, "processed").await;
    assert!(book.notes().contains(&"turn hi, first true".to_owned()), "{:?}", book.notes());
    running.stop(None).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_turn_that_nothing_can_end_is_owned_up_to_until_it_is_over() {
    let Scene { platform, running, book, unblock } = scene().await;
    platform.say(1, "block").await;
    book.saw("turn block, first true").await;
    let incomplete = running.stop(None).await.unwrap_err();
    let id = room(1);
    let text = format!("ExecutionContext {id}: 1 cancelled task(s) still running");
    assert!(incomplete.failures.iter().any(|failure| failure.error == text), "{incomplete}");
    assert!(!book.notes().contains(&"cleanup".to_owned()), "the room is still at work");
    unblock.send(()).unwrap();
    let stopped = incomplete.running.stop(Some(Duration::ZERO)).await.unwrap();
    assert!(!stopped.graceful);
    assert!(book.notes().contains(&"cleanup".to_owned()));
}

#[tokio::test]
async fn a_post_that_is_refused_because_of_a_stop_reaches_the_adapter_once() {
    let Scene { platform, running, book, .. } = scene().await;
    let stopped =
        json!({ "error": { "code": "forbidden", "message": "Execution is stopped", "request_id": "r" } });
    platform.fault("send", Fault::Answer(403, stopped));
    let id = platform.say(1, "hi").await;
    book.saw("Stop").await;
    platform.stands(1, id, "processed").await;
    assert_eq!(book.notes().iter().filter(|note| *note == "Stop").count(), 1);
    steer(&platform, "stop", "c1").await;
    running.stop(None).await.unwrap();
}
