//! The rooms that the owner wants: each is two topics, `chat_room` and `room_participants`, joined as one.
//!
//! | Room is | What happens | Then it is |
//! |---|---|---|
//! | unwanted | the owner joins it | joining both topics |
//! | joining | one topic is joined | joining |
//! | joining | both are joined | subscribed; the owner is told |
//! | joining | one is refused, lost or late | waiting; the other one is left again; the owner is told |
//! | waiting | its moment has come: 1, 2, 4, 8, 16 s | joining |
//! | waiting, all retries spent | a fresh socket | joining |
//! | waiting | the owner joins it once more | joining, retries start over |
//! | subscribed | one topic is lost | joining that one, the first time at once; the owner is told when it is back |
//! | any | the socket is gone | waiting for a fresh one |
//! | any | the owner leaves it | unwanted; what was joined or joining is left |

use std::collections::BTreeMap;
use std::time::Duration;

use band_wire::ChatId;
use band_wire::phx::Topic;

use crate::Moment;
use crate::timers::Timers;

use super::limits::{MAX_ROOMS, ROOM_RETRIES, ROOM_STABLE_AFTER};

/// What a room asks of the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// Join a topic.
    Join(Topic),
    /// Leave a topic.
    Leave(Topic),
    /// Tell the owner that the room is subscribed.
    Subscribed(ChatId),
    /// Tell the owner that it is not.
    Failed {
        /// The room.
        room: ChatId,
        /// Why.
        reason: String,
        /// When it is tried again; none means on a fresh socket.
        retry_in: Option<Duration>,
    },
}

/// One of the two topics of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Out,
    Joining,
    In,
}

#[derive(Debug, Clone, Copy)]
struct Room {
    chat: Side,
    people: Side,
    /// How many of the retries on this socket are spent.
    failures: usize,
    subscribed_at: Option<Moment>,
}

impl Room {
    const OUT: Self = Self { chat: Side::Out, people: Side::Out, failures: 0, subscribed_at: None };

    const fn side(&mut self, topic: Topic) -> Option<&mut Side> {
        match topic {
            Topic::ChatRoom(_) => Some(&mut self.chat),
            Topic::RoomParticipants(_) => Some(&mut self.people),
            _ => None,
        }
    }

    fn subscribed(&self) -> bool {
        self.chat == Side::In && self.people == Side::In
    }

    /// Joins the sides that are out.
    fn join(&mut self, room: ChatId) -> Vec<Act> {
        let mut acts = Vec::with_capacity(2);
        for topic in [Topic::ChatRoom(room), Topic::RoomParticipants(room)] {
            if let Some(side @ Side::Out) = self.side(topic) {
                *side = Side::Joining;
                acts.push(Act::Join(topic));
            }
        }
        acts
    }

    /// Leaves the sides that are not out.
    fn leave(&mut self, room: ChatId) -> Vec<Act> {
        let mut acts = Vec::with_capacity(3);
        for topic in [Topic::ChatRoom(room), Topic::RoomParticipants(room)] {
            if let Some(side @ (Side::Joining | Side::In)) = self.side(topic) {
                *side = Side::Out;
                acts.push(Act::Leave(topic));
            }
        }
        self.subscribed_at = None;
        acts
    }
}

#[derive(Debug)]
pub(super) struct Rooms {
    rooms: BTreeMap<ChatId, Room>,
    retries: Timers<ChatId>,
    /// Whether there is a socket to join on.
    online: bool,
}

impl Rooms {
    pub(super) const fn new() -> Self {
        Self { rooms: BTreeMap::new(), retries: Timers::new(), online: false }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.rooms.len()
    }

    /// Whether both topics of a room are joined.
    pub(super) fn is_subscribed(&self, room: ChatId) -> bool {
        self.rooms.get(&room).is_some_and(Room::subscribed)
    }

    /// The owner wants a room.
    pub(super) fn want(&mut self, room: ChatId) -> Vec<Act> {
        if self.rooms.len() >= MAX_ROOMS && !self.rooms.contains_key(&room) {
            let reason = format!("too many rooms: one link holds {MAX_ROOMS}");
            return vec![Act::Failed { room, reason, retry_in: None }];
        }
        let entry = self.rooms.entry(room).or_insert(Room::OUT);
        if entry.subscribed() {
            return vec![Act::Subscribed(room)];
        }
        if !self.online {
            return Vec::new();
        }
        entry.failures = 0;
        self.retries.clear(room);
        entry.join(room)
    }

    /// The owner does not want a room any more.
    pub(super) fn unwant(&mut self, room: ChatId) -> Vec<Act> {
        self.retries.clear(room);
        self.rooms.remove(&room).map_or_else(Vec::new, |mut entry| entry.leave(room))
    }

