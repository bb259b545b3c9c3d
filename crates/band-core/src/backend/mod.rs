//! A turn that runs at a provider while its room waits for it: who may start one, and who stops it.

use std::collections::VecDeque;
use std::time::Duration;

/// How long a stop sent to the provider may take. Then the turn counts as stopped.
pub const STOP_LIMIT: Duration = Duration::from_secs(5);
/// How long the next turn waits for the one before to be over.
pub const ADMISSION_LIMIT: Duration = Duration::from_secs(1);

/// A turn at the provider, in the order in which they were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RemoteTurn(pub u64);

/// What happens to a room's turns at a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Someone wants to start a turn.
    Asked(RemoteTurn),
    /// Whoever asked does not wait any more.
    GaveUp(RemoteTurn),
    /// The provider has told how the turn is addressed: from here on it can be stopped.
    Known(RemoteTurn),
    /// The provider did not start it: there is nothing to stop.
    NotStarted(RemoteTurn),
    /// Its owner is done with it: it is over at the provider too.
    Finished(RemoteTurn),
    /// Its owner was cancelled.
    Abandoned(RemoteTurn),
    /// Someone wants whatever runs to stop: a person, or the room's end.
    Stop,
    /// The stop was answered, failed, or took too long.
    StopOver(RemoteTurn),
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// It may start.
    Admit(RemoteTurn),
    /// Send the provider a stop. Nobody waits for it but the next turn.
    SendStop(RemoteTurn),
}

/// The turns of one room at a provider: one at a time, stopped at most once each.
///
/// | a turn | its owner finishes | its owner is cancelled | a stop is wanted |
/// |---|---|---|---|
/// | not known yet | over | stopped once it is known | stopped once it is known |
/// | known | over | stopped | stopped |
/// | stop sent | over with the stop | over with the stop | – |
///
/// A turn is over when its owner is gone and no stop is under way. Then the next one is admitted.
#[derive(Debug, Default)]
pub struct BackendTurns {
    active: Option<Active>,
    waiting: VecDeque<RemoteTurn>,
    out: VecDeque<Output>,
}

#[derive(Debug)]
struct Active {
    turn: RemoteTurn,
    known: bool,
    owned: bool,
    stop: Stop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Unwanted,
    /// As soon as the turn is known.
    Wanted,
    Sent,
    Over,
}

impl BackendTurns {
    /// Takes one input.
    pub fn handle(&mut self, input: Input) {
        match input {
            Input::Asked(turn) => self.waiting.push_back(turn),
            Input::GaveUp(turn) => self.waiting.retain(|waiting| *waiting != turn),
            Input::Stop => self.stop(),
            Input::Known(turn) => {
                if let Some(active) = self.active_as(turn) {
                    active.known = true;
                    if active.stop == Stop::Wanted {
                        self.send_stop();
                    }
                }
            }
            Input::NotStarted(turn) => {
                if self.active_as(turn).is_some_and(|active| !active.known) {
                    self.active = None;
                }
            }
            Input::Finished(turn) => {
                if let Some(active) = self.active_as(turn) {
                    active.owned = false;
                    if active.stop == Stop::Wanted {
                        active.stop = Stop::Unwanted;
                    }
                }
            }
            Input::Abandoned(turn) => {
                if let Some(active) = self.active_as(turn) {
                    active.owned = false;
                    self.stop();
                }
            }
            Input::StopOver(turn) => {
                if let Some(active) = self.active_as(turn) {
                    active.stop = Stop::Over;
                }
            }
        }
        self.go_on();
    }

    /// Gives the next output.
    pub fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// Whether nothing runs and nobody waits.
    pub fn is_idle(&self) -> bool {
        self.active.is_none() && self.waiting.is_empty()
    }

    fn active_as(&mut self, turn: RemoteTurn) -> Option<&mut Active> {
        self.active.as_mut().filter(|active| active.turn == turn)
    }

    fn stop(&mut self) {
        let Some(active) = &mut self.active else { return };
        match (active.stop, active.known) {
            (Stop::Unwanted | Stop::Wanted, true) => self.send_stop(),
            (Stop::Unwanted, false) => active.stop = Stop::Wanted,
            (Stop::Wanted | Stop::Sent | Stop::Over, _) => {}
        }
    }

    fn send_stop(&mut self) {
        if let Some(active) = &mut self.active {
            active.stop = Stop::Sent;
            self.out.push_back(Output::SendStop(active.turn));
        }
    }

