//! The SDK and the platform in one process, over real sockets: what needs no process of its own.

use std::sync::Arc;
use std::time::Duration;

use band::{Agent, FrameworkAdapter, RawHistory, Running, Turn, adapter_fn};
use band_testkit::{NewAgent, PATIENCE, Person, Platform, Watcher};
use band_wire::phx::Topic;
use band_wire::rest::{DeliveryRecord, DeliveryStatus, Message};
use band_wire::{ChatId, MessageId};
use serde::Deserialize;
use tempfile::TempDir;
use tokio::sync::Notify;

/// A platform with somebody in a room with an agent that does not run yet.
struct House {
    platform: Platform,
    person: Person,
    agent: NewAgent,
    room: ChatId,
    state: TempDir,
}

impl House {
    async fn build() -> Self {
        let platform = Platform::start().await.unwrap();
        let person = platform.add_person("Ann").await.unwrap();
        let agent = person.register("Helper", "Repeats what it is told.").await.unwrap();
        let room = person.room_with("Kitchen", &agent).await.unwrap();
        Self { platform, person, agent, room, state: tempfile::tempdir().unwrap() }
    }

    async fn start(&self, adapter: impl FrameworkAdapter) -> Running {
        let built = Agent::builder(adapter)
            .credentials(self.agent.id, self.agent.key.clone())
            .rest_url(self.platform.base_url())
            .build_with([("BAND_STATE_DIR", self.state.path().display().to_string())].into_iter().collect());
        built.unwrap().start().await.unwrap()
    }

    async fn watch(&self) -> Watcher {
        let mut watcher = self.person.watch().await.unwrap();
        watcher.join(Topic::ChatRoom(self.room)).await.unwrap();
        watcher
    }

    async fn say(&self, text: &str) -> MessageId {
        self.person.say(self.room, self.agent.id, text).await.unwrap()
    }

    /// Waits until the message stands so for the agent.
    async fn until(&self, watcher: &mut Watcher, message: MessageId, status: DeliveryStatus) -> Message {
        let wanted = |seen: &band_testkit::Seen| {
            let updated = seen.message().filter(|updated| updated.id == message)?;
            (updated.delivery_status(self.agent.id) == Some(status)).then_some(updated)
        };
        watcher.until(&format!("the message to be {status:?}"), PATIENCE, wanted).await.unwrap()
    }

    /// Waits until the message has failed and the room was told; which comes first is not given.
    async fn until_failed(&self, watcher: &mut Watcher, message: MessageId) -> (DeliveryRecord, String) {
        let (mut failed, mut told) = (None, None);
        let both = watcher.until("a failure, marked and told", PATIENCE, |seen| {
            let seen = seen.message()?;
            if seen.message_type == "error" {
                told = Some(seen.content);
            } else if seen.id == message
                && seen.delivery_status(self.agent.id) == Some(DeliveryStatus::Failed)
            {
                failed = Some(self.record(&seen));
            }
            (failed.is_some() && told.is_some()).then_some(())
        });
        both.await.unwrap();
        (failed.unwrap(), told.unwrap())
    }

    fn record(&self, message: &Message) -> DeliveryRecord {
        let record = &message.metadata["delivery_status"][self.agent.id.to_string()];
        DeliveryRecord::deserialize(record).unwrap()
    }
}

#[tokio::test]
async fn a_mention_is_answered_and_settled() {
    let house = House::build().await;
    let mut watcher = house.watch().await;
    let running =
        house.start(adapter_fn(|turn: Turn<RawHistory>| async move { turn.reply("hello").await })).await;
    let message = house.say("are you there?").await;
    let answer = watcher.message("the answer", |message| message.content.ends_with("hello")).await.unwrap();
    assert_eq!(answer.sender_id, house.agent.id.into());
    house.until(&mut watcher, message, DeliveryStatus::Processed).await;
    assert!(running.stop(Some(PATIENCE)).await.unwrap().graceful);
    house.platform.stop().await.unwrap();
}

