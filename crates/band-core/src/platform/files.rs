//! Files of rooms: who may put one there, what a name may be, which bytes are asked for.

use band_wire::rest::{Attachment, Issues, code};
use band_wire::{ChatId, FileId, ParticipantId, Stamp};

use super::plan::{Plan, Write};
use super::{Principal, Refusal, Room};

/// The longest text that is looked at to tell a type, in bytes.
pub const SNIFFED: usize = 8192;

/// A file as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// The file.
    pub id: FileId,
    /// Its room.
    pub chat: ChatId,
    /// As it was uploaded first.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its type, by what it holds.
    pub content_type: String,
    /// In lower-case hexadecimal digits.
    pub sha256: String,
    /// Who uploaded it first.
    pub uploader: ParticipantId,
    /// When.
    pub inserted_at: Stamp,
}

impl FileRow {
    /// The file as messages carry it.
    pub fn attachment(&self) -> Attachment {
        Attachment {
            id: self.id,
            name: self.name.clone(),
            bytes: self.bytes,
            content_type: self.content_type.clone(),
            sha256: self.sha256.clone(),
            has_thumb: false,
            expires_at: None,
        }
    }
}

/// What the headers of an upload say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The file's name.
    pub name: String,
    /// Its digest in lower-case hexadecimal digits.
    pub sha256: String,
}

/// Reads the headers of an upload. A name is printable ASCII; of a path the last part counts.
///
/// # Errors
/// 422 for a header that is missing or makes no sense.
pub fn declared(name: Option<&str>, sha256: Option<&str>) -> Result<Declared, Refusal> {
    let mut issues = Issues::new();
    let name = match name.map(|name| name.rsplit(['/', '\\']).next().unwrap_or_default().trim()) {
        None => {
            issues.add("/x-file-name", "Missing header: x-file-name");
            ""
        }
        Some(name) if name.is_empty() || name == "." || name == ".." => {
            issues.add("/x-file-name", "can't be blank");
            ""
        }
        Some(name) if !name.bytes().all(|byte| (b' '..=b'~').contains(&byte)) => {
            issues.add("/x-file-name", "should be printable ASCII");
            ""
        }
        Some(name) if name.len() > Attachment::MAX_NAME => {
            issues.add("/x-file-name", format!("should be at most {} byte(s)", Attachment::MAX_NAME));
            ""
        }
        Some(name) => name,
    };
    let is_digest =
        |text: &str| text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    match sha256 {
        None => issues.add("/x-file-sha256", "Missing header: x-file-sha256"),
        Some(text) if !is_digest(text) => {
            issues.add("/x-file-sha256", "should be 64 lower-case hexadecimal digits");
        }
        Some(_) => {}
    }
    if issues.is_empty() {
        Ok(Declared { name: name.to_owned(), sha256: sha256.unwrap_or_default().to_owned() })
    } else {
        Err(Refusal::invalid(issues))
    }
}

/// The text type of what begins so, if it can be text: UTF-8 without control characters but white space.
/// `is_whole` says whether nothing follows; a character that is cut at the end is fine where more does.
pub fn text_type(head: &[u8], is_whole: bool) -> Option<&'static str> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(err) if !is_whole && err.error_len().is_none() => {
            std::str::from_utf8(head.get(..err.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    let fits = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1b}');
    (!head.is_empty() && text.chars().all(fits)).then_some("text/plain")
}

/// What is known of an upload that has arrived whole.
#[derive(Debug)]
pub struct Uploading<'a> {
    /// The room.
    pub room: &'a Room,
    /// The file of the room with the same content, if there is one.
    pub known: Option<FileRow>,
    /// The file as it will be stored.
    pub new: FileRow,
    /// What the caller said of it.
    pub declared: &'a Declared,
}