    /// Ends what is over and admits the next.
    fn go_on(&mut self) {
        self.active.take_if(|active| !active.owned && matches!(active.stop, Stop::Unwanted | Stop::Over));
        if self.active.is_some() {
            return;
        }
        if let Some(turn) = self.waiting.pop_front() {
            self.active = Some(Active { turn, known: false, owned: true, stop: Stop::Unwanted });
            self.out.push_back(Output::Admit(turn));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const ONE: RemoteTurn = RemoteTurn(1);
    const TWO: RemoteTurn = RemoteTurn(2);

    fn play(inputs: &[Input]) -> Vec<Output> {
        let mut turns = BackendTurns::default();
        for input in inputs {
            turns.handle(*input);
        }
        std::iter::from_fn(|| turns.poll()).collect()
    }

    #[test]
    fn one_turn_at_a_time_and_each_is_stopped_at_most_once() {
        use Input::*;
        use Output::{Admit, SendStop};
        let table: [(&[Input], &[Output]); 9] = [
            (&[Asked(ONE), Asked(TWO)], &[Admit(ONE)]),
            (&[Asked(ONE), Asked(TWO), Known(ONE), Finished(ONE)], &[Admit(ONE), Admit(TWO)]),
            (&[Asked(ONE), Asked(TWO), GaveUp(TWO), Finished(ONE)], &[Admit(ONE)]),
            (&[Asked(ONE), Known(ONE), Stop, Stop, Abandoned(ONE)], &[Admit(ONE), SendStop(ONE)]),
            (&[Asked(ONE), Stop, Known(ONE)], &[Admit(ONE), SendStop(ONE)]),
            (&[Asked(ONE), Abandoned(ONE), Asked(TWO), Known(ONE)], &[Admit(ONE), SendStop(ONE)]),
            (
                &[Asked(ONE), Abandoned(ONE), Asked(TWO), Known(ONE), StopOver(ONE)],
                &[Admit(ONE), SendStop(ONE), Admit(TWO)],
            ),
            (&[Asked(ONE), Abandoned(ONE), Asked(TWO), NotStarted(ONE)], &[Admit(ONE), Admit(TWO)]),
            (
                &[Asked(ONE), Known(ONE), Stop, Finished(ONE), Asked(TWO), StopOver(ONE)],
                &[Admit(ONE), SendStop(ONE), Admit(TWO)],
            ),
        ];
        for (inputs, outputs) in table {
            assert_eq!(play(inputs), outputs, "{inputs:?}");
        }
    }

    fn input() -> impl Strategy<Value = Input> {
        let turn = (0..6_u64).prop_map(RemoteTurn);
        (0..7_u8, turn).prop_map(|(kind, turn)| match kind {
            0 => Input::GaveUp(turn),
            1 => Input::Known(turn),
            2 => Input::NotStarted(turn),
            3 => Input::Finished(turn),
            4 => Input::Abandoned(turn),
            5 => Input::StopOver(turn),
            _ => Input::Stop,
        })
    }

    proptest! {
        #[test]
        fn whatever_happens_one_runs_and_none_is_stopped_twice(inputs in prop::collection::vec(input(), 0..60)) {
            let mut turns = BackendTurns::default();
            let (mut stopped, mut admitted) = (BTreeSet::new(), BTreeSet::new());
            let mut asked = 0;
            for (step, input) in inputs.into_iter().enumerate() {
                if step % 3 == 0 && asked < 6 {
                    turns.handle(Input::Asked(RemoteTurn(asked)));
                    asked += 1;
                }
                turns.handle(input);
                while let Some(output) = turns.poll() {
                    match output {
                        Output::SendStop(turn) => {
                            prop_assert!(stopped.insert(turn), "stopped twice");
                            prop_assert!(admitted.contains(&turn));
                        }
                        Output::Admit(turn) => prop_assert!(admitted.insert(turn), "admitted twice"),
                    }
                }
            }
            // Everything ends once all owners are gone and all stops are over.
            for _ in 0..2 * asked + 2 {
                for turn in 0..asked {
                    let turn = RemoteTurn(turn);
                    for input in [Input::Abandoned(turn), Input::NotStarted(turn), Input::StopOver(turn)] {
                        turns.handle(input);
                    }
                }
            }
            prop_assert!(turns.is_idle(), "{:?}", turns);
        }
    }
}
