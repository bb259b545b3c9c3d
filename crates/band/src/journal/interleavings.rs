//! The journal, in many orders of its rooms' steps.

use shuttle::thread;

use super::tests::{Memory, handled, known, message, posted, room};
use super::*;
use crate::sync::model::orders;

/// Enough for the file to be written anew meanwhile.
const RECORDS: u128 = 4;

#[test]
fn rooms_that_write_at_once_lose_nothing_and_keep_their_order_while_the_file_is_written_anew() {
    orders(|| {
        let disk = Memory::default();
        let journal = disk.open_journal();
        let threads = [1, 2, 3].map(|n| {
            let part = journal.room(room(n));
            thread::spawn(move || (0..RECORDS).for_each(|of| part.record(&handled(n * 100 + of))))
        });
        for thread in threads {
            thread.join().unwrap();
        }
        assert!(lock(&disk.state).replaced > 0, "the file never grew enough");
        assert_eq!(journal.lost(), 0);
        let again = disk.open_journal();
        assert!(lock(&disk.state).aside.is_none(), "an entry was torn");
        for n in 1..=3 {
            assert!(known(&again, n).into_iter().eq((0..RECORDS).map(|of| message(n * 100 + of))));
        }
    });
}

#[test]
fn rooms_that_write_and_a_close_lose_nothing_while_somebody_tends_the_file() {
    orders(|| {
        let disk = Memory::default();
        lock(&disk.state).is_slow = true;
        let journal = disk.open_journal();
        assert!(lock(&journal.0.writer).as_mut().unwrap().tend());
        let old = journal.room(room(9));
        (0..RECORDS * 2).for_each(|of| old.record(&handled(of)));
        let threads = [1, 2].map(|n| {
            let part = journal.room(room(n));
            thread::spawn(move || (0..RECORDS).for_each(|of| part.record(&handled(n * 100 + of))))
        });
        let tends = journal.clone();
        let tends = thread::spawn(move || tends.tend());
        for thread in threads {
            thread.join().unwrap();
        }
        journal.close();
        tends.join().unwrap();
        let again = disk.open_journal();
        assert!(lock(&disk.state).aside.is_none(), "an entry was torn");
        for n in [1, 2] {
            assert!(known(&again, n).into_iter().eq((0..RECORDS).map(|of| message(n * 100 + of))));
        }
    });
}

#[test]
fn what_a_turn_and_its_room_record_at_once_is_known_in_the_same_order_to_the_next_process() {
    orders(|| {
        let disk = Memory::default();
        let journal = disk.open_journal();
        let threads = [1, 2].map(|n| {
            let part = journal.room(room(1));
            thread::spawn(move || {
                part.record(&posted(n, 9));
                part.record(&handled(n));
                part.record(&handled(n + 10));
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
        let now = journal.room(room(1)).recovered();
        assert_eq!(disk.open_journal().room(room(1)).recovered(), now);
    });
}

#[test]
fn a_room_is_forgotten_while_others_write_and_open() {
    orders(|| {
        let disk = Memory::default();
        let journal = disk.open_journal();
        journal.room(room(1)).record(&handled(1));
        let left = journal.clone();
        let left = thread::spawn(move || left.forget(room(1)));
        let writes = journal.clone();
        let writes = thread::spawn(move || {
            let part = writes.room(room(2));
            part.record(&handled(2));
            part.record(&handled(3));
        });
        let looks = journal.clone();
        let looks = thread::spawn(move || looks.rooms().len());
        left.join().unwrap();
        writes.join().unwrap();
        looks.join().unwrap();
        let again = disk.open_journal();
        assert_eq!(again.rooms(), [room(2)]);
        assert_eq!(known(&again, 2), [message(2), message(3)]);
    });
}

#[test]
fn what_was_recorded_before_a_close_is_kept() {
    orders(|| {
        let disk = Memory::default();
        let journal = disk.open_journal();
        journal.room(room(1)).record(&handled(1));
        let closes = journal.clone();
        let closes = thread::spawn(move || closes.close());
        let part = journal.room(room(1));
        part.record(&handled(2));
        part.record(&handled(3));
        closes.join().unwrap();
        assert!(!journal.is_on());
        // A later record is lost only together with all that come after it.
        let kept = known(&disk.open_journal(), 1);
        assert!(!kept.is_empty() && [1, 2, 3].map(message).starts_with(&kept), "{kept:?}");
    });
}