#[tokio::test]
async fn a_turn_that_fails_is_marked_with_its_reason_and_told_without_it() {
    let house = House::build().await;
    let mut watcher = house.watch().await;
    let adapter = adapter_fn(|_: Turn<RawHistory>| async { Err::<(), _>("the stove is on fire") });
    let running = house.start(adapter).await;
    let message = house.say("cook something").await;
    let (record, told) = house.until_failed(&mut watcher, message).await;
    assert_eq!(record.attempts[0].error.as_deref(), Some("the stove is on fire"));
    assert_eq!(told, "Internal error while processing message; see agent logs.");
    running.stop(Some(PATIENCE)).await.unwrap();
}

#[tokio::test]
async fn a_turn_that_says_nothing_is_told_and_marked_failed() {
    let house = House::build().await;
    let mut watcher = house.watch().await;
    let running = house.start(adapter_fn(|_: Turn<RawHistory>| async { Ok::<(), String>(()) })).await;
    let message = house.say("say something").await;
    let (record, told) = house.until_failed(&mut watcher, message).await;
    assert_eq!(
        told,
        "The agent ended its turn without replying or calling band_no_reply, so nothing reached the room."
    );
    assert_eq!(record.attempts[0].error.as_deref(), Some("turn ended without a reply"));
    running.stop(Some(PATIENCE)).await.unwrap();
}

#[tokio::test]
async fn a_turn_on_purpose_without_a_reply_is_settled() {
    let house = House::build().await;
    let mut watcher = house.watch().await;
    let adapter = adapter_fn(|turn: Turn<RawHistory>| async move {
        turn.no_reply(Some("not for me"));
        Ok::<(), String>(())
    });
    let running = house.start(adapter).await;
    let message = house.say("thanks").await;
    house.until(&mut watcher, message, DeliveryStatus::Processed).await;
    running.stop(Some(PATIENCE)).await.unwrap();
}

#[tokio::test]
async fn a_stop_that_may_wait_lets_the_turn_finish() {
    let house = House::build().await;
    let mut watcher = house.watch().await;
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&begun), Arc::clone(&go));
    let running = house
        .start(adapter_fn(move |turn: Turn<RawHistory>| {
            let (tell, wait) = (Arc::clone(&tell), Arc::clone(&wait));
            async move {
                tell.notify_one();
                wait.notified().await;
                turn.reply("done").await
            }
        }))
        .await;
    let message = house.say("take your time").await;
    begun.notified().await;
    let (stopped, ()) = tokio::join!(running.stop(Some(PATIENCE)), async { go.notify_one() });
    assert!(stopped.unwrap().graceful);
    house.until(&mut watcher, message, DeliveryStatus::Processed).await;
}

#[tokio::test]
async fn a_stop_that_may_not_wait_leaves_the_message_for_the_next_start() {
    let house = House::build().await;
    let mut watcher = house.watch().await;
    let begun = Arc::new(Notify::new());
    let tell = Arc::clone(&begun);
    let first = house
        .start(adapter_fn(move |turn: Turn<RawHistory>| {
            let tell = Arc::clone(&tell);
            async move {
                tell.notify_one();
                turn.cancelled().await;
                Err::<(), _>("cancelled")
            }
        }))
        .await;
    let message = house.say("never mind").await;
    begun.notified().await;
    assert!(!first.stop(Some(Duration::ZERO)).await.unwrap().graceful);

    let second =
        house.start(adapter_fn(|turn: Turn<RawHistory>| async move { turn.reply("now").await })).await;
    watcher.message("the answer", |message| message.content.ends_with("now")).await.unwrap();
    let settled = house.until(&mut watcher, message, DeliveryStatus::Processed).await;
    assert_eq!(house.record(&settled).attempts.len(), 1, "it was left as it stood");
    second.stop(Some(PATIENCE)).await.unwrap();
}
