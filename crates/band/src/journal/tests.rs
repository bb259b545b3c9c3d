//! The journal on a disk that forgets, fails and fills up, and on the real one.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use band_core::room::Debt;
use band_wire::{Id, MessageId};
use uuid::Uuid;

use super::writer::{ANEW_FROM, FILE_MAX};
use super::*;

pub(super) fn room(n: u128) -> ChatId {
    Id::new(Uuid::from_u128(n))
}

pub(super) fn message(n: u128) -> MessageId {
    Id::new(Uuid::from_u128(n))
}

pub(super) fn handled(n: u128) -> Record {
    Record::Settled { message: message(n), handled: true }
}

pub(super) fn posted(n: u128, reply: u128) -> Record {
    Record::Posted { message: message(n), ordinal: 0, reply: message(reply) }
}

/// A disk with one file, in memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    pub(super) state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    bytes: Vec<u8>,
    pub(super) aside: Option<Vec<u8>>,
    /// Of the next append only so much is written, and it fails.
    room_for: Option<usize>,
    pub(super) replaced: u32,
    refuses_to_replace: bool,
    /// Whether it is slow, so that somebody has to tend it.
    pub(super) is_slow: bool,
    syncs: u32,
    /// Whoever drafts says so, and waits until it may go on.
    drafting: Option<(SyncSender<()>, Receiver<()>)>,
    synced: Arc<Notify>,
}

#[derive(Debug)]
struct MemoryFile(Arc<Mutex<State>>);

#[derive(Debug)]
struct MemoryTwin {
    state: Arc<Mutex<State>>,
    draft: Vec<u8>,
}

impl Disk for Memory {
    fn open(&self, _: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(MemoryFile(Arc::clone(&self.state))))
    }
}

