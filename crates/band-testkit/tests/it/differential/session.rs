//! When a lost connection is tried again, and when not: ours is another engine on purpose, so the two are held
//! against each other where they must agree, and each difference is spelled out here.
//!
//! | | The released session | Our link |
//! |---|---|---|
//! | open, lost, stale inputs | | the same |
//! | a supersede for good | the end | the same |
//! | 400, 403, 409 before the first connection | the end | the same, and 401 |
//! | 400, 403, 409 later | the end | tried again; with 401 three in a row over half a minute are the end |
//! | close code 1000 | the end | tried again |
//! | ten quick losses | the end | tried again |
//! | a delay that the platform demands | obeyed in full | the same |
//! | other delays | up to 60 s | up to 5 s; up to 90 s between peers that supersede each other |
//!
//! After an end of theirs alone, a new session of theirs goes on beside our link.

use std::time::Duration;

use band_core::link::{
    Failure, Generation, Gone, Input, LinkEvent, LinkMachine, LinkOptions, Output, Received, Refusal,
    StopReason, Why,
};
use band_core::{Machine, Moment};
use band_wire::AgentId;
use band_wire::phx::{Frame, Topic, reply_ok, reserved};
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Script, Wheel, compare, same};

const AGENT: AgentId = AgentId::new(Uuid::from_u128(0xa));
/// A demanded delay from which on no other rule of either can be longer.
const LONG: u64 = 100;

#[derive(Debug, Clone, Copy)]
enum Op {
    Opened,
    Refused(u16, Option<u64>),
    Closed(Option<u16>),
    Superseded(bool, Option<u64>),
    /// Something of the connection before: opened, refused, or gone.
    Stale(u8),
    Wait(u16),
}

fn op() -> impl Strategy<Value = Op> {
    let demanded = || prop::option::of(prop_oneof![0_u64..10, LONG..400]);
    let status = prop_oneof![
        3 => prop::sample::select(&[302_u16, 404, 408, 429, 500, 502, 503][..]),
        1 => prop::sample::select(&[400_u16, 401, 403, 409][..]),
    ];
    let code = prop_oneof![
        1 => Just(None),
        4 => prop::sample::select(&[1001_u16, 1002, 1006, 1008, 1011, 1012, 1013, 4000, 4321][..]).prop_map(Some),
        1 => Just(Some(1000)),
    ];
    prop_oneof![
        10 => Just(Op::Opened),
        3 => (status, demanded()).prop_map(|(status, after)| Op::Refused(status, after)),
        4 => code.prop_map(Op::Closed),
        2 => (prop::bool::weighted(0.8), demanded()).prop_map(|(again, after)| Op::Superseded(again, after)),
        2 => (0_u8..3).prop_map(Op::Stale),
        4 => (1_u16..120).prop_map(Op::Wait),
    ]
}

/// What became of a link after a loss.
#[derive(Debug)]
enum After {
    Retry(Duration),
    Ended(StopReason),
}

fn link() -> LinkMachine {
    LinkMachine::new(&LinkOptions { agent: AGENT, contacts: false, reject: false, seed: 7 })
}

struct Both<'a> {
    wheel: &'a mut Wheel,
    link: LinkMachine,
    now: Moment,
    generation: Generation,
    before: Option<Generation>,
    is_open: bool,
    opened_before: bool,
    after: Option<After>,
    /// Of the connection of now, in their counting.
    epoch: u64,
    epochs: u64,
}

impl<'a> Both<'a> {
    fn new(wheel: &'a mut Wheel) -> Self {
        let mut both = Self {
            wheel,
            link: link(),
            now: Moment::ZERO,
            generation: Generation::default(),
            before: None,
            is_open: false,
            opened_before: false,
            after: None,
            epoch: 0,
            epochs: 0,
        };
        both.start();
        both
    }

    /// A link and a session that have not connected yet.
    fn start(&mut self) {
        self.link = link();
        self.generation = Generation::default();
        self.before = None;
        self.opened_before = false;
        self.input(Input::Start);
        self.their_new_session();
    }

    fn their_new_session(&mut self) {
        self.wheel.play(&Script::of("Session", &json!([{"policy": null}]), &json!({})));
        self.epochs = 0;
        self.begin();
    }

    fn begin(&mut self) {
        self.epoch = self.epochs;
        self.epochs += 1;
        let began = self.wheel.say(json!(["begin_attempt", self.seconds()]));
        assert_eq!(began, json!(self.epoch));
    }

    fn seconds(&self) -> f64 {
        self.now.since_origin().as_secs_f64()
    }

