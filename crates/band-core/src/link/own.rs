//! The agent's own topics: `agent_control`, `agent_rooms`, `agent_contacts`.
//!
//! | Topic | Refused, timed out | Lost while joined |
//! |---|---|---|
//! | `agent_control`, never joined before | refused: the link ends; timed out: another socket | – |
//! | `agent_control` | another socket | joined again on this one |
//! | the others | joined again on this socket, without end, with growing delays | likewise |
//!
//! Whoever joins `agent_rooms` or `agent_contacts` late has missed events, so the owner is told to read
//! anew.

use std::collections::BTreeMap;

use band_wire::AgentId;
use band_wire::phx::Topic;

use crate::Moment;
use crate::backoff::{Backoff, Dice};
use crate::timers::Timers;

use super::limits::{TOPIC_RETRY_BASE, TOPIC_RETRY_MAX};

#[derive(Debug)]
struct Own {
    backoff: Backoff,
    /// Whether events may have been missed since the owner last read.
    missed: bool,
}

#[derive(Debug)]
pub(super) struct OwnTopics {
    control: Topic,
    /// In the order of joining, which is the order of topics.
    topics: BTreeMap<Topic, Own>,
    retries: Timers<Topic>,
}

impl OwnTopics {
    pub(super) fn new(agent: AgentId, contacts: bool) -> Self {
        let contacts = contacts.then_some(Topic::AgentContacts(agent));
        let topics = [Topic::AgentControl(agent), Topic::AgentRooms(agent)].into_iter().chain(contacts);
        let backoff = Backoff::new(TOPIC_RETRY_BASE, TOPIC_RETRY_MAX).at_once();
        Self {
            control: Topic::AgentControl(agent),
            topics: topics.map(|topic| (topic, Own { backoff: backoff.clone(), missed: false })).collect(),
            retries: Timers::new(),
        }
    }

    pub(super) const fn control(&self) -> Topic {
        self.control
    }

    /// `agent_contacts`, if it is wanted.
    pub(super) fn contacts(&self) -> Option<Topic> {
        self.topics.keys().copied().find(|topic| matches!(topic, Topic::AgentContacts(_)))
    }

    /// All of them, to be joined on a fresh socket. Retries start over.
    pub(super) fn fresh_socket(&mut self) -> Vec<Topic> {
        self.retries.clear_all();
        for own in self.topics.values_mut() {
            own.backoff.reset();
            own.missed = false;
        }
        self.topics.keys().copied().collect()
    }

    pub(super) fn socket_gone(&mut self) {
        self.retries.clear_all();
    }

    /// Gives whether events may have been missed, and forgets it.
    pub(super) fn joined(&mut self, topic: Topic) -> bool {
        self.retries.clear(topic);
        self.topics.get_mut(&topic).is_some_and(|own| std::mem::take(&mut own.missed))
    }

    /// A topic is not joined: it is to be tried again, the first time at once.
    pub(super) fn not_joined(&mut self, now: Moment, topic: Topic, dice: &mut Dice) {
        let Some(own) = self.topics.get_mut(&topic) else { return };
        own.missed = true;
        self.retries.set(topic, now + own.backoff.next(dice));
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        self.retries.next().map(|due| due.at)
    }

    pub(super) fn take_due(&mut self, now: Moment) -> Option<Topic> {
        self.retries.take_due(now)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;

    #[test]
    fn control_comes_first_then_rooms_then_contacts() {
        let agent = AgentId::new(Uuid::nil());
        let all = [Topic::AgentControl(agent), Topic::AgentRooms(agent), Topic::AgentContacts(agent)];
        assert_eq!(OwnTopics::new(agent, true).fresh_socket(), all);
        assert_eq!(OwnTopics::new(agent, false).fresh_socket(), all[..2]);
    }

    #[test]
    fn a_topic_that_can_not_be_joined_is_tried_without_end() {
        let agent = AgentId::new(Uuid::nil());
        let rooms = Topic::AgentRooms(agent);
        let mut own = OwnTopics::new(agent, false);
        let mut now = Moment::ZERO;
        for attempt in 0..1_000 {
            own.not_joined(now, rooms, &mut Dice::new(attempt));
            let due = own.deadline().unwrap();
            assert!(due.since(now) <= TOPIC_RETRY_MAX);
            assert!(attempt > 0 || due == now, "the first retry is at once");
            now = due + Duration::from_millis(1);
            assert_eq!(own.take_due(now), Some(rooms));
        }
        assert!(own.joined(rooms), "events were missed meanwhile");
        assert!(!own.joined(rooms));
    }
}