impl DiskFile for MemoryFile {
    fn read(&mut self, _: u64) -> io::Result<Vec<u8>> {
        Ok(lock(&self.0).bytes.clone())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = lock(&self.0);
        let most = state.room_for.unwrap_or(bytes.len());
        state.bytes.extend(bytes.iter().take(most));
        if most < bytes.len() { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        lock(&self.0).bytes.resize(usize::try_from(length).unwrap_or(usize::MAX), 0);
        Ok(())
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = lock(&self.0);
        if state.refuses_to_replace {
            return Err(ErrorKind::StorageFull.into());
        }
        state.bytes = bytes.to_vec();
        state.replaced += 1;
        Ok(())
    }

    fn set_aside(&mut self) -> io::Result<PathBuf> {
        let mut state = lock(&self.0);
        state.aside = Some(state.bytes.clone());
        Ok("aside".into())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn twin(&self) -> io::Result<Option<Box<dyn DiskTwin>>> {
        let twin = MemoryTwin { state: Arc::clone(&self.0), draft: Vec::new() };
        Ok(lock(&self.0).is_slow.then(|| Box::new(twin) as Box<dyn DiskTwin>))
    }
}

impl DiskTwin for MemoryTwin {
    fn sync(&mut self) -> io::Result<()> {
        let mut state = lock(&self.state);
        state.syncs += 1;
        state.synced.notify_one();
        Ok(())
    }

    fn read(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = lock(&self.state).bytes.clone();
        bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    fn draft(&mut self, bytes: &[u8]) -> io::Result<()> {
        let drafting = lock(&self.state).drafting.take();
        if let Some((began, go_on)) = drafting {
            let _ = began.send(());
            let _ = go_on.recv();
        }
        self.draft = bytes.to_vec();
        Ok(())
    }

    fn take_place(&mut self, rest: &[u8]) -> io::Result<Box<dyn DiskFile>> {
        let mut file = MemoryFile(Arc::clone(&self.state));
        self.draft.extend_from_slice(rest);
        file.replace(&self.draft)?;
        Ok(Box::new(file))
    }

    fn settle(&mut self) {}
}

impl Memory {
    pub(super) fn open_journal(&self) -> Journal {
        Journal::open(Path::new("x"), self)
    }
}

/// What a new process knows of the messages that were handled in a room.
pub(super) fn known(journal: &Journal, n: u128) -> Vec<MessageId> {
    journal.room(room(n)).recovered().handled
}

#[test]
fn what_was_recorded_is_known_to_the_next_process() {
    let disk = Memory::default();
    let journal = disk.open_journal();
    assert!(journal.rooms().is_empty() && journal.is_on());
    let one = journal.room(room(1));
    one.record(&Record::Began(message(1)));
    one.record(&posted(1, 9));
    journal.room(room(2)).record(&handled(2));
    let again = disk.open_journal();
    let one = again.room(room(1));
    assert_eq!(one.recovered().started, [(message(1), 1)]);
    assert_eq!(known(&again, 2), [message(2)]);
    assert_eq!((one.posted(message(1), 0), one.posted(message(1), 1)), (Some(message(9)), None));
    one.record(&handled(1));
    assert_eq!(one.posted(message(1), 0), None, "settled: nobody will ask again");
}

#[test]
fn a_reply_is_known_within_the_process_even_when_nothing_is_written() {
    for journal in [RoomJournal::none(), Journal::none().room(room(1))] {
        journal.record(&posted(1, 9));
        assert_eq!(journal.clone().posted(message(1), 0), Some(message(9)));
    }
}

#[test]
fn a_room_that_was_left_is_forgotten() {
    let disk = Memory::default();
    let journal = disk.open_journal();
    let one = journal.room(room(1));
    one.record(&posted(1, 9));
    one.record(&handled(2));
    journal.forget(room(1));
    assert_eq!(journal.room(room(1)).posted(message(1), 0), None);
    assert!(disk.open_journal().rooms().is_empty());
}

#[test]
fn a_tail_that_was_lost_at_any_byte_costs_at_most_the_last_records() {
    let disk = Memory::default();
    let journal = disk.open_journal();
    let one = journal.room(room(1));
    (0..20).for_each(|n| one.record(&handled(n)));
    let whole = lock(&disk.state).bytes.clone();
    let mut before = Vec::new();
    for length in 0..=whole.len() {
        lock(&disk.state).bytes = whole[..length].to_vec();
        let journal = disk.open_journal();
        let left = known(&journal, 1);
        assert!(left.starts_with(&before), "cut at {length}");
        // And it can be written on.
        journal.room(room(1)).record(&handled(99));
        assert_eq!(known(&disk.open_journal(), 1).last(), Some(&message(99)), "cut at {length}");
        before = left;
    }
    assert_eq!(before.len(), 20);
    assert_eq!(lock(&disk.state).aside, None);
}

#[test]
fn a_disk_that_fails_costs_what_was_not_written_and_nothing_later() {
    let disk = Memory::default();
    let journal = disk.open_journal();
    let one = journal.room(room(1));
    one.record(&handled(1));
    for some in [0, 7, 30] {
        lock(&disk.state).room_for = Some(some);
        one.record(&handled(2));
    }
    assert_eq!(journal.lost(), 3);
    lock(&disk.state).room_for = None;
    one.record(&handled(3));
    assert_eq!(known(&disk.open_journal(), 1), [message(1), message(3)]);
    assert_eq!(lock(&disk.state).aside, None, "no part of an entry stayed");
}

#[test]
fn a_damaged_file_is_set_aside_and_what_can_be_read_of_it_is_used() {
    let disk = Memory::default();
    let one = disk.open_journal().room(room(1));
    (0..3).for_each(|n| one.record(&handled(n)));
    let damaged = {
        let mut state = lock(&disk.state);
        let middle = state.bytes.len() / 2;
        state.bytes[middle] ^= 0xff;
        state.bytes.clone()
    };
    let journal = disk.open_journal();
    assert_eq!(known(&journal, 1), [message(0), message(2)]);
    assert_eq!(lock(&disk.state).aside.as_ref(), Some(&damaged));
    journal.room(room(1)).record(&handled(4));
    assert_eq!(known(&disk.open_journal(), 1), [message(0), message(2), message(4)]);
}

#[test]
fn a_file_of_something_else_is_set_aside_and_the_agent_starts_with_an_empty_one() {
    let disk = Memory::default();
    lock(&disk.state).bytes = b"not a journal at all".to_vec();
    let journal = disk.open_journal();
    assert!(journal.rooms().is_empty() && journal.is_on());
    assert!(lock(&disk.state).aside.is_some());
}

#[test]
fn a_file_that_has_grown_is_written_anew_and_stays_small() {
    let disk = Memory::default();
    let journal = disk.open_journal();
    let rooms: Vec<RoomJournal> = (0..10).map(|n| journal.room(room(n))).collect();
    let owed = Record::Owes(Debt { message: message(u128::MAX), failure: None, reclaim: false });
    rooms[0].record(&owed);
    for n in 0..20_000 {
        rooms[n % 10].record(&handled(n as u128));
    }
    let state = lock(&disk.state);
    assert!(state.replaced > 1, "{} times", state.replaced);
    assert!(state.bytes.len() as u64 <= ANEW_FROM + 100, "{} bytes", state.bytes.len());
    drop(state);
    let again = disk.open_journal();
    assert_eq!(again.room(room(0)).recovered().debts.len(), 1, "what is owed is never forgotten");
    assert_eq!(known(&again, 9).last(), Some(&message(19_999)));
    assert_eq!(journal.lost(), 0);
}

#[test]
fn a_file_that_can_not_be_written_anew_grows_on() {
    let disk = Memory::default();
    let journal = disk.open_journal();
    lock(&disk.state).refuses_to_replace = true;
    let one = journal.room(room(1));
    (0..5_000).for_each(|n| one.record(&handled(n)));
    assert_eq!(journal.lost(), 0);
    assert_eq!(known(&disk.open_journal(), 1).last(), Some(&message(4_999)));
}

/// A journal on a slow disk that has grown enough to be written anew, and which nobody has tended yet.
fn grown() -> (Memory, Journal, RoomJournal) {
    let disk = Memory::default();
    lock(&disk.state).is_slow = true;
    let journal = disk.open_journal();
    lock(&disk.state).replaced = 0;
    assert!(lock(&journal.0.writer).as_mut().unwrap().tend());
    let one = journal.room(room(1));
    (0..5_000).for_each(|n| one.record(&handled(n)));
    assert_eq!(lock(&disk.state).replaced, 0, "whoever appends does not write it anew");
    (disk, journal, one)
}

#[test]
fn rooms_go_on_writing_while_the_file_is_written_anew() {
    let (disk, journal, one) = grown();
    let ((began, drafts), (go_on, waits)) = (sync_channel(1), sync_channel(1));
    lock(&disk.state).drafting = Some((began, waits));
    std::thread::scope(|threads| {
        threads.spawn(|| journal.tend());
        drafts.recv().unwrap();
        // It stands in the middle: nobody waits for it.
        (5_000..5_100).for_each(|n| one.record(&handled(n)));
        journal.room(room(2)).record(&posted(7, 8));
        go_on.send(()).unwrap();
    });
    assert!(lock(&disk.state).bytes.len() < 20_000);
    assert_eq!((lock(&disk.state).replaced, journal.lost()), (1, 0));
    one.record(&handled(6_000));
    let again = disk.open_journal();
    let newest: Vec<MessageId> = (5_000..5_100).chain([6_000]).map(message).collect();
    assert!(known(&again, 1).ends_with(&newest));
    assert_eq!(again.room(room(2)).posted(message(7), 0), Some(message(8)));
    assert_eq!(lock(&disk.state).aside, None);
}

#[test]
fn a_draft_that_can_not_take_the_files_place_costs_nothing() {
    let (disk, journal, one) = grown();
    lock(&disk.state).refuses_to_replace = true;
    journal.tend();
    one.record(&handled(6_000));
    assert_eq!((known(&disk.open_journal(), 1).last(), journal.lost()), (Some(&message(6_000)), 0));
}

#[test]
fn a_close_waits_for_whoever_tends_the_file_and_keeps_its_draft_out() {
    let (disk, journal, _) = grown();
    let ((began, drafts), (go_on, waits)) = (sync_channel(1), sync_channel(1));
    lock(&disk.state).drafting = Some((began, waits));
    std::thread::scope(|threads| {
        threads.spawn(|| journal.tend());
        drafts.recv().unwrap();
        let closes = threads.spawn(|| journal.close());
        while journal.is_on() {
            std::thread::yield_now();
        }
        assert!(!closes.is_finished());
        go_on.send(()).unwrap();
    });
    assert_eq!(lock(&disk.state).replaced, 0);
    assert_eq!(known(&disk.open_journal(), 1).last(), Some(&message(4_999)));
}

#[tokio::test(start_paused = true)]
async fn what_was_written_is_synced_within_seconds_and_a_quiet_file_never() {
    let disk = Memory::default();
    lock(&disk.state).is_slow = true;
    let synced = Arc::clone(&lock(&disk.state).synced);
    let journal = disk.open_journal();
    let tending = Tending::start(&journal).unwrap();
    for n in 0..3 {
        journal.room(room(1)).record(&handled(n));
        synced.notified().await;
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(lock(&disk.state).syncs, 3);
    tending.end().await;
}

#[test]
fn a_real_file_is_written_anew_beside_the_one_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(folder.path(), &RealDisk);
    assert!(lock(&journal.0.writer).as_mut().unwrap().tend());
    let one = journal.room(room(1));
    (0..4_000).for_each(|n| one.record(&handled(n)));
    let length = || std::fs::metadata(folder.path().join(FILE)).unwrap().len();
    assert!(length() > ANEW_FROM);
    journal.tend();
    assert!(length() < ANEW_FROM);
    assert!(!folder.path().join("journal.new").exists());
    one.record(&handled(4_000));
    assert!(!Journal::open(folder.path(), &RealDisk).is_on(), "it is still ours");
    journal.close();
    let again = Journal::open(folder.path(), &RealDisk);
    assert!(again.is_on());
    assert!(known(&again, 1).ends_with(&[message(3_999), message(4_000)]));
}

#[test]
fn after_it_is_closed_nothing_is_written() {
    let disk = Memory::default();
    let journal = disk.open_journal();
    let one = journal.room(room(1));
    one.record(&handled(1));
    journal.close();
    one.record(&handled(2));
    assert!(!journal.is_on());
    assert_eq!(known(&disk.open_journal(), 1), [message(1)]);
}

#[test]
fn the_real_file_is_for_its_owner_alone_and_for_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(folder.path(), &RealDisk);
    let one = journal.room(room(1));
    one.record(&handled(1));
    let second = Journal::open(folder.path(), &RealDisk);
    assert!(!second.is_on() && second.rooms().is_empty());
    second.room(room(1)).record(&handled(2));
    journal.close();
    let again = Journal::open(folder.path(), &RealDisk);
    assert!(again.is_on());
    assert_eq!(known(&again, 1), [message(1)]);
    #[cfg(unix)]
    for file in std::fs::read_dir(folder.path()).unwrap() {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o077, 0);
    }
}

#[test]
fn a_real_file_is_damaged_set_aside_cut_and_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    std::fs::write(&path, b"something else altogether").unwrap();
    let journal = Journal::open(folder.path(), &RealDisk);
    journal.room(room(1)).record(&handled(1));
    journal.close();
    let aside = std::fs::read(folder.path().join("journal.damaged")).unwrap();
    assert_eq!(aside, b"something else altogether");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"\x29\0\0\0half an entry");
    std::fs::write(&path, bytes).unwrap();
    std::fs::write(folder.path().join("journal.new"), b"left behind").unwrap();
    let journal = Journal::open(folder.path(), &RealDisk);
    assert_eq!(known(&journal, 1), [message(1)]);
    let one = journal.room(room(1));
    (0..4_000).for_each(|n| one.record(&handled(n)));
    assert!(std::fs::metadata(&path).unwrap().len() <= ANEW_FROM + 100);
    journal.close();
    let again = Journal::open(folder.path(), &RealDisk);
    assert_eq!(known(&again, 1).last(), Some(&message(3_999)));
}

