//! Whatever happens: one turn at a time, in order, and in the end every message is settled.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use proptest::prelude::*;

use super::rig::{agent, message, number};
use crate::backoff::Dice;
use crate::room::{
    Answer, Call, CallId, Control, Input, Listing, Mark, Output, Room, RoomConfig, Trouble, TurnEnd, TurnId,
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
    EndTurn {
        bad: bool,
    },
    Steer(Control),
    Wait(u64),
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
        5 => prop::bool::weighted(0.2).prop_map(|bad| Act::EndTurn { bad }),
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
    first_starts: Vec<u128>,
    starts: BTreeMap<u128, u32>,
    consumed: BTreeSet<u128>,
    closed: bool,
}

const ATTEMPTS: u32 = 2;

impl World {
    fn new(seed: u64) -> Self {
        let config = RoomConfig { attempts: ATTEMPTS, ..RoomConfig::new(agent()) };
        let mut world = Self {
            room: Room::new(config, Moment::ZERO, seed),
            now: Moment::ZERO,
            messages: BTreeMap::new(),
            open_attempts: BTreeSet::new(),
            failed: BTreeMap::new(),
            connected: true,
            told: true,
            stopped: false,
            calls: VecDeque::new(),
            running: None,
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
                Output::Call { id, call } => {
                    let open = if self.stopped { Vec::new() } else { self.open() };
                    self.calls.push_back((id, call, open));
                }
                Output::StartTurn { turn, message, .. } => {
                    let n = number(message.id);
                    assert!(self.running.is_none(), "one turn at a time");
                    assert!(!self.consumed.contains(&n), "{n} had been handled");
                    assert!(!self.stopped, "no turn starts in a stopped room");
                    self.running = Some((turn, n));
                    let starts = self.starts.entry(n).or_default();
                    *starts += 1;
                    if *starts == 1 {
                        self.first_starts.push(n);
                    }
                }
                Output::AbortTurn(turn) => {
                    assert_eq!(self.running.map(|(running, _)| running), Some(turn));
                    self.end_turn(Ending::Cancelled, false);
                    return;
                }
                Output::CancelTurn(turn) => assert_eq!(self.running.map(|(running, _)| running), Some(turn)),
                Output::Closed { .. } => self.closed = true,
                Output::Note(_) | Output::Record(_) => {}
            }
        }
    }

    fn end_turn(&mut self, ending: Ending, replied: bool) {
        let Some((turn, n)) = self.running.take() else { return };
        let mut ledger = Ledger::new();
        if replied {
            ledger.record(Effect::Reply);
            self.consumed.insert(n);
        }
        self.tell(Input::TurnEnded { turn, end: TurnEnd { ending, ledger, delivered: true } });
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
            Call::Claim(message) => Answer::Marked(self.mark(bad, |world| {
                world.open_attempts.insert(number(*message));
                Mark::Accepted
            })),
            Call::Processed(message) => {
                let n = number(*message);
                Answer::Marked(self.mark(bad, |world| {
                    if !world.open_attempts.remove(&n) {
                        return Mark::Rejected;
                    }
                    world.messages.insert(n, true);
                    Mark::Accepted
                }))
            }
            Call::Failed(message, _) => {
                let n = number(*message);
                Answer::Marked(self.mark(bad, |world| {
                    if !world.open_attempts.remove(&n) {
                        return Mark::Rejected;
                    }
                    *world.failed.entry(n).or_default() += 1;
                    Mark::Accepted
                }))
            }
            Call::Participants => Answer::Participants(trouble()),
            Call::History(_) => Answer::History(trouble().map(|()| None)),
            Call::Activity(working) => Answer::Activity((!bad).then_some(*working && !self.stopped)),
            Call::Notice(..) => Answer::Noticed,
        };
        self.tell(Input::Answered { call, answer });
    }

    fn mark(&mut self, bad: bool, apply: impl FnOnce(&mut Self) -> Mark) -> Mark {
        match (self.stopped, bad) {
            (true, _) => Mark::Stopped,
            (false, true) => Mark::Lost,
            (false, false) => apply(self),
        }
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
                if last > 0 && self.connected {
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
            Act::EndTurn { bad: true } => self.end_turn(Ending::Failed("boom".to_owned()), false),
            Act::EndTurn { bad: false } => self.end_turn(Ending::Returned, true),
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
            self.end_turn(Ending::Returned, true);
            if self.calls.is_empty() && self.running.is_none() {
                if self.is_settled() {
                    return;
                }
                self.wait(Duration::from_secs(60));
            }
        }
    }

    /// Every message is processed, or its attempts are used up.
    fn is_settled(&self) -> bool {
        self.open().iter().all(|n| self.failed.get(n).is_some_and(|failed| *failed >= ATTEMPTS))
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
        prop_assert!(world.running.is_none(), "no turn outlives its room");
    }
}
