//! The topics of one socket: join refs, refs, replies.
//!
//! | Topic is | A frame comes | Then it is |
//! |---|---|---|
//! | out | we join | joining, with a fresh ref as its join ref |
//! | joining | reply ok / error to that ref | joined / out |
//! | joining | `phx_error`, `phx_close` | out |
//! | joining | no reply in time | out |
//! | joined | a push with its join ref or with none | joined |
//! | joined | `phx_error`, `phx_close` with its join ref or with none | out |
//! | joining, joined | we leave | out; the reply is awaited for its timing alone |
//! | any | a frame with another join ref | unchanged: the frame is of an older join |
//!
//! A topic whose leave was never answered may be joined again at once: the new join takes the place of the
//! old one on the server, and what the old one still sends has an old join ref.

use std::collections::BTreeMap;
use std::fmt;

use band_wire::phx::{Frame, Ref, Reply, Topic, reserved};
use serde_json::{Map, Value};

use crate::Moment;

use super::waiting::Waiting;

/// What a frame, or the time, means for a topic.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Heard {
    /// The topic is joined.
    Joined(Topic),
    /// The topic could not be joined.
    NotJoined(Topic, Cause),
    /// The topic was joined and is not any more.
    Lost(Topic, Cause),
    /// A leave was answered, or will not be.
    Left(Topic),
    /// A push for a subscription of now.
    Push {
        /// The subscription.
        topic: Topic,
        /// The event's name.
        event: String,
        /// Its payload.
        payload: Map<String, Value>,
    },
    /// Of an older join, or of a topic that nobody joined.
    Stale,
}

/// Why a topic is not joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    /// The server said no.
    Refused(String),
    /// The server said nothing in time.
    TimedOut,
    /// `phx_close`.
    Closed,
    /// `phx_error`.
    Crashed,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused(word) => word,
            Self::TimedOut => "timeout",
            Self::Closed => "closed",
            Self::Crashed => "crashed",
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Channel {
    /// The ref of the join is its join ref.
    join_ref: u64,
    joined: bool,
}

/// The topics of the socket of now. The refs go on counting from socket to socket.
#[derive(Debug)]
pub(super) struct Channels {
    last_ref: u64,
    channels: BTreeMap<Topic, Channel>,
    waiting: Waiting,
}

impl Channels {
    pub(super) fn new() -> Self {
        Self { last_ref: 0, channels: BTreeMap::new(), waiting: Waiting::default() }
    }

    /// The socket is gone, and with it every topic and every request.
    pub(super) fn reset(&mut self) {
        self.channels.clear();
        self.waiting = Waiting::default();
    }

    pub(super) fn next_ref(&mut self) -> u64 {
        self.last_ref = self.last_ref.saturating_add(1);
        self.last_ref
    }

    pub(super) fn is_joined(&self, topic: Topic) -> bool {
        self.channels.get(&topic).is_some_and(|channel| channel.joined)
    }

    /// Joins a topic, in place of an earlier join.
    pub(super) fn join(&mut self, now: Moment, topic: Topic) -> Frame {
        let join_ref = self.next_ref();
        if let Some(earlier) = self.channels.insert(topic, Channel { join_ref, joined: false }) {
            self.waiting.forget_join(earlier.join_ref);
        }
        self.waiting.join(join_ref, topic, now);
        Frame::new(Some(join_ref.into()), Some(join_ref.into()), &topic.to_string(), reserved::JOIN)
    }

    /// Leaves a topic, joined or joining. None when there is nothing to leave.
    pub(super) fn leave(&mut self, now: Moment, topic: Topic) -> Option<Frame> {
        let channel = self.channels.remove(&topic)?;
        self.waiting.forget_join(channel.join_ref);
        let reference = self.next_ref();
        self.waiting.leave(reference, topic, now);
        let join_ref = Ref::from(channel.join_ref);
        Some(Frame::new(Some(join_ref), Some(reference.into()), &topic.to_string(), reserved::LEAVE))
    }

