//! What became of everything that was said, and of the memory.

use std::collections::BTreeMap;
use std::fmt;

use band_wire::rest::{DeliveryStatus, Message};
use band_wire::{AgentId, MessageId};

use crate::Result;
use crate::usage::Usage;

/// What became of everything that was said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// Messages that are stored for the agent.
    pub said: usize,
    /// Confirmed messages that are not stored.
    pub lost: usize,
    /// Messages without an answer.
    pub unanswered: usize,
    /// Messages with more than one.
    pub doubled: usize,
    /// Messages that are not settled as processed.
    pub unsettled: usize,
    /// Answers that are out of the order of the messages.
    pub out_of_order: usize,
}

impl Account {
    /// Adds a room's whole timeline, oldest first.
    pub fn add(&mut self, timeline: &[Message], confirmed: &[MessageId], agent: AgentId) {
        let texts = timeline.iter().filter(|message| message.message_type == "text");
        let (answers, said): (Vec<&Message>, Vec<&Message>) =
            texts.partition(|message| message.sender_id == agent.into());
        let mut stored: BTreeMap<MessageId, ()> = BTreeMap::new();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for answer in &answers {
            *counts.entry(told(answer)).or_default() += 1;
        }
        for message in &said {
            stored.insert(message.id, ());
            match counts.get(told(message)).copied().unwrap_or_default() {
                0 => self.unanswered += 1,
                1 => {}
                _ => self.doubled += 1,
            }
            self.unsettled += usize::from(message.delivery_status(agent) != Some(DeliveryStatus::Processed));
        }
        self.said += said.len();
        self.lost += confirmed.iter().filter(|id| !stored.contains_key(id)).count();
        let order: BTreeMap<&str, usize> =
            said.iter().enumerate().map(|(index, message)| (told(message), index)).collect();
        let places: Vec<usize> =
            answers.iter().filter_map(|answer| order.get(told(answer)).copied()).collect();
        self.out_of_order +=
            places.windows(2).filter(|pair| matches!(pair, [one, next] if one > next)).count();
    }

    /// Whether nothing went wrong.
    pub const fn is_clean(&self) -> bool {
        self.lost + self.unanswered + self.doubled + self.unsettled + self.out_of_order == 0
    }
}

/// The text that message and answer share.
fn told(message: &Message) -> &str {
    let text = message.content.rsplit("]]").next().unwrap_or_default().trim();
    text.rsplit("echo: ").next().unwrap_or_default().trim()
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { said, lost, unanswered, doubled, unsettled, out_of_order } = self;
        write!(
            f,
            "{said} messages: {lost} lost, {unanswered} unanswered, {doubled} doubled, {unsettled} unsettled, \
             {out_of_order} out of order",
        )
    }
}

/// Resident memory over time, in bytes.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Of the agent.
    pub agent: Vec<u64>,
    /// Of the platform.
    pub platform: Vec<u64>,
}

impl Memory {
    pub(super) fn look(&mut self, agent: Option<u32>, platform: Option<u32>) -> Result<()> {
        for (pid, seen) in [(agent, &mut self.agent), (platform, &mut self.platform)] {
            let pid = pid.ok_or_else(|| crate::Error::shape("a process that runs", "it has ended"))?;
            seen.push(Usage::of(pid)?.resident_bytes);
        }
        Ok(())
    }
}

/// How much more (or less) the last quarter has than the first, as a part of the first. The medians count.
pub(super) fn growth(seen: &[u64]) -> f64 {
    let quarter = seen.len() / 4;
    let median = |part: &[u64]| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part.get(part.len() / 2).copied().unwrap_or_default() as f64
    };
    let (Some(first), Some(last)) = (seen.get(..quarter), seen.get(seen.len() - quarter..)) else {
        return 0.0;
    };
    if first.is_empty() { 0.0 } else { median(last) / median(first).max(1.0) - 1.0 }
}

/// What a soak showed.
#[derive(Debug, Clone)]
pub struct SoakReport {
    /// Of the messages.
    pub account: Account,
    /// How often the weather went bad.
    pub faults: u32,
    /// Over time.
    pub memory: Memory,
    /// What the agent used in all.
    pub used: Option<Usage>,
}

impl fmt::Display for SoakReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}; {} faults", self.account, self.faults)?;
        for (who, seen) in [("agent", &self.memory.agent), ("platform", &self.memory.platform)] {
            let (first, last) =
                (seen.first().copied().unwrap_or_default(), seen.last().copied().unwrap_or_default());
            writeln!(
                f,
                "memory of the {who}: {:.1} MB first, {:.1} MB last, last quarter against the first {:+.1} %",
                first as f64 / 1e6,
                last as f64 / 1e6,
                growth(seen) * 100.0,
            )?;
        }
        match self.used {
            Some(used) => write!(f, "the agent used {:.1} s of CPU", used.cpu.as_secs_f64()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn message(n: u128, sender: u128, text: &str, status: &str) -> Message {
        let agent = Uuid::from_u128(1);
        serde_json::from_value(json!({
            "id": Uuid::from_u128(n), "content": text, "message_type": "text", "sender_type": "User",
            "sender_id": Uuid::from_u128(sender),
            "metadata": { "delivery_status": { agent.to_string(): { "status": status } } },
        }))
        .unwrap()
    }

    #[test]
    fn what_is_lost_doubled_or_left_is_counted() {
        let timeline = [
            message(10, 2, "@[[x]] number 0", "processed"),
            message(11, 2, "@[[x]] number 1", "processing"),
            message(12, 2, "@[[x]] number 2", "processed"),
            message(13, 1, "@[[y]] echo: number 2", ""),
            message(14, 1, "@[[y]] echo: number 0", ""),
            message(15, 1, "@[[y]] echo: number 0", ""),
        ];
        let mut account = Account::default();
        account.add(
            &timeline,
            &[Id::new(Uuid::from_u128(10)), Id::new(Uuid::from_u128(99))],
            Id::new(Uuid::from_u128(1)),
        );
        let expected = Account { said: 3, lost: 1, unanswered: 1, doubled: 1, unsettled: 1, out_of_order: 1 };
        assert_eq!(account, expected);
        assert!(!account.is_clean());
    }

    #[test]
    fn growth_compares_the_quarters() {
        assert!(growth(&[100, 100, 500, 1, 110, 9, 200, 200]) > 0.9);
        assert!(growth(&[100; 8]).abs() < 1e-9 && growth(&[]).abs() < 1e-9);
    }
}
