//! Events that wait for the owner. Bounded, and nothing is lost silently.
//!
//! While the lane has room, events wait in it in order. Once it is full:
//!
//! | Event | What is kept of it |
//! |---|---|
//! | message, participant | the room is marked; one `Overflow` follows, and until then this room's events are dropped, so that none overtakes what the resync will find |
//! | room added, removed, deleted | one `RoomsStale` follows |
//! | contact | one `ContactsStale` follows |
//! | room joined, join failed | the newest of each room |
//! | connected, disconnected | the newest |
//! | control | has a lane of its own, ahead of everything; when that is full, `RoomsStale` |
//! | ended | always, as the last one |

use std::collections::{BTreeMap, VecDeque};

use band_wire::ChatId;

use super::event::LinkEvent;
use super::limits::{CONTROL_QUEUE, EVENT_QUEUE};

/// What is kept of a room's events that found the lane full.
#[derive(Debug, Default)]
struct Late {
    outcome: Option<LinkEvent>,
    dirty: bool,
}

#[derive(Debug, Default)]
pub(super) struct EventQueue {
    control: VecDeque<LinkEvent>,
    lane: VecDeque<LinkEvent>,
    session: Option<LinkEvent>,
    rooms: BTreeMap<ChatId, Late>,
    rooms_stale: bool,
    contacts_stale: bool,
    ended: Option<LinkEvent>,
    dropped: u64,
}

impl EventQueue {
    /// How many events were dropped and only marked.
    pub(super) const fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(super) fn is_empty(&self) -> bool {
        self.control.is_empty()
            && self.lane.is_empty()
            && self.session.is_none()
            && self.rooms.is_empty()
            && !self.rooms_stale
            && !self.contacts_stale
            && self.ended.is_none()
    }

    pub(super) fn push(&mut self, event: LinkEvent) {
        let full = self.lane.len() >= EVENT_QUEUE;
        match event {
            LinkEvent::Control(_) if self.control.len() < CONTROL_QUEUE => self.control.push_back(event),
            LinkEvent::Ended(_) => self.ended = Some(event),
            LinkEvent::RoomsStale => self.rooms_stale = true,
            LinkEvent::ContactsStale => self.contacts_stale = true,
            LinkEvent::Connected { .. } | LinkEvent::Disconnected { .. }
                if full || self.session.is_some() =>
            {
                self.session = Some(event);
            }
            LinkEvent::RoomJoined(room) | LinkEvent::RoomJoinFailed { room, .. }
                if full || self.rooms.contains_key(&room) =>
            {
                self.rooms.entry(room).or_default().outcome = Some(event);
            }
            LinkEvent::Message { room, .. }
            | LinkEvent::ParticipantAdded { room, .. }
            | LinkEvent::ParticipantRemoved { room, .. }
            | LinkEvent::Overflow { room }
                if full || self.rooms.contains_key(&room) =>
            {
                self.rooms.entry(room).or_default().dirty = true;
                self.dropped = self.dropped.saturating_add(1);
            }
            LinkEvent::RoomAdded(_) | LinkEvent::RoomRemoved(_) | LinkEvent::RoomDeleted(_)
                if full || self.rooms_stale =>
            {
                self.rooms_stale = true;
                self.dropped = self.dropped.saturating_add(1);
            }
            LinkEvent::Control(_) => {
                self.rooms_stale = true;
                self.dropped = self.dropped.saturating_add(1);
            }
            LinkEvent::Contact(_) if full || self.contacts_stale => {
                self.contacts_stale = true;
                self.dropped = self.dropped.saturating_add(1);
            }
            _ => self.lane.push_back(event),
        }
    }

    pub(super) fn pop(&mut self) -> Option<LinkEvent> {
        let waiting =
            self.control.pop_front().or_else(|| self.lane.pop_front()).or_else(|| self.session.take());
        if waiting.is_some() {
            return waiting;
        }
        if let Some(mut late) = self.rooms.first_entry() {
            let room = *late.key();
            if let Some(outcome) = late.get_mut().outcome.take() {
                if !late.get().dirty {
                    late.remove();
                }
                return Some(outcome);
            }
            late.remove();
            return Some(LinkEvent::Overflow { room });
        }
        if std::mem::take(&mut self.rooms_stale) {
            return Some(LinkEvent::RoomsStale);
        }
        if std::mem::take(&mut self.contacts_stale) {
            return Some(LinkEvent::ContactsStale);
        }
        self.ended.take()
    }