    /// What a frame means. Frames of the topic `phoenix` are not for this table.
    pub(super) fn hear(&mut self, now: Moment, frame: Frame) -> Heard {
        let Ok(topic) = frame.topic.parse::<Topic>() else { return Heard::Stale };
        if frame.event == reserved::REPLY {
            return self.replied(now, topic, frame);
        }
        let Some(channel) = self.channels.get(&topic).copied() else { return Heard::Stale };
        if frame.join_ref.as_ref().is_some_and(|join_ref| !join_ref.same(&channel.join_ref.into())) {
            return Heard::Stale;
        }
        let cause = match frame.event.as_str() {
            reserved::ERROR => Cause::Crashed,
            reserved::CLOSE => Cause::Closed,
            _ => return Heard::Push { topic, event: frame.event, payload: frame.payload },
        };
        self.channels.remove(&topic);
        self.waiting.forget_join(channel.join_ref);
        if channel.joined { Heard::Lost(topic, cause) } else { Heard::NotJoined(topic, cause) }
    }

    fn replied(&mut self, now: Moment, topic: Topic, frame: Frame) -> Heard {
        let Some(reference) = frame.reference.as_ref().and_then(number) else { return Heard::Stale };
        if self.waiting.left(reference, now).is_some() {
            return Heard::Left(topic);
        }
        let Some(channel) = self.channels.get_mut(&topic).filter(|channel| channel.join_ref == reference)
        else {
            return Heard::Stale;
        };
        if self.waiting.joined(reference, now).is_none() {
            return Heard::Stale;
        }
        match Reply::read(frame.payload) {
            Reply::Ok(_) => {
                channel.joined = true;
                Heard::Joined(topic)
            }
            Reply::Refused(reason) => {
                self.channels.remove(&topic);
                Heard::NotJoined(topic, Cause::Refused(reason))
            }
        }
    }

    /// When the next join or leave is overdue.
    pub(super) fn deadline(&self) -> Option<(Moment, Overdue)> {
        let join = self.waiting.next_join().map(|(due, ..)| (due, Overdue::Join));
        let leave = self.waiting.next_leave().map(|(due, ..)| (due, Overdue::Leave));
        join.into_iter().chain(leave).min()
    }

    /// Takes a request that is overdue.
    pub(super) fn expire(&mut self, now: Moment) -> Option<Heard> {
        if let Some((_, reference, topic)) = self.waiting.next_join().filter(|(due, ..)| *due <= now) {
            self.waiting.forget_join(reference);
            self.channels.remove(&topic);
            return Some(Heard::NotJoined(topic, Cause::TimedOut));
        }
        let (_, reference, topic) = self.waiting.next_leave().filter(|(due, ..)| *due <= now)?;
        self.waiting.forget_leave(reference);
        Some(Heard::Left(topic))
    }

    /// The oldest request and since when it is the server's turn.
    pub(super) fn oldest(&self) -> Option<(Moment, u64)> {
        self.waiting.oldest()
    }
}

/// A request that was not answered in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Overdue {
    Join,
    Leave,
}

