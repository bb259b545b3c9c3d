//! Joins, leaves and what else a client may say.

use band_wire::phx::{Frame, Ref, Topic, reply_error, reply_ok, reserved};
use serde_json::{Map, Value};

use super::connection::{Held, Standing};
use super::roster::Subscription;
use super::{Answer, Close, ConnId, Hub, Lane, MAX_CHANNELS, MAX_HELD, Output, Ticket};
use crate::Moment;
use crate::platform::Principal;

const UNMATCHED: &str = "unmatched topic";
const UNAUTHORIZED: &str = "unauthorized";
const TOO_MANY: &str = "too many channels joined";

impl Hub {
    pub(super) fn frame(&mut self, now: Moment, conn: ConnId, frame: Frame) {
        let Some(connection) = self.connections.get(&conn) else { return };
        if frame.topic == reserved::PHOENIX && frame.event != reserved::JOIN {
            if frame.event == reserved::HEARTBEAT {
                self.reply(conn, Lane::Urgent, &frame, reply_ok(Map::new().into()));
            }
            return;
        }
        if connection.standing == Standing::Superseded {
            return;
        }
        let is_request = matches!(frame.event.as_str(), reserved::JOIN | reserved::LEAVE);
        let Some(topic) = read_topic(&frame.topic) else {
            let payload = if frame.event == reserved::LEAVE {
                reply_ok(Map::new().into())
            } else {
                reply_error(UNMATCHED)
            };
            self.reply(conn, Lane::Ordered, &frame, payload);
            return;
        };
        if is_request && connection.held.contains_key(&topic) {
            self.hold(conn, topic, frame);
        } else if frame.event == reserved::JOIN {
            self.join(now, conn, topic, frame);
        } else if frame.event == reserved::LEAVE {
            self.leave(conn, topic, &frame);
        } else if self.roster.get(topic, conn).is_none() {
            self.reply(conn, Lane::Ordered, &frame, reply_error(UNMATCHED));
        }
    }

    fn join(&mut self, now: Moment, conn: ConnId, topic: Topic, frame: Frame) {
        let Some(connection) = self.connections.get_mut(&conn) else { return };
        let principal = connection.principal;
        if connection.joined.len() + connection.held.len() >= MAX_CHANNELS
            && !connection.joined.contains(&topic)
        {
            self.reply(conn, Lane::Ordered, &frame, reply_error(TOO_MANY));
        } else if topic.room().is_some() {
            self.tickets += 1;
            let ticket = Ticket { topic, number: self.tickets };
            connection.held.insert(topic, Held { ticket, requests: vec![frame] });
            self.outputs.push_back(Output::Ask { conn, ticket, principal, topic });
        } else if is_own(principal, topic) {
            self.admit(now, conn, topic, &frame, Map::new());
        } else {
            self.reply(conn, Lane::Ordered, &frame, reply_error(UNAUTHORIZED));
        }
    }

    /// Another request on a channel whose first join is being asked about.
    fn hold(&mut self, conn: ConnId, topic: Topic, frame: Frame) {
        let held = self.connections.get_mut(&conn).and_then(|connection| connection.held.get_mut(&topic));
        match held {
            Some(held) if held.requests.len() < MAX_HELD => held.requests.push(frame),
            _ => self.close(conn, Close::TryAgain),
        }
    }

    pub(super) fn answer(&mut self, now: Moment, conn: ConnId, ticket: Ticket, answer: &Answer) {
        let Some(connection) = self.connections.get_mut(&conn) else { return };
        let topic = ticket.topic;
        if connection.held.get(&topic).is_none_or(|held| held.ticket != ticket) {
            return;
        }
        let requests = connection.held.remove(&topic).map(|held| held.requests).unwrap_or_default();
        for frame in requests {
            match answer {
                _ if frame.event == reserved::LEAVE => self.leave(conn, topic, &frame),
                Answer::Allowed(response) => self.admit(now, conn, topic, &frame, response.clone()),
                Answer::Denied => self.deny(conn, topic, &frame),
                Answer::Unknown => return self.close(conn, Close::TryAgain),
            }
        }
    }

