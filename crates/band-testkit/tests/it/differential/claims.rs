//! Which messages a room takes up, and how often.
//!
//! Ours is one machine, the released ones are two ledgers that a host keeps: what ours puts out is entered into
//! them, and they must allow each thing that ours does. Whenever a sequence has come to rest, each message is
//! pushed once more, and ours must take up exactly what the ledgers would.
//!
//! | The released ledgers | Our room |
//! |---|---|
//! | a claim is in flight for a room and a message | one message is at work at a time |
//! | an ack is pending | a mark is owed; a failed mark too, which the ledgers do not know |
//! | a refused ack is counted, and given up | it is owed until it holds: there is no count |
//! | an attempt too many marks a message as failed for good | it is not begun |
//! | success starts the attempts over | a handled message has none |
//! | ledgers of all rooms in one | each room has its own: the room's name is the same throughout |

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use band_core::room::{
    Answer, Call, CallId, Control, Input, Listing, Mark, Output, Record, Room, RoomConfig, Trouble, TurnEnd,
    TurnId,
};
use band_core::turn::{Effect, Ending, Ledger};
use band_core::{Machine, Moment};
use band_wire::rest::Message;
use band_wire::{AgentId, Id, MessageId};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Script, Wheel, compare, same};

const MESSAGES: u16 = 6;
const ATTEMPTS: u32 = 2;
const ROOM: &str = "room";

#[derive(Debug, Clone, Copy)]
enum Op {
    Push(u16),
    /// One of the calls under way is answered: well, or badly in one of several ways.
    Answer(u8, u8),
    EndTurn(u8),
    Steer(Control),
    Resync,
    Wait(u8),
}

fn op() -> impl Strategy<Value = Op> {
    let control =
        prop::sample::select(&[Control::Interrupt, Control::Stop, Control::Play, Control::Play][..]);
    prop_oneof![
        6 => (0..MESSAGES).prop_map(Op::Push),
        16 => (any::<u8>(), any::<u8>()).prop_map(|(which, how)| Op::Answer(which, how)),
        6 => any::<u8>().prop_map(Op::EndTurn),
        2 => control.prop_map(Op::Steer),
        1 => Just(Op::Resync),
        3 => (1_u8..60).prop_map(Op::Wait),
    ]
}

fn id(number: u16) -> MessageId {
    Id::new(Uuid::from_u128(u128::from(number)))
}

/// A message that somebody wrote.
pub(super) fn message(id: MessageId) -> Message {
    Message {
        id,
        content: String::new(),
        message_type: "text".to_owned(),
        sender_id: Id::new(Uuid::from_u128(7)),
        sender_type: "User".to_owned(),
        sender_name: None,
        chat_room_id: None,
        metadata: Map::new(),
        attachments: Vec::new(),
        inserted_at: None,
        updated_at: None,
    }
}

/// A look at the ledgers when a message was pushed to a room at rest: where their answers begin, and whether ours
/// took it up.
struct Probe {
    id: MessageId,
    claims_at: usize,
    attempts_at: usize,
    taken: bool,
}

struct Both {
    room: Room,
    now: Moment,
    /// What the platform serves.
    open: BTreeSet<MessageId>,
    calls: VecDeque<(CallId, Call)>,
    running: Option<(TurnId, MessageId)>,
    at_work: Option<MessageId>,
    owed: BTreeSet<MessageId>,
    /// The attempt of this one was entered by the look at the ledgers.
    looked: Option<MessageId>,
    claims: Script,
    allowed: Vec<(usize, Value)>,
    claim_calls: usize,
    attempts: Script,
    attempt_calls: Vec<bool>,
    probes: Vec<Probe>,
}

impl Both {
    fn new(seed: u64) -> Self {
        let agent = AgentId::new(Uuid::from_u128(0xa));
        let config =
            RoomConfig { attempts: ATTEMPTS, history: false, deliveries: 0, ..RoomConfig::new(agent) };
        let mut both = Self {
            room: Room::new(config, Moment::ZERO, seed),
            now: Moment::ZERO,
            open: BTreeSet::new(),
            calls: VecDeque::new(),
            running: None,
            at_work: None,
            owed: BTreeSet::new(),
            looked: None,
            claims: Script::of("ClaimRegistry", &json!([500]), &json!({})),
            allowed: Vec::new(),
            claim_calls: 0,
            attempts: Script::of("RetryTracker", &json!([]), &json!({"max_retries": ATTEMPTS})),
            attempt_calls: Vec::new(),
            probes: Vec::new(),
        };
        both.drain();
        both
    }

