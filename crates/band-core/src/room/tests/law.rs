//! Whatever happens: one turn at a time, in order, and in the end every message is settled.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use band_wire::rest::{DeliveryStatus, Message};
use proptest::prelude::*;

use super::rig::{agent, id, message, number};
use crate::backoff::Dice;
use crate::room::{
    Answer, Call, CallId, Control, Input, Listing, Mark, Output, Recovered, Room, RoomConfig, Trouble,
    TurnEnd, TurnId,
};
use crate::turn::{Effect, Ending, Ledger};
use crate::{Machine, Moment};

/// Something that happens to a room.
#[derive(Debug, Clone, Copy)]
enum Act {
    /// Somebody writes; the push arrives, or twice, or gets lost with the connection.
    Write,
    PushTwice,
    Disconnect,
    /// Pushes come again, before the room is told.
    Rejoin,
    Connect,
    /// The oldest call, or the one after it, is answered: well, or badly.
    Answer {
        second: bool,
        bad: bool,
    },
    End(How),
    /// The turn goes on beside the room; and what goes on there longest ends.
    Detach,
    EndBeside {
        well: bool,
    },
    RefusePost,
    /// The agent puts a message of its own into the room.
    Synthetic,
    /// The process is killed and starts again. What was on its way got through, or not.
    Crash {
        through: bool,
    },
    Steer(Control),
    Wait(u64),
}

/// How a turn ends, or what comes of an offer.
#[derive(Debug, Clone, Copy)]
enum How {
    Well,
    Failed,
    NotAccepted,
    Consumed,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => Just(Act::Write),
        1 => Just(Act::PushTwice),
        1 => Just(Act::Disconnect),
        2 => Just(Act::Rejoin),
        2 => Just(Act::Connect),
        12 => (any::<bool>(), prop::bool::weighted(0.25))
            .prop_map(|(second, bad)| Act::Answer { second, bad }),
        4 => Just(Act::End(How::Well)),
        1 => prop_oneof![Just(How::Failed), Just(How::NotAccepted), Just(How::Consumed)].prop_map(Act::End),
        1 => prop_oneof![
            2 => Just(Act::Detach),
            2 => any::<bool>().prop_map(|well| Act::EndBeside { well }),
            1 => Just(Act::RefusePost),
            1 => Just(Act::Synthetic),
            1 => any::<bool>().prop_map(|through| Act::Crash { through }),
        ],
        1 => prop_oneof![Just(Control::Interrupt), Just(Control::Stop), Just(Control::Play)].prop_map(Act::Steer),
        3 => (0_u64..30_000).prop_map(Act::Wait),
    ]
}

/// A platform of one room, and what the agent does there.
struct World {
    room: Room,
    now: Moment,
    /// In order; true once processed.
    messages: BTreeMap<u128, bool>,
    open_attempts: BTreeSet<u128>,
    failed: BTreeMap<u128, u32>,
    connected: bool,
    told: bool,
    stopped: bool,
    /// With what the platform read for it when it was made.
    calls: VecDeque<(CallId, Call, Vec<u128>)>,
    running: Option<(TurnId, u128)>,
    /// What runs is an offer.
    offered: bool,
    beside: Vec<(TurnId, u128)>,
    left: Recovered,
    seed: u64,
    crashed: bool,
    offer_failed: BTreeSet<u128>,
    synthetic: u128,
    first_starts: Vec<u128>,
    starts: BTreeMap<u128, u32>,
    consumed: BTreeSet<u128>,
    closed: bool,
}

const ATTEMPTS: u32 = 2;
/// From here on messages are the agent's own.
const SYNTHETIC: u128 = 1_000_000;

fn config() -> RoomConfig {
    RoomConfig { attempts: ATTEMPTS, deliveries: 3, controls: true, ..RoomConfig::new(agent()) }
}

