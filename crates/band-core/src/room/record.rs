//! What of a room must outlive the process: written down one record at a time, read back at the next start.

use band_wire::MessageId;

use super::owed::Debt;

/// Handled messages that are read back for a room.
const HANDLED_MAX: usize = 500;
/// Messages whose starts or replies are read back for a room.
const OPEN_MAX: usize = 1_000;

/// Something that the next process has to know. A record is on its way to the disk before anything that came
/// out after it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A turn starts on a message.
    Began(MessageId),
    /// That start does not count: the turn was asked to end, or was not the message's fault.
    Excused(MessageId),
    /// So many starts ended without a verdict that no further one is made; the room is told once.
    GaveUp(MessageId),
    /// A reply of the message's turn is stored on the platform.
    Posted {
        /// The message that the turn is about.
        message: MessageId,
        /// Which send of the turn it was, from zero.
        ordinal: u32,
        /// The reply.
        reply: MessageId,
    },
    /// The turn is over: the platform is owed a mark.
    Owes(Debt),
    /// The platform has taken the mark, or refused it for good.
    Settled {
        /// The message.
        message: MessageId,
        /// Whether it counts as handled; otherwise it may be served and tried again.
        handled: bool,
    },
}

/// What earlier stays in a room left behind: the sum of its records. Everything stands in the order in which it was
/// recorded, which nothing about an id tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Marks still owed, oldest first.
    pub debts: Vec<Debt>,
    /// Handled messages, oldest first.
    pub handled: Vec<MessageId>,
    /// How often a turn started on a message and ended without a verdict; the one that started last comes last.
    pub started: Vec<(MessageId, u32)>,
    /// Messages that are not started any more.
    pub given_up: Vec<MessageId>,
    /// Replies that are stored, by message and number of the send.
    pub posted: Vec<((MessageId, u32), MessageId)>,
}

impl Recovered {
    /// Adds one record. What is oldest is forgotten when there is too much, marks that are owed excepted.
    pub fn apply(&mut self, record: Record) {
        match record {
            Record::Began(message) => {
                self.given_up.retain(|id| *id != message);
                let before = self.take_started(message);
                self.started.push((message, before.saturating_add(1)));
                keep_newest(&mut self.started, OPEN_MAX);
            }
            Record::Excused(message) => {
                if let Some((_, count)) = self.started.iter_mut().find(|(id, _)| *id == message) {
                    *count = count.saturating_sub(1);
                }
                self.started.retain(|(_, count)| *count > 0);
            }
            Record::GaveUp(message) => {
                self.take_started(message);
                self.given_up.retain(|id| *id != message);
                self.given_up.push(message);
                keep_newest(&mut self.given_up, OPEN_MAX);
            }
            Record::Posted { message, ordinal, reply } => {
                self.posted.retain(|(send, _)| *send != (message, ordinal));
                self.posted.push(((message, ordinal), reply));
                keep_newest(&mut self.posted, OPEN_MAX);
            }
            Record::Owes(debt) => {
                self.take_started(debt.message);
                self.debts.retain(|known| known.message != debt.message);
                self.debts.push(debt);
            }
            Record::Settled { message, handled } => self.settle(message, handled),
        }
    }

    fn settle(&mut self, message: MessageId, handled: bool) {
        self.debts.retain(|debt| debt.message != message);
        self.take_started(message);
        self.posted.retain(|((id, _), _)| *id != message);
        if handled {
            self.given_up.retain(|id| *id != message);
            self.handled.retain(|id| *id != message);
            self.handled.push(message);
            keep_newest(&mut self.handled, HANDLED_MAX);
        }
    }

    /// How often a turn started on it; that is forgotten.
    fn take_started(&mut self, message: MessageId) -> u32 {
        let at = self.started.iter().position(|(id, _)| *id == message);
        at.map(|at| self.started.remove(at)).map_or(0, |(_, count)| count)
    }

    /// The reply that this send of a message's turn has left on the platform.
    pub fn posted(&self, message: MessageId, ordinal: u32) -> Option<MessageId> {
        self.posted.iter().find(|(send, _)| *send == (message, ordinal)).map(|(_, reply)| *reply)
    }

    /// Whether nothing is left to know.
    pub fn is_empty(&self) -> bool {
        let nothing_handled = self.handled.is_empty() && self.given_up.is_empty();
        nothing_handled && self.debts.is_empty() && self.started.is_empty() && self.posted.is_empty()
    }

