//! The hub: who is connected, who has joined what, and who gets a push.
//!
//! What a frame of a client does, by its topic and event:
//!
//! | Event | Topic | State of the channel | Answer |
//! | --- | --- | --- | --- |
//! | `heartbeat` | `phoenix` | – | ok, ahead of everything else |
//! | other | `phoenix` | – | none |
//! | `phx_join` | no topic of Band's | – | error `unmatched topic` |
//! | `phx_join` | of another user or agent | – | error `unauthorized` |
//! | `phx_join` | own | free | ok |
//! | `phx_join` | of a room | free | [`Output::Ask`]; then ok, error `unauthorized`, or close 1011 |
//! | `phx_join` | own, of a room | joined | as above; the old channel is closed with its own join_ref |
//! | `phx_join` | any | 10,000 joined | error `too many channels joined` |
//! | `phx_leave` | any | free | ok |
//! | `phx_leave` | own, of a room | joined | ok, then `phx_close` |
//! | `phx_leave` | own, of a room | joined with another join_ref | none |
//! | join, leave | of a room | being asked about | held until the answer, then as above |
//! | other | any | free | error `unmatched topic` |
//! | other | own, of a room | joined | none: clients have nothing to say on a channel |
//! | not decodable | – | – | close 1011 |
//! | binary | – | – | close 1003 |
//!
//! Every answer, push and close carries the join_ref that the subscriber itself has sent.
//!
//! What happens to the sockets of one agent:
//!
//! | Event | No other socket | Another socket |
//! | --- | --- | --- |
//! | connects | settled | waits: its first join of `agent_control`, or one second, settles it |
//! | connects with `on_conflict=reject` | settled | refused |
//! | settles | – | every older socket is superseded |
//! | is superseded | – | loses its channels, is told on `agent_control`, and closed with 1001 2 s later |
//! | closes | – | – |
//!
//! The first socket of an agent and the end of its last one are announced. So a socket that comes and goes within a second, as some clients' probes do, disturbs nobody.

mod channel;
mod close;
mod connection;
mod contract;
mod readers;
mod roster;
mod seat;

#[cfg(test)]
mod bench;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use band_wire::phx::{MAX_FRAME_BYTES, Topic};
use band_wire::{AgentId, ChatId, ParticipantId};

pub use close::Close;
use connection::Connection;
pub use contract::{Answer, ConnId, Input, Lane, OnConflict, Output, Recipient, Refused, Ticket};
pub use readers::{Everyone, Readers};
use roster::Roster;

use super::{Audience, Principal, Push};
use crate::timers::Timers;
use crate::{Deadline, Machine, Moment};

/// How long a second socket of an agent stays without effect on the first, unless it joins `agent_control`.
pub const PROBE_GRACE: Duration = Duration::from_secs(1);
/// How long a superseded socket may take to close by itself.
pub const EVICTION: Duration = Duration::from_secs(2);
/// A socket without any inbound frame for this long is dead. The shell keeps the clock.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// Sockets of a platform; the next one is refused.
pub const MAX_SOCKETS: usize = 16 * 1024;
/// Channels a socket may have joined.
pub const MAX_CHANNELS: usize = 10_000;
/// Joins and leaves of one channel that may wait for one answer; one more closes the socket.
pub const MAX_HELD: usize = 16;
/// The sockets of a platform that stops are closed within this time, spread evenly.
pub const DRAIN: Duration = Duration::from_secs(1);
const DRAIN_STEPS: u32 = 20;

/// Why the hub wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// A second socket of an agent has lasted through [`PROBE_GRACE`].
    Settle(ConnId),
    /// A superseded socket has had its [`EVICTION`] time.
    Evict(ConnId),
    /// The next few sockets of a platform that stops are due.
    Drain,
}

/// See the module's tables.
#[derive(Debug, Default)]
pub struct Hub {
    connections: BTreeMap<ConnId, Connection>,
    roster: Roster,
    sockets: BTreeMap<ParticipantId, BTreeSet<ConnId>>,
    timers: Timers<Why>,
    outputs: VecDeque<Output>,
    tickets: u64,
    drain: Option<Drain>,
}

#[derive(Debug)]
struct Drain {
    left: VecDeque<ConnId>,
    step: usize,
}

impl Hub {
    /// Nobody is connected.
    pub fn new() -> Self {
        Self::default()
    }

