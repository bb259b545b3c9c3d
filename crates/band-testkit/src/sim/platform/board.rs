//! The sockets of the simulated platform: the real hub, and what it wants to have written where.

use std::collections::{BTreeMap, VecDeque};

use band_core::platform::hub::{Close, ConnId, Hub, Input, OnConflict, Output, Readers, Refused, Ticket};
use band_core::platform::{Principal, Push};
use band_core::{Machine, Moment};
use band_wire::phx::{Frame, Topic};
use band_wire::{AgentId, ChatId};

/// Something for a socket. The network decides when it arrives, and whether.
#[derive(Debug, Clone)]
pub(crate) enum Outgoing {
    /// An answer of the hub.
    Reply { conn: ConnId, text: String },
    /// An event that someone subscribed to.
    Push { conn: ConnId, event: &'static str, topic: Topic, text: String },
    /// Say goodbye after what was sent before.
    Close { conn: ConnId, close: Close },
}

/// A join that the store has to decide.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) conn: ConnId,
    pub(crate) ticket: Ticket,
    pub(crate) principal: Principal,
    pub(crate) topic: Topic,
}

/// The hub of one run of the platform. A crash takes it away.
#[derive(Debug, Default)]
pub(crate) struct Board {
    hub: Hub,
    pub(crate) outgoing: VecDeque<Outgoing>,
    pub(crate) questions: VecDeque<Question>,
    principals: BTreeMap<ConnId, Principal>,
}

impl Board {
    /// Lets a socket in, or says why not.
    pub(crate) fn open(
        &mut self,
        now: Moment,
        conn: ConnId,
        principal: Principal,
        on_conflict: OnConflict,
    ) -> Result<(), Refused> {
        self.hub.handle(now, Input::Open { conn, principal, on_conflict });
        match self.drain() {
            Some(why) => Err(why),
            None => {
                self.principals.insert(conn, principal);
                Ok(())
            }
        }
    }

    pub(crate) fn tell(&mut self, now: Moment, input: Input) {
        if let Input::Closed { conn } = &input {
            self.principals.remove(conn);
        }
        self.hub.handle(now, input);
        self.drain();
    }

    /// Wakes the hub; gives when it wants to be woken next.
    pub(crate) fn expire(&mut self, now: Moment) {
        self.hub.expire(now);
        self.drain();
    }

    pub(crate) fn deadline(&self) -> Option<Moment> {
        self.hub.deadline().map(|deadline| deadline.at)
    }

    fn drain(&mut self) -> Option<Refused> {
        let mut refused = None;
        while let Some(output) = self.hub.poll() {
            match output {
                Output::Refused { why, .. } => refused = Some(why),
                Output::Ask { conn, ticket, principal, topic } => {
                    self.questions.push_back(Question { conn, ticket, principal, topic });
                }
                Output::Send { conn, frame, .. } => {
                    self.outgoing.push_back(Outgoing::Reply { conn, text: frame.encode() });
                }
                Output::Close { conn, close } => self.outgoing.push_back(Outgoing::Close { conn, close }),
                Output::Presence { .. } => {}
            }
        }
        refused
    }

    /// Hands pushes to whoever has joined and may read.
    pub(crate) fn publish(&mut self, pushes: &[Push], readers: &dyn Readers) {
        for push in pushes {
            let topic = push.topic.to_string();
            for to in self.hub.recipients(push, readers) {
                let text = Frame::encode_push(to.join_ref, &topic, push.event, &push.payload);
                let sent = Outgoing::Push { conn: to.conn, event: push.event, topic: push.topic, text };
                self.outgoing.push_back(sent);
            }
        }
    }

    pub(crate) fn is_listening(&self, agent: AgentId, chat: ChatId) -> bool {
        self.hub.is_listening(agent, chat)
    }

    pub(crate) fn is_online(&self, agent: AgentId) -> bool {
        self.hub.is_online(agent.into())
    }
}