impl World {
    fn new(seed: u64) -> Self {
        let mut world = Self {
            room: Room::new(config(), Moment::ZERO, seed),
            now: Moment::ZERO,
            messages: BTreeMap::new(),
            open_attempts: BTreeSet::new(),
            failed: BTreeMap::new(),
            connected: true,
            told: true,
            stopped: false,
            calls: VecDeque::new(),
            running: None,
            offered: false,
            beside: Vec::new(),
            left: Recovered::default(),
            seed,
            crashed: false,
            offer_failed: BTreeSet::new(),
            synthetic: 0,
            first_starts: Vec::new(),
            starts: BTreeMap::new(),
            consumed: BTreeSet::new(),
            closed: false,
        };
        world.drain();
        world
    }

    fn tell(&mut self, input: Input) {
        self.room.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.room.poll() {
            assert!(!self.closed, "nothing comes out of a closed room");
            match output {
                Output::Record(record) => self.left.apply(record),
                Output::Call { id, call } => {
                    if let Call::Processed(message) | Call::Failed(message, _) = &call {
                        let is_owed = self.left.debts.iter().any(|debt| debt.message == *message);
                        assert!(is_owed, "a mark is written down before it is sent");
                    }
                    let open = if self.stopped { Vec::new() } else { self.open() };
                    self.calls.push_back((id, call, open));
                }
                Output::StartTurn { turn, message, .. } => self.start(turn, &message),
                Output::Offer { turn, message } => {
                    assert!(self.running.is_none(), "no offer beside a turn");
                    self.running = Some((turn, number(message.id)));
                    self.offered = true;
                }
                Output::AbortTurn(turn) => {
                    assert!(self.runs(turn));
                    self.end_turn(turn, Ending::Cancelled, false);
                    return;
                }
                Output::CancelTurn(turn) => assert!(self.runs(turn)),
                Output::Closed { .. } => self.closed = true,
                Output::Note(_) | Output::TellAdapter(_) => {}
            }
        }
    }

    fn start(&mut self, turn: TurnId, message: &Message) {
        let n = number(message.id);
        assert!(self.running.is_none(), "one turn at a time");
        assert!(!self.consumed.contains(&n), "{n} had been handled");
        // A new process learns of a stop from its claims, and there is none for a message of the agent's own.
        assert!(!self.stopped || (self.crashed && n >= SYNTHETIC), "no turn starts in a stopped room");
        self.running = Some((turn, n));
        self.offered = false;
        if n >= SYNTHETIC {
            return;
        }
        assert!(
            self.left.started.iter().any(|(id, _)| *id == message.id),
            "a start is written down before it is made"
        );
        assert!(self.left.debts.iter().all(|debt| debt.message != message.id), "{n} has its verdict");
        assert!(!self.left.handled.contains(&message.id), "{n} is done with");
        let starts = self.starts.entry(n).or_default();
        *starts += 1;
        if *starts == 1 && !self.offer_failed.contains(&n) {
            self.first_starts.push(n);
        }
    }

    fn runs(&self, turn: TurnId) -> bool {
        self.running.iter().chain(&self.beside).any(|(running, _)| *running == turn)
    }

    fn end_turn(&mut self, turn: TurnId, ending: Ending, replied: bool) {
        let beside = self.beside.iter().position(|(beside, _)| *beside == turn);
        let n = match (beside, self.running) {
            (Some(at), _) => self.beside.remove(at).1,
            (None, Some((running, n))) if running == turn => {
                self.running = None;
                n
            }
            _ => return,
        };
        let mut ledger = Ledger::new();
        let is_offer = beside.is_none() && std::mem::take(&mut self.offered);
        if replied && !is_offer {
            ledger.record(Effect::Reply);
            self.consumed.insert(n);
        }
        if is_offer && matches!(ending, Ending::Failed(_) | Ending::Cancelled) {
            // It had its first attempt before its turn, and waits for its mark like every failed one.
            self.offer_failed.insert(n);
        }
        if ending == Ending::Consumed {
            self.consumed.insert(n);
        }
        self.tell(Input::TurnEnded { turn, end: TurnEnd { ending, ledger, delivered: true } });
    }

