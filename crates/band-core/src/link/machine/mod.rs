//! The link: composes session, heartbeat, channels and rooms into one machine.

mod clock;
mod push;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};

use band_wire::ChatId;
use band_wire::phx::{Frame, FrameError, Topic, reserved};

use crate::trial::{self, Fault};
use crate::{Deadline, Machine, Moment};

use super::channels::{Cause, Channels, Heard, number};
use super::event::{Disconnect, LinkEvent};
use super::heartbeat::Heartbeat;
use super::limits::{CLOSE_LIMIT, CLOSE_NORMAL, CLOSE_PROTOCOL, LEAVE_LIMIT, MALFORMED_IN_ROW, OPEN_LIMIT};
use super::own::OwnTopics;
use super::port::{Counters, Failure, Generation, Gone, Input, LinkOptions, Note, Output, Received, Why};
use super::queue::EventQueue;
use super::rooms::{Act, Rooms};
use super::session::{Next, Session};
use super::stop::StopReason;

/// Where the link stands.
#[derive(Debug)]
enum Phase {
    /// Not started.
    New,
    /// An upgrade is under way.
    Opening { until: Moment },
    /// The socket is open. The set holds the joins that `Connected` waits for; none once it was told.
    Open { heartbeat: Heartbeat, settling: Option<BTreeSet<Topic>> },
    /// Between attempts.
    Waiting { until: Moment },
    /// The owner asked for the end: the leave of `agent_control` is under way.
    Leaving { until: Moment },
    /// Our close frame is under way.
    Closing { until: Moment, reason: StopReason },
    /// The end.
    Ended(StopReason),
}

/// The Phoenix client of one agent. See the [module](super) for its rules.
///
/// Events for the owner wait inside, bounded, until [`next_event`](Self::next_event) takes them: the shell
/// takes one when its channel has a place for it.
#[derive(Debug)]
pub struct LinkMachine {
    reject: bool,
    phase: Phase,
    generation: Generation,
    session: Session,
    channels: Channels,
    own: OwnTopics,
    rooms: Rooms,
    malformed_in_row: u32,
    /// The request that the last probe was for.
    probed: Option<u64>,
    outputs: VecDeque<Output>,
    events: EventQueue,
    counters: Counters,
}

impl LinkMachine {
    /// A link that waits for [`Input::Start`].
    pub fn new(options: &LinkOptions) -> Self {
        Self {
            reject: options.reject,
            phase: Phase::New,
            generation: Generation::default(),
            session: Session::new(options.seed),
            channels: Channels::new(),
            own: OwnTopics::new(options.agent, options.contacts),
            rooms: Rooms::new(),
            malformed_in_row: 0,
            probed: None,
            outputs: VecDeque::new(),
            events: EventQueue::new(),
            counters: Counters::default(),
        }
    }

    /// The next event for the owner.
    pub fn next_event(&mut self) -> Option<LinkEvent> {
        self.events.pop()
    }

    /// Whether an event waits for the owner.
    pub fn has_event(&self) -> bool {
        !self.events.is_empty()
    }

    /// Why the link ended, once it has.
    pub const fn ended(&self) -> Option<&StopReason> {
        match &self.phase {
            Phase::Ended(reason) => Some(reason),
            _ => None,
        }
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        Counters { dropped_events: self.events.dropped(), ..self.counters }
    }

    /// Whether `agent_contacts` is wanted and joined on the socket of now.
    pub fn hears_contacts(&self) -> bool {
        self.own.contacts().is_some_and(|topic| self.channels.is_joined(topic))
    }

    /// Whether both topics of a room are joined on the socket of now.
    pub fn is_subscribed(&self, room: ChatId) -> bool {
        self.rooms.is_subscribed(room)
    }

    /// Whether the link is neither ending nor at its end.
    const fn is_alive(&self) -> bool {
        !matches!(self.phase, Phase::Leaving { .. } | Phase::Closing { .. } | Phase::Ended(_))
    }

    fn is_opening(&self, generation: Generation) -> bool {
        generation == self.generation && matches!(self.phase, Phase::Opening { .. })
    }

    fn is_open(&self, generation: Generation) -> bool {
        generation == self.generation && matches!(self.phase, Phase::Open { .. } | Phase::Leaving { .. })
    }