    /// The records that add up to this, for a journal that is written anew.
    pub fn records(&self) -> impl Iterator<Item = Record> + '_ {
        let handled = self.handled.iter().map(|&message| Record::Settled { message, handled: true });
        let given_up = self.given_up.iter().copied().map(Record::GaveUp);
        let started = self.started.iter();
        let started = started.flat_map(|&(id, count)| (0..count).map(move |_| Record::Began(id)));
        let posted = self.posted.iter();
        let posted = posted.map(|&((message, ordinal), reply)| Record::Posted { message, ordinal, reply });
        let debts = self.debts.iter().cloned().map(Record::Owes);
        handled.chain(given_up).chain(started).chain(posted).chain(debts)
    }
}

fn keep_newest<T>(kept: &mut Vec<T>, most: usize) {
    kept.drain(..kept.len().saturating_sub(most));
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;

    fn id(n: u128) -> MessageId {
        Id::new(Uuid::from_u128(n))
    }

    fn sum(records: impl IntoIterator<Item = Record>) -> Recovered {
        let mut sum = Recovered::default();
        records.into_iter().for_each(|record| sum.apply(record));
        sum
    }

    fn debt(n: u128) -> Debt {
        Debt { message: id(n), failure: None, reclaim: false }
    }

    #[test]
    fn starts_count_until_the_turn_has_a_verdict_and_excused_ones_never() {
        let left =
            sum([Record::Began(id(1)), Record::Began(id(1)), Record::Excused(id(1)), Record::Began(id(2))]);
        assert_eq!(left.started, [(id(1), 1), (id(2), 1)]);
        let owed = sum([Record::Began(id(1)), Record::Owes(debt(1))]);
        assert_eq!((owed.started.len(), owed.debts), (0, vec![debt(1)]));
    }

    #[test]
    fn a_settled_message_leaves_only_its_id_and_a_failed_one_not_even_that() {
        let posted = Record::Posted { message: id(1), ordinal: 0, reply: id(9) };
        let told = |handled| {
            sum([posted.clone(), Record::Owes(debt(1)), Record::Settled { message: id(1), handled }])
        };
        assert_eq!(told(true), Recovered { handled: vec![id(1)], ..Recovered::default() });
        assert!(told(false).is_empty());
    }

    #[test]
    fn a_message_that_was_given_up_stays_so_until_it_is_started_or_handled_after_all() {
        let failed = [
            Record::Began(id(1)),
            Record::GaveUp(id(1)),
            Record::Owes(debt(1)),
            Record::Settled { message: id(1), handled: false },
        ];
        let left = sum(failed.clone());
        assert_eq!((left.started.len(), left.given_up.len()), (0, 1));
        for after in [Record::Began(id(1)), Record::Settled { message: id(1), handled: true }] {
            assert!(sum(failed.iter().cloned().chain([after])).given_up.is_empty());
        }
    }

    #[test]
    fn the_records_of_a_sum_add_up_to_it() {
        let left = sum([
            Record::Settled { message: id(1), handled: true },
            Record::Began(id(2)),
            Record::Began(id(2)),
            Record::GaveUp(id(5)),
            Record::Posted { message: id(2), ordinal: 3, reply: id(9) },
            Record::Owes(debt(4)),
        ]);
        assert_eq!(sum(left.records()), left);
    }

    #[test]
    fn what_was_recorded_longest_ago_is_forgotten_first_whatever_its_id() {
        // The ids of a platform need not grow with time: these shrink.
        let ids = |count: usize| (0..count).map(|n| id(u128::from(u32::MAX) - n as u128));
        let last = |records: &dyn Fn(MessageId) -> Record| sum(ids(OPEN_MAX + 1).map(records));
        let (first, newest) = (id(u32::MAX.into()), id(u128::from(u32::MAX) - OPEN_MAX as u128));
        let begun = last(&Record::Began);
        assert_eq!((begun.started.len(), begun.started.last()), (OPEN_MAX, Some(&(newest, 1))));
        assert!(!begun.started.contains(&(first, 1)));
        let given_up = last(&Record::GaveUp).given_up;
        assert!(given_up.len() == OPEN_MAX && given_up.contains(&newest) && !given_up.contains(&first));
        let posted = last(&|message| Record::Posted { message, ordinal: 0, reply: id(1) });
        assert_eq!((posted.posted(newest, 0), posted.posted(first, 0)), (Some(id(1)), None));
        // A file that is written anew keeps the order.
        assert_eq!(sum(posted.records()), posted);
    }

    #[test]
    fn only_so_much_is_kept() {
        let many = (0..3_000)
            .flat_map(|n| [Record::Settled { message: id(n), handled: true }, Record::Began(id(n))]);
        let left = sum(many);
        assert_eq!((left.handled.len(), left.started.len()), (HANDLED_MAX, OPEN_MAX));
        assert_eq!(left.handled.last(), Some(&id(2_999)));
    }
}