    /// The owner has left a room: what is kept of it serves nobody.
    pub(super) fn forget(&mut self, room: ChatId) {
        self.rooms.remove(&room);
    }
}

#[cfg(test)]
mod tests {
    use band_wire::AgentId;
    use band_wire::event::{AgentControl, ControlMode};
    use uuid::Uuid;

    use super::super::stop::StopReason;
    use super::*;

    fn room(number: u128) -> ChatId {
        ChatId::new(Uuid::from_u128(number))
    }

    fn removed(number: u128) -> LinkEvent {
        LinkEvent::RoomRemoved(room(number))
    }

    fn overflow(number: u128) -> LinkEvent {
        LinkEvent::Overflow { room: room(number) }
    }

    fn control() -> LinkEvent {
        let agent = AgentId::new(Uuid::nil());
        LinkEvent::Control(Box::new(AgentControl::in_room(
            ControlMode::Stop,
            agent,
            room(1),
            "ctl-1".to_owned(),
        )))
    }

    /// A queue whose lane is full.
    fn full() -> EventQueue {
        let mut queue = EventQueue::default();
        for number in 0..EVENT_QUEUE {
            queue.push(removed(number.try_into().unwrap()));
        }
        queue
    }

    fn drain(queue: &mut EventQueue) -> Vec<LinkEvent> {
        std::iter::from_fn(|| queue.pop())
            .filter(|event| !matches!(event, LinkEvent::RoomRemoved(_)))
            .collect()
    }

    // `Overflow` stands in for a message here: the queue treats both alike.
    #[test]
    fn events_of_a_room_that_find_no_place_become_one_overflow() {
        let mut queue = full();
        for _ in 0..5_000 {
            queue.push(overflow(1));
            queue.push(overflow(2));
        }
        assert_eq!(queue.dropped(), 10_000);
        assert_eq!(drain(&mut queue), [overflow(1), overflow(2)]);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_later_event_does_not_overtake_one_that_was_dropped() {
        let mut queue = full();
        queue.push(overflow(1));
        queue.pop();
        queue.push(overflow(1));
        queue.push(overflow(2));
        assert_eq!(queue.dropped(), 2, "room 2 was never marked and has a place");
        assert_eq!(drain(&mut queue), [overflow(2), overflow(1)]);
    }

    #[test]
    fn the_newest_word_on_a_room_and_on_the_session_is_kept() {
        let mut queue = full();
        let failed = LinkEvent::RoomJoinFailed { room: room(1), reason: "no".to_owned(), retry_in: None };
        queue.push(LinkEvent::Connected { reconnect: true });
        queue.push(failed);
        queue.push(LinkEvent::RoomJoined(room(1)));
        queue.push(overflow(1));
        let expected =
            [LinkEvent::Connected { reconnect: true }, LinkEvent::RoomJoined(room(1)), overflow(1)];
        assert_eq!(drain(&mut queue), expected);
    }

    #[test]
    fn a_membership_that_finds_no_place_makes_the_list_stale() {
        let mut queue = full();
        queue.push(removed(1));
        queue.pop();
        queue.push(removed(1));
        assert_eq!(drain(&mut queue), [LinkEvent::RoomsStale]);
    }

    #[test]
    fn control_signals_overtake_a_full_lane_and_are_bounded_too() {
        let mut queue = full();
        for _ in 0..=CONTROL_QUEUE {
            queue.push(control());
        }
        for _ in 0..CONTROL_QUEUE {
            assert_eq!(queue.pop(), Some(control()));
        }
        assert_eq!(drain(&mut queue), [LinkEvent::RoomsStale]);
    }

    #[test]
    fn the_end_comes_last() {
        let mut queue = full();
        queue.push(LinkEvent::Ended(StopReason::Requested));
        queue.push(overflow(1));
        assert_eq!(drain(&mut queue), [overflow(1), LinkEvent::Ended(StopReason::Requested)]);
    }
}