    fn connect(&mut self, now: Moment) {
        self.generation = self.generation.next();
        self.counters.attempts = self.counters.attempts.saturating_add(1);
        self.phase = Phase::Opening { until: now + OPEN_LIMIT };
        let reject = self.reject && !self.session.opened_before();
        self.outputs.push_back(Output::Connect { generation: self.generation, reject });
    }

    fn opened(&mut self, now: Moment) {
        self.counters.connections = self.counters.connections.saturating_add(1);
        self.session.opened(now);
        self.malformed_in_row = 0;
        self.probed = None;
        let mut settling = BTreeSet::new();
        for topic in self.own.fresh_socket() {
            settling.insert(topic);
            self.join(now, topic);
        }
        for act in self.rooms.fresh_socket() {
            if trial::has(Fault::RoomsNotRejoined) && self.counters.connections > 1 {
                break;
            }
            if let Act::Join(topic) = act {
                settling.insert(topic);
            }
            self.act(now, act);
        }
        self.phase = Phase::Open { heartbeat: Heartbeat::new(now), settling: Some(settling) };
    }

    fn send(&mut self, frame: &Frame) {
        self.outputs.push_back(Output::Send { generation: self.generation, text: frame.encode() });
    }

    fn join(&mut self, now: Moment, topic: Topic) {
        let frame = self.channels.join(now, topic);
        self.send(&frame);
    }

    fn leave(&mut self, now: Moment, topic: Topic) {
        if let Some(frame) = self.channels.leave(now, topic) {
            self.send(&frame);
        }
    }

    fn act(&mut self, now: Moment, act: Act) {
        match act {
            Act::Join(topic) => self.join(now, topic),
            Act::Leave(topic) => {
                self.leave(now, topic);
                self.settle(topic);
            }
            Act::Subscribed(room) => self.events.push(LinkEvent::RoomJoined(room)),
            Act::Failed { room, reason, retry_in } => {
                self.counters.failed_joins = self.counters.failed_joins.saturating_add(1);
                self.events.push(LinkEvent::RoomJoinFailed { room, reason, retry_in });
            }
        }
    }

    fn act_all(&mut self, now: Moment, acts: Vec<Act>) {
        for act in acts {
            self.act(now, act);
        }
    }

    /// A join that `Connected` may wait for has come to an end.
    fn settle(&mut self, topic: Topic) {
        if let Phase::Open { settling: Some(settling), .. } = &mut self.phase {
            settling.remove(&topic);
        }
    }

    /// Tells the owner that the link is connected, once nothing is left to settle.
    fn check_connected(&mut self) {
        let control = self.own.control();
        if let Phase::Open { settling, .. } = &mut self.phase
            && settling.as_ref().is_some_and(BTreeSet::is_empty)
            && self.channels.is_joined(control)
        {
            *settling = None;
            let reconnect = self.session.connected();
            self.events.push(LinkEvent::Connected { reconnect });
        }
    }