    fn end(&mut self, how: How) {
        let Some((turn, _)) = self.running else { return };
        match how {
            How::Well => self.end_turn(turn, Ending::Returned, true),
            How::Failed => self.end_turn(turn, Ending::Failed("boom".to_owned()), false),
            How::NotAccepted => self.end_turn(turn, Ending::NotAccepted, false),
            How::Consumed => self.end_turn(turn, Ending::Consumed, false),
        }
    }

    fn detach(&mut self) {
        let Some((turn, n)) = self.running.filter(|_| !self.offered && self.beside.len() < 60) else {
            return;
        };
        self.running = None;
        self.beside.push((turn, n));
        self.consumed.insert(n);
        self.tell(Input::Detached { turn, delivered: true });
    }

    /// The process is gone, and what it knew with it; the platform and what was written down are not.
    fn crash(&mut self, through: bool) {
        while let Some((_, call, _)) = self.calls.pop_front() {
            if through {
                self.apply_mark(&call, false);
            }
        }
        self.running = None;
        self.beside.clear();
        self.seed = self.seed.wrapping_add(1);
        self.room = Room::resume(config(), self.now, self.seed, self.left.clone());
        self.connected = true;
        self.told = true;
        self.crashed = true;
        self.drain();
    }

    /// Open for the agent, oldest first.
    fn open(&self) -> Vec<u128> {
        self.messages.iter().filter(|(_, processed)| !**processed).map(|(n, _)| *n).collect()
    }

    fn answer(&mut self, which: usize, bad: bool) {
        let taken = self.calls.remove(which).or_else(|| self.calls.pop_front());
        let Some((call, asked, open)) = taken else { return };
        let trouble = || if bad { Err(Trouble::Passing) } else { Ok(()) };
        let answer = match &asked {
            Call::Next => Answer::Next(trouble().map(|()| open.first().map(|n| message(*n)))),
            Call::List { cursor } => {
                let from = cursor.as_ref().map_or(0, |cursor| cursor.parse().unwrap());
                let open: Vec<u128> = open.into_iter().filter(|n| *n > from).collect();
                let page: Vec<u128> = open.iter().copied().take(2).collect();
                let next = (open.len() > 2).then(|| page.last().unwrap().to_string());
                let messages = page.iter().map(|n| *message(*n)).collect();
                Answer::Listed(trouble().map(|()| Listing { messages, next }))
            }
            Call::Claim(_) | Call::Processed(_) | Call::Failed(..) => {
                Answer::Marked(self.apply_mark(&asked, bad))
            }
            Call::Participants => Answer::Participants(trouble()),
            Call::History(id) | Call::Status(id) => {
                let n = number(*id);
                let status = match self.messages.get(&n) {
                    Some(true) => Some(DeliveryStatus::Processed),
                    Some(false) if self.open_attempts.contains(&n) => Some(DeliveryStatus::Processing),
                    Some(false) if n.is_multiple_of(2) => Some(DeliveryStatus::Delivered),
                    _ => None,
                };
                let trouble = if n.is_multiple_of(3) { Trouble::Lasting } else { Trouble::Passing };
                Answer::History(if bad { Err(trouble) } else { Ok(status) })
            }
            Call::Activity(working) => Answer::Activity((!bad).then_some(*working && !self.stopped)),
            Call::Notice(..) => Answer::Noticed,
        };
        self.tell(Input::Answered { call, answer });
    }

