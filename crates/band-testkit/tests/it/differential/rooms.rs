//! Which rooms the agent is in.
//!
//! | The released roster of rooms | Our presence |
//! |---|---|
//! | a ticket, each admission a new one | a join, which the link answers; the n-th join stands for ticket n |
//! | admitting | wanted, and no task yet |
//! | admitted | its task is open |
//! | a failed admission is forgotten, and begun again by a timer outside | the link goes on trying: failed and begun again in one |
//! | a room still admitting that a listing leaves out stays | it is left: what came while the list was under way is newer, and spared |
//! | what happens while a list is under way is undone by the list | it is newer than the list |
//! | rooms are told in the order of admission | in that of their ids |
//! | tasks are not its concern | a task that has not ended yet delays the next one: here it ends at once |

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use band_core::agent::{Input, Output, Presence};
use band_core::{Machine, Moment};
use band_wire::{ChatId, Id};
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Script, compare, same};

const ROOMS: u8 = 5;

#[derive(Debug, Clone)]
enum Op {
    Added(u8),
    Removed(u8),
    Joined(u8),
    JoinFailed(u8),
    Connected,
    Stale,
    Disconnected,
    Listed(Vec<u8>),
    ListFailed,
}

fn op() -> impl Strategy<Value = Op> {
    let room = || 0..ROOMS;
    prop_oneof![
        5 => room().prop_map(Op::Added),
        3 => room().prop_map(Op::Removed),
        8 => room().prop_map(Op::Joined),
        2 => room().prop_map(Op::JoinFailed),
        2 => Just(Op::Connected),
        1 => Just(Op::Stale),
        1 => Just(Op::Disconnected),
        4 => prop::collection::vec(room(), 0..5).prop_map(Op::Listed),
        1 => Just(Op::ListFailed),
    ]
}

fn id(number: u8) -> ChatId {
    Id::new(Uuid::from_u128(u128::from(number)))
}

/// Ours, with the calls that make the released one follow, and what they should say.
struct Both {
    presence: Presence,
    wanted: BTreeSet<ChatId>,
    tickets: BTreeMap<ChatId, u64>,
    last_ticket: u64,
    listing: bool,
    newer: BTreeSet<ChatId>,
    script: Script,
    expected: Vec<(Value, Vec<Value>)>,
}

/// What one input made ours do.
#[derive(Default)]
struct Did {
    joined: Vec<ChatId>,
    left: Vec<ChatId>,
    opened: Vec<ChatId>,
    closed: Vec<ChatId>,
}

impl Both {
    fn new() -> Self {
        let mut script =
            Script::of("RoomRoster", &json!([]), &json!({})).watching(json!(["tracked_room_ids"]));
        for room in 0..ROOMS {
            script = script.watching(json!(["room_membership", id(room)]));
        }
        Self {
            presence: Presence::new(1),
            wanted: BTreeSet::new(),
            tickets: BTreeMap::new(),
            last_ticket: 0,
            listing: false,
            newer: BTreeSet::new(),
            script,
            expected: Vec::new(),
        }
    }

