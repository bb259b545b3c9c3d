//! Which topics are joined, while joins are refused, topics and sockets get lost, and answers come late.
//!
//! | The released tracker | Our link |
//! |---|---|
//! | a room's two topics are joined one after the other | both at once; the first refusal leaves the other |
//! | a leave that was not answered blocks the room until a reconnect | it blocks nothing: a later join takes its place |
//! | a room that is being joined can't be unsubscribed | it can: to the tracker its join has failed |
//! | topics survive a lost socket until their rejoin fails | they are out at once: a failed rejoin, reconciled, and begun anew |
//! | a lost topic needs reconciliation | it is joined again: reconciled at once |
//! | tickets | the n-th time that a room, or a topic of the agent, is begun |

use std::collections::BTreeMap;
use std::time::Duration;

use band_core::link::{Generation, Gone, Input, LinkEvent, LinkMachine, LinkOptions, Note, Output, Received};
use band_core::{Machine, Moment};
use band_wire::phx::{Frame, Ref, Topic, reply_error, reply_ok, reserved};
use band_wire::{AgentId, ChatId, Id};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Script, compare, same};

const AGENT: AgentId = AgentId::new(Uuid::from_u128(0xa));
const ROOMS: u8 = 4;

#[derive(Debug, Clone, Copy)]
enum Op {
    Join(u8),
    Leave(u8),
    /// One of the joins under way is answered.
    Answer(u8, bool),
    /// One of the joins that no longer count is answered well.
    Late(u8),
    /// One of the joined topics is lost.
    Lose(u8, bool),
    /// The socket is lost, and another one opens.
    Gone,
    Wait(u8),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (0..ROOMS).prop_map(Op::Join),
        2 => (0..ROOMS).prop_map(Op::Leave),
        14 => (any::<u8>(), prop::bool::weighted(0.8)).prop_map(|(which, ok)| Op::Answer(which, ok)),
        2 => any::<u8>().prop_map(Op::Late),
        2 => (any::<u8>(), any::<bool>()).prop_map(|(which, closed)| Op::Lose(which, closed)),
        1 => Just(Op::Gone),
        2 => (1_u8..20).prop_map(Op::Wait),
    ]
}

