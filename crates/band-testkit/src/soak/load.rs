//! Who writes, and the last word in a room.

use std::time::Duration;

use band_wire::phx::Topic;
use band_wire::rest::DeliveryStatus;
use band_wire::{AgentId, ChatId, MessageId};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::{NewAgent, Person, Result};

/// How long the last answer in a room may take: the agent may be waiting for a reconnect and have a backlog.
const LAST_WORD: Duration = Duration::from_secs(180);

/// What was written into one room, and confirmed.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) room: ChatId,
    pub(super) confirmed: Vec<MessageId>,
}

/// Writes at a steady pace until it is told to stop.
pub(super) async fn write(
    person: Person,
    room: ChatId,
    to: AgentId,
    pace: Duration,
    stop: CancellationToken,
) -> Said {
    let mut confirmed = Vec::new();
    let mut pace = interval(pace);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for number in 0_u64.. {
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            _ = pace.tick() => {}
        }
        // The writer reaches the platform directly: what is not confirmed is not there.
        confirmed.extend(person.say(room, to, &format!("number {number}")).await.ok());
    }
    Said { room, confirmed }
}

/// Says one more thing and waits until it is settled. A room is answered in order: all others came before.
pub(super) async fn settle(person: &Person, agent: &NewAgent, room: ChatId) -> Result<()> {
    let mut watcher = person.watch().await?;
    watcher.join(Topic::ChatRoom(room)).await?;
    let last = person.say(room, agent.id, "the last word").await?;
    let settled = |seen: &crate::Seen| {
        let message = seen.message().filter(|message| message.id == last)?;
        (message.delivery_status(agent.id) == Some(DeliveryStatus::Processed)).then_some(())
    };
    watcher.until("the last word to be settled", LAST_WORD, settled).await?;
    watcher.close().await
}
