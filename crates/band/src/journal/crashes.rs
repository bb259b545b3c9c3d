//! Processes and disks that give out while the journal is written anew.

use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Resource, getrlimit, setrlimit};

use super::tests::{handled, known, room};
use super::writer::ANEW_FROM;
use super::*;

/// Ends this process as `kill -9` does, if a test wants it to end here.
pub(super) fn reached(step: &str) {
    if std::env::var("BAND_TEST_DIES").as_deref() != Ok(step) {
        return;
    }
    let kill = format!("kill -9 {}", std::process::id());
    assert!(Command::new("sh").args(["-c", &kill]).status().is_ok_and(|sent| sent.success()));
    loop {
        std::thread::park();
    }
}

/// What runs a test of this binary in a process of its own.
fn other(mut command: Command, test: &str, folder: &Path) -> Child {
    command
        .args([&format!("journal::crashes::{test}"), "--exact", "--ignored", "--nocapture"])
        .env("BAND_TEST_JOURNAL", folder)
        .stdout(Stdio::piped());
    command.spawn().unwrap()
}

/// Writes until it is killed, and says what it has written.
#[test]
#[ignore = "it is run by another test"]
fn a_process_that_is_killed_while_it_writes_its_journal_anew() {
    let Some(folder) = std::env::var_os("BAND_TEST_JOURNAL") else { return };
    let journal = Journal::open(Path::new(&folder), &RealDisk);
    let one = journal.room(room(1));
    let first = known(&journal, 1).last().map_or(0, |id| id.uuid().as_u128() + 1);
    let mut out = std::io::stdout().lock();
    for n in first.. {
        one.record(&handled(n));
        writeln!(out, "\nwrote {n}").unwrap();
    }
}

#[test]
fn a_process_that_is_killed_at_any_step_of_writing_its_journal_anew_leaves_all_of_it_once() {
    let folder = tempfile::tempdir().unwrap();
    // A new file is written in the same way: here it is there.
    Journal::open(folder.path(), &RealDisk).close();
    let mut written = 0;
    for step in ["made", "written", "synced", "renamed", "made", "renamed"] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env("BAND_TEST_DIES", step);
        let mut child =
            other(command, "a_process_that_is_killed_while_it_writes_its_journal_anew", folder.path());
        let said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let last = said.filter_map(|line| line.strip_prefix("wrote ")?.parse::<u128>().ok()).last().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "{step}");
        assert!(last > written, "{step}: the file was written anew after {last}");
        written = last;
        assert_eq!(folder.path().join("journal.new").exists(), step != "renamed", "{step}");

        let journal = Journal::open(folder.path(), &RealDisk);
        assert!(journal.is_on(), "{step}");
        let ids: Vec<u128> = known(&journal, 1).iter().map(|id| id.uuid().as_u128()).collect();
        assert_eq!(ids.last(), Some(&last), "{step}: what was recorded is there");
        assert!(ids.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{step}: each once, in order");
        journal.close();
        for ending in ["new", "damaged"] {
            assert!(!folder.path().join(format!("journal.{ending}")).exists(), "{step}: journal.{ending}");
        }
    }
}

/// Rooms that are in the sum of what is written, so that it takes up room itself.
const ROOMS: u128 = 6;
/// What the small disk has beside a journal that is written anew, in bytes.
const SPARE: u64 = 8 * 1024;

/// Fills the disk that it is given, and sees what a journal there bears with.
#[test]
#[ignore = "it is run by another test"]
fn a_process_on_a_disk_that_fills_up() {
    let Some(folder) = std::env::var_os("BAND_TEST_JOURNAL") else { return };
    let folder = Path::new(&folder);
    let filler = folder.join("filler");
    // The disk has 256 KiB. What is left is enough for the journal as it grows, and not for a second one.
    std::fs::write(&filler, vec![1; usize::try_from(256 * 1024 - ANEW_FROM - SPARE).unwrap()]).unwrap();
    let journal = Journal::open(folder, &RealDisk);
    let rooms: Vec<RoomJournal> = (0..ROOMS).map(|n| journal.room(room(n))).collect();
    let length = || std::fs::metadata(folder.join("journal")).unwrap().len();
    let mut written = Vec::new();
    let mut record = |n: u128| {
        let lost = journal.lost();
        rooms[usize::try_from(n % ROOMS).unwrap()].record(&handled(n));
        if journal.lost() == lost {
            written.push(n);
        }
    };
    let mut numbers = 0_u128..;
    // A number that no file of this disk has room for ends it.
    for n in numbers.by_ref().take(10_000) {
        record(n);
        if length() > ANEW_FROM + SPARE / 2 {
            break;
        }
    }
    assert_eq!(journal.lost(), 0, "it could not be written anew, and grows on in what room there is");
    assert!(!folder.join("journal.new").exists(), "which no half of a new one takes");
    numbers.by_ref().take(1_000).for_each(&mut record);
    assert!(journal.lost() > 0, "then the disk is full");
    std::fs::remove_file(&filler).unwrap();
    let lost = journal.lost();
    numbers.by_ref().take(2_500).for_each(&mut record);
    assert_eq!(journal.lost(), lost, "it goes on once there is room again");
    assert!(length() < 2 * ANEW_FROM, "and is written anew");

    // The next process.
    drop((rooms, journal));
    let journal = Journal::open(folder, &RealDisk);
    assert!(journal.is_on() && !folder.join("journal.damaged").exists());
    for n in 0..ROOMS {
        let ids: Vec<u128> = known(&journal, n).iter().map(|id| id.uuid().as_u128()).collect();
        let its: Vec<u128> = written.iter().copied().filter(|id| id % ROOMS == n).collect();
        assert!(!ids.is_empty() && its.ends_with(&ids), "room {n}: all that was written, each once");
    }
    writeln!(std::io::stdout(), "shown").unwrap();
}