#[test]
fn a_file_of_any_length_is_set_aside_without_being_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    // Full of holes: it takes no room, a copy would.
    std::fs::File::create(&path).unwrap().set_len(FILE_MAX + 1).unwrap();
    let journal = Journal::open(folder.path(), &RealDisk);
    journal.room(room(1)).record(&handled(1));
    journal.close();
    let aside = std::fs::metadata(folder.path().join("journal.damaged")).unwrap();
    assert_eq!(aside.len(), FILE_MAX + 1);
    #[cfg(unix)]
    assert!(std::os::unix::fs::MetadataExt::blocks(&aside) < 1_000);
    assert_eq!(known(&Journal::open(folder.path(), &RealDisk), 1), [message(1)]);
}

#[cfg(unix)]
#[test]
fn what_is_no_ordinary_file_costs_the_journal_and_not_the_start() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join(FILE)).unwrap();
    let journal = Journal::open(folder.path(), &RealDisk);
    assert!(!journal.is_on());
    assert!(!folder.path().join("journal.damaged").exists());
}

#[test]
fn a_folder_that_is_not_there_costs_the_journal_and_not_the_start() {
    let journal = Journal::open(Path::new("/nowhere/at/all"), &RealDisk);
    assert!(!journal.is_on());
    journal.room(room(1)).record(&handled(1));
}

