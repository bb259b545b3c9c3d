//! What stands in the file: a header, then frames, each with its length and a checksum.
//!
//! | bytes | |
//! |---|---|
//! | 16 | [`HEADER`], with the version |
//! | 4 | length of the entry, little-endian, never zero |
//! | 4 | CRC-32 of the entry, little-endian |
//! | … | the entry: room, kind, and what belongs to the kind |
//!
//! Ids are 16 bytes, numbers little-endian, a text takes the rest of its entry.

use band_core::room::{Debt, Record};
use band_wire::{ChatId, Id, MessageId};
use uuid::Uuid;

/// The start of every file.
pub(super) const HEADER: [u8; 16] = *b"band journal 1\r\n";
/// Length and checksum.
const PREFIX: usize = 8;
/// No entry is longer: what claims to be is damage.
const ENTRY_MAX: usize = 64 * 1024;
/// Bytes of a failure's text that are kept; the platform is told the rest only by the process that wrote it.
const TEXT_MAX: usize = 8 * 1024;
/// Ids in one entry of handled messages.
const PACKED_MAX: usize = 1_000;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    /// Something happened in a room.
    Record(ChatId, Record),
    /// These were handled, oldest first.
    Handled(ChatId, Vec<MessageId>),
    /// The agent has left the room: only what is owed counts.
    Forget(ChatId),
}

/// Kinds of entries. A number is never used for something else.
mod kind {
    pub(super) const BEGAN: u8 = 1;
    pub(super) const EXCUSED: u8 = 2;
    pub(super) const POSTED: u8 = 3;
    pub(super) const OWES: u8 = 4;
    pub(super) const HANDLED: u8 = 5;
    pub(super) const SETTLED: u8 = 6;
    pub(super) const PACKED: u8 = 7;
    pub(super) const FORGET: u8 = 8;
    pub(super) const GAVE_UP: u8 = 9;
}

const RECLAIM: u8 = 1;
const FAILURE: u8 = 2;

/// Adds the frame of something that happened.
pub(super) fn put_record(out: &mut Vec<u8>, room: ChatId, record: &Record) {
    let start = begin(out);
    match record {
        Record::Began(message) => head(out, room, kind::BEGAN, *message),
        Record::Excused(message) => head(out, room, kind::EXCUSED, *message),
        Record::GaveUp(message) => head(out, room, kind::GAVE_UP, *message),
        Record::Posted { message, ordinal, reply } => {
            head(out, room, kind::POSTED, *message);
            out.extend_from_slice(&ordinal.to_le_bytes());
            out.extend_from_slice(reply.uuid().as_bytes());
        }
        Record::Owes(Debt { message, failure, reclaim }) => {
            head(out, room, kind::OWES, *message);
            let failed = if failure.is_some() { FAILURE } else { 0 };
            out.push(failed | if *reclaim { RECLAIM } else { 0 });
            let text = failure.as_deref().unwrap_or_default();
            out.extend_from_slice(
                text.as_bytes().get(..text.floor_char_boundary(TEXT_MAX)).unwrap_or_default(),
            );
        }
        Record::Settled { message, handled } => {
            head(out, room, if *handled { kind::HANDLED } else { kind::SETTLED }, *message);
        }
    }
    end(out, start);
}

/// Adds the frames of messages that were handled, oldest first.
pub(super) fn put_handled(out: &mut Vec<u8>, room: ChatId, handled: &[MessageId]) {
    for some in handled.chunks(PACKED_MAX) {
        let start = begin(out);
        out.extend_from_slice(room.uuid().as_bytes());
        out.push(kind::PACKED);
        for message in some {
            out.extend_from_slice(message.uuid().as_bytes());
        }
        end(out, start);
    }
}

/// Adds the frame that says that a room was left.
pub(super) fn put_forget(out: &mut Vec<u8>, room: ChatId) {
    let start = begin(out);
    out.extend_from_slice(room.uuid().as_bytes());
    out.push(kind::FORGET);
    end(out, start);
}

fn head(out: &mut Vec<u8>, room: ChatId, kind: u8, message: MessageId) {
    out.extend_from_slice(room.uuid().as_bytes());
    out.push(kind);
    out.extend_from_slice(message.uuid().as_bytes());
}

fn begin(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; PREFIX]);
    start
}