/// Plans an upload. The same content in the same room is the same file.
///
/// # Errors
/// 404 for who takes no part in the room; 422 when the content is not what the digest says.
pub fn upload(facts: Uploading<'_>, who: Principal) -> Result<Plan<FileRow>, Refusal> {
    let Uploading { room, known, new, declared } = facts;
    room.member(who)?;
    if new.sha256 != declared.sha256 {
        let text = format!("is not the digest of what arrived, which is {}", new.sha256);
        return Err(Refusal::invalid(Issues::one("/x-file-sha256", text)));
    }
    if let Some(known) = known {
        return Ok(Plan::answer(known));
    }
    Ok(Plan { writes: vec![Write::AddFile(Box::new(new.clone()))], pushes: Vec::new(), answer: new })
}

/// The files that a message is to carry, in the order in which it names them; one that is named twice is
/// carried once.
///
/// # Errors
/// 422 `unknown_attachment` when one of them is no file of the room.
pub fn attachments(wanted: &[String], found: &[Attachment]) -> Result<Vec<Attachment>, Refusal> {
    let mut files: Vec<Attachment> = Vec::new();
    for (index, id) in wanted.iter().enumerate() {
        let parsed = id.parse::<FileId>().ok();
        let Some(file) = found.iter().find(|file| Some(file.id) == parsed) else {
            let name: String = id.chars().take(80).collect();
            let text = format!("{name} is no file of this room");
            let pointer = format!("/message/attachment_ids/{index}");
            return Err(Refusal::token(code::UNKNOWN_ATTACHMENT, &pointer, &text));
        };
        if !files.contains(file) {
            files.push(file.clone());
        }
    }
    Ok(files)
}

/// A part of a file: the first byte and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The first byte.
    pub start: u64,
    /// How many bytes; at least one.
    pub length: u64,
}

/// What of a file is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// All of it.
    Whole,
    /// A part.
    Part(Part),
    /// A part that it does not have.
    Nothing,
}

/// Reads a `Range` header. One that makes no sense, and one with several ranges, asks for all.
pub fn range(header: Option<&str>, bytes: u64) -> Wanted {
    let Some(spec) = header.and_then(|text| text.trim().strip_prefix("bytes=")) else { return Wanted::Whole };
    let Some((first, last)) = spec.trim().split_once('-') else { return Wanted::Whole };
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    match (number(first.trim()), number(last.trim()), first.trim().is_empty(), last.trim().is_empty()) {
        (Some(start), Some(last), ..) if last < start => Wanted::Whole,
        (Some(start), Some(last), ..) => part(start, last.saturating_sub(start).saturating_add(1), bytes),
        (Some(start), None, _, true) => part(start, u64::MAX, bytes),
        (None, Some(0), true, _) => Wanted::Nothing,
        (None, Some(length), true, _) => part(bytes.saturating_sub(length), length, bytes),
        _ => Wanted::Whole,
    }
}