/// The number of a ref of ours.
pub(super) fn number(reference: &Ref) -> Option<u64> {
    match reference {
        Ref::Text(text) => text.parse().ok(),
        Ref::Number(number) => (*number).try_into().ok(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use band_wire::ChatId;
    use band_wire::phx::{reply_error, reply_ok};
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    const ROOM: Topic = Topic::ChatRoom(ChatId::new(Uuid::nil()));

    fn at(secs: u64) -> Moment {
        Moment::at(Duration::from_secs(secs))
    }

    fn frame(join_ref: Option<u64>, reference: Option<u64>, event: &str) -> Frame {
        Frame::new(join_ref.map(Ref::from), reference.map(Ref::from), &ROOM.to_string(), event)
    }

    fn reply(reference: u64, payload: Map<String, Value>) -> Frame {
        frame(Some(reference), Some(reference), reserved::REPLY).with_payload(payload)
    }

    fn joined() -> Channels {
        let mut channels = Channels::new();
        channels.join(at(0), ROOM);
        assert_eq!(channels.hear(at(0), reply(1, reply_ok(json!({})))), Heard::Joined(ROOM));
        channels
    }

    #[test]
    fn a_join_uses_its_ref_as_join_ref() {
        let text = Channels::new().join(at(0), ROOM).encode();
        assert_eq!(text, r#"["1","1","chat_room:00000000-0000-0000-0000-000000000000","phx_join",{}]"#);
    }

    #[test]
    fn a_refused_join_gives_the_servers_word() {
        for (payload, word) in [
            (reply_error("unauthorized"), "unauthorized"),
            (Map::new(), "invalid topic"),
            (Map::from_iter([("status".to_owned(), json!("maybe"))]), "invalid topic"),
        ] {
            let mut channels = Channels::new();
            channels.join(at(0), ROOM);
            assert_eq!(
                channels.hear(at(0), reply(1, payload)),
                Heard::NotJoined(ROOM, Cause::Refused(word.to_owned()))
            );
            assert!(!channels.is_joined(ROOM));
        }
    }

    #[test]
    fn a_reply_counts_with_a_null_join_ref_and_with_a_numeric_ref() {
        let mut channels = Channels::new();
        channels.join(at(0), ROOM);
        let text = format!(r#"[null,1,"{ROOM}","phx_reply",{{"status":"ok","response":{{}}}}]"#);
        assert_eq!(channels.hear(at(0), Frame::decode(&text).unwrap()), Heard::Joined(ROOM));
    }

    #[test]
    fn pushes_are_taken_by_join_ref() {
        let push = Heard::Push { topic: ROOM, event: "message_created".to_owned(), payload: Map::new() };
        for (join_ref, heard) in [(Some(1), push.clone()), (None, push), (Some(2), Heard::Stale)] {
            assert_eq!(joined().hear(at(1), frame(join_ref, None, "message_created")), heard, "{join_ref:?}");
        }
    }

    #[test]
    fn a_close_or_crash_of_the_join_of_now_loses_the_topic() {
        for (event, cause) in [(reserved::CLOSE, Cause::Closed), (reserved::ERROR, Cause::Crashed)] {
            for join_ref in [Some(1), None] {
                let mut channels = joined();
                let heard = channels.hear(at(1), frame(join_ref, join_ref, event));
                assert_eq!(heard, Heard::Lost(ROOM, cause.clone()));
                assert!(!channels.is_joined(ROOM));
            }
        }
    }

    #[test]
    fn the_close_of_an_old_join_is_passed_over() {
        let mut channels = joined();
        channels.join(at(1), ROOM);
        channels.hear(at(1), reply(2, reply_ok(json!({}))));
        assert_eq!(channels.hear(at(1), frame(Some(1), Some(1), reserved::CLOSE)), Heard::Stale);
        assert!(channels.is_joined(ROOM));
    }

    #[test]
    fn a_leave_forgets_the_topic_at_once_and_its_close_is_passed_over() {
        let mut channels = joined();
        let leave = channels.leave(at(1), ROOM).unwrap();
        assert_eq!((leave.join_ref, leave.reference), (Some(Ref::from(1)), Some(Ref::from(2))));
        assert_eq!(channels.hear(at(1), frame(Some(1), None, "message_created")), Heard::Stale);
        let ok = frame(Some(1), Some(2), reserved::REPLY).with_payload(reply_ok(json!({})));
        assert_eq!(channels.hear(at(1), ok), Heard::Left(ROOM));
        assert_eq!(channels.hear(at(1), frame(Some(1), Some(1), reserved::CLOSE)), Heard::Stale);
        assert_eq!(channels.leave(at(1), ROOM), None);
    }

    #[test]
    fn a_join_of_an_earlier_socket_is_answered_by_nobody() {
        let mut channels = joined();
        channels.join(at(1), ROOM);
        channels.reset();
        assert_eq!(channels.hear(at(1), reply(2, reply_ok(json!({})))), Heard::Stale);
        assert_eq!(channels.join(at(2), ROOM).reference, Some(Ref::from(3)), "refs go on counting");
    }

    #[test]
    fn a_join_times_out_after_ten_seconds_and_a_leave_after_five() {
        let mut channels = joined();
        channels.leave(at(1), ROOM);
        channels.join(at(1), ROOM);
        assert_eq!(channels.deadline(), Some((at(6), Overdue::Leave)));
        assert_eq!(channels.expire(at(5)), None);
        assert_eq!(channels.expire(at(6)), Some(Heard::Left(ROOM)));
        let due = channels.deadline().unwrap();
        assert_eq!(channels.expire(due.0), Some(Heard::NotJoined(ROOM, Cause::TimedOut)));
        assert_eq!(channels.deadline(), None);
    }
}