    fn tell(&mut self, input: Input) {
        self.room.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.room.poll() {
            match output {
                Output::Call { id, call } => {
                    if let Call::Claim(message) = call
                        && !self.owed.contains(&message)
                    {
                        self.at_work = Some(message);
                        self.claim(json!(["try_claim", ROOM, message]), Some(json!(true)));
                    }
                    self.calls.push_back((id, call));
                }
                Output::StartTurn { turn, message, .. } => self.running = Some((turn, message.id)),
                Output::AbortTurn(turn) => {
                    let end = TurnEnd { ending: Ending::Cancelled, ledger: Ledger::new(), delivered: true };
                    self.running = None;
                    self.room.handle(self.now, Input::TurnEnded { turn, end });
                }
                Output::Record(record) => self.record(record),
                _ => {}
            }
        }
    }

    /// A call of the ledger of claims, and what it has to say.
    fn claim(&mut self, call: Value, said: Option<Value>) {
        self.claims.call(call);
        self.allowed.extend(said.map(|said| (self.claim_calls, said)));
        self.claim_calls += 1;
    }

    /// A call of the ledger of attempts; whether it must be within the budget.
    fn attempt(&mut self, call: Value, within: bool) {
        self.attempts.call(call);
        self.attempt_calls.push(within);
    }

    fn release(&mut self, message: MessageId) {
        if self.at_work.take_if(|at_work| *at_work == message).is_some() {
            self.claim(json!(["release", ROOM, message]), None);
        }
    }

    fn record(&mut self, record: Record) {
        match record {
            Record::Began(message) => {
                if self.looked.take_if(|looked| *looked == message).is_none() {
                    self.attempt(json!(["record_attempt", message]), true);
                }
            }
            Record::Excused(message) => {
                self.attempt(json!(["discard_attempt", message]), false);
                self.release(message);
            }
            Record::Owes(debt) => {
                self.owed.insert(debt.message);
                if debt.failure.is_none() {
                    self.claim(json!(["remember_ack_pending", ROOM, debt.message]), None);
                }
                self.release(debt.message);
            }
            Record::Settled { message, handled } => {
                self.owed.remove(&message);
                if handled {
                    self.open.remove(&message);
                    self.claim(json!(["remember_completed", ROOM, message]), None);
                    self.attempt(json!(["mark_success", message]), false);
                }
                self.release(message);
            }
            Record::GaveUp(_) | Record::Posted { .. } => {}
        }
    }

    fn play(&mut self, op: Op) {
        match op {
            Op::Push(number) => {
                self.open.insert(id(number));
                self.tell(Input::Pushed(Box::new(message(id(number)))));
            }
            Op::Answer(which, how) => {
                if !self.calls.is_empty() {
                    let at = usize::from(which) % self.calls.len();
                    let (call_id, call) = self.calls.remove(at).unwrap();
                    self.answer(call_id, &call, how);
                }
            }
            Op::EndTurn(how) => self.end_turn(how),
            Op::Steer(control) => {
                if control == Control::Stop
                    && self.running.is_none()
                    && let Some(message) = self.at_work
                {
                    self.release(message);
                }
                self.tell(Input::Control(control));
            }
            Op::Resync => self.tell(Input::Resync),
            Op::Wait(secs) => self.wait(Duration::from_secs(secs.into())),
        }
    }

    fn answer(&mut self, call: CallId, asked: &Call, how: u8) {
        let well = how > 60;
        let open = || self.open.iter().copied().map(message);
        let answer = match asked {
            Call::Next if well => Answer::Next(Ok(open().next().map(Box::new))),
            Call::Next => Answer::Next(Err(Trouble::Passing)),
            Call::List { .. } if well => {
                Answer::Listed(Ok(Listing { messages: open().collect(), next: None }))
            }
            Call::List { .. } => Answer::Listed(Err(Trouble::Passing)),
            Call::Claim(_) | Call::Processed(_) | Call::Failed(..) => Answer::Marked(match how {
                0..10 => Mark::Lost,
                10..20 => Mark::Refused,
                20..30 => Mark::Stopped,
                30..40 => Mark::Rejected,
                40..45 => Mark::NotFound,
                _ => Mark::Accepted,
            }),
            Call::Participants => Answer::Participants(if well { Ok(()) } else { Err(Trouble::Passing) }),
            Call::History(_) | Call::Status(_) => Answer::History(Ok(None)),
            Call::Activity(_) => Answer::Activity(None),
            Call::Notice(..) => Answer::Noticed,
        };
        // A claim that does not hold ends the work at once.
        if let (Call::Claim(message), Answer::Marked(mark)) = (asked, &answer)
            && self.at_work == Some(*message)
            && *mark != Mark::Accepted
        {
            self.release(*message);
        }
        self.tell(Input::Answered { call, answer });
    }