    /// Registers the channel, then says so: whatever is pushed after the reply reaches the client.
    fn admit(
        &mut self,
        now: Moment,
        conn: ConnId,
        topic: Topic,
        frame: &Frame,
        response: Map<String, Value>,
    ) {
        let Some(connection) = self.connections.get_mut(&conn) else { return };
        connection.joined.insert(topic);
        let sub = Subscription { principal: connection.principal, join_ref: frame.join_ref.clone() };
        let old = self.roster.insert(topic, conn, sub);
        if let Some(old) = old.filter(|old| !same(old.join_ref.as_ref(), frame.join_ref.as_ref())) {
            self.phx_close(conn, topic, old.join_ref);
        }
        self.reply(conn, Lane::Ordered, frame, reply_ok(response.into()));
        if matches!(topic, Topic::AgentControl(_)) {
            self.settle(now, conn);
        }
    }

    fn deny(&mut self, conn: ConnId, topic: Topic, frame: &Frame) {
        if let Some(old) = self.drop_channel(conn, topic) {
            self.phx_close(conn, topic, old.join_ref);
        }
        self.reply(conn, Lane::Ordered, frame, reply_error(UNAUTHORIZED));
    }

    fn leave(&mut self, conn: ConnId, topic: Topic, frame: &Frame) {
        let Some(sub) = self.roster.get(topic, conn) else {
            return self.reply(conn, Lane::Ordered, frame, reply_ok(Map::new().into()));
        };
        if frame.join_ref.is_some() && !same(sub.join_ref.as_ref(), frame.join_ref.as_ref()) {
            return;
        }
        let join_ref = sub.join_ref.clone();
        self.drop_channel(conn, topic);
        self.reply(conn, Lane::Ordered, frame, reply_ok(Map::new().into()));
        self.phx_close(conn, topic, join_ref);
    }

    fn drop_channel(&mut self, conn: ConnId, topic: Topic) -> Option<Subscription> {
        if let Some(connection) = self.connections.get_mut(&conn) {
            connection.joined.remove(&topic);
        }
        self.roster.remove(topic, conn)
    }

    fn reply(&mut self, conn: ConnId, lane: Lane, request: &Frame, payload: Map<String, Value>) {
        let frame =
            Frame::new(request.join_ref.clone(), request.reference.clone(), &request.topic, reserved::REPLY);
        self.outputs.push_back(Output::Send { conn, lane, frame: frame.with_payload(payload) });
    }

    /// A close carries the channel's join_ref in both places.
    fn phx_close(&mut self, conn: ConnId, topic: Topic, join_ref: Option<Ref>) {
        let frame = Frame::new(join_ref.clone(), join_ref, &topic.to_string(), reserved::CLOSE);
        self.outputs.push_back(Output::Send { conn, lane: Lane::Ordered, frame });
    }
}

/// A topic of Band's in the one spelling that pushes use; clients compare texts.
fn read_topic(text: &str) -> Option<Topic> {
    text.parse::<Topic>().ok().filter(|topic| topic.to_string() == text)
}

fn same(a: Option<&Ref>, b: Option<&Ref>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.same(b),
        (None, None) => true,
        _ => false,
    }
}

/// Whether a topic that names no room is the principal's own.
fn is_own(principal: Principal, topic: Topic) -> bool {
    match (topic, principal) {
        (
            Topic::AgentControl(agent) | Topic::AgentRooms(agent) | Topic::AgentContacts(agent),
            Principal::Agent { id, .. },
        ) => agent == id,
        (
            Topic::UserRooms(user) | Topic::UserContacts(user) | Topic::UserAgents(user) | Topic::Tasks(user),
            Principal::User(id),
        ) => user == id,
        _ => false,
    }
}
