//! Our agent and our platform as processes of their own, and what is left when one of them dies.

use std::collections::BTreeMap;
use std::time::Duration;

use band_testkit::{NewAgent, PATIENCE, Person};
use band_wire::phx::Topic;
use band_wire::rest::{DeliveryRecord, DeliveryStatus, Message};
use band_wire::{ChatId, MessageId};
use serde::Deserialize;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::stage::Stage;

/// Rooms that are written to at the same time.
const ROOMS: usize = 5;
/// One message to each room in this time: 50 a second in all.
const BETWEEN_MESSAGES: Duration = Duration::from_millis(100);
/// How often the platform is killed.
const ROUNDS: u64 = 20;
/// It is killed this long after its start, at the earliest and at the latest.
const KILLED_AFTER_MS: (u64, u64) = (300, 1_500);

#[tokio::test]
async fn our_agent_answers_a_mention_and_settles_it() {
    let stage = Stage::set().await;
    let mut watcher = stage.watch().await;
    let mut agent = stage.rust_agent().await;
    let message = stage.say("how are you?").await;
    let answer = stage.answer(&mut watcher, "echo: how are you?").await;
    assert!(answer.mentions().iter().any(|mention| mention.id == stage.person.details().id.into()));
    stage.processed(&mut watcher, message).await;

    agent.terminate().await.unwrap();
    agent.line("Agent stopped: Helper (graceful=true)", PATIENCE).await.unwrap();
    agent.ended(PATIENCE).await.unwrap();
}

#[tokio::test]
async fn our_agent_killed_in_the_middle_of_a_turn_and_restarted_handles_that_message_again() {
    let stage = Stage::set().await;
    let mut watcher = stage.watch().await;
    let mut first = stage.rust_agent().await;

    let message = stage.say("[[sleep:1500]] still there?").await;
    let working = |seen: &band_testkit::Seen| {
        let updated = seen.message().filter(|updated| updated.id == message)?;
        (updated.delivery_status(stage.agent.id) == Some(DeliveryStatus::Processing)).then_some(())
    };
    watcher.until("the turn to begin", PATIENCE, working).await.unwrap();
    first.kill().await.unwrap();
    assert!(stage.said_by_the_agent().await.is_empty(), "it was killed before it answered");

    let _second = stage.rust_agent().await;
    stage.answer(&mut watcher, "echo: [[sleep:1500]] still there?").await;
    let settled = stage.processed(&mut watcher, message).await;
    let record = &settled.metadata["delivery_status"][stage.agent.id.to_string()];
    assert_eq!(DeliveryRecord::deserialize(record).unwrap().attempts.len(), 1);
    assert_eq!(stage.said_by_the_agent().await.len(), 1);
}

#[tokio::test]
async fn a_platform_killed_again_and_again_under_load_loses_nothing_and_the_agent_answers_each_message_once()
{
    let mut stage = Stage::set().await;
    let seed = seed();
    println!("BAND_SEED={seed}");
    let mut agent = stage.rust_agent().await;
    let mut rooms = vec![stage.room];
    for number in 1..ROOMS {
        rooms.push(stage.person.room_with(&format!("Room {number}"), &stage.agent).await.unwrap());
    }

    let stop = CancellationToken::new();
    let mut writers = JoinSet::new();
    for room in &rooms {
        writers.spawn(write_on(stage.person.clone(), *room, stage.agent.clone(), stop.clone()));
    }
    let mut dice = seed;
    for _ in 0..ROUNDS {
        sleep(Duration::from_millis(roll(&mut dice, KILLED_AFTER_MS))).await;
        stage.served.process().kill().await.unwrap();
        stage.served.restart().await.unwrap();
    }
    stop.cancel();
    let mut confirmed: BTreeMap<ChatId, Vec<MessageId>> = BTreeMap::new();
    while let Some(written) = writers.join_next().await {
        let (room, messages) = written.unwrap();
        confirmed.insert(room, messages);
    }

    for room in &rooms {
        await_the_last_answer(&stage, *room).await;
        let timeline = stage.person.timeline(*room).await.unwrap();
        check(&timeline, &confirmed[room], &stage.agent);
    }
    let written: usize = confirmed.values().map(Vec::len).sum();
    println!("{written} messages were confirmed");
    assert!(written as u64 > ROUNDS * 5, "only {written} messages were confirmed: that is no load");
    assert!(agent.id().is_some(), "the agent lives on:\n{}", agent.tail());
    agent.kill().await.unwrap();
}

/// Writes numbered messages into one room until it is told to stop, and gives those that were confirmed.
/// One that got no answer may be stored or not; its number is not used again.
async fn write_on(
    person: Person,
    room: ChatId,
    agent: NewAgent,
    stop: CancellationToken,
) -> (ChatId, Vec<MessageId>) {
    let mut confirmed = Vec::new();
    let mut pace = interval(BETWEEN_MESSAGES);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for number in 0_u32.. {
        tokio::select! {
            () = stop.cancelled() => break,
            _ = pace.tick() => {}
        }
        if let Ok(message) = person.say(room, agent.id, &format!("number {number}")).await {
            confirmed.push(message);
        }
    }
    (room, confirmed)
}

/// Says one more thing and waits for its answer. Since a room is answered in order, all others came before.
async fn await_the_last_answer(stage: &Stage, room: ChatId) {
    let mut watcher = stage.person.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(room)).await.unwrap();
    let last = stage.person.say(room, stage.agent.id, "the end").await.unwrap();
    stage.answer(&mut watcher, "echo: the end").await;
    stage.processed(&mut watcher, last).await;
}

/// Everything confirmed is there; everything said is answered exactly once, in the order it was said.
fn check(timeline: &[Message], confirmed: &[MessageId], agent: &NewAgent) {
    let text = |message: &Message| message.content.rsplit(']').next().unwrap_or_default().trim().to_owned();
    let (answers, said): (Vec<&Message>, Vec<&Message>) =
        timeline.iter().partition(|message| message.sender_id == agent.id.into());
    for message in confirmed {
        assert!(said.iter().any(|stored| stored.id == *message), "{message} was confirmed and is gone");
    }
    let expected: Vec<String> = said.iter().map(|message| format!("echo: {}", text(message))).collect();
    let answered: Vec<String> = answers.iter().map(|message| text(message)).collect();
    assert_eq!(answered, expected);
    for message in said {
        assert_eq!(message.delivery_status(agent.id), Some(DeliveryStatus::Processed), "{}", message.content);
    }
}

/// A fresh seed, or the one in `BAND_SEED`.
fn seed() -> u64 {
    let given = std::env::var("BAND_SEED").ok().and_then(|text| text.parse().ok());
    given.unwrap_or_else(|| Uuid::new_v4().as_u64_pair().0)
}

/// The next number in a range (xorshift).
fn roll(state: &mut u64, (least, most): (u64, u64)) -> u64 {
    *state = (*state).max(1);
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    least + *state % (most - least)
}