    fn end_turn(&mut self, how: u8) {
        let Some((turn, _)) = self.running.take() else { return };
        let mut ledger = Ledger::new();
        let ending = match how {
            0..30 => Ending::Failed("no".to_owned()),
            30..40 => Ending::NotAccepted,
            40..50 => Ending::Returned,
            _ => {
                ledger.record(Effect::Reply);
                Ending::Returned
            }
        };
        self.tell(Input::TurnEnded { turn, end: TurnEnd { ending, ledger, delivered: true } });
    }

    fn wait(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(due) = self.room.deadline().filter(|due| due.at <= until) {
            self.now = self.now.max(due.at);
            self.room.expire(self.now);
            self.drain();
        }
        self.now = until;
    }

    /// Everything is answered well until nothing is under way.
    fn rest(&mut self) {
        self.tell(Input::Control(Control::Play));
        for _ in 0..200 {
            while let Some((call, asked)) = self.calls.pop_front() {
                self.answer(call, &asked, u8::MAX);
            }
            self.end_turn(u8::MAX);
            if self.calls.is_empty() && self.running.is_none() {
                // Longer than any rest after a failed call, shorter than until the next look.
                self.wait(Duration::from_secs(16));
                if self.calls.is_empty() && self.owed.is_empty() {
                    return;
                }
            }
        }
        panic!("the room does not come to rest: {:?}", self.calls);
    }

    /// Pushes a message to the room at rest, and looks at what the ledgers say of it.
    fn probe(&mut self, id: MessageId) {
        let (claims_at, attempts_at) = (self.claim_calls, self.attempt_calls.len());
        self.claim(json!(["is_completed", ROOM, id]), None);
        self.claim(json!(["is_ack_pending", ROOM, id]), None);
        self.attempt(json!(["record_attempt", id]), false);
        self.looked = Some(id);
        self.tell(Input::Pushed(Box::new(message(id))));
        let taken = self.at_work == Some(id);
        self.probes.push(Probe { id, claims_at, attempts_at, taken });
        if self.looked.is_some() && !taken {
            self.looked = None;
            self.attempt(json!(["discard_attempt", id]), false);
        }
        self.rest();
    }

    fn check(self, wheel: &mut Wheel) -> Result<(), String> {
        let claims = wheel.play(&self.claims);
        for (at, said) in &self.allowed {
            same(*at, "a claim", said, &claims[*at].said)?;
        }
        let attempts = wheel.play(&self.attempts);
        for (at, within) in self.attempt_calls.iter().enumerate() {
            if *within {
                same(at, "an attempt", &json!(false), &attempts[at].said[1])?;
            }
        }
        for probe in &self.probes {
            let is = |at: usize| claims[at].said == json!(true);
            let spent = attempts[probe.attempts_at].said[1] == json!(true);
            let theirs = !is(probe.claims_at) && !is(probe.claims_at + 1) && !spent;
            same(probe.claims_at, &format!("whether {} is taken up", probe.id), &probe.taken, &theirs)?;
        }
        Ok(())
    }
}

#[test]
fn a_room_takes_up_what_the_released_ledgers_allow_and_nothing_else() {
    compare("claims and attempts", op(), |wheel, ops| {
        let mut both = Both::new(1);
        for op in ops {
            both.play(*op);
        }
        both.rest();
        for number in 0..MESSAGES {
            both.probe(id(number));
        }
        both.check(wheel)
    });
}

#[test]
fn handled_messages_are_forgotten_in_the_released_order() {
    let mut both = Both::new(1);
    both.rest();
    // 500 are remembered. Each that was forgotten is handled once more, and so pushes another one out.
    for number in (0..520).chain(510..520).chain(0..30).rev().chain(0..520) {
        both.probe(id(number));
    }
    assert!(both.probes.iter().any(|probe| !probe.taken));
    both.check(&mut Wheel::start()).unwrap();
}