/// Fills in length and checksum of the frame that begins there.
fn end(out: &mut [u8], start: usize) {
    let Some((prefix, entry)) = out.get_mut(start..).and_then(|frame| frame.split_at_mut_checked(PREFIX))
    else {
        return;
    };
    let length = u32::try_from(entry.len()).unwrap_or(u32::MAX).to_le_bytes();
    let sum = crc32(entry).to_le_bytes();
    for (place, byte) in prefix.iter_mut().zip(length.into_iter().chain(sum)) {
        *place = byte;
    }
}

/// What reading a file came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Every byte was understood.
    Whole,
    /// The last frame is not whole: the writer ended in the middle of it. This much is good.
    Torn(usize),
    /// Something in it is not what was written.
    Damaged,
}

/// Reads a file, entry by entry. Past an entry that is damaged it goes on with the next one, if it finds it.
pub(super) fn read(file: &[u8], mut each: impl FnMut(Entry)) -> End {
    let Some(mut rest) = file.strip_prefix(&HEADER) else {
        // Empty, or the writer ended before it had written anything.
        return if HEADER.starts_with(file) { End::Torn(0) } else { End::Damaged };
    };
    let mut damaged = false;
    while !rest.is_empty() {
        let torn = if damaged { End::Damaged } else { End::Torn(file.len() - rest.len()) };
        // A file system that was cut off may have filled up with zeros.
        if rest.iter().all(|byte| *byte == 0) {
            return torn;
        }
        let Some((length, sum, after)) = prefix(rest) else { return torn };
        if length == 0 || length > ENTRY_MAX {
            return End::Damaged;
        }
        let Some((entry, next)) = after.split_at_checked(length) else { return torn };
        match entry_of(entry).filter(|_| crc32(entry) == sum) {
            Some(entry) => each(entry),
            None => damaged = true,
        }
        rest = next;
    }
    if damaged { End::Damaged } else { End::Whole }
}

fn prefix(bytes: &[u8]) -> Option<(usize, u32, &[u8])> {
    let (length, bytes) = bytes.split_first_chunk()?;
    let (sum, bytes) = bytes.split_first_chunk()?;
    Some((usize::try_from(u32::from_le_bytes(*length)).ok()?, u32::from_le_bytes(*sum), bytes))
}

fn entry_of(bytes: &[u8]) -> Option<Entry> {
    let (room, bytes) = id(bytes)?;
    let (&kind, bytes) = bytes.split_first()?;
    match kind {
        kind::PACKED => {
            let (ids, rest) = bytes.as_chunks::<16>();
            let ids = ids.iter().map(|bytes| Id::new(Uuid::from_bytes(*bytes))).collect();
            return rest.is_empty().then_some(Entry::Handled(room, ids));
        }
        kind::FORGET => return bytes.is_empty().then_some(Entry::Forget(room)),
        _ => {}
    }
    let (message, bytes) = id(bytes)?;
    let (record, bytes) = match kind {
        kind::BEGAN => (Record::Began(message), bytes),
        kind::EXCUSED => (Record::Excused(message), bytes),
        kind::GAVE_UP => (Record::GaveUp(message), bytes),
        kind::POSTED => {
            let (ordinal, bytes) = bytes.split_first_chunk()?;
            let (reply, bytes) = id(bytes)?;
            (Record::Posted { message, ordinal: u32::from_le_bytes(*ordinal), reply }, bytes)
        }
        kind::OWES => {
            let (&flags, text) = bytes.split_first()?;
            let text = str::from_utf8(text).ok()?;
            let failure = (flags & FAILURE != 0).then(|| text.to_owned());
            (Record::Owes(Debt { message, failure, reclaim: flags & RECLAIM != 0 }), [].as_slice())
        }
        kind::HANDLED => (Record::Settled { message, handled: true }, bytes),
        kind::SETTLED => (Record::Settled { message, handled: false }, bytes),
        _ => return None,
    };
    bytes.is_empty().then_some(Entry::Record(room, record))
}

fn id<M>(bytes: &[u8]) -> Option<(Id<M>, &[u8])> {
    let (id, rest) = bytes.split_first_chunk()?;
    Some((Id::new(Uuid::from_bytes(*id)), rest))
}

