//! What a file adds up to, and the shorter file that adds up to the same.

use std::collections::BTreeMap;

use band_core::room::{Record, Recovered};
use band_wire::ChatId;

use super::frame::{self, End, Entry, HEADER};

/// Rooms that a file is kept for. Of more, those that were silent for longest go first; never one in which a mark
/// is owed.
const ROOMS_MAX: usize = 10_000;
/// Handled messages that stay for each room when a file is written anew: the platform has taken their marks, so
/// only a late copy of a push could bring one back.
const HANDLED_KEPT: usize = 100;

/// The sum of a file.
#[derive(Debug, Default)]
pub(super) struct Sum {
    rooms: BTreeMap<ChatId, Known>,
    entries: u64,
}

#[derive(Debug, Default)]
struct Known {
    left: Recovered,
    /// Where its last entry stood.
    last: u64,
}

impl Sum {
    /// Adds up a file.
    pub(super) fn read(file: &[u8]) -> (Self, End) {
        let mut sum = Self::default();
        let end = frame::read(file, |entry| sum.add(entry));
        sum.rooms.retain(|_, known| !known.left.is_empty());
        sum.forget_surplus();
        (sum, end)
    }

    fn add(&mut self, entry: Entry) {
        self.entries += 1;
        let (Entry::Record(room, _) | Entry::Handled(room, _) | Entry::Forget(room)) = entry;
        let known = self.rooms.entry(room).or_default();
        known.last = self.entries;
        match entry {
            Entry::Record(_, record) => known.left.apply(record),
            Entry::Handled(_, ids) => {
                for message in ids {
                    known.left.apply(Record::Settled { message, handled: true });
                }
            }
            Entry::Forget(_) => {
                let debts = std::mem::take(&mut known.left.debts);
                known.left = Recovered { debts, ..Recovered::default() };
            }
        }
    }

    fn forget_surplus(&mut self) {
        let surplus = self.rooms.len().saturating_sub(ROOMS_MAX);
        if surplus == 0 {
            return;
        }
        let paid = self.rooms.iter().filter(|(_, known)| known.left.debts.is_empty());
        let mut oldest: Vec<(u64, ChatId)> = paid.map(|(room, known)| (known.last, *room)).collect();
        oldest.sort_unstable();
        for (_, room) in oldest.into_iter().take(surplus) {
            self.rooms.remove(&room);
        }
    }

    /// The file that adds up to this, rooms in the order of their last entries.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = HEADER.to_vec();
        let mut rooms: Vec<_> = self.rooms.iter().collect();
        rooms.sort_unstable_by_key(|(_, known)| known.last);
        for (room, known) in rooms {
            let handled = &known.left.handled;
            let kept = handled.get(handled.len().saturating_sub(HANDLED_KEPT)..).unwrap_or_default();
            frame::put_handled(&mut out, *room, kept);
            for record in known.left.records().filter(|record| !matches!(record, Record::Settled { .. })) {
                frame::put_record(&mut out, *room, &record);
            }
        }
        out
    }

    pub(super) fn into_rooms(self) -> impl Iterator<Item = (ChatId, Recovered)> {
        self.rooms.into_iter().map(|(room, known)| (room, known.left))
    }
}

#[cfg(test)]
mod tests {
    use band_core::room::Debt;
    use band_wire::{Id, MessageId};
    use uuid::Uuid;

    use super::*;

    fn rooms(sum: Sum) -> BTreeMap<ChatId, Recovered> {
        sum.into_rooms().collect()
    }

    fn room(n: u128) -> ChatId {
        Id::new(Uuid::from_u128(n))
    }

    fn message(n: u128) -> MessageId {
        Id::new(Uuid::from_u128(n))
    }

    fn handled(n: u128) -> Record {
        Record::Settled { message: message(n), handled: true }
    }

    fn owed(n: u128) -> Record {
        Record::Owes(Debt { message: message(n), failure: None, reclaim: false })
    }

    fn sum(entries: impl IntoIterator<Item = (u128, Record)>) -> Sum {
        let mut file = HEADER.to_vec();
        for (of, record) in entries {
            frame::put_record(&mut file, room(of), &record);
        }
        Sum::read(&file).0
    }

    #[test]
    fn a_file_written_anew_adds_up_to_the_same() {
        let first = sum([
            (1, handled(1)),
            (2, Record::Began(message(2))),
            (2, Record::Posted { message: message(2), ordinal: 0, reply: message(9) }),
            (1, owed(3)),
            (3, Record::Began(message(4))),
            (3, Record::Excused(message(4))),
        ]);
        let (again, end) = Sum::read(&first.write());
        assert_eq!(end, End::Whole);
        let left = rooms(first);
        assert_eq!(
            left.keys().copied().collect::<Vec<_>>(),
            [room(1), room(2)],
            "nothing is left of the third"
        );
        assert_eq!(rooms(again), left);
    }

    #[test]
    fn a_room_that_was_left_leaves_only_what_is_owed() {
        let mut file = HEADER.to_vec();
        for record in [handled(1), Record::Began(message(2)), owed(3)] {
            frame::put_record(&mut file, room(1), &record);
        }
        frame::put_record(&mut file, room(2), &handled(4));
        frame::put_forget(&mut file, room(1));
        frame::put_forget(&mut file, room(2));
        let left = rooms(Sum::read(&file).0);
        let Record::Owes(debt) = owed(3) else { panic!("it is one") };
        assert_eq!(
            left,
            BTreeMap::from([(room(1), Recovered { debts: vec![debt], ..Recovered::default() })])
        );
    }

    #[test]
    fn the_rooms_silent_for_longest_go_first_and_none_that_owes() {
        let many = (0..).map(|n| (n, if n == 0 { owed(n) } else { handled(n) }));
        let left = rooms(sum(many.take(ROOMS_MAX + 2)));
        assert_eq!(left.len(), ROOMS_MAX);
        assert!(left.contains_key(&room(0)) && left.contains_key(&room(3)));
        assert!(!left.contains_key(&room(1)) && !left.contains_key(&room(2)));
    }

    #[test]
    fn only_the_newest_handled_messages_are_written_anew() {
        let many = sum((0..300).map(|n| (1, handled(n))));
        let left = rooms(Sum::read(&many.write()).0);
        let kept: Vec<MessageId> = (200..300).map(message).collect();
        assert_eq!(left.get(&room(1)).map(|left| left.handled.as_slice()), Some(kept.as_slice()));
    }
}