    /// A fresh socket: every room is joined, retries start over.
    pub(super) fn fresh_socket(&mut self) -> Vec<Act> {
        self.online = true;
        self.retries.clear_all();
        let mut acts = Vec::with_capacity(self.rooms.len() * 2);
        for (room, entry) in &mut self.rooms {
            *entry = Room::OUT;
            acts.extend(entry.join(*room));
        }
        acts
    }

    pub(super) fn socket_gone(&mut self) {
        self.online = false;
        self.retries.clear_all();
        for entry in self.rooms.values_mut() {
            *entry = Room::OUT;
        }
    }

    /// A topic of a room is joined.
    pub(super) fn joined(&mut self, now: Moment, room: ChatId, topic: Topic) -> Vec<Act> {
        let Some(entry) = self.rooms.get_mut(&room) else { return Vec::new() };
        let Some(side @ Side::Joining) = entry.side(topic) else { return Vec::new() };
        *side = Side::In;
        if !entry.subscribed() {
            return Vec::new();
        }
        entry.subscribed_at = Some(now);
        vec![Act::Subscribed(room)]
    }

    /// A topic of a room could not be joined: the other one is left, and the whole is tried again later.
    pub(super) fn not_joined(&mut self, now: Moment, room: ChatId, topic: Topic, reason: String) -> Vec<Act> {
        let Some(entry) = self.rooms.get_mut(&room) else { return Vec::new() };
        let Some(side @ Side::Joining) = entry.side(topic) else { return Vec::new() };
        *side = Side::Out;
        let mut acts = entry.leave(room);
        acts.push(self.retry_later(now, room, reason));
        acts
    }

    /// A topic of a subscribed room is not joined any more: it is joined again, the first time at once.
    pub(super) fn lost(&mut self, now: Moment, room: ChatId, topic: Topic, reason: String) -> Vec<Act> {
        let Some(entry) = self.rooms.get_mut(&room) else { return Vec::new() };
        let Some(side @ Side::In) = entry.side(topic) else { return Vec::new() };
        *side = Side::Out;
        let stable = entry.subscribed_at.take().is_some_and(|since| now.since(since) >= ROOM_STABLE_AFTER);
        if stable {
            entry.failures = 0;
        }
        if entry.failures > 0 {
            return vec![self.retry_later(now, room, reason)];
        }
        entry.failures = 1;
        entry.join(room)
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        self.retries.next().map(|due| due.at)
    }

    /// Joins a room whose moment has come.
    pub(super) fn expire(&mut self, now: Moment) -> Option<Vec<Act>> {
        let room = self.retries.take_due(now)?;
        Some(self.rooms.get_mut(&room).map_or_else(Vec::new, |entry| entry.join(room)))
    }

