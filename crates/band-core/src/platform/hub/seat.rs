//! One socket for each agent: who takes over from whom.

use band_wire::event::{Supersede, name};
use band_wire::phx::{Frame, Topic};
use serde_json::Value;

use super::connection::{Connection, Standing};
use super::{Close, ConnId, EVICTION, Hub, Lane, MAX_SOCKETS, OnConflict, Output, PROBE_GRACE, Refused, Why};
use crate::Moment;
use crate::platform::Principal;

impl Hub {
    pub(super) fn open(&mut self, now: Moment, conn: ConnId, principal: Principal, on_conflict: OnConflict) {
        if self.drain.is_some() {
            self.outputs.push_back(Output::Refused { conn, why: Refused::Stopping });
            return;
        }
        if self.connections.len() >= MAX_SOCKETS {
            self.outputs.push_back(Output::Refused { conn, why: Refused::Full });
            return;
        }
        let who = principal.participant();
        let contended = matches!(principal, Principal::Agent { .. }) && self.is_online(who);
        if contended && on_conflict == OnConflict::Reject {
            self.outputs.push_back(Output::Refused { conn, why: Refused::Conflict });
            return;
        }
        let standing = if contended { Standing::Waiting } else { Standing::Settled };
        if contended {
            self.timers.set(Why::Settle(conn), now + PROBE_GRACE);
        }
        if !self.is_online(who) {
            self.announce(principal, true);
        }
        self.connections.insert(conn, Connection::new(principal, standing));
        self.sockets.entry(who).or_default().insert(conn);
    }

    /// The socket takes its agent's seat from all older ones. A newer one that had settled would have
    /// superseded this one already.
    pub(super) fn settle(&mut self, now: Moment, conn: ConnId) {
        let Some(connection) = self.connections.get_mut(&conn) else { return };
        if connection.standing != Standing::Waiting {
            return;
        }
        connection.standing = Standing::Settled;
        self.timers.clear(Why::Settle(conn));
        let who = connection.principal.participant();
        let older: Vec<ConnId> = self.conns_of(who).take_while(|other| *other < conn).collect();
        for loser in older {
            self.supersede(now, loser, conn);
        }
    }

    /// Tells the loser on its control topic and gives it time to go; one that can't be told goes at once.
    fn supersede(&mut self, now: Moment, loser: ConnId, winner: ConnId) {
        let Some(mut connection) = self.connections.remove(&loser) else { return };
        self.timers.clear(Why::Settle(loser));
        let notice = self.notice(&connection, loser, winner);
        self.forget(loser, &connection);
        connection.joined.clear();
        connection.held.clear();
        connection.standing = Standing::Superseded;
        self.connections.insert(loser, connection);
        match notice {
            Some(frame) => {
                self.outputs.push_back(Output::Send { conn: loser, lane: Lane::Ordered, frame });
                self.timers.set(Why::Evict(loser), now + EVICTION);
            }
            None => self.close(loser, Close::Superseded),
        }
    }

    fn notice(&self, connection: &Connection, loser: ConnId, winner: ConnId) -> Option<Frame> {
        let Principal::Agent { id, .. } = connection.principal else { return None };
        let topic = Topic::AgentControl(id);
        let join_ref = self.roster.get(topic, loser)?.join_ref.clone();
        let notice = Supersede::eviction(id, format!("evict-{:016x}", winner.0));
        let Ok(Value::Object(payload)) = serde_json::to_value(notice) else { return None };
        Some(Frame::new(join_ref, None, &topic.to_string(), name::SUPERSEDE).with_payload(payload))
    }

    /// Asks for a close. The channels go when the socket has gone.
    pub(super) fn close(&mut self, conn: ConnId, close: Close) {
        if self.connections.contains_key(&conn) {
            self.outputs.push_back(Output::Close { conn, close });
        }
    }
}