    fn input(&mut self, input: Input) {
        self.link.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.link.poll() {
            match output {
                Output::Connect { generation, .. } => {
                    self.before = Some(self.generation).filter(|before| *before != Generation::default());
                    self.generation = generation;
                }
                Output::Send { text, .. } => {
                    let sent = Frame::decode(&text).unwrap();
                    let reply = Frame::new(sent.join_ref, sent.reference, &sent.topic, reserved::REPLY);
                    let text = reply.with_payload(reply_ok(json!({}))).encode();
                    self.input(Input::Received(self.generation, Received::Text(text)));
                }
                Output::Close { .. } | Output::Note(_) => {}
            }
        }
        while let Some(event) = self.link.next_event() {
            match event {
                LinkEvent::Disconnected { retry_in, .. } => self.after = Some(After::Retry(retry_in)),
                LinkEvent::Ended(reason) => self.after = Some(After::Ended(reason)),
                _ => {}
            }
        }
    }

    fn play(&mut self, at: usize, op: Op) -> Result<(), String> {
        match op {
            Op::Opened if !self.is_open => {
                self.input(Input::Opened(self.generation));
                self.is_open = true;
                self.opened_before = true;
                let theirs = self.wheel.say(json!(["on_connected", self.epoch, self.seconds()]));
                same(at, "opened", &json!([null, "up"]), &json!([theirs["stale_reason"], theirs["state"]]))
            }
            Op::Refused(status, after) if !self.is_open => self.refused(at, status, after),
            Op::Closed(code) if self.is_open => {
                let gone = code.map_or(Gone::Broken("reset".to_owned()), |code| Gone::Closed {
                    code: Some(code),
                    reason: String::new(),
                });
                self.input(Input::Gone(self.generation, gone));
                let theirs =
                    self.wheel.say(json!(["on_socket_close", self.epoch, self.seconds(), code, 0.5]));
                let quick = theirs["dead_reason"] == json!("rapid_disconnect");
                let expected = if code == Some(1000) { json!("classified") } else { json!(null) };
                if !quick {
                    same(at, "their end", &expected, &theirs["dead_reason"])?;
                }
                self.lost(at, &theirs, None, false)
            }
            Op::Superseded(again, after) if self.is_open => self.superseded(at, again, after),
            Op::Stale(kind) => self.stale(at, kind),
            Op::Wait(secs) => {
                self.wait(Duration::from_secs(secs.into()));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn refused(&mut self, at: usize, status: u16, after: Option<u64>) -> Result<(), String> {
        let refusal = Refusal { retry_after: after.map(Duration::from_secs), ..Refusal::status(status) };
        self.input(Input::OpenFailed(self.generation, Failure::Refused(refusal)));
        let call = json!(["on_upgrade_rejected", self.epoch, self.seconds(), status, after, 0.5]);
        let theirs = self.wheel.say(call);
        let terminal = matches!(status, 400 | 401 | 403 | 409);
        let their_end = terminal && status != 401;
        same(at, "their end", &their_end, &(theirs["dead_reason"] == json!("classified")))?;
        // Later on, ours may end too, if it was not the first of its kind.
        let ends = matches!(self.after, Some(After::Ended(_)));
        if !terminal || !self.opened_before {
            same(at, "our end", &ends, &terminal)?;
        }
        self.lost(at, &theirs, after, ends)
    }

    fn superseded(&mut self, at: usize, again: bool, after: Option<u64>) -> Result<(), String> {
        let payload = json!({
            "reason": "session.already_connected", "message": "m", "correlation_id": "c", "retryable": again,
            "retry_after": after,
        });
        let topic = Topic::AgentControl(AGENT).to_string();
        let text = Frame::encode_push(None, &topic, "supersede", &payload.to_string());
        self.input(Input::Received(self.generation, Received::Text(text)));
        let gone = Gone::Closed { code: Some(1000), reason: String::new() };
        self.input(Input::Gone(self.generation, gone));
        let theirs = self.wheel.say(json!(["on_supersede", self.seconds(), again, after, 0.5]));
        same(
            at,
            "our end",
            &!again,
            &matches!(self.after, Some(After::Ended(StopReason::Superseded { .. }))),
        )?;
        if theirs["dead_reason"] != json!("rapid_disconnect") {
            let expected = if again { json!(null) } else { json!("classified") };
            same(at, "their end", &expected, &theirs["dead_reason"])?;
        }
        self.lost(at, &theirs, after, !again)
    }

    /// Both have lost their connection: the delays, and the next attempt.
    fn lost(&mut self, at: usize, theirs: &Value, demanded: Option<u64>, ends: bool) -> Result<(), String> {
        self.is_open = false;
        same(at, "stale", &Value::Null, &theirs["stale_reason"])?;
        let demanded = demanded.map(Duration::from_secs);
        match self.after.take() {
            Some(After::Retry(ours)) if !ends => {
                let least = demanded.unwrap_or_default();
                let most = least.max(Duration::from_secs(90));
                if ours < least || ours > most {
                    return Err(format!(
                        "operation {at}: ours waits {ours:?}, {least:?} to {most:?} would do"
                    ));
                }
                if let Some(wait) = theirs["retry_after_s"].as_f64()
                    && let Some(long) = demanded.filter(|long| *long >= Duration::from_secs(LONG))
                {
                    same(at, "a long delay", &ours, &long)?;
                    same(at, "a long delay of theirs", &wait, &long.as_secs_f64())?;
                }
                self.wait(ours);
                if theirs["state"] == json!("dead") {
                    self.their_new_session();
                } else {
                    self.begin();
                }
                Ok(())
            }
            Some(After::Ended(_)) if ends => {
                self.start();
                Ok(())
            }
            after => Err(format!("operation {at}: {after:?}, and theirs is {theirs}")),
        }
    }
}

impl Both<'_> {
    /// What belongs to an earlier connection changes neither.
    fn stale(&mut self, at: usize, kind: u8) -> Result<(), String> {
        let Some(before) = self.before.filter(|_| self.epoch > 0) else { return Ok(()) };
        let (epoch, now) = (self.epoch - 1, self.seconds());
        let (input, call) = match kind {
            0 => (Input::Opened(before), json!(["on_connected", epoch, now])),
            1 => {
                let failure = Failure::Refused(Refusal::status(409));
                let call = json!(["on_upgrade_rejected", epoch, now, 409, null, 0.5]);
                (Input::OpenFailed(before, failure), call)
            }
            _ => {
                let gone = Gone::Closed { code: Some(1001), reason: String::new() };
                (Input::Gone(before, gone), json!(["on_socket_close", epoch, now, 1001, 0.5]))
            }
        };
        let (generation, due) = (self.generation, self.link.deadline().map(|due| due.at));
        self.input(input);
        let theirs = self.wheel.say(call);
        same(at, "stale", &json!("wrong_epoch"), &theirs["stale_reason"])?;
        let ours = (self.generation, self.link.deadline().map(|due| due.at), self.after.is_none());
        same(at, "our link", &(generation, due, true), &ours)
    }

    fn wait(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(due) = self.link.deadline().filter(|due| due.at <= until) {
            if !self.is_open && due.why == Why::Open {
                // An upgrade that takes too long: the tests' own losses are enough.
                self.now = self.now.max(due.at);
                return;
            }
            self.now = self.now.max(due.at);
            self.link.expire(self.now);
            self.drain();
        }
        self.now = until;
    }
}

#[test]
fn losses_and_refusals_are_followed_by_another_attempt_or_the_end_as_the_tables_say() {
    compare("session policy", op(), |wheel, ops| {
        let mut both = Both::new(wheel);
        ops.iter().enumerate().try_for_each(|(at, op)| both.play(at, *op))
    });
}

/// One loss on a fresh link: whether it is the end.
fn ends(input: impl FnOnce(Generation) -> Vec<Input>) -> bool {
    let mut link = link();
    link.handle(Moment::ZERO, Input::Start);
    let Some(Output::Connect { generation, .. }) = link.poll() else { panic!("no attempt") };
    for input in input(generation) {
        link.handle(Moment::ZERO, input);
    }
    link.ended().is_some()
}

#[test]
fn close_codes_and_statuses_are_classed_as_released_but_for_1000_and_401() {
    let mut script = Script::functions();
    let codes: Vec<u16> = (0..=5_000).chain([65_535]).collect();
    let statuses: Vec<u16> = (100..=600).collect();
    for code in &codes {
        script.call(json!(["classify_close", code]));
    }
    for status in &statuses {
        script.call(json!(["classify_upgrade", status]));
    }
    let mut theirs = Wheel::start().play(&script).into_iter().map(|step| step.said[0] == json!(true));
    for code in codes {
        let gone = Gone::Closed { code: Some(code), reason: String::new() };
        let ours = ends(|generation| vec![Input::Opened(generation), Input::Gone(generation, gone)]);
        assert_eq!((ours, theirs.next().unwrap()), (false, code == 1000), "{code}");
    }
    for status in statuses {
        let failure = Failure::Refused(Refusal::status(status));
        let ours = ends(|generation| vec![Input::OpenFailed(generation, failure)]);
        let theirs = theirs.next().unwrap();
        assert_eq!(theirs, matches!(status, 400 | 403 | 409), "{status}");
        assert_eq!(ours, theirs || status == 401, "{status}");
    }
}