    fn retry_later(&mut self, now: Moment, room: ChatId, reason: String) -> Act {
        let spent = self.rooms.get(&room).map_or(0, |entry| entry.failures);
        let retry_in = ROOM_RETRIES.get(spent).copied();
        if let Some(entry) = self.rooms.get_mut(&room) {
            entry.failures = spent.saturating_add(1);
        }
        if let Some(delay) = retry_in {
            self.retries.set(room, now + delay);
        }
        Act::Failed { room, reason, retry_in }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ROOM: ChatId = ChatId::new(Uuid::nil());
    const CHAT: Topic = Topic::ChatRoom(ROOM);
    const PEOPLE: Topic = Topic::RoomParticipants(ROOM);

    fn at(secs: u64) -> Moment {
        Moment::at(Duration::from_secs(secs))
    }

    fn failed(reason: &str, retry_in: Option<u64>) -> Act {
        Act::Failed { room: ROOM, reason: reason.to_owned(), retry_in: retry_in.map(Duration::from_secs) }
    }

    fn joining() -> Rooms {
        let mut rooms = Rooms::new();
        rooms.fresh_socket();
        assert_eq!(rooms.want(ROOM), [Act::Join(CHAT), Act::Join(PEOPLE)]);
        rooms
    }

    fn subscribed(now: Moment) -> Rooms {
        let mut rooms = joining();
        assert_eq!(rooms.joined(now, ROOM, CHAT), []);
        assert_eq!(rooms.joined(now, ROOM, PEOPLE), [Act::Subscribed(ROOM)]);
        assert!(rooms.is_subscribed(ROOM));
        rooms
    }

    #[test]
    fn the_first_refusal_leaves_the_other_topic_again() {
        for (good, bad) in [(CHAT, PEOPLE), (PEOPLE, CHAT)] {
            // The good one is joined already.
            let mut rooms = joining();
            rooms.joined(at(0), ROOM, good);
            let acts = rooms.not_joined(at(0), ROOM, bad, "unauthorized".to_owned());
            assert_eq!(acts, [Act::Leave(good), failed("unauthorized", Some(1))]);
            // The good one is under way still; its answer changes nothing.
            let mut rooms = joining();
            let acts = rooms.not_joined(at(0), ROOM, bad, "unauthorized".to_owned());
            assert_eq!(acts, [Act::Leave(good), failed("unauthorized", Some(1))]);
            assert_eq!(rooms.joined(at(0), ROOM, good), []);
            assert!(!rooms.is_subscribed(ROOM));
        }
    }

    #[test]
    fn a_refused_room_is_tried_after_1_2_4_8_16_seconds_and_then_on_a_fresh_socket() {
        let mut rooms = joining();
        let mut now = at(0);
        for delay in [1, 2, 4, 8, 16] {
            let acts = rooms.not_joined(now, ROOM, CHAT, "no".to_owned());
            assert_eq!(acts.last(), Some(&failed("no", Some(delay))));
            now = now + Duration::from_secs(delay);
            assert_eq!(rooms.deadline(), Some(now));
            assert_eq!(rooms.expire(now), Some(vec![Act::Join(CHAT), Act::Join(PEOPLE)]));
        }
        assert_eq!(rooms.not_joined(now, ROOM, CHAT, "no".to_owned()).last(), Some(&failed("no", None)));
        assert_eq!(rooms.deadline(), None);
        rooms.socket_gone();
        assert_eq!(rooms.fresh_socket(), [Act::Join(CHAT), Act::Join(PEOPLE)]);
        assert_eq!(rooms.not_joined(now, ROOM, CHAT, "no".to_owned()).last(), Some(&failed("no", Some(1))));
    }

    #[test]
    fn a_lost_topic_is_joined_again_at_once_and_the_owner_told_when_it_is_back() {
        let mut rooms = subscribed(at(0));
        assert_eq!(rooms.lost(at(5), ROOM, PEOPLE, "closed".to_owned()), [Act::Join(PEOPLE)]);
        assert_eq!(rooms.joined(at(5), ROOM, PEOPLE), [Act::Subscribed(ROOM)]);
    }

    #[test]
    fn a_topic_that_is_lost_again_and_again_waits_in_between() {
        let mut rooms = subscribed(at(0));
        rooms.lost(at(0), ROOM, CHAT, "crashed".to_owned());
        rooms.joined(at(0), ROOM, CHAT);
        assert_eq!(rooms.lost(at(0), ROOM, CHAT, "crashed".to_owned()), [failed("crashed", Some(2))]);
        assert_eq!(rooms.expire(at(2)), Some(vec![Act::Join(CHAT)]));
        rooms.joined(at(2), ROOM, CHAT);
        assert_eq!(rooms.lost(at(62), ROOM, CHAT, "crashed".to_owned()), [Act::Join(CHAT)], "it had lasted");
    }

    #[test]
    fn an_unwanted_room_leaves_what_it_joined_and_is_not_tried_again() {
        assert_eq!(subscribed(at(0)).unwant(ROOM), [Act::Leave(CHAT), Act::Leave(PEOPLE)]);
        let mut rooms = joining();
        rooms.not_joined(at(0), ROOM, CHAT, "no".to_owned());
        assert_eq!(rooms.unwant(ROOM), []);
        assert_eq!(rooms.deadline(), None);
        assert_eq!(rooms.unwant(ROOM), []);
    }

    #[test]
    fn wanting_a_room_again_answers_or_hurries() {
        assert_eq!(subscribed(at(0)).want(ROOM), [Act::Subscribed(ROOM)]);
        let mut rooms = joining();
        assert_eq!(rooms.want(ROOM), [], "the answer is under way");
        rooms.not_joined(at(0), ROOM, CHAT, "no".to_owned());
        assert_eq!(rooms.want(ROOM), [Act::Join(CHAT), Act::Join(PEOPLE)]);
        assert_eq!(rooms.deadline(), None);
    }

    #[test]
    fn without_a_socket_a_room_waits_for_one() {
        let mut rooms = Rooms::new();
        assert_eq!(rooms.want(ROOM), []);
        assert_eq!(rooms.len(), 1);
        assert_eq!(rooms.fresh_socket(), [Act::Join(CHAT), Act::Join(PEOPLE)]);
        rooms.socket_gone();
        assert_eq!(rooms.joined(at(0), ROOM, CHAT), []);
        assert_eq!(rooms.unwant(ROOM), []);
    }

    #[test]
    fn one_link_holds_a_bounded_number_of_rooms() {
        let mut rooms = Rooms::new();
        for number in 0..MAX_ROOMS {
            rooms.want(ChatId::new(Uuid::from_u128(number.try_into().unwrap())));
        }
        let acts = rooms.want(ChatId::new(Uuid::from_u128(u128::MAX)));
        assert!(matches!(acts.as_slice(), [Act::Failed { retry_in: None, .. }]), "{acts:?}");
        assert_eq!(rooms.len(), MAX_ROOMS);
    }
}
