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
//! | connected, disconnected | the newest; until it is taken the lane counts as full, so that nothing of the next socket overtakes it. A disconnect takes what is kept of its socket's joins with it |
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

#[derive(Debug)]
pub(super) struct EventQueue {
    /// Of the lane.
    limit: usize,
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
    pub(super) const fn new() -> Self {
        Self::with_limit(EVENT_QUEUE)
    }

    const fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            control: VecDeque::new(),
            lane: VecDeque::new(),
            session: None,
            rooms: BTreeMap::new(),
            rooms_stale: false,
            contacts_stale: false,
            ended: None,
            dropped: 0,
        }
    }

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
        let full = self.lane.len() >= self.limit || self.session.is_some();
        if matches!(event, LinkEvent::Disconnected { .. }) {
            self.forget_outcomes();
        }
        match event {
            LinkEvent::Control(_) if self.control.len() < CONTROL_QUEUE => self.control.push_back(event),
            LinkEvent::Ended(_) => self.ended = Some(event),
            LinkEvent::RoomsStale => self.rooms_stale = true,
            LinkEvent::ContactsStale => self.contacts_stale = true,
            LinkEvent::Connected { .. } | LinkEvent::Disconnected { .. } if full => {
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

    /// A socket is gone, and with it the outcomes of its joins.
    fn forget_outcomes(&mut self) {
        self.rooms.retain(|_, late| {
            late.outcome = None;
            late.dirty
        });
    }

    /// The owner has left a room: what waits of it serves nobody, and would be taken for news of a later stay.
    pub(super) fn forget(&mut self, room: ChatId) {
        self.rooms.remove(&room);
        self.lane.retain(|event| subscription(event) != Some(room));
    }
}

/// The room to whose subscription an event belongs.
const fn subscription(event: &LinkEvent) -> Option<ChatId> {
    match event {
        LinkEvent::RoomJoined(room)
        | LinkEvent::RoomJoinFailed { room, .. }
        | LinkEvent::Message { room, .. }
        | LinkEvent::ParticipantAdded { room, .. }
        | LinkEvent::ParticipantRemoved { room, .. }
        | LinkEvent::Overflow { room } => Some(*room),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