const fn part(start: u64, length: u64, bytes: u64) -> Wanted {
    if start >= bytes {
        return Wanted::Nothing;
    }
    let rest = bytes - start;
    Wanted::Part(Part { start, length: if length < rest { length } else { rest } })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::platform::test_site::{agent, at, bot, person, room, user};

    const DIGEST: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    fn row(id: u128) -> FileRow {
        FileRow {
            id: FileId::new(Uuid::from_u128(id)),
            chat: room([]).chat.id,
            name: "a.txt".to_owned(),
            bytes: 5,
            content_type: "text/plain".to_owned(),
            sha256: DIGEST.to_owned(),
            uploader: person(1, "Ann").id,
            inserted_at: at(1),
        }
    }

    #[test]
    fn a_name_is_the_last_part_of_printable_ascii() {
        for (name, kept) in [
            ("notes.txt", "notes.txt"),
            (" a b (1).md ", "a b (1).md"),
            ("/etc/passwd", "passwd"),
            ("..\\..\\win.ini", "win.ini"),
        ] {
            assert_eq!(declared(Some(name), Some(DIGEST)).unwrap().name, kept);
        }
        let long = "x".repeat(Attachment::MAX_NAME + 1);
        for name in ["", " ", "a/", "..", "näme", "a\tb", &long] {
            let refusal = declared(Some(name), Some(DIGEST)).unwrap_err();
            assert!(refusal.details.unwrap().into_map().contains_key("/x-file-name"), "{name}");
        }
        for digest in [None, Some(""), Some("00"), Some(&*DIGEST.to_uppercase())] {
            assert_eq!(declared(Some("a"), digest).unwrap_err().status, 422);
        }
        assert_eq!(declared(None, None).unwrap_err().details.unwrap().len(), 2);
    }

    #[test]
    fn text_is_what_reads_as_text() {
        for (head, whole, is_text) in [
            (&b"hello\n"[..], true, true),
            ("caf\u{e9}".as_bytes(), true, true),
            (b"caf\xc3", false, true),
            (b"caf\xc3", true, false),
            (b"caf\xc3(", false, false),
            (b"a\0b", true, false),
            (b"\x01", true, false),
            (b"", true, false),
        ] {
            assert_eq!(text_type(head, whole).is_some(), is_text, "{head:?}");
        }
    }

    #[test]
    fn the_same_content_in_a_room_is_the_same_file() {
        let room = room([person(1, "Ann"), agent(2, "Echo", 1)]);
        let declared = Declared { name: "a.txt".to_owned(), sha256: DIGEST.to_owned() };
        let facts = |known, new| Uploading { room: &room, known, new, declared: &declared };
        let plan = upload(facts(None, row(1)), bot(2, 1)).unwrap();
        assert_eq!((plan.writes.len(), plan.answer.id), (1, row(1).id));
        let plan = upload(facts(Some(row(1)), row(2)), user(1)).unwrap();
        assert_eq!((plan.writes.len(), plan.answer.id), (0, row(1).id));
        assert_eq!(upload(facts(None, row(1)), user(9)).unwrap_err(), Refusal::not_found());
        let other = FileRow { sha256: "0".repeat(64), ..row(1) };
        assert_eq!(upload(facts(None, other), user(1)).unwrap_err().status, 422);
    }

    #[test]
    fn a_message_carries_each_file_once_and_no_strange_one() {
        let found = [row(1).attachment(), row(2).attachment()];
        let ids = |ids: &[u128]| ids.iter().map(|id| row(*id).id.to_string()).collect::<Vec<_>>();
        let files = attachments(&ids(&[2, 1, 2]), &found).unwrap();
        assert_eq!(files.iter().map(|file| file.id).collect::<Vec<_>>(), [row(2).id, row(1).id]);
        let refusal = attachments(&ids(&[1, 3]), &found).unwrap_err();
        assert_eq!((refusal.status, refusal.code), (422, "unknown_attachment"));
        assert!(refusal.details.unwrap().into_map().contains_key("/message/attachment_ids/1"));
    }

    #[test]
    fn a_range_is_read_as_clients_mean_it() {
        let part = |start, length| Wanted::Part(Part { start, length });
        for (header, wanted) in [
            ("bytes=0-0", part(0, 1)),
            ("bytes=2-4", part(2, 3)),
            ("bytes=2-99", part(2, 8)),
            ("bytes=9-", part(9, 1)),
            ("bytes=-3", part(7, 3)),
            ("bytes=-99", part(0, 10)),
            ("bytes=0-18446744073709551615", part(0, 10)),
            ("bytes=10-", Wanted::Nothing),
            ("bytes=99999999999999999999-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=4-2", Wanted::Whole),
            ("bytes=-", Wanted::Whole),
            ("bytes=a-b", Wanted::Whole),
            ("bytes=0-1,3-4", Wanted::Whole),
            ("lines=0-1", Wanted::Whole),
            ("", Wanted::Whole),
        ] {
            assert_eq!(range(Some(header), 10), wanted, "{header}");
        }
        assert_eq!(range(None, 10), Wanted::Whole);
        assert_eq!(range(Some("bytes=0-"), 0), Wanted::Nothing);
    }

    proptest! {
        #[test]
        fn a_part_lies_within_its_file(header in "bytes=[0-9]{0,3}-[0-9]{0,3}", bytes in 0u64..500) {
            if let Wanted::Part(part) = range(Some(&header), bytes) {
                prop_assert!(part.length > 0 && part.start + part.length <= bytes);
            }
        }

        #[test]
        fn any_header_is_read(header in any::<String>(), bytes in any::<u64>()) {
            range(Some(&header), bytes);
        }
    }
}
