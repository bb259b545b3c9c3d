//! A hub with a clock and a log, for tests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use band_wire::phx::{Frame, Ref, Topic};
use band_wire::{AgentId, ChatId, Id, ParticipantId, UserId};
use serde_json::Map;
use uuid::Uuid;

use super::{Answer, ConnId, Everyone, Hub, Input, OnConflict, Output, Readers, Ticket};
use crate::platform::{Audience, Principal, Push};
use crate::{Machine, Moment};

pub(super) fn id<M>(number: u128) -> Id<M> {
    Id::new(Uuid::from_u128(number))
}

pub(super) fn agent(number: u128) -> Principal {
    Principal::Agent { id: id(number), owner: id(1) }
}

pub(super) fn user(number: u128) -> Principal {
    Principal::User(id(number))
}

pub(super) fn room(number: u128) -> Topic {
    Topic::ChatRoom(id(number))
}

pub(super) fn control(number: u128) -> Topic {
    Topic::AgentControl(id(number))
}

pub(super) fn push(topic: Topic, audience: Audience) -> Push {
    Push { topic, audience, event: "message_created", payload: Arc::from("{}") }
}

/// Everything may be read but what these may not.
pub(super) struct Without(pub(super) Vec<(ParticipantId, ChatId)>);

impl Readers for Without {
    fn may_read(&self, who: Principal, chat: ChatId) -> bool {
        !self.0.contains(&(who.participant(), chat))
    }
}

#[derive(Default)]
pub(super) struct Bench {
    pub(super) hub: Hub,
    /// Who came and went, apart from the rest.
    pub(super) presence: Vec<(AgentId, bool)>,
    /// What was asked, by number.
    asked: BTreeMap<u64, Ticket>,
    now: Duration,
}

impl Bench {
    /// Gives an input, and what came of it, one line each.
    pub(super) fn tell(&mut self, input: Input) -> Vec<String> {
        self.hub.handle(Moment::at(self.now), input);
        self.drain()
    }

    pub(super) fn open(&mut self, conn: u64, principal: Principal) -> Vec<String> {
        self.tell(Input::Open { conn: ConnId(conn), principal, on_conflict: OnConflict::Supersede })
    }

    pub(super) fn reject(&mut self, conn: u64, principal: Principal) -> Vec<String> {
        self.tell(Input::Open { conn: ConnId(conn), principal, on_conflict: OnConflict::Reject })
    }

    pub(super) fn say(&mut self, conn: u64, text: &str) -> Vec<String> {
        self.tell(Input::Frame { conn: ConnId(conn), frame: Frame::decode(text) })
    }

    pub(super) fn join(&mut self, conn: u64, reference: &str, topic: Topic) -> Vec<String> {
        self.say(conn, &format!(r#"["{reference}","{reference}","{topic}","phx_join",{{}}]"#))
    }

    /// A join of a room, with the store's consent.
    pub(super) fn enter(&mut self, conn: u64, reference: &str, topic: Topic) -> Vec<String> {
        let asked = self.join(conn, reference, topic);
        assert!(matches!(asked.as_slice(), [line] if line.starts_with("ask ")), "{asked:?}");
        self.allow(conn)
    }

    pub(super) fn answer(&mut self, conn: u64, ticket: u64, answer: Answer) -> Vec<String> {
        let Some(ticket) = self.asked.get(&ticket).copied() else { return Vec::new() };
        self.tell(Input::Answer { conn: ConnId(conn), ticket, answer })
    }

    /// Allows what was asked last.
    pub(super) fn allow(&mut self, conn: u64) -> Vec<String> {
        self.answer(conn, self.hub.tickets, Answer::Allowed(Map::new()))
    }

    pub(super) fn close(&mut self, conn: u64) -> Vec<String> {
        self.tell(Input::Closed { conn: ConnId(conn) })
    }

    /// Lets time pass, deadline by deadline.
    pub(super) fn pass(&mut self, time: Duration) -> Vec<String> {
        let end = self.now + time;
        let mut log = Vec::new();
        while let Some(due) = self.hub.deadline().filter(|due| due.at <= Moment::at(end)) {
            self.now = self.now.max(due.at.since_origin());
            self.hub.expire(Moment::at(self.now));
            log.append(&mut self.drain());
        }
        self.now = end;
        log
    }

    /// Who gets a push, as `conn:join_ref`.
    pub(super) fn reach(&self, push: &Push, readers: &dyn Readers) -> Vec<String> {
        let name = |join_ref: Option<&Ref>| join_ref.map_or_else(|| "null".to_owned(), ToString::to_string);
        self.hub.recipients(push, readers).map(|to| format!("{}:{}", to.conn.0, name(to.join_ref))).collect()
    }

    pub(super) fn reach_all(&self, topic: Topic) -> Vec<String> {
        self.reach(&push(topic, Audience::Everyone), &Everyone)
    }

    fn drain(&mut self) -> Vec<String> {
        let mut log = Vec::new();
        while let Some(output) = self.hub.poll() {
            if let Output::Ask { ticket, .. } = output {
                self.asked.insert(ticket.number, ticket);
            }
            match output {
                Output::Presence { agent, online } => self.presence.push((agent, online)),
                output => log.push(line(&output)),
            }
        }
        log
    }
}

fn line(output: &Output) -> String {
    match output {
        Output::Refused { conn, why } => format!("refuse {} {why:?}", conn.0),
        Output::Ask { conn, ticket, topic, .. } => format!("ask {} {} {topic}", conn.0, ticket.number),
        Output::Send { conn, lane, frame } => format!("{} {lane:?} {}", conn.0, frame.encode()),
        Output::Presence { agent, online } => format!("{agent} {online}"),
        Output::Close { conn, close } => format!("close {} {}", conn.0, close.code()),
    }
}

pub(super) const ALICE: u128 = 11;
pub(super) const BOT: u128 = 21;

pub(super) fn bot() -> AgentId {
    id(BOT)
}

pub(super) fn alice() -> UserId {
    id(ALICE)
}
