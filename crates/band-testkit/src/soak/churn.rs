//! Rooms that come and go: join, talk, leave, again and again.

use std::fmt;

use band_wire::phx::Topic;
use band_wire::rest::DeliveryStatus;
use tokio::task::JoinSet;

use super::Site;
use super::account::growth;
use crate::usage::Usage;
use crate::{PATIENCE, Person, Result};

/// Rooms that are there at the same time.
const SIDE_BY_SIDE: usize = 8;

/// How often a room is made, talked in, and left.
#[derive(Debug, Clone, Copy)]
pub struct Churn {
    /// Rooms in all.
    pub cycles: usize,
}

/// What the agent's memory did.
#[derive(Debug, Clone)]
pub struct ChurnReport {
    /// Rooms in all.
    pub cycles: usize,
    /// After a hundredth of the rooms, in bytes.
    pub before: u64,
    /// At the end, in bytes.
    pub after: u64,
    /// All along.
    pub seen: Vec<u64>,
}

impl Churn {
    /// Runs it.
    ///
    /// # Errors
    /// A room was not answered in, or a process ended.
    pub async fn run(self) -> Result<ChurnReport> {
        let site = Site::set().await?;
        let agent = site.start_agent().await?;
        let pid = agent.id().unwrap_or_default();
        let warm = (self.cycles / 100).max(SIDE_BY_SIDE);
        let mut seen = Vec::new();
        let mut before = 0;
        let mut under_way = JoinSet::new();
        let mut done = 0;
        for number in 0..self.cycles {
            if under_way.len() >= SIDE_BY_SIDE {
                finished(under_way.join_next().await)?;
                done += 1;
            }
            if done == warm && before == 0 {
                before = Usage::of(pid)?.resident_bytes;
            }
            if number % warm == 0 {
                seen.push(Usage::of(pid)?.resident_bytes);
            }
            let (person, agent) = (site.person.clone(), site.agent.clone());
            under_way.spawn(async move { cycle(&person, &agent, number).await });
        }
        while let Some(end) = under_way.join_next().await {
            finished(Some(end))?;
        }
        Ok(ChurnReport { cycles: self.cycles, before, after: Usage::of(pid)?.resident_bytes, seen })
    }
}

async fn cycle(person: &Person, agent: &crate::NewAgent, number: usize) -> Result<()> {
    let room = person.room_with(&format!("Room {number}"), agent).await?;
    let mut watcher = person.watch().await?;
    watcher.join(Topic::ChatRoom(room)).await?;
    let said = person.say(room, agent.id, "hello").await?;
    let settled = |seen: &crate::Seen| {
        let message = seen.message().filter(|message| message.id == said)?;
        (message.delivery_status(agent.id) == Some(DeliveryStatus::Processed)).then_some(())
    };
    watcher.until("the message to be settled", PATIENCE, settled).await?;
    watcher.close().await?;
    person.remove(room, agent.id).await
}

fn finished(end: Option<std::result::Result<Result<()>, tokio::task::JoinError>>) -> Result<()> {
    match end {
        Some(Ok(outcome)) => outcome,
        Some(Err(broken)) => Err(crate::Error::shape("a cycle that ends", broken)),
        None => Ok(()),
    }
}

impl fmt::Display for ChurnReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cycles, before, after, .. } = self;
        let change = (*after as f64 / (*before).max(1) as f64 - 1.0) * 100.0;
        write!(
            f,
            "{cycles} rooms joined, talked in and left: agent's memory {:.1} MB before, {:.1} MB after \
             ({change:+.1} %); last quarter against the first {:+.1} %",
            *before as f64 / 1e6,
            *after as f64 / 1e6,
            growth(&self.seen) * 100.0,
        )
    }
}