    /// The sockets that get a push, in order of connection.
    pub fn recipients<'a>(
        &'a self,
        push: &'a Push,
        readers: &'a dyn Readers,
    ) -> impl Iterator<Item = Recipient<'a>> {
        self.roster
            .subscribers(push.topic)
            .filter(move |(_, sub)| roster::is_meant(push, sub.principal))
            .filter(move |(_, sub)| {
                let is_checked = !matches!(push.audience, Audience::These(_));
                let room = push.topic.room().filter(|_| is_checked);
                room.is_none_or(|room| readers.may_read(sub.principal, room))
            })
            .map(|(conn, sub)| Recipient {
                conn,
                join_ref: sub.join_ref.as_ref(),
                max_bytes: match sub.principal {
                    Principal::Agent { .. } => MAX_FRAME_BYTES,
                    Principal::User(_) => usize::MAX,
                },
            })
    }

    /// Whether a socket of the agent has joined the messages of the room.
    pub fn is_listening(&self, agent: AgentId, chat: ChatId) -> bool {
        let topic = Topic::ChatRoom(chat);
        self.conns_of(agent.cast()).any(|conn| self.roster.get(topic, conn).is_some())
    }

    /// Whether the user or agent has a socket that wasn't superseded.
    pub fn is_online(&self, who: ParticipantId) -> bool {
        self.conns_of(who).next().is_some()
    }

    /// How many sockets are open, superseded ones included.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// The sockets of a user or agent that weren't superseded.
    fn conns_of(&self, who: ParticipantId) -> impl Iterator<Item = ConnId> {
        self.sockets.get(&who).into_iter().flatten().copied()
    }

    fn closed(&mut self, conn: ConnId) {
        let Some(connection) = self.connections.remove(&conn) else { return };
        self.forget(conn, &connection);
        self.timers.clear(Why::Settle(conn));
        self.timers.clear(Why::Evict(conn));
    }

    /// Takes a socket out of everything that pushes and presence look at.
    fn forget(&mut self, conn: ConnId, connection: &Connection) {
        for topic in &connection.joined {
            self.roster.remove(*topic, conn);
        }
        let who = connection.principal.participant();
        if let Some(sockets) = self.sockets.get_mut(&who) {
            sockets.remove(&conn);
            if sockets.is_empty() {
                self.sockets.remove(&who);
                self.announce(connection.principal, false);
            }
        }
    }

    fn announce(&mut self, principal: Principal, online: bool) {
        if let Principal::Agent { id, .. } = principal {
            self.outputs.push_back(Output::Presence { agent: id, online });
        }
    }

    fn expel(&mut self, who: ParticipantId) {
        let conns: Vec<ConnId> = self.conns_of(who).collect();
        self.outputs.extend(conns.into_iter().map(|conn| Output::Close { conn, close: Close::Expelled }));
    }

    fn stop(&mut self, now: Moment) {
        if self.drain.is_some() {
            return;
        }
        let left: VecDeque<ConnId> = self.connections.keys().copied().collect();
        let step = left.len().div_ceil(DRAIN_STEPS as usize);
        self.drain = Some(Drain { left, step });
        self.drain(now);
    }

    fn drain(&mut self, now: Moment) {
        let Some(drain) = &mut self.drain else { return };
        let due = drain.left.len().min(drain.step);
        let closes = drain.left.drain(..due).map(|conn| Output::Close { conn, close: Close::Restart });
        self.outputs.extend(closes);
        if !drain.left.is_empty() {
            self.timers.set(Why::Drain, now + DRAIN / DRAIN_STEPS);
        }
    }
}

impl Machine for Hub {
    type Input = Input;
    type Output = Output;
    type Why = Why;

    fn handle(&mut self, now: Moment, input: Input) {
        match input {
            Input::Open { conn, principal, on_conflict } => self.open(now, conn, principal, on_conflict),
            Input::Frame { conn, frame: Ok(frame) } => self.frame(now, conn, frame),
            Input::Frame { conn, frame: Err(err) } => self.close(conn, Close::of(&err)),
            Input::Binary { conn } => self.close(conn, Close::Binary),
            Input::Answer { conn, ticket, answer } => self.answer(now, conn, ticket, &answer),
            Input::Closed { conn } => self.closed(conn),
            Input::Expel { who } => self.expel(who),
            Input::Stop => self.stop(now),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn deadline(&self) -> Option<Deadline<Why>> {
        self.timers.next()
    }

    fn expire(&mut self, now: Moment) {
        while let Some(why) = self.timers.take_due(now) {
            match why {
                Why::Settle(conn) => self.settle(now, conn),
                Why::Evict(conn) => self.close(conn, Close::Superseded),
                Why::Drain => self.drain(now),
            }
        }
    }
}
