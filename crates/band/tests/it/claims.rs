//! A turn that marks another message as being worked on.

use std::sync::Arc;

use band::{AdapterResult, Error, InterruptMode, RawHistory, Running, SimpleAdapter, Turn};
use band_wire::{ChatId, MessageId};
use serde_json::{Value, json};

use crate::control::steer;
use crate::platform::{Fault, Platform};
use crate::scene::{Book, builder_of};

/// Claims the message that it is told of, once it may go on, and says what came of it.
struct Claimer(Arc<Book>);

impl SimpleAdapter for Claimer {
    type Converter = RawHistory;

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        let Some(other) = turn.text().strip_prefix("claim ").and_then(|id| id.parse::<MessageId>().ok())
        else {
            self.0.note(format!("turn {}", turn.text()));
            turn.reply("done").await?;
            return Ok(());
        };
        self.0.note("ready".to_owned());
        self.0.gate.notified().await;
        let claimed = turn.claim_message(other).await;
        self.0.note(match &claimed {
            Ok(taken) => format!("claimed {taken}"),
            Err(Error::Stopped { .. }) => "stopped".to_owned(),
            Err(Error::Cancelled) => "cancelled".to_owned(),
            Err(err) => format!("error {err}"),
        });
        claimed?;
        turn.reply("claimed").await?;
        Ok(())
    }

    fn on_interrupt(&self, _: ChatId, mode: InterruptMode) {
        self.0.note(format!("{mode:?}"));
    }
}

/// A turn that is about to claim a message that was not pushed.
async fn about_to_claim() -> (Platform, Running, Arc<Book>, MessageId, MessageId) {
    let platform = Platform::start(&[1]).await;
    let book = Arc::new(Book::default());
    let built = builder_of(&platform, Claimer(Arc::clone(&book))).build().unwrap();
    let running = built.start().await.unwrap();
    platform.saw("next", 1).await;
    let other = platform.store(1, "other");
    let id = platform.say(1, &format!("claim {other}")).await;
    book.saw("ready").await;
    (platform, running, book, id, other)
}

#[tokio::test]
async fn a_message_that_a_turn_claims_is_marked_and_keeps_a_turn_of_its_own() {
    let (platform, running, book, id, other) = about_to_claim().await;
    // It is older than the one that claims it, so it comes first once it is served.
    let gate = platform.hold("send");
    book.gate.notify_one();
    book.saw("claimed true").await;
    assert_eq!(platform.status(1, other), Some("processing"));
    gate.notify_one();
    platform.stands(1, id, "processed").await;
    platform.push_again(1, other).await;
    platform.stands(1, other, "processed").await;
    assert_eq!(book.notes().iter().filter(|note| *note == "turn other").count(), 1);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_claim_of_a_message_that_is_not_there_is_no_error() {
    let (platform, running, book, id, _) = about_to_claim().await;
    let gone =
        json!({ "error": { "code": "not_found", "message": "Resource not found", "request_id": "r" } });
    platform.fault("processing", Fault::Answer(404, gone));
    book.gate.notify_one();
    book.saw("claimed false").await;
    platform.stands(1, id, "processed").await;
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_claim_that_finds_the_agent_stopped_ends_its_turn_and_leaves_the_message_open() {
    let (platform, running, book, id, _) = about_to_claim().await;
    platform.fault("processing", Fault::Answer(204, Value::Null));
    book.gate.notify_one();
    book.saw("stopped").await;
    // The next word of a person lets it go on, and the message has its turn again.
    book.saw("Stop").await;
    assert_eq!(platform.status(1, id), Some("processing"));
    assert!(platform.texts().is_empty() && platform.events().is_empty());
    steer(&platform, "play", "c1").await;
    book.gate.notify_one();
    book.saw("claimed true").await;
    platform.stands(1, id, "processed").await;
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_turn_that_was_interrupted_claims_nothing_any_more() {
    let (platform, running, book, id, other) = about_to_claim().await;
    steer(&platform, "interrupt", "c1").await;
    book.saw("Interrupt").await;
    book.gate.notify_one();
    book.saw("cancelled").await;
    platform.stands(1, id, "processed").await;
    assert_eq!(platform.count("processing"), 1, "its own, before");
    assert_eq!(platform.status(1, other), None);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn what_a_claim_brings_after_an_interrupt_is_not_given_to_the_turn() {
    let (platform, running, book, id, _) = about_to_claim().await;
    let gate = platform.hold("processing");
    book.gate.notify_one();
    platform.saw("processing", 2).await;
    steer(&platform, "interrupt", "c1").await;
    book.saw("Interrupt").await;
    gate.notify_one();
    book.saw("cancelled").await;
    platform.stands(1, id, "processed").await;
    assert!(platform.texts().is_empty());
    running.stop(None).await.unwrap();
}
