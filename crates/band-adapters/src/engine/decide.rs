//! The decisions of a turn with a model: what is asked, run, relayed, and when it is over. No I/O.

use std::collections::VecDeque;

use band::tools::{GuardVerdict, LoopGuard};
use serde_json::Value;

use super::model::{Step, StepEnd};

/// How often a conversation is shortened in one turn.
const SHORTENINGS: u32 = 4;
/// Of the name of a tool so much is kept for the failure of a turn, in characters.
const NAME_MAX: usize = 64;

/// What the loop has to know beforehand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// How often the model is asked in one turn. The last time it may only reply or decline.
    pub(super) max_rounds: u32,
    /// Whether a final text is relayed.
    pub(super) relays_text: bool,
}

/// What happened.
#[derive(Debug)]
pub(super) enum Input {
    /// The turn begins.
    Begin,
    /// The model has made a step.
    Stepped(Step),
    /// The conversation is too long for the model.
    TooLong,
    /// It was made shorter, or could not be.
    Shortened(bool),
    /// All calls of the step were run.
    Ran(Ran),
    /// The text was relayed, or the turn had its answer already.
    Relayed,
}

/// What came of the calls of one step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ran {
    /// Whether all of them worked.
    pub(super) all_ok: bool,
    /// Whether one declined to answer, and worked.
    pub(super) declined: bool,
    /// Whether the turn has replied or declined by now.
    pub(super) replied: bool,
}

/// What is to be done.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    /// Ask the model; with all tools, or with those alone that end a turn.
    Ask { last: bool },
    /// Make the conversation shorter.
    Shorten,
    /// Run these calls, in order.
    Run { step: Box<Step>, plans: Vec<Plan> },
    /// The model is done: its words are kept, and relayed if that is its way.
    Finish { text: String, relay: bool },
    /// The turn ends well.
    Done,
    /// The turn fails.
    Fail(Verdict),
}

/// How a call is dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plan {
    Run,
    /// With this word that it was made before.
    RunWithHint(String),
}

/// Why a turn fails, other than by its provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The rounds are used up.
    NoAnswer(String),
    /// One call again and again.
    Repeats(String),
    /// The conversation can't be made short enough.
    TooLong,
    /// The output reached its limit before there was anything to see.
    CutShort,
    /// It will not answer.
    Refused(String),
}

/// One turn.
#[derive(Debug)]
pub(super) struct TurnLoop {
    rules: Rules,
    guard: LoopGuard,
    shortenings: u32,
    called: Vec<String>,
    replied: bool,
    out: VecDeque<Action>,
}

impl TurnLoop {
    pub(super) const fn new(rules: Rules) -> Self {
        let guard = LoopGuard::new(rules.max_rounds);
        Self { rules, guard, shortenings: 0, called: Vec::new(), replied: false, out: VecDeque::new() }
    }

    /// The names of the tools that were called, in order.
    pub(super) fn called(&self) -> &[String] {
        &self.called
    }

    /// What is to be done next. Nothing: the loop waits for its next input.
    pub(super) fn poll(&mut self) -> Option<Action> {
        self.out.pop_front()
    }

    pub(super) fn handle(&mut self, input: Input) {
        let action = match input {
            Input::Begin => self.ask(),
            Input::Stepped(step) => self.stepped(step),
            Input::TooLong if self.shortenings < SHORTENINGS => {
                self.shortenings += 1;
                Action::Shorten
            }
            Input::TooLong | Input::Shortened(false) => self.fail(Verdict::TooLong),
            // The request that was too long was none.
            Input::Shortened(true) => Action::Ask { last: self.guard.is_last_round() },
            Input::Ran(ran) => self.ran(ran),
            Input::Relayed => Action::Done,
        };
        self.out.push_back(action);
    }

    fn ask(&mut self) -> Action {
        match self.guard.next_round() {
            Ok(()) => Action::Ask { last: self.guard.is_last_round() },
            Err(text) => self.fail(Verdict::NoAnswer(text)),
        }
    }

    /// A turn that has its answer does not fail any more.
    fn fail(&self, verdict: Verdict) -> Action {
        if self.replied { Action::Done } else { Action::Fail(verdict) }
    }

    fn stepped(&mut self, step: Step) -> Action {
        match &step.end {
            StepEnd::Refused(why) => return self.fail(Verdict::Refused(why.clone())),
            StepEnd::Paused => return self.ask(),
            StepEnd::CutShort
                if step.calls.is_empty() && !band_core::platform::text::has_visible(&step.text) =>
            {
                return self.fail(Verdict::CutShort);
            }
            StepEnd::CutShort | StepEnd::Complete => {}
        }
        if step.calls.is_empty() {
            return Action::Finish { text: step.text, relay: self.rules.relays_text };
        }
        let mut plans = Vec::with_capacity(step.calls.len());
        for call in &step.calls {
            self.called.push(call.name.chars().take(NAME_MAX).collect());
            // What is no JSON is told apart by what was written.
            let args = call.arguments.read().unwrap_or_else(Value::String);
            plans.push(match self.guard.look_at(&call.name, &args) {
                GuardVerdict::Fail(text) => return self.fail(Verdict::Repeats(text)),
                GuardVerdict::Hint(text) => Plan::RunWithHint(text),
                _ => Plan::Run,
            });
        }
        Action::Run { step: Box::new(step), plans }
    }

