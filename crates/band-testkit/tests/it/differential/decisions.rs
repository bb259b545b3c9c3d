//! Open questions in a room.
//!
//! | The released registry | Ours |
//! |---|---|
//! | tokens from a seed of its own | from ours: a token stands for its ticket |
//! | any text is a room | rooms are UUIDs |
//! | authorised senders are a set of texts, or none | a type; ids are UUIDs |

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use band_core::decisions::{Claim, Registry, Senders};
use band_wire::{ChatId, Id, ParticipantId};
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Script, Wheel, compare, same};

#[derive(Debug, Clone, Copy)]
enum Op {
    Mint(Option<u8>),
    Key(u8),
    Evict,
    /// Of one of the registrations so far; with another one's ticket now and then.
    Claim(u8, bool),
    Withdraw(u8, bool),
    Forget(u8, bool),
    CancelRoom(u8),
    CancelAll,
}

fn op() -> impl Strategy<Value = Op> {
    let one = || (any::<u8>(), prop::bool::weighted(0.1));
    prop_oneof![
        4 => prop::option::of(0_u8..3).prop_map(Op::Mint),
        4 => (0_u8..3).prop_map(Op::Key),
        2 => Just(Op::Evict),
        4 => one().prop_map(|(which, off)| Op::Claim(which, off)),
        2 => one().prop_map(|(which, off)| Op::Withdraw(which, off)),
        2 => one().prop_map(|(which, off)| Op::Forget(which, off)),
        1 => (0_u8..3).prop_map(Op::CancelRoom),
        1 => Just(Op::CancelAll),
    ]
}

fn id(number: u8) -> ChatId {
    Id::new(Uuid::from_u128(u128::from(number)))
}

/// The tokens of both, by what stands for them: a key is itself, a minted one the number of its ticket.
#[derive(Default)]
struct Names {
    ours: BTreeMap<String, String>,
    theirs: BTreeMap<String, String>,
    /// Token of ours, token of theirs, ticket.
    registered: Vec<(String, String, u64)>,
}

impl Names {
    fn ours(&self, token: &str) -> Value {
        json!(self.ours.get(token).map_or(token, |name| name))
    }

    fn theirs(&self, said: &Value) -> Value {
        match said {
            Value::String(token) => json!(self.theirs.get(token).unwrap_or(token)),
            Value::Array(list) => list.iter().map(|item| self.theirs(item)).collect(),
            Value::Object(map) => map.iter().map(|(key, item)| (key.clone(), self.theirs(item))).collect(),
            other => other.clone(),
        }
    }

    fn list<'a>(&self, tokens: impl IntoIterator<Item = &'a str>) -> Value {
        tokens.into_iter().map(|token| self.ours(token)).collect()
    }

    fn pick(&self, which: u8, off: bool) -> Option<(String, String, u64)> {
        let at = usize::from(which) % self.registered.len().max(1);
        let (ours, theirs, ticket) = self.registered.get(at)?.clone();
        Some((ours, theirs, if off { ticket + 1 } else { ticket }))
    }
}

struct Both<'a> {
    wheel: &'a mut Wheel,
    registry: Registry,
    names: Names,
}

