//! Marks that the platform is still owed. A mark is owed from the moment the turn is over, before it is sent,
//! so that nothing that happens in between makes the turn run again.

use std::collections::{BTreeSet, VecDeque};

use band_wire::MessageId;

use super::config::OWED_MAX;
use super::io::{Call, CallId, Mark};

/// A mark that the platform is owed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debt {
    /// The message.
    pub message: MessageId,
    /// The text of a failed mark; none for a processed mark.
    pub failure: Option<String>,
    /// Whether an attempt has to be opened first.
    pub reclaim: bool,
}

/// The marks owed, oldest first; one is on its way at a time.
#[derive(Debug, Default)]
pub(super) struct Owed {
    debts: VecDeque<Debt>,
    ids: BTreeSet<MessageId>,
    flight: Option<CallId>,
    resting: bool,
    /// Those that the platform would not take now; another attempt at once would change nothing.
    turned_down: BTreeSet<MessageId>,
}

/// What an answer did.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// The debt is paid: the message, and whether it counts as handled.
    Paid(MessageId, bool),
    /// A step of it is.
    Step,
    /// Nothing: try again later.
    Later,
}

impl Owed {
    pub(super) fn resume(debts: Vec<Debt>) -> Self {
        let ids = debts.iter().map(|debt| debt.message).collect();
        Self { debts: debts.into(), ids, ..Self::default() }
    }

    pub(super) fn has(&self, id: MessageId) -> bool {
        self.ids.contains(&id)
    }

    /// Whether so much is owed that no new turn may start.
    pub(super) fn is_full(&self) -> bool {
        self.debts.len() >= OWED_MAX
    }

    pub(super) fn len(&self) -> usize {
        self.debts.len()
    }

    pub(super) fn in_flight(&self) -> bool {
        self.flight.is_some()
    }

    /// Whether a mark is owed that may yet hold if it is tried again soon.
    pub(super) fn is_hopeful(&self) -> bool {
        self.flight.is_some() || self.debts.len() > self.turned_down.len()
    }

    /// The room closes: each mark is tried once more, whatever became of it before.
    pub(super) fn last_tries(&mut self) {
        self.turned_down.clear();
        self.wake();
    }

    /// Adds a mark; false when one is owed for this message already.
    pub(super) fn add(&mut self, debt: Debt) -> bool {
        let is_new = self.ids.insert(debt.message);
        if is_new {
            self.debts.push_back(debt);
        }
        is_new
    }

    /// The call to make now, if any.
    pub(super) fn next(&self) -> Option<Call> {
        if self.flight.is_some() || self.resting {
            return None;
        }
        let debt = self.debts.front()?;
        Some(match (&debt.failure, debt.reclaim) {
            (_, true) => Call::Claim(debt.message),
            (None, false) => Call::Processed(debt.message),
            (Some(error), false) => Call::Failed(debt.message, error.clone()),
        })
    }

    pub(super) const fn sent(&mut self, call: CallId) {
        self.flight = Some(call);
    }

    /// Takes the answer to the mark on its way; none when it was not that one.
    pub(super) fn answered(&mut self, call: CallId, mark: Mark) -> Option<Settled> {
        self.flight.take_if(|flight| *flight == call)?;
        let mut debt = self.debts.pop_front()?;
        let is_paid = match mark {
            Mark::Accepted if debt.reclaim => {
                debt.reclaim = false;
                self.debts.push_front(debt);
                return Some(Settled::Step);
            }
            Mark::Accepted | Mark::NotFound => true,
            // Somebody has ended that attempt: this process, and the answer got lost, or another one.
            Mark::Rejected => !debt.reclaim,
            Mark::Stopped | Mark::Refused | Mark::Lost => false,
        };
        if is_paid {
            self.ids.remove(&debt.message);
            self.turned_down.remove(&debt.message);
            return Some(Settled::Paid(debt.message, debt.failure.is_none()));
        }
        match mark {
            Mark::Lost => {}
            // The whole room is stopped.
            Mark::Stopped => self.turned_down.clone_from(&self.ids),
            _ => {
                self.turned_down.insert(debt.message);
            }
        }
        self.debts.push_back(debt);
        self.resting = true;
        Some(Settled::Later)
    }

    /// Ends the rest that follows a mark that did not hold.
    pub(super) const fn wake(&mut self) {
        self.resting = false;
    }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;

    fn debt(n: u128, failure: Option<&str>, reclaim: bool) -> Debt {
        Debt { message: Id::new(Uuid::from_u128(n)), failure: failure.map(str::to_owned), reclaim }
    }

    fn answer(owed: &mut Owed, mark: Mark) -> Option<Settled> {
        owed.sent(CallId(1));
        owed.answered(CallId(1), mark)
    }

    #[test]
    fn a_mark_that_did_not_hold_goes_behind_the_others_and_rests() {
        let mut owed = Owed::resume(vec![debt(1, None, false), debt(2, Some("x"), false)]);
        assert_eq!(owed.next(), Some(Call::Processed(debt(1, None, false).message)));
        assert_eq!(answer(&mut owed, Mark::Lost), Some(Settled::Later));
        assert_eq!(owed.next(), None);
        owed.wake();
        let second = debt(2, None, false).message;
        assert_eq!(owed.next(), Some(Call::Failed(second, "x".to_owned())));
        assert_eq!(answer(&mut owed, Mark::Rejected), Some(Settled::Paid(second, false)));
        assert_eq!(
            answer(&mut owed, Mark::Accepted),
            Some(Settled::Paid(debt(1, None, false).message, true))
        );
        assert!(owed.debts.is_empty());
    }

    #[test]
    fn a_message_that_has_no_open_attempt_is_claimed_first() {
        let mut owed = Owed::default();
        assert!(owed.add(debt(1, None, true)));
        assert!(!owed.add(debt(1, None, false)));
        let id = debt(1, None, true).message;
        assert_eq!(owed.next(), Some(Call::Claim(id)));
        assert_eq!(answer(&mut owed, Mark::Accepted), Some(Settled::Step));
        assert_eq!(owed.next(), Some(Call::Processed(id)));
        assert_eq!(answer(&mut owed, Mark::Accepted), Some(Settled::Paid(id, true)));
        assert!(!owed.has(id) && owed.next().is_none());
    }

    #[test]
    fn an_answer_to_another_call_changes_nothing() {
        let mut owed = Owed::resume(vec![debt(1, None, false)]);
        owed.sent(CallId(4));
        assert_eq!(owed.answered(CallId(3), Mark::Accepted), None);
        assert!(owed.in_flight() && owed.has(debt(1, None, false).message));
    }
}