    fn ran(&mut self, ran: Ran) -> Action {
        self.replied |= ran.replied;
        if ran.declined && ran.all_ok {
            return Action::Done;
        }
        self.ask()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn machine(max_rounds: u32, relays_text: bool) -> TurnLoop {
        TurnLoop::new(Rules { max_rounds, relays_text })
    }

    fn after(turn: &mut TurnLoop, input: Input) -> Action {
        turn.handle(input);
        let action = turn.poll().unwrap();
        assert_eq!(turn.poll(), None);
        action
    }

    fn step(number: u32) -> Input {
        Input::Stepped(Step::call("look", json!({ "at": number })))
    }

    const WORKED: Ran = Ran { all_ok: true, declined: false, replied: false };

    #[test]
    fn the_last_round_is_kept_for_a_reply_and_then_it_is_over() {
        let mut turn = machine(3, true);
        assert_eq!(after(&mut turn, Input::Begin), Action::Ask { last: false });
        for (round, last) in [(1, false), (2, true)] {
            assert!(matches!(after(&mut turn, step(round)), Action::Run { .. }));
            assert_eq!(after(&mut turn, Input::Ran(WORKED)), Action::Ask { last });
        }
        assert!(matches!(after(&mut turn, step(3)), Action::Run { .. }));
        let over = after(&mut turn, Input::Ran(WORKED));
        assert_eq!(over, Action::Fail(Verdict::NoAnswer("No final answer after 3 tool rounds".into())));
        assert_eq!(turn.called(), ["look", "look", "look"]);
    }

    #[test]
    fn a_turn_that_has_its_answer_ends_well_however_it_goes_on() {
        let replied = Ran { replied: true, ..WORKED };
        let mut turn = machine(1, false);
        assert_eq!(after(&mut turn, Input::Begin), Action::Ask { last: true });
        after(&mut turn, step(1));
        assert_eq!(after(&mut turn, Input::Ran(replied)), Action::Done);
        let mut turn = machine(9, false);
        after(&mut turn, Input::Begin);
        after(&mut turn, step(1));
        after(&mut turn, Input::Ran(replied));
        let refused = Step { end: StepEnd::Refused("safety".into()), ..Step::default() };
        assert_eq!(after(&mut turn, Input::Stepped(refused)), Action::Done);
    }

    #[test]
    fn the_third_of_the_same_calls_gets_a_hint_and_the_fifth_ends_the_turn() {
        let mut turn = machine(25, true);
        after(&mut turn, Input::Begin);
        for times in 1..=4 {
            let Action::Run { plans, .. } = after(&mut turn, step(1)) else { panic!("it runs") };
            assert_eq!(matches!(plans[..], [Plan::RunWithHint(_)]), times >= 3);
            after(&mut turn, Input::Ran(WORKED));
        }
        assert!(matches!(after(&mut turn, step(1)), Action::Fail(Verdict::Repeats(_))));
    }

    #[test]
    fn the_same_arguments_count_as_the_same_in_any_form() {
        let mut turn = machine(25, true);
        after(&mut turn, Input::Begin);
        let text = |text: &str| {
            let mut step = Step::call("look", json!({}));
            step.calls[0].arguments = super::super::model::Arguments::Text(text.into());
            Input::Stepped(step)
        };
        for same in ["{\"at\":1}", " { \"at\" : 1 } "] {
            after(&mut turn, text(same));
        }
        let Action::Run { plans, .. } = after(&mut turn, step(1)) else { panic!("it runs") };
        assert!(matches!(plans[..], [Plan::RunWithHint(_)]));
    }

    #[test]
    fn a_decline_ends_the_turn_unless_another_call_failed() {
        let declined = |all_ok| Input::Ran(Ran { all_ok, declined: true, replied: true });
        for (all_ok, expected) in [(true, Action::Done), (false, Action::Ask { last: false })] {
            let mut turn = machine(9, true);
            after(&mut turn, Input::Begin);
            after(&mut turn, step(1));
            assert_eq!(after(&mut turn, declined(all_ok)), expected);
        }
    }

    #[test]
    fn a_conversation_that_is_too_long_is_made_shorter_a_few_times() {
        let mut turn = machine(2, true);
        after(&mut turn, Input::Begin);
        for _ in 0..SHORTENINGS {
            assert_eq!(after(&mut turn, Input::TooLong), Action::Shorten);
            assert_eq!(after(&mut turn, Input::Shortened(true)), Action::Ask { last: false });
        }
        assert_eq!(after(&mut turn, Input::TooLong), Action::Fail(Verdict::TooLong));
        let mut turn = machine(2, true);
        after(&mut turn, Input::Begin);
        after(&mut turn, Input::TooLong);
        assert_eq!(after(&mut turn, Input::Shortened(false)), Action::Fail(Verdict::TooLong));
    }

    #[test]
    fn the_end_of_a_step_decides_when_there_is_no_call() {
        let step = |text: &str, end| Input::Stepped(Step { text: text.into(), end, ..Step::default() });
        let finish = |text: &str| Action::Finish { text: text.into(), relay: true };
        let table = [
            (step("hi", StepEnd::Complete), finish("hi")),
            (step("", StepEnd::Complete), finish("")),
            (step("in pa", StepEnd::CutShort), finish("in pa")),
            (step(" \u{200b}", StepEnd::CutShort), Action::Fail(Verdict::CutShort)),
            (step("", StepEnd::Paused), Action::Ask { last: false }),
            (step("x", StepEnd::Refused("no".into())), Action::Fail(Verdict::Refused("no".into()))),
        ];
        for (input, expected) in table {
            let mut turn = machine(9, true);
            after(&mut turn, Input::Begin);
            assert_eq!(after(&mut turn, input), expected);
        }
        let mut turn = machine(9, false);
        after(&mut turn, Input::Begin);
        let quiet = Action::Finish { text: "hi".into(), relay: false };
        assert_eq!(after(&mut turn, step("hi", StepEnd::Complete)), quiet);
        assert_eq!(after(&mut turn, Input::Relayed), Action::Done);
    }
}