#[test]
fn a_disk_that_is_full_while_the_journal_is_written_anew_costs_nothing_that_was_written() {
    let folder = tempfile::tempdir().unwrap();
    // A small disk of its own, which no other process sees.
    let mount = |then: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
        command.arg(format!("mount -t tmpfs -o size=256k small \"$BAND_TEST_JOURNAL\" && {then}")).arg("sh");
        command.env("BAND_TEST_JOURNAL", folder.path());
        command
    };
    if !mount("true").output().is_ok_and(|output| output.status.success()) {
        let why = "not run: a journal on a small disk, since nobody may mount one here (unshare --user)";
        return writeln!(std::io::stderr(), "{why}").unwrap();
    }
    let mut command = mount("exec \"$@\"");
    command.arg(std::env::current_exe().unwrap());
    let output =
        other(command, "a_process_on_a_disk_that_fills_up", folder.path()).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("shown"), "{}: {said}", output.status);
}

/// Lets no file of this process grow beyond so many bytes, or as long as it likes.
fn limit_files(most: Option<u64>) {
    let mut limit = getrlimit(Resource::Fsize);
    limit.current = most;
    setrlimit(Resource::Fsize, limit).unwrap();
}

/// Has no room for more than the beginning of a new file, in turn while it writes and while it is tended.
#[test]
#[ignore = "it is run by another test"]
fn a_process_whose_new_files_stay_short() {
    let Some(folder) = std::env::var_os("BAND_TEST_JOURNAL") else { return };
    let folder = Path::new(&folder);
    let journal = Journal::open(folder, &RealDisk);
    let one = journal.room(room(1));
    let length = || std::fs::metadata(folder.join("journal")).unwrap().len();
    let mut next = 0;
    let mut written = Vec::new();
    let mut record = || {
        let lost = journal.lost();
        one.record(&handled(next));
        if journal.lost() == lost {
            written.push(next);
        }
        next += 1;
    };
    let new = folder.join("journal.new");

    // In line: whoever appends writes it anew.
    while length() < ANEW_FROM {
        record();
    }
    limit_files(Some(256));
    record();
    assert!(!new.exists(), "no half of a new one stays");
    assert_eq!((journal.lost(), length() >= ANEW_FROM), (1, true), "nor did the entry find room");
    limit_files(Some(length() + 3));
    record();
    assert_eq!(journal.lost(), 2, "of the next one a part was written");
    limit_files(None);
    record();
    assert_eq!((journal.lost(), length() > ANEW_FROM), (2, true), "it grows on in the old file");
    while length() > ANEW_FROM {
        record();
    }

    // Beside those who write.
    assert!(lock(&journal.0.writer).as_mut().unwrap().tend());
    while length() < ANEW_FROM {
        record();
    }
    limit_files(Some(256));
    journal.tend();
    limit_files(None);
    assert!(!new.exists(), "no half of a new one stays");
    record();
    assert_eq!((journal.lost(), length() > ANEW_FROM), (2, true), "it grows on in the old file");
    while length() < 2 * ANEW_FROM + 1_024 {
        record();
    }
    journal.tend();
    assert!(length() < ANEW_FROM, "and is written anew");
    record();

    // The next process.
    drop((one, journal));
    let journal = Journal::open(folder, &RealDisk);
    assert!(journal.is_on() && !folder.join("journal.damaged").exists());
    let ids: Vec<u128> = known(&journal, 1).iter().map(|id| id.uuid().as_u128()).collect();
    assert!(!ids.is_empty() && written.ends_with(&ids), "all that was written, each once");
    writeln!(std::io::stdout(), "shown").unwrap();
}

#[test]
fn a_new_journal_that_does_not_fit_is_taken_away_and_the_old_one_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    // What is beyond the limit is an error then, and no signal that ends the process.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ && exec \"$@\"", "sh"]).arg(std::env::current_exe().unwrap());
    let output =
        other(command, "a_process_whose_new_files_stay_short", folder.path()).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("shown"), "{}: {said}", output.status);
}