fn id(number: u8) -> ChatId {
    Id::new(Uuid::from_u128(u128::from(number)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    Pending,
    In,
}

/// A join of ours.
#[derive(Debug, Clone)]
struct Join {
    reference: Option<Ref>,
    joined: bool,
}

struct Both {
    link: LinkMachine,
    now: Moment,
    generation: Generation,
    channels: BTreeMap<Topic, Join>,
    late: Vec<(Topic, Option<Ref>)>,
    rooms: BTreeMap<ChatId, (State, u64)>,
    topics: BTreeMap<Topic, (State, u64)>,
    tickets: u64,
    script: Script,
    expected: Vec<(Value, Vec<Value>)>,
}

/// Why a room is out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Refused { people: bool },
    Left,
    Other,
}

impl Both {
    fn new() -> Self {
        let mut script = Script::of("SubscriptionTracker", &json!([]), &json!({}))
            .watching(json!(["joined_agent_topics"]))
            .watching(json!(["subscribed_room_ids"]));
        for room in 0..ROOMS {
            script = script.watching(json!(["room_status", id(room)]));
        }
        let options = LinkOptions { agent: AGENT, contacts: true, reject: false, seed: 7 };
        let own = [Topic::AgentRooms(AGENT), Topic::AgentContacts(AGENT)];
        let mut both = Self {
            link: LinkMachine::new(&options),
            now: Moment::ZERO,
            generation: Generation::default(),
            channels: BTreeMap::new(),
            late: Vec::new(),
            rooms: (0..ROOMS).map(|room| (id(room), (State::Absent, 0))).collect(),
            topics: own.into_iter().map(|topic| (topic, (State::Absent, 0))).collect(),
            tickets: 0,
            script,
            expected: Vec::new(),
        };
        both.input(Input::Start);
        both.input(Input::Opened(both.generation));
        both.follow(Cause::Other);
        both
    }

    fn input(&mut self, input: Input) {
        self.link.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.link.poll() {
            match output {
                Output::Connect { generation, .. } => self.generation = generation,
                Output::Send { text, .. } => self.sent(&Frame::decode(&text).unwrap()),
                Output::Note(Note::TopicNotJoined { topic, .. }) => self.given_up(topic),
                Output::Close { .. } | Output::Note(_) => {}
            }
        }
        while let Some(event) = self.link.next_event() {
            if let LinkEvent::RoomJoinFailed { room, .. } = event {
                self.given_up(Topic::ChatRoom(room));
                self.given_up(Topic::RoomParticipants(room));
            }
        }
    }

    /// A join that was not answered in time, or a room that rests.
    fn given_up(&mut self, topic: Topic) {
        let join = self.channels.remove(&topic).filter(|join| !join.joined);
        self.late.extend(join.map(|join| (topic, join.reference)));
    }

    fn sent(&mut self, frame: &Frame) {
        let Ok(topic) = frame.topic.parse::<Topic>() else { return self.reply(frame, reply_ok(json!({}))) };
        let earlier = match frame.event.as_str() {
            reserved::JOIN => {
                let join = Join { reference: frame.reference.clone(), joined: false };
                self.channels.insert(topic, join)
            }
            reserved::LEAVE => {
                self.reply(frame, reply_ok(json!({})));
                self.channels.remove(&topic)
            }
            _ => None,
        };
        self.late.extend(earlier.map(|join| (topic, join.reference)));
        if topic == Topic::AgentControl(AGENT) && frame.event == reserved::JOIN {
            self.answer(topic, true);
        }
    }

    fn reply(&mut self, request: &Frame, payload: Map<String, Value>) {
        let reply =
            Frame::new(request.join_ref.clone(), request.reference.clone(), &request.topic, reserved::REPLY);
        self.frame(&reply.with_payload(payload));
    }

    fn frame(&mut self, frame: &Frame) {
        self.input(Input::Received(self.generation, Received::Text(frame.encode())));
    }

    fn answer(&mut self, topic: Topic, ok: bool) {
        let Some(join) = self.channels.get_mut(&topic) else { return };
        join.joined = ok;
        let request =
            Frame::new(join.reference.clone(), join.reference.clone(), &topic.to_string(), reserved::JOIN);
        if !ok {
            self.channels.remove(&topic);
        }
        self.reply(&request, if ok { reply_ok(json!({})) } else { reply_error("no") });
    }

    fn pick(&self, which: u8, joined: bool) -> Option<Topic> {
        let control = Topic::AgentControl(AGENT);
        let fitting =
            self.channels.iter().filter(|(topic, join)| join.joined == joined && **topic != control);
        let fitting: Vec<Topic> = fitting.map(|(topic, _)| *topic).collect();
        (!fitting.is_empty()).then(|| fitting[usize::from(which) % fitting.len()])
    }

    fn play(&mut self, op: Op) {
        match op {
            Op::Join(room) => {
                self.input(Input::JoinRoom(id(room)));
                self.follow(Cause::Other);
            }
            Op::Leave(room) => {
                self.input(Input::LeaveRoom(id(room)));
                self.follow(Cause::Left);
            }
            Op::Answer(which, ok) => {
                if let Some(topic) = self.pick(which, false) {
                    self.answer(topic, ok);
                    self.follow(Cause::Refused { people: matches!(topic, Topic::RoomParticipants(_)) });
                }
            }
            Op::Late(which) => self.late(which),
            Op::Lose(which, closed) => {
                if let Some(topic) = self.pick(which, true) {
                    let join = self.channels.remove(&topic).unwrap();
                    let event = if closed { reserved::CLOSE } else { reserved::ERROR };
                    self.frame(&Frame::new(
                        join.reference.clone(),
                        join.reference,
                        &topic.to_string(),
                        event,
                    ));
                    self.follow(Cause::Other);
                }
            }
            Op::Gone => self.gone(),
            Op::Wait(secs) => self.wait(Duration::from_secs(u64::from(secs))),
        }
    }

    /// An answer to a join that no longer counts: in both nothing changes.
    fn late(&mut self, which: u8) {
        if self.late.is_empty() {
            return;
        }
        let (topic, reference) = self.late[usize::from(which) % self.late.len()].clone();
        let request = Frame::new(reference.clone(), reference, &topic.to_string(), reserved::JOIN);
        self.reply(&request, reply_ok(json!({})));
        self.follow(Cause::Other);
        if let Some(room) = topic.room() {
            self.expect(json!(["record_both_room_topics_joined", room, 99_999]), json!("stale"));
        }
    }

    fn gone(&mut self) {
        self.channels.clear();
        self.late.clear();
        self.input(Input::Gone(self.generation, Gone::Broken("reset".to_owned())));
        self.follow(Cause::Other);
        let due = self.link.deadline().unwrap();
        self.now = self.now.max(due.at);
        self.link.expire(self.now);
        self.drain();
        self.input(Input::Opened(self.generation));
        self.follow(Cause::Other);
    }

    fn wait(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(due) = self.link.deadline().filter(|due| due.at <= until) {
            self.now = self.now.max(due.at);
            self.link.expire(self.now);
            self.drain();
            self.follow(Cause::Other);
        }
        self.now = until;
    }

    fn state(&self, room: ChatId) -> State {
        let topics = [Topic::ChatRoom(room), Topic::RoomParticipants(room)];
        if self.link.is_subscribed(room) {
            State::In
        } else if topics.iter().any(|topic| self.channels.contains_key(topic)) {
            State::Pending
        } else {
            State::Absent
        }
    }

    fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets - 1
    }

    /// Takes the released tracker where ours went.
    fn follow(&mut self, cause: Cause) {
        for room in (0..ROOMS).map(id) {
            let (was, ticket) = self.rooms[&room];
            let is = self.state(room);
            match (was, is) {
                (State::Pending, State::In) => {
                    self.rooms.insert(room, (is, ticket));
                    self.expect(json!(["record_both_room_topics_joined", room, ticket]), json!("subscribed"));
                }
                (State::Pending, State::Absent) => self.room_not_joined(room, ticket, cause),
                (State::In, State::Absent | State::Pending) => self.room_lost(room, ticket, cause),
                (was, is) => assert!(was == is || was == State::Absent, "{room}: {was:?} to {is:?}"),
            }
            if is != State::Absent && self.rooms[&room].0 == State::Absent {
                let ticket = self.ticket();
                self.rooms.insert(room, (State::Pending, ticket));
                self.expect(json!(["begin_room_subscribe", room]), json!(ticket));
            }
        }
        for topic in [Topic::AgentRooms(AGENT), Topic::AgentContacts(AGENT)] {
            self.follow_own(topic);
        }
    }

    fn room_not_joined(&mut self, room: ChatId, ticket: u64, cause: Cause) {
        self.rooms.insert(room, (State::Absent, ticket));
        if cause == Cause::Left {
            self.script.call(json!(["unsubscribe_room", room]));
            self.expected.push((Value::Null, Vec::new()));
        }
        if cause == (Cause::Refused { people: true }) {
            let call = json!(["record_room_participants_join_failed", room, ticket, true]);
            self.expect(call, json!("rolled_back"));
        } else {
            self.expect(json!(["record_chat_room_join_failed", room, ticket]), json!("join_failed"));
        }
    }

    fn room_lost(&mut self, room: ChatId, ticket: u64, cause: Cause) {
        self.rooms.insert(room, (State::Absent, ticket));
        if cause == Cause::Left {
            let leaving = self.ticket();
            self.script.call(json!(["unsubscribe_room", room]));
            self.expected.push((json!(leaving), Vec::new()));
            let left = json!({"member": "LeaveOutcome.Left"});
            self.expect(json!(["mark_room_leave_complete", room, leaving, left]), json!(true));
        } else {
            self.script.call(json!(["mark_room_rejoin_failed", room, ticket]));
            self.expected.push((json!(true), Vec::new()));
            self.expect(json!(["acknowledge_room_reconciled", room]), json!(true));
        }
    }

    fn follow_own(&mut self, topic: Topic) {
        let name = topic.to_string();
        let (was, ticket) = self.topics[&topic];
        let join = self.channels.get(&topic);
        let is = join.map_or(State::Absent, |join| if join.joined { State::In } else { State::Pending });
        match (was, is) {
            (State::Pending, State::In) => {
                self.topics.insert(topic, (is, ticket));
                self.expect(json!(["record_agent_topic_join", name, ticket, true]), json!(true));
            }
            (State::Pending, State::Absent) => {
                self.topics.insert(topic, (is, ticket));
                self.expect(json!(["record_agent_topic_join", name, ticket, false]), json!(false));
            }
            (State::In, State::Absent | State::Pending) => {
                self.topics.insert(topic, (State::Absent, ticket));
                self.script.call(json!(["mark_agent_topic_rejoin_failed", name, ticket]));
                self.expected.push((json!(true), Vec::new()));
                self.expect(json!(["acknowledge_agent_topic_reconciled", name]), json!(true));
            }
            _ => {}
        }
        if is != State::Absent && self.topics[&topic].0 == State::Absent {
            let ticket = self.ticket();
            self.topics.insert(topic, (State::Pending, ticket));
            self.expect(json!(["begin_agent_topic_join", name]), json!(ticket));
        }
    }

    fn expect(&mut self, call: Value, said: Value) {
        self.script.call(call);
        let joined: Vec<String> = self
            .topics
            .iter()
            .filter(|(_, (state, _))| *state == State::In)
            .map(|(topic, _)| topic.to_string())
            .collect();
        let subscribed: Vec<&ChatId> =
            self.rooms.iter().filter(|(_, (state, _))| *state == State::In).map(|(room, _)| room).collect();
        let mut seen = vec![json!(joined), json!(subscribed)];
        seen.extend(self.rooms.values().map(|(state, _)| match state {
            State::Absent => json!("absent"),
            State::Pending => json!("pending"),
            State::In => json!("subscribed"),
        }));
        self.expected.push((said, seen));
    }
}

#[test]
fn topics_are_joined_lost_and_left_as_in_the_released_tracker() {
    compare("subscriptions", op(), |wheel, ops| {
        let mut both = Both::new();
        for op in ops {
            both.play(*op);
        }
        let theirs = wheel.play(&both.script);
        for (at, ((said, seen), mut theirs)) in both.expected.iter().zip(theirs).enumerate() {
            same(at, "the answer", said, &theirs.said)?;
            if !seen.is_empty() {
                for list in &mut theirs.seen[..2] {
                    list.as_array_mut().unwrap().sort_by_key(ToString::to_string);
                }
                let mut seen = seen.clone();
                seen[0].as_array_mut().unwrap().sort_by_key(ToString::to_string);
                same(at, "the topics", &seen, &theirs.seen)?;
            }
        }
        Ok(())
    });
}