/// The CRC-32 that Ethernet and zip files use.
fn crc32(bytes: &[u8]) -> u32 {
    static TABLE: [u32; 256] = table();
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        let [low, ..] = (sum ^ u32::from(*byte)).to_le_bytes();
        TABLE.get(usize::from(low)).copied().unwrap_or_default() ^ (sum >> 8)
    })
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
            bit += 1;
        }
        #[expect(clippy::indexing_slicing, reason = "it is run by the compiler")]
        {
            table[byte] = sum;
        }
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(n: u128) -> ChatId {
        Id::new(Uuid::from_u128(n))
    }

    fn message(n: u128) -> MessageId {
        Id::new(Uuid::from_u128(n))
    }

    fn debt(failure: Option<&str>, reclaim: bool) -> Record {
        Record::Owes(Debt { message: message(3), failure: failure.map(str::to_owned), reclaim })
    }

    fn every_kind() -> Vec<Record> {
        vec![
            Record::Began(message(1)),
            Record::Excused(message(1)),
            Record::GaveUp(message(1)),
            Record::Posted { message: message(2), ordinal: 7, reply: message(u128::MAX) },
            debt(None, false),
            debt(None, true),
            debt(Some(""), false),
            debt(Some("überall"), true),
            Record::Settled { message: message(3), handled: true },
            Record::Settled { message: message(3), handled: false },
        ]
    }

    fn written() -> (Vec<u8>, Vec<Entry>) {
        let mut file = HEADER.to_vec();
        for record in every_kind() {
            put_record(&mut file, room(9), &record);
        }
        put_handled(&mut file, room(8), &[message(1), message(2)]);
        put_forget(&mut file, room(7));
        let entries = every_kind().into_iter().map(|record| Entry::Record(room(9), record));
        let more = [Entry::Handled(room(8), vec![message(1), message(2)]), Entry::Forget(room(7))];
        (file, entries.chain(more).collect())
    }

    fn all(file: &[u8]) -> (Vec<Entry>, End) {
        let mut entries = Vec::new();
        let end = read(file, |entry| entries.push(entry));
        (entries, end)
    }

    #[test]
    fn the_checksum_is_the_common_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn what_is_written_is_read() {
        let (file, entries) = written();
        assert_eq!(all(&file), (entries, End::Whole));
    }

    #[test]
    fn a_file_cut_anywhere_gives_what_was_whole() {
        let (file, entries) = written();
        for length in 0..file.len() {
            let (read, end) = all(&file[..length]);
            assert_eq!(read, entries[..read.len()], "cut at {length}");
            match end {
                End::Torn(good) => assert!(all(&file[..good]).0 == read && good <= length, "cut at {length}"),
                End::Whole => {}
                End::Damaged => panic!("cut at {length}"),
            }
        }
    }

    #[test]
    fn one_flipped_bit_costs_one_entry_and_is_never_taken_for_another() {
        let (file, entries) = written();
        for at in HEADER.len()..file.len() {
            let mut flipped = file.clone();
            flipped[at] ^= 1;
            let (read, end) = all(&flipped);
            assert_ne!(end, End::Whole, "byte {at}");
            assert!(read.iter().all(|entry| entries.contains(entry)), "byte {at}: {read:?}");
        }
        // In the middle of an entry: the others are all there.
        let mut flipped = file;
        flipped[HEADER.len() + PREFIX + 3] ^= 1;
        assert_eq!(all(&flipped), (entries[1..].to_vec(), End::Damaged));
    }

    #[test]
    fn zeros_at_the_end_are_a_torn_tail_and_another_files_bytes_are_damage() {
        let (mut file, entries) = written();
        let good = file.len();
        file.resize(good + 4096, 0);
        assert_eq!(all(&file), (entries, End::Torn(good)));
        assert_eq!(all(b"some other file of another program"), (vec![], End::Damaged));
        assert_eq!(all(b"band journal 2\r\n"), (vec![], End::Damaged));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let mut file = HEADER.to_vec();
        put_record(&mut file, room(1), &debt(Some(&"é".repeat(ENTRY_MAX)), false));
        let (entries, end) = all(&file);
        assert_eq!(end, End::Whole);
        assert_eq!(entries, [Entry::Record(room(1), debt(Some(&"é".repeat(TEXT_MAX / 2)), false))]);
    }
}
