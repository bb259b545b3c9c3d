//! What keeps a model's loop of tool calls from going on for ever.

use std::collections::BTreeMap;

use serde_json::Value;

/// Rounds of tool calls in a turn, unless it is said otherwise.
const MAX_ROUNDS: u32 = 25;
/// So many identical calls get a hint.
const HINT_AT: u32 = 3;
/// So many end the turn.
const FAIL_AT: u32 = 5;

/// Counts a turn's rounds and its identical calls.
///
/// One round is one answer of the model that calls tools. The last one is kept for an answer: ask
/// [`is_last_round`](Self::is_last_round) and offer only what answers then.
#[derive(Debug, Clone)]
pub struct LoopGuard {
    max_rounds: u32,
    round: u32,
    seen: BTreeMap<(String, String), u32>,
}

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GuardVerdict {
    /// It is made.
    Call,
    /// It is made, and this is added to its result.
    Hint(String),
    /// The turn fails with this.
    Fail(String),
}

impl Default for LoopGuard {
    fn default() -> Self {
        Self::new(MAX_ROUNDS)
    }
}

impl LoopGuard {
    /// A guard for one turn with at most this many rounds.
    pub const fn new(max_rounds: u32) -> Self {
        Self { max_rounds, round: 0, seen: BTreeMap::new() }
    }

    /// The model is asked once more.
    ///
    /// # Errors
    /// All rounds are used up: the text of the failure.
    pub fn next_round(&mut self) -> Result<(), String> {
        if self.round >= self.max_rounds {
            return Err(format!("No final answer after {} tool rounds", self.max_rounds));
        }
        self.round += 1;
        Ok(())
    }

    /// Whether this round is the last: it is for an answer.
    pub const fn is_last_round(&self) -> bool {
        self.max_rounds <= self.round
    }

    /// Looks at a call before it is made. Objects are equal whatever the order of their fields.
    pub fn look_at(&mut self, name: &str, args: &Value) -> GuardVerdict {
        let count = self.seen.entry((name.to_owned(), sorted(args).to_string())).or_default();
        *count += 1;
        match *count {
            FAIL_AT.. => GuardVerdict::Fail(format!(
                "{name} was called {FAIL_AT} times with the same arguments in one turn"
            )),
            HINT_AT.. => GuardVerdict::Hint(format!(
                "You have called {name} {count} times with the same arguments. Calling it again changes nothing: use \
                 what you know, or end the turn."
            )),
            _ => GuardVerdict::Call,
        }
    }
}

fn sorted(args: &Value) -> Value {
    let mut args = args.clone();
    args.sort_all_objects();
    args
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rounds_run_out_with_the_last_kept_for_an_answer() {
        let mut guard = LoopGuard::new(2);
        assert!(guard.next_round().is_ok() && !guard.is_last_round());
        assert!(guard.next_round().is_ok() && guard.is_last_round());
        assert_eq!(guard.next_round().unwrap_err(), "No final answer after 2 tool rounds");
        assert!(LoopGuard::new(0).next_round().is_err());
        let mut usual = LoopGuard::default();
        assert_eq!((0..100).take_while(|_| usual.next_round().is_ok()).count(), 25);
    }

    #[test]
    fn the_third_of_identical_calls_gets_a_hint_and_the_fifth_ends_the_turn() {
        let mut guard = LoopGuard::default();
        let args = [json!({ "a": 1, "b": 2 }), serde_json::from_str(r#"{"b":2,"a":1}"#).unwrap()];
        let verdicts: Vec<GuardVerdict> = (0..5).map(|at| guard.look_at("t", &args[at % 2])).collect();
        assert_eq!(verdicts[..2], [GuardVerdict::Call, GuardVerdict::Call]);
        assert!(matches!(verdicts[2..4], [GuardVerdict::Hint(_), GuardVerdict::Hint(_)]), "{verdicts:?}");
        assert!(matches!(&verdicts[4], GuardVerdict::Fail(text) if text.starts_with("t was called 5 times")));
        assert_eq!(guard.look_at("u", &args[0]), GuardVerdict::Call);
        assert_eq!(guard.look_at("t", &json!({ "a": 2 })), GuardVerdict::Call);
    }
}
