//! The link as a whole, on a desk: a fake world with its own clock.

mod connecting;
mod ending;
mod laws;
mod life;
mod rooms;
mod traps;

use std::time::Duration;

use band_wire::phx::{Frame, Ref, reply_error, reply_ok, reserved};
use band_wire::{AgentId, ChatId};
use serde_json::{Value, json};
use uuid::Uuid;

use super::LinkMachine;
use crate::link::{
    Failure, Generation, Gone, Input, LinkEvent, LinkOptions, Note, Output, Received, Refusal, StopReason,
    Why,
};
use crate::{Machine, Moment};

const AGENT: AgentId = AgentId::new(Uuid::from_u128(0xa));
const OPTIONS: LinkOptions = LinkOptions { agent: AGENT, contacts: false, reject: false, seed: 7 };

fn room(number: u128) -> ChatId {
    ChatId::new(Uuid::from_u128(0x1000 + number))
}

fn control_topic() -> String {
    format!("agent_control:{AGENT}")
}

fn rooms_topic() -> String {
    format!("agent_rooms:{AGENT}")
}

/// A link, the clock, and what came out.
struct Desk {
    link: LinkMachine,
    now: Moment,
    generation: Generation,
    /// Whether each attempt was told to reject.
    attempts: Vec<bool>,
    sent: Vec<Frame>,
    closes: Vec<(u16, &'static str)>,
    notes: Vec<Note>,
    /// Whether heartbeats are answered by themselves.
    beating: bool,
}

impl Desk {
    fn new(options: &LinkOptions) -> Self {
        Self {
            link: LinkMachine::new(options),
            now: Moment::ZERO,
            generation: Generation::default(),
            attempts: Vec::new(),
            sent: Vec::new(),
            closes: Vec::new(),
            notes: Vec::new(),
            beating: false,
        }
    }

    /// Started, the socket open.
    fn open() -> Self {
        let mut desk = Self::new(&OPTIONS);
        desk.input(Input::Start);
        desk.input(Input::Opened(desk.generation));
        desk
    }

    /// Connected, and everything asked so far answered.
    fn connected() -> Self {
        let mut desk = Self::open();
        desk.answer_all();
        assert_eq!(desk.events(), [LinkEvent::Connected { reconnect: false }]);
        desk
    }

    /// Connected, with one subscribed room. Join refs: control 1, rooms 2, chat 3, participants 4.
    fn in_room() -> Self {
        let mut desk = Self::connected();
        desk.input(Input::JoinRoom(room(1)));
        desk.answer_all();
        assert_eq!(desk.events(), [LinkEvent::RoomJoined(room(1))]);
        desk
    }

    fn input(&mut self, input: Input) {
        self.link.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.link.poll() {
            match output {
                Output::Connect { generation, reject } => {
                    self.generation = generation;
                    self.attempts.push(reject);
                }
                Output::Send { generation, text } => {
                    assert_eq!(generation, self.generation, "sent on a dead socket");
                    self.sent.push(Frame::decode(&text).unwrap());
                }
                Output::Close { generation, code, reason } => {
                    assert_eq!(generation, self.generation, "closed a dead socket");
                    self.closes.push((code, reason));
                }
                Output::Note(note) => self.notes.push(note),
            }
        }
    }

    /// Lets time pass, deadline by deadline.
    fn pass(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(due) = self.link.deadline().filter(|due| due.at <= until) {
            self.now = self.now.max(due.at);
            self.link.expire(self.now);
            self.drain();
            if self.beating {
                self.answer_heartbeats();
            }
        }
        self.now = until;
    }

    fn answer_heartbeats(&mut self) {
        let (beats, others) = self.sent().into_iter().partition(|frame| frame.event == reserved::HEARTBEAT);
        self.sent = others;
        let beats: Vec<Frame> = beats;
        for beat in &beats {
            self.reply_ok(beat);
        }
    }

    /// Lets time pass until the next attempt at a socket.
    fn pass_until_attempt(&mut self) {
        let attempts = self.attempts.len();
        while self.attempts.len() == attempts {
            self.pass(Duration::from_millis(10));
        }
    }

    fn pass_secs(&mut self, secs: u64) {
        self.pass(Duration::from_secs(secs));
    }

    fn why(&self) -> Option<Why> {
        self.link.deadline().map(|due| due.why)
    }

    fn text(&mut self, text: &str) {
        self.input(Input::Received(self.generation, Received::Text(text.to_owned())));
    }

    fn frame(&mut self, frame: &Frame) {
        self.text(&frame.encode());
    }

    fn push(&mut self, join_ref: Option<u64>, topic: &str, event: &str, payload: &Value) {
        self.text(&Frame::encode_push(join_ref.map(Ref::from).as_ref(), topic, event, &payload.to_string()));
    }

    /// What was sent since the last look.
    fn sent(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.sent)
    }

    /// What was sent since the last look, as `event topic`.
    fn sent_words(&mut self) -> Vec<String> {
        self.sent().iter().map(|frame| format!("{} {}", frame.event, frame.topic)).collect()
    }

    fn reply_ok(&mut self, request: &Frame) {
        self.reply(request, Frame::with_payload(blank(), reply_ok(json!({}))));
    }

    fn refuse(&mut self, request: &Frame, reason: &str) {
        self.reply(request, Frame::with_payload(blank(), reply_error(reason)));
    }

    fn reply(&mut self, request: &Frame, mut reply: Frame) {
        reply.join_ref.clone_from(&request.join_ref);
        reply.reference.clone_from(&request.reference);
        reply.topic.clone_from(&request.topic);
        self.frame(&reply);
    }

    /// Answers everything that was sent, until nothing more is sent.
    fn answer_all(&mut self) {
        loop {
            let requests = self.sent();
            if requests.is_empty() {
                return;
            }
            for request in &requests {
                self.reply_ok(request);
            }
        }
    }

    fn events(&mut self) -> Vec<LinkEvent> {
        std::iter::from_fn(|| self.link.next_event()).collect()
    }

    fn ended(&self) -> Option<StopReason> {
        self.link.ended().cloned()
    }

    fn gone(&mut self, code: u16) {
        let gone = Gone::Closed { code: Some(code), reason: String::new() };
        self.input(Input::Gone(self.generation, gone));
    }

    fn refused(&mut self, status: u16) {
        let failure = Failure::Refused(Refusal::status(status));
        self.input(Input::OpenFailed(self.generation, failure));
    }
}

fn blank() -> Frame {
    Frame::new(None, None, "-", reserved::REPLY)
}

fn message(id: u128) -> Value {
    json!({
        "id": Uuid::from_u128(id), "content": "hi", "message_type": "text",
        "sender_id": Uuid::from_u128(2), "sender_type": "User", "sender_name": "Ann",
        "metadata": {"mentions": [{"id": AGENT, "handle": "ann/helper", "name": "Helper"}]},
        "inserted_at": "2026-07-01T10:00:00Z", "updated_at": "2026-07-01T10:00:00Z",
    })
}