    fn tell(&mut self, input: Input) -> Did {
        let mut did = Did::default();
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            self.presence.handle(Moment::ZERO, input);
            while let Some(output) = self.presence.poll() {
                match output {
                    Output::List => {
                        self.listing = true;
                        self.newer.clear();
                    }
                    Output::Join(room) => {
                        self.wanted.insert(room);
                        did.joined.push(room);
                    }
                    Output::Leave(room) => {
                        self.wanted.remove(&room);
                        did.left.push(room);
                    }
                    Output::Open(room) => did.opened.push(room),
                    Output::Close(room) => {
                        did.closed.push(room);
                        inputs.push_back(Input::Ended(room));
                    }
                    _ => {}
                }
            }
        }
        did
    }

    fn ticket(&mut self, room: ChatId) -> u64 {
        let ticket = self.last_ticket;
        self.last_ticket += 1;
        self.tickets.insert(room, ticket);
        ticket
    }

    fn current(&self, room: ChatId) -> u64 {
        self.tickets.get(&room).copied().unwrap_or(9_999)
    }

    /// A call of the released one, what it should say, and what should be seen after it.
    fn expect(&mut self, call: Value, said: Value) {
        self.script.call(call);
        let open: BTreeSet<ChatId> = self.presence.open_rooms().collect();
        let membership = |room: u8| match id(room) {
            room if open.contains(&room) => json!("admitted"),
            room if self.wanted.contains(&room) => json!("admitting"),
            _ => json!("unadmitted"),
        };
        let mut seen = vec![json!(open)];
        seen.extend((0..ROOMS).map(membership));
        self.expected.push((said, seen));
    }

    fn play(&mut self, op: &Op) {
        match op {
            Op::Added(room) => {
                let room = id(*room);
                self.newer.insert(room);
                let did = self.tell(Input::Added(room));
                let ticket = (!did.joined.is_empty()).then(|| self.ticket(room));
                self.expect(json!(["begin_room_admission", room, true]), json!(ticket));
            }
            Op::Removed(room) => {
                let room = id(*room);
                self.newer.insert(room);
                let did = self.tell(Input::Removed(room));
                self.expect(json!(["record_room_removed", room]), json!(!did.closed.is_empty()));
            }
            Op::Joined(room) => {
                let room = id(*room);
                let did = self.tell(Input::Joined(room));
                let call = json!(["record_room_admission", room, self.current(room), true]);
                self.expect(call, json!(!did.opened.is_empty()));
            }
            Op::JoinFailed(room) => self.join_failed(id(*room)),
            Op::Connected => drop(self.tell(Input::Connected)),
            Op::Stale => drop(self.tell(Input::Stale)),
            Op::Disconnected => drop(self.tell(Input::Disconnected)),
            Op::Listed(rooms) if self.listing => self.listed(rooms.iter().copied().map(id).collect()),
            Op::ListFailed if self.listing => {
                self.listing = false;
                self.tell(Input::Listed(Err(())));
            }
            Op::Listed(_) | Op::ListFailed => {}
        }
    }

    fn join_failed(&mut self, room: ChatId) {
        let admitting = self.wanted.contains(&room) && !self.presence.open_rooms().any(|open| open == room);
        self.tell(Input::JoinFailed(room));
        if admitting {
            let failed = json!(["record_room_admission", room, self.current(room), false]);
            self.script.call(failed);
            // Seen in between is the failure, which ours has no state for.
            self.expected.push((json!(false), Vec::new()));
            let ticket = self.ticket(room);
            self.expect(json!(["begin_room_admission", room, true]), json!(ticket));
        }
    }

    fn listed(&mut self, rooms: Vec<ChatId>) {
        // What came while the list was under way is newer than the list.
        let mut snapshot: BTreeSet<ChatId> =
            rooms.iter().filter(|room| !self.newer.contains(*room)).copied().collect();
        snapshot.extend(self.newer.iter().filter(|room| self.wanted.contains(*room)));
        let open: BTreeSet<ChatId> = self.presence.open_rooms().collect();
        self.listing = false;
        let did = self.tell(Input::Listed(Ok(rooms)));
        for room in did.left.iter().filter(|room| !open.contains(room)) {
            self.script.call(json!(["record_room_removed", room]));
            self.expected.push((json!(false), Vec::new()));
        }
        let admitting: Vec<Value> = did.joined.iter().map(|room| json!([room, self.ticket(*room)])).collect();
        let kept: Vec<&ChatId> = open.intersection(&snapshot).collect();
        let said = json!({"removed": did.closed, "admitting": admitting, "resync": kept});
        self.expect(json!(["reconcile", snapshot]), said);
    }
}

/// Theirs come in the order of admission, ours in that of the ids.
fn sort(rooms: &mut Value) {
    if let Some(rooms) = rooms.as_array_mut() {
        rooms.sort_by_key(|room| room.as_str().map(str::to_owned));
    }
}

#[test]
fn rooms_are_admitted_reconciled_and_removed_as_in_the_released_roster() {
    compare("rooms", op(), |wheel, ops| {
        let mut both = Both::new();
        for op in ops {
            both.play(op);
        }
        let theirs = wheel.play(&both.script);
        for (at, ((said, seen), mut theirs)) in both.expected.iter().zip(theirs).enumerate() {
            sort(&mut theirs.seen[0]);
            same(at, "the answer", said, &theirs.said)?;
            if !seen.is_empty() {
                same(at, "the rooms", seen, &theirs.seen)?;
            }
        }
        Ok(())
    });
}