    fn apply_mark(&mut self, call: &Call, bad: bool) -> Mark {
        let (Call::Claim(id) | Call::Processed(id) | Call::Failed(id, _)) = call else {
            return Mark::Refused;
        };
        let n = number(*id);
        match call {
            _ if self.stopped => return Mark::Stopped,
            _ if bad => return Mark::Lost,
            Call::Claim(_) => {
                self.open_attempts.insert(n);
            }
            _ if !self.open_attempts.remove(&n) => return Mark::Rejected,
            Call::Processed(_) => {
                self.messages.insert(n, true);
            }
            _ => *self.failed.entry(n).or_default() += 1,
        }
        Mark::Accepted
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Write => {
                let n = self.messages.len() as u128 + 1;
                self.messages.insert(n, false);
                if self.connected && !self.stopped {
                    self.tell(Input::Pushed(message(n)));
                }
            }
            Act::PushTwice => {
                let last = self.messages.len() as u128;
                if last > 0 && self.connected && !self.stopped {
                    self.tell(Input::Pushed(message(last)));
                }
            }
            Act::Disconnect => {
                self.connected = false;
                self.told = false;
                self.tell(Input::Unsubscribed);
            }
            Act::Rejoin => self.connected = true,
            Act::Connect if !self.told => {
                self.connected = true;
                self.told = true;
                self.tell(Input::Subscribed);
            }
            Act::Connect => {}
            Act::Answer { second, bad } => self.answer(usize::from(second), bad),
            Act::End(how) => self.end(how),
            Act::Detach => self.detach(),
            Act::EndBeside { well } => {
                if let Some((turn, _)) = self.beside.first().copied() {
                    self.end_turn(turn, Ending::Returned, well);
                }
            }
            Act::RefusePost => {
                if let Some((turn, _)) = self.running {
                    self.tell(Input::PostRefused(turn));
                }
            }
            Act::Synthetic => {
                self.synthetic += 1;
                self.tell(Input::Synthetic(message(SYNTHETIC + self.synthetic)));
            }
            Act::Crash { through } => self.crash(through),
            Act::Steer(control) => {
                self.stopped = match control {
                    Control::Stop => true,
                    Control::Play => false,
                    Control::Interrupt => self.stopped,
                };
                self.tell(Input::Control(control));
            }
            Act::Wait(millis) => self.wait(Duration::from_millis(millis)),
        }
    }

    fn wait(&mut self, span: Duration) {
        let until = self.now + span;
        while let Some(next) = self.room.deadline().filter(|next| next.at <= until) {
            self.now = self.now.max(next.at);
            self.room.expire(self.now);
            self.drain();
        }
        self.now = until;
    }

    /// From here on everything works: time passes, calls are answered, turns end well.
    fn settle(&mut self) {
        if self.stopped {
            self.act(Act::Steer(Control::Play));
        }
        self.act(Act::Connect);
        for _ in 0..2_000 {
            self.answer(0, false);
            self.end(How::Well);
            if self.calls.is_empty() && self.running.is_none() {
                if self.is_settled() {
                    return;
                }
                self.wait(Duration::from_secs(60));
            }
        }
    }

    /// Every message is processed, or its attempts or its starts are used up.
    fn is_settled(&self) -> bool {
        let used_up = |n: &u128| {
            let failed = self.failed.get(n).copied().unwrap_or_default();
            failed >= ATTEMPTS || (failed > 0 && self.left.given_up.contains(&id(*n)))
        };
        self.open().iter().all(used_up)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_turn_at_a_time_in_order_and_all_is_settled_in_the_end(
        seed in any::<u64>(),
        acts in prop::collection::vec(act(), 1..120),
    ) {
        let mut world = World::new(seed);
        for act in acts {
            world.act(act);
        }
        world.settle();
        prop_assert!(world.is_settled(), "open: {:?}, failed: {:?}", world.open(), world.failed);
        let mut in_order = world.first_starts.clone();
        in_order.sort_unstable();
        prop_assert_eq!(&world.first_starts, &in_order, "the order is kept");
        for (n, starts) in &world.starts {
            prop_assert!(*starts >= 1 && world.messages.contains_key(n));
        }
    }

    #[test]
    fn a_room_closes_whatever_it_is_at(
        seed in any::<u64>(),
        acts in prop::collection::vec(act(), 1..60),
        within in prop::option::of(0_u64..40),
    ) {
        let mut world = World::new(seed);
        for act in acts {
            world.act(act);
        }
        let by = within.map(|secs| world.now + Duration::from_secs(secs));
        world.tell(Input::Close { by });
        let mut dice = Dice::new(seed);
        for _ in 0..200 {
            if world.closed {
                break;
            }
            if dice.roll().is_multiple_of(2) {
                world.answer(0, false);
            }
            world.wait(Duration::from_secs(1));
        }
        prop_assert!(world.closed);
        prop_assert!(world.running.is_none() && world.beside.is_empty(), "no turn outlives its room");
    }
}
