//! The participants of a room.
//!
//! | The released roster | Ours |
//! |---|---|
//! | any text is an id | ids are UUIDs; the generator makes only such |
//! | a field of a wrong type raises | the type does not exist |
//! | the type is a text or null | it is always there |
//! | a snapshot that names someone twice raises | is not taken, in silence |
//! | `mark_sent` takes the list of now | `mark_told` takes the list that the turn carried: the same one here |

use band_core::room::{Member, Roster};
use band_wire::rest::SenderType;
use band_wire::{Id, Open, ParticipantId};
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Script, compare, same};

#[derive(Debug, Clone)]
enum Op {
    Add(Fields),
    Remove(u8),
    Replace(Vec<Fields>),
    MarkSent,
}

/// Someone, as a record says it.
#[derive(Debug, Clone)]
struct Fields {
    id: u8,
    is_agent: bool,
    texts: [Option<&'static str>; 3],
}

fn fields() -> impl Strategy<Value = Fields> {
    let text = || prop::option::of(prop::sample::select(&["", "a", "b", "ü \"x\""][..]));
    (0_u8..5, any::<bool>(), [text(), text(), text()]).prop_map(|(id, is_agent, texts)| Fields {
        id,
        is_agent,
        texts,
    })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => fields().prop_map(Op::Add),
        2 => (0_u8..5).prop_map(Op::Remove),
        2 => prop::collection::vec(fields(), 0..5).prop_map(Op::Replace),
        2 => Just(Op::MarkSent),
    ]
}

impl Fields {
    fn id(&self) -> ParticipantId {
        id(self.id)
    }

    fn kind(&self) -> SenderType {
        if self.is_agent { SenderType::Agent } else { SenderType::User }
    }

    fn member(&self) -> Member {
        let [name, handle, description] = self.texts.map(|text| text.map(str::to_owned));
        Member { id: self.id(), kind: Open::from(self.kind()), name, handle, description }
    }

    fn record(&self) -> Value {
        let [name, handle, description] = self.texts;
        let (id, kind) = (self.id(), self.kind().as_str());
        json!({"id": id, "type": kind, "name": name, "handle": handle, "description": description})
    }
}

fn id(number: u8) -> ParticipantId {
    Id::new(Uuid::from_u128(u128::from(number)))
}

fn shown(roster: &Roster) -> Vec<Value> {
    let member = |member: &Member| {
        json!({
            "id": member.id, "type": member.kind.as_str(), "name": member.name, "handle": member.handle,
            "description": member.description,
        })
    };
    vec![roster.members().iter().map(member).collect(), json!(roster.changed())]
}

#[test]
fn a_rooms_roster_merges_orders_and_changes_as_the_released_one() {
    compare("participant roster", op(), |wheel, ops| {
        let mut script = Script::of("ParticipantRoster", &json!([]), &json!({}))
            .watching(json!(["list"]))
            .watching(json!(["changed"]));
        for op in ops {
            script.call(match op {
                Op::Add(who) => json!(["add", who.record()]),
                Op::Remove(who) => json!(["remove", id(*who)]),
                Op::Replace(list) => json!(["set_all", list.iter().map(Fields::record).collect::<Vec<_>>()]),
                Op::MarkSent => json!(["mark_sent"]),
            });
        }
        let mut roster = Roster::default();
        for (at, (op, theirs)) in ops.iter().zip(wheel.play(&script)).enumerate() {
            match op {
                Op::Add(who) => roster.add(who.member()),
                Op::Remove(who) => roster.remove(id(*who)),
                Op::Replace(list) => roster.replace(list.iter().map(Fields::member)),
                Op::MarkSent => roster.mark_told(roster.members()),
            }
            same(at, "list and changed", &shown(&roster), &theirs.seen)?;
        }
        Ok(())
    });
}