impl Both<'_> {
    fn play(&mut self, at: usize, op: Op) -> Result<(), String> {
        let (ours, theirs) = match op {
            Op::Mint(room) => {
                let room = room.map(id);
                let ours = self.registry.register_minted(room);
                let theirs = self.wheel.say(json!(["register_minted", room]));
                let name = format!("minted {}", ours.ticket);
                let their_token = theirs[0].as_str().unwrap().to_owned();
                let is_token = |token: &str| token.len() == 8 && token.bytes().all(|b| b.is_ascii_hexdigit());
                same(at, "a token", &(true, true), &(is_token(&ours.token), is_token(&their_token)))?;
                self.names.ours.insert(ours.token.clone(), name.clone());
                self.names.theirs.insert(their_token.clone(), name);
                self.names.registered.push((ours.token, their_token, ours.ticket));
                (json!(ours.ticket), theirs[1].clone())
            }
            Op::Key(key) => {
                let key = format!("key {key}");
                let ours = self.registry.register_keyed(&key);
                let theirs = self.wheel.say(json!(["register_keyed", key]));
                if let Some(ours) = &ours {
                    self.names.registered.push((key.clone(), key, ours.ticket));
                }
                (json!(ours.map(|ours| (ours.token, ours.ticket))), theirs)
            }
            Op::Evict => {
                let ours = self.registry.evict_oldest();
                let theirs = self.wheel.say(json!(["evict_oldest"]));
                (ours.map_or(Value::Null, |token| self.names.ours(&token)), self.names.theirs(&theirs))
            }
            Op::Claim(which, off) => {
                let Some((ours, theirs, ticket)) = self.names.pick(which, off) else { return Ok(()) };
                let claim = match self.registry.try_claim(&ours, ticket) {
                    Claim::Claimed => "claimed",
                    Claim::AlreadyClaimed => "already_claimed",
                    Claim::Stale => "stale",
                };
                (json!(claim), self.wheel.say(json!(["try_claim", theirs, ticket])))
            }
            Op::Withdraw(which, off) => {
                let Some((ours, theirs, ticket)) = self.names.pick(which, off) else { return Ok(()) };
                let withdrawn = self.registry.withdraw(&ours, ticket);
                (json!(withdrawn), self.wheel.say(json!(["withdraw", theirs, ticket])))
            }
            Op::Forget(which, off) => {
                let Some((ours, theirs, ticket)) = self.names.pick(which, off) else { return Ok(()) };
                let forgotten = self.registry.forget(&ours, ticket);
                (json!(forgotten), self.wheel.say(json!(["forget", theirs, ticket])))
            }
            Op::CancelRoom(room) => {
                let ours = self.registry.cancel_room(id(room));
                let theirs = self.wheel.say(json!(["cancel_room", id(room)]));
                (self.cancelled(&ours), self.names.theirs(&theirs))
            }
            Op::CancelAll => {
                let ours = self.registry.cancel_all();
                let theirs = self.wheel.say(json!(["cancel_all"]));
                (self.cancelled(&ours), self.names.theirs(&theirs))
            }
        };
        same(at, "the answer", &ours, &theirs)?;
        self.look(at)
    }

    fn cancelled(&self, ours: &band_core::decisions::Cancelled) -> Value {
        let list = |tokens: &[String]| self.names.list(tokens.iter().map(String::as_str));
        json!({"unclaimed": list(&ours.unclaimed), "claimed": list(&ours.claimed)})
    }

    fn look(&mut self, at: usize) -> Result<(), String> {
        let mut script = Script::same();
        script.call(json!(["unclaimed"]));
        script.call(json!(["oldest_unclaimed"]));
        script.call(json!(["unclaimed_count"]));
        script.call(json!(["unclaimed_in_room", id(1)]));
        let steps = self.wheel.play(&script).into_iter();
        let theirs: Vec<Value> = steps.map(|step| self.names.theirs(&step.said)).collect();
        let open: Vec<&str> = self.registry.unclaimed().collect();
        let oldest = open.first().map_or(Value::Null, |token| self.names.ours(token));
        let in_room = self.names.list(self.registry.unclaimed_in_room(id(1)));
        let ours = vec![self.names.list(open.iter().copied()), oldest, json!(open.len()), in_room];
        same(at, "what is open", &ours, &theirs)
    }
}

#[test]
fn asks_are_registered_claimed_and_cancelled_as_in_the_released_registry() {
    compare("decisions", op(), |wheel, ops| {
        // Now a small registry, now one without a limit.
        let most = NonZeroU32::new(u32::try_from(ops.len() % 5).unwrap());
        wheel.play(&Script::of("DecisionRegistry", &json!([]), &json!({"max_pending": most, "seed": 1})));
        let mut both = Both { wheel, registry: Registry::new(most, 1), names: Names::default() };
        ops.iter().enumerate().try_for_each(|(at, op)| both.play(at, *op))
    });
}

#[test]
fn whoever_is_authorised_may_answer_as_released() {
    let ids: Vec<ParticipantId> = (1..4).map(|number| Id::new(Uuid::from_u128(number))).collect();
    let mut cases = vec![Senders::Anyone, Senders::Only(BTreeSet::new())];
    cases.extend((1..=3).map(|count| Senders::Only(ids.iter().take(count).copied().collect())));
    let mut script = Script::functions();
    let mut ours = Vec::new();
    for senders in &cases {
        for id in &ids {
            let set = match senders {
                Senders::Anyone => Value::Null,
                Senders::Only(ids) => json!({"set": ids}),
            };
            script.call(json!(["is_authorized_sender", set, id]));
            ours.push(json!(senders.admits(*id)));
        }
    }
    let theirs: Vec<Value> = Wheel::start().play(&script).into_iter().map(|step| step.said).collect();
    assert_eq!(ours, theirs);
}
