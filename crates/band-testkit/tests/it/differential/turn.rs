//! The ledger of a turn, and the effects of tools: no differences.

use band_core::turn::{Effect, Ledger, MISSING_REPLY, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Script, Wheel, compare, same};

const EFFECTS: [Effect; 4] = [Effect::Observe, Effect::Act, Effect::Reply, Effect::Decline];

#[derive(Debug, Clone, Copy)]
enum Op {
    Record(Effect),
    Settle,
    NoteReported,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => prop::sample::select(&EFFECTS[..]).prop_map(Op::Record),
        1 => Just(Op::Settle),
        1 => Just(Op::NoteReported),
    ]
}

#[test]
fn a_turns_ledger_rules_as_the_released_one() {
    compare("turn ledger", op(), |wheel, ops| {
        // Sequences are cut into turns: in a long one the verdict is settled early.
        for turn in ops.chunks(3) {
            play(wheel, turn)?;
        }
        Ok(())
    });
}

fn play(wheel: &mut Wheel, ops: &[Op]) -> Result<(), String> {
    let mut script = Script::of("TurnLedger", &json!([]), &json!({}))
        .watching(json!(["verdict"]))
        .watching(json!(["reply_settled"]));
    for op in ops {
        script.call(match op {
            Op::Record(effect) => json!(["record", {"member": format!("TurnEffect.{effect:?}")}]),
            Op::Settle => json!(["settle"]),
            Op::NoteReported => json!(["note_reported"]),
        });
    }
    let mut ledger = Ledger::new();
    for (at, (op, theirs)) in ops.iter().zip(wheel.play(&script)).enumerate() {
        match op {
            Op::Record(effect) => ledger.record(*effect),
            Op::Settle => ledger.settle(),
            Op::NoteReported => ledger.note_reported(),
        }
        let verdict = match ledger.verdict() {
            Verdict::Complete => "complete",
            Verdict::MissingReply => "missing_reply",
        };
        same(at, "verdict and reply", &vec![json!(verdict), json!(ledger.replied())], &theirs.seen)?;
    }
    Ok(())
}

#[test]
fn each_tool_has_the_released_effect_and_the_missing_reply_its_text() {
    let mut script = Script::functions();
    script.call(json!(["band_tool_effects"]));
    script.call(json!(["missing_reply_message"]));
    let said: Vec<Value> = Wheel::start().play(&script).into_iter().map(|step| step.said).collect();
    let effects = said[0].as_object().unwrap();
    assert_eq!(effects.len(), 28);
    for (tool, effect) in effects {
        let ours = format!("{:?}", Effect::of_tool(tool)).to_lowercase();
        assert_eq!(effect, &json!(ours), "{tool}");
    }
    assert_eq!(said[1], json!(MISSING_REPLY));
}