#[test]
fn many_threads_write_whole_entries() {
    let disk = Memory::default();
    let journal = disk.open_journal();
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for n in 0..8 {
            let (one, stop) = (journal.room(room(n)), &stop);
            threads.spawn(move || {
                (0..500).for_each(|m| one.record(&handled(m)));
                stop.store(true, Ordering::Relaxed);
            });
        }
        while !stop.load(Ordering::Relaxed) {
            journal.lost();
        }
    });
    let again = disk.open_journal();
    let newest: Vec<MessageId> = (400..500).map(message).collect();
    assert!((0..8).all(|n| known(&again, n).ends_with(&newest)));
    assert_eq!(lock(&disk.state).aside, None);
}

/// The other half of the test below: writes until it is killed, and says what it has written.
#[test]
#[ignore = "it is run by another test"]
fn a_process_that_writes_without_end() {
    use io::Write as _;
    let Some(folder) = std::env::var_os("BAND_TEST_JOURNAL") else { return };
    let journal = Journal::open(Path::new(&folder), &RealDisk);
    assert!(journal.is_on());
    let first = known(&journal, 1).last().map_or(0, |id| id.uuid().as_u128() + 1);
    let one = journal.room(room(1));
    let mut out = io::stdout().lock();
    for n in first.. {
        one.record(&handled(n));
        writeln!(out, "\nwrote {n}").unwrap();
    }
}

#[test]
fn whatever_was_recorded_before_a_kill_is_there_after_it() {
    use io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let mut last = None;
    for round in 0..12_u32 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "journal::tests::a_process_that_writes_without_end",
                "--exact",
                "--ignored",
                "--nocapture",
            ])
            .env("BAND_TEST_JOURNAL", folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        // Some rounds end at once, some after the file was written anew.
        let some = if round % 4 == 3 { 4_000 } else { 1 + round * 37 };
        let mut numbers = |most| {
            let told = said.by_ref().filter_map(|line| line.strip_prefix("wrote ")?.parse::<u128>().ok());
            told.take(most).last()
        };
        last = numbers(usize::try_from(some).unwrap()).or(last);
        child.kill().unwrap();
        child.wait().unwrap();
        last = numbers(usize::MAX).or(last);
        let journal = Journal::open(folder.path(), &RealDisk);
        let newest = known(&journal, 1).last().unwrap().uuid().as_u128();
        assert!(newest >= last.unwrap(), "round {round}: {newest} is the newest, {last:?} was told");
        // Only what was being written when the process was killed may be there besides.
        assert!(newest <= last.unwrap() + 1, "round {round}");
        journal.close();
        assert!(!folder.path().join("journal.damaged").exists());
    }
}