    /// The socket is gone, or is to go: close frame if ours, then another attempt or the end.
    fn lose(&mut self, now: Moment, reason: Disconnect, close: Option<(u16, &'static str)>) {
        self.drop_socket(close);
        match self.session.lost(now, &reason) {
            Next::Retry(retry_in) => {
                self.phase = Phase::Waiting { until: now + retry_in };
                self.events.push(LinkEvent::Disconnected { reason, retry_in });
            }
            Next::Stop(reason) => self.end(reason),
        }
    }

    /// Nothing of the socket of now is valid any more, and nothing is sent on it any more.
    fn drop_socket(&mut self, close: Option<(u16, &'static str)>) {
        let generation = self.generation;
        self.outputs.retain(|output| !matches!(output, Output::Send { .. } | Output::Connect { .. }));
        self.outputs.extend(close.map(|(code, reason)| Output::Close { generation, code, reason }));
        self.channels.reset();
        self.own.socket_gone();
        self.rooms.socket_gone();
    }

    /// Closes the socket for good and waits a little for its end.
    fn close_for_good(&mut self, now: Moment, reason: StopReason) {
        self.drop_socket(Some((CLOSE_NORMAL, "")));
        self.phase = Phase::Closing { until: now + CLOSE_LIMIT, reason };
    }

    fn end(&mut self, reason: StopReason) {
        self.events.push(LinkEvent::Ended(reason.clone()));
        self.phase = Phase::Ended(reason);
    }

    fn close(&mut self, now: Moment) {
        match &self.phase {
            Phase::New | Phase::Waiting { .. } => self.end(StopReason::Requested),
            Phase::Opening { .. } => {
                self.drop_socket(Some((CLOSE_NORMAL, "")));
                self.end(StopReason::Requested);
            }
            Phase::Open { .. } => {
                let control = self.own.control();
                if self.channels.is_joined(control) {
                    self.leave(now, control);
                    self.phase = Phase::Leaving { until: now + LEAVE_LIMIT };
                } else {
                    self.close_for_good(now, StopReason::Requested);
                }
            }
            Phase::Leaving { .. } | Phase::Closing { .. } | Phase::Ended(_) => {}
        }
    }

    /// The socket is gone by itself, or an attempt at one failed.
    fn gone(&mut self, now: Moment, reason: Disconnect) {
        match &self.phase {
            Phase::Opening { .. } | Phase::Open { .. } => self.lose(now, reason, None),
            Phase::Leaving { .. } => {
                self.drop_socket(None);
                self.end(StopReason::Requested);
            }
            Phase::Closing { reason, .. } => {
                let reason = reason.clone();
                self.end(reason);
            }
            Phase::New | Phase::Waiting { .. } | Phase::Ended(_) => {}
        }
    }

    fn received(&mut self, now: Moment, received: Received) {
        if let Phase::Open { heartbeat, .. } = &mut self.phase {
            heartbeat.heard();
        }
        let decoded = match received {
            Received::Text(text) => Frame::decode(&text),
            Received::Binary(bytes) => Frame::decode_binary(&bytes),
            Received::Alive => return,
        };
        match decoded {
            Ok(frame) => {
                self.malformed_in_row = 0;
                self.frame(now, frame);
            }
            Err(err) => self.malformed(now, err),
        }
    }

    fn malformed(&mut self, now: Moment, err: FrameError) {
        self.counters.malformed_frames = self.counters.malformed_frames.saturating_add(1);
        self.malformed_in_row = self.malformed_in_row.saturating_add(1);
        self.outputs.push_back(Output::Note(Note::Malformed(err)));
        if self.malformed_in_row >= MALFORMED_IN_ROW && matches!(self.phase, Phase::Open { .. }) {
            self.lose(now, Disconnect::Malformed, Some((CLOSE_PROTOCOL, "malformed frames")));
        }
    }

    fn frame(&mut self, now: Moment, frame: Frame) {
        if frame.topic == reserved::PHOENIX {
            if let (Phase::Open { heartbeat, .. }, reserved::REPLY, Some(reference)) =
                (&mut self.phase, frame.event.as_str(), frame.reference.as_ref().and_then(number))
            {
                heartbeat.replied(now, reference);
            }
            return;
        }
        let heard = self.channels.hear(now, frame);
        if heard == Heard::Stale {
            self.counters.stale_frames = self.counters.stale_frames.saturating_add(1);
        } else if matches!(self.phase, Phase::Open { .. }) {
            self.heard(now, heard);
        } else if heard == Heard::Left(self.own.control()) {
            self.close_for_good(now, StopReason::Requested);
        }
    }

    fn heard(&mut self, now: Moment, heard: Heard) {
        match heard {
            Heard::Joined(topic) => self.joined(now, topic),
            Heard::NotJoined(topic, cause) => self.not_joined(now, topic, cause),
            Heard::Lost(topic, cause) => match topic.room() {
                Some(room) => {
                    let acts = self.rooms.lost(now, room, topic, cause.to_string());
                    self.act_all(now, acts);
                }
                None => self.own.not_joined(now, topic, self.session.dice()),
            },
            Heard::Push { topic, event, payload } => self.push(now, topic, &event, payload),
            Heard::Left(_) | Heard::Stale => {}
        }
    }

    fn joined(&mut self, now: Moment, topic: Topic) {
        self.settle(topic);
        if let Some(room) = topic.room() {
            let acts = self.rooms.joined(now, room, topic);
            self.act_all(now, acts);
            return;
        }
        let missed = self.own.joined(topic);
        match topic {
            Topic::AgentControl(_) => self.session.controlled(),
            Topic::AgentRooms(_) if missed => self.events.push(LinkEvent::RoomsStale),
            Topic::AgentContacts(_) if missed => self.events.push(LinkEvent::ContactsStale),
            _ => {}
        }
    }

    fn not_joined(&mut self, now: Moment, topic: Topic, cause: Cause) {
        if topic == self.own.control() {
            self.control_not_joined(now, cause);
            return;
        }
        self.settle(topic);
        match topic.room() {
            Some(room) => {
                let acts = self.rooms.not_joined(now, room, topic, cause.to_string());
                self.act_all(now, acts);
            }
            None => {
                self.counters.failed_joins = self.counters.failed_joins.saturating_add(1);
                self.outputs
                    .push_back(Output::Note(Note::TopicNotJoined { topic, reason: cause.to_string() }));
                self.own.not_joined(now, topic, self.session.dice());
            }
        }
    }

    /// Without `agent_control` a socket is of no use: another one, or the end if it was refused from the
    /// first.
    fn control_not_joined(&mut self, now: Moment, cause: Cause) {
        match cause {
            Cause::Refused(reason) if !self.session.controlled_before() => {
                self.close_for_good(now, StopReason::ControlRejected { reason });
            }
            cause => {
                let reason = Disconnect::ControlLost(cause.to_string());
                self.lose(now, reason, Some((CLOSE_NORMAL, "agent_control not joined")));
            }
        }
    }
}

impl Machine for LinkMachine {
    type Input = Input;
    type Output = Output;
    type Why = Why;

    fn handle(&mut self, now: Moment, input: Input) {
        match input {
            Input::Start if matches!(self.phase, Phase::New) => self.connect(now),
            Input::JoinRoom(room) if self.is_alive() => {
                let acts = self.rooms.want(room);
                self.act_all(now, acts);
            }
            Input::LeaveRoom(room) if self.is_alive() => {
                let acts = self.rooms.unwant(room);
                self.act_all(now, acts);
                self.events.forget(room);
            }
            Input::Close => self.close(now),
            Input::Opened(generation) if self.is_opening(generation) => self.opened(now),
            Input::OpenFailed(generation, failure) if generation == self.generation => {
                let reason = match failure {
                    Failure::Refused(refusal) => Disconnect::Refused(refusal),
                    Failure::Unreachable(what) => Disconnect::Unreachable(what),
                };
                self.gone(now, reason);
            }
            Input::Received(generation, received) if self.is_open(generation) => self.received(now, received),
            Input::Gone(generation, gone)
                if generation == self.generation || trial::has(Fault::GenerationOff) =>
            {
                let reason = match gone {
                    Gone::Closed { code, reason } => Disconnect::Closed { code, reason },
                    Gone::Broken(what) => Disconnect::Broken(what),
                };
                self.gone(now, reason);
            }
            Input::Start
            | Input::JoinRoom(_)
            | Input::LeaveRoom(_)
            | Input::Opened(_)
            | Input::OpenFailed(..)
            | Input::Received(..)
            | Input::Gone(..) => {}
        }
        self.check_connected();
    }

    fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn deadline(&self) -> Option<Deadline<Why>> {
        match &self.phase {
            Phase::New | Phase::Ended(_) => None,
            Phase::Opening { until } => Some(Deadline { at: *until, why: Why::Open }),
            Phase::Waiting { until } => Some(Deadline { at: *until, why: Why::Retry }),
            Phase::Open { heartbeat, .. } => Some(self.open_deadline(heartbeat)),
            Phase::Leaving { until } => Some(Deadline { at: *until, why: Why::LeaveControl }),
            Phase::Closing { until, .. } => Some(Deadline { at: *until, why: Why::Close }),
        }
    }

    fn expire(&mut self, now: Moment) {
        while let Some(due) = self.deadline().filter(|due| due.at <= now) {
            self.expire_one(now, due.why);
            self.check_connected();
        }
    }
}
