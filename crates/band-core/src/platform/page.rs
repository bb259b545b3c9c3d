//! Pages of lists: where one begins, and the cursor to the next.
//!
//! A cursor is opaque to clients: hexadecimal bytes that name the list, the order and filters it was made
//! under, and the last item that was shown. A list goes on after that item, whatever came or went since.

use band_wire::rest::query::{OffsetQuery, Paging};
use band_wire::rest::{Cursored, Issues, Page, code};
use uuid::Uuid;

use super::Refusal;

/// The lists that know cursors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// An agent's messages of a room.
    AgentMessages = 1,
    /// An agent's context of a room.
    Context = 2,
    /// A person's timeline of a room.
    MyMessages = 3,
    /// A person's rooms.
    MyChats = 4,
    /// A person's agents.
    MyAgents = 5,
    /// The participants of a room.
    MyParticipants = 6,
    /// The memories that an agent asks for.
    AgentMemories = 7,
    /// The memories that a person asks for.
    MyMemories = 8,
    /// The tasks of a room.
    Tasks = 9,
    /// The history of a task.
    TaskHistory = 10,
    /// The files of a room.
    Files = 11,
}

/// A list under one order and one set of filters. A cursor works only where both are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// Which list.
    pub list: List,
    /// The order, as a number of the list's own.
    pub order: u8,
    /// The filter the cursor is bound to, as a number of the list's own.
    pub filter: u8,
}

/// What a list is sorted by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// A number: a place in a timeline, or a time.
    Number(i64),
    /// A name.
    Text(String),
}

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// At the start.
    Start,
    /// After so many items.
    Skip(u64),
    /// After the item with this key and this id.
    After(Key, Uuid),
}

/// A page that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub position: Position,
    /// Items at most.
    pub limit: u64,
    scope: Scope,
    offset: Option<OffsetQuery>,
}

impl Span {
    /// Reads what a client asked for.
    ///
    /// # Errors
    /// 422 when the cursor is none, or another list's; `cursor_filter_mismatch` when its filter differs.
    pub fn read(paging: &Paging, scope: Scope) -> Result<Self, Refusal> {
        Ok(match paging {
            Paging::Offset(offset) => Self {
                position: Position::Skip(skipped(*offset)),
                limit: offset.page_size,
                scope,
                offset: Some(*offset),
            },
            Paging::Cursor { cursor, limit } => {
                let cursor = cursor.as_deref().map(|text| decode(text, scope)).transpose()?;
                let position = cursor.map_or(Position::Start, |(key, id)| Position::After(key, id));
                Self { position, limit: *limit, scope, offset: None }
            }
        })
    }

    /// Items to look up: one more than are shown says whether there is a next page.
    pub const fn wanted(&self) -> u64 {
        self.limit.saturating_add(1)
    }

    /// Whether the list is asked for by number of page, and the count of all items belongs in the answer.
    pub const fn counts(&self) -> bool {
        self.offset.is_some()
    }

    /// Whether it is the first page by cursor.
    pub fn is_first(&self) -> bool {
        self.position == Position::Start
    }

    /// Cuts what was looked up to the page, and says where it stands. `total` is shown if it is there.
    pub fn page<T>(
        &self,
        items: Vec<T>,
        total: Option<u64>,
        key: impl Fn(&T) -> (Key, Uuid),
    ) -> (Vec<T>, Cursored) {
        let mut items = items;
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let has_more = items.len() > limit;
        items.truncate(limit);
        let last = items.last().filter(|_| has_more && self.offset.is_none());
        let pages = self.offset.zip(total).map(|(offset, total)| total.div_ceil(offset.page_size.max(1)));
        let cursored = Cursored {
            has_more,
            limit: self.limit,
            next_cursor: last.map(|item| encode(self.scope, &key(item))),
            page: self.offset.map(|offset| offset.page),
            page_size: self.offset.map(|offset| offset.page_size),
            total_count: total,
            total_pages: pages,
            ..Cursored::default()
        };
        (items, cursored)
    }
}

/// Where a page by number begins.
pub const fn skipped(offset: OffsetQuery) -> u64 {
    offset.page.saturating_sub(1).saturating_mul(offset.page_size)
}

/// Says where a page by number stands.
pub fn numbered(offset: OffsetQuery, total_count: u64) -> Page {
    let OffsetQuery { page, page_size } = offset;
    Page { page, page_size, total_count, total_pages: total_count.div_ceil(page_size.max(1)) }
}

const VERSION: u8 = 1;

/// Version, list, order, filter, kind of key, id: then the key.
fn encode(scope: Scope, (key, id): &(Key, Uuid)) -> String {
    let kind = match key {
        Key::Number(_) => 0,
        Key::Text(_) => 1,
    };
    let mut bytes = vec![VERSION, scope.list as u8, scope.order, scope.filter, kind];
    bytes.extend(id.as_bytes());
    match key {
        Key::Number(number) => bytes.extend(number.to_be_bytes()),
        Key::Text(text) => bytes.extend(text.as_bytes()),
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn decode(text: &str, scope: Scope) -> Result<(Key, Uuid), Refusal> {
    let invalid = || Refusal::invalid(Issues::one("/cursor", "is not a cursor of this list"));
    let bytes = unhex(text).ok_or_else(invalid)?;
    let ([version, list, order, filter, kind], rest) = bytes.split_first_chunk().ok_or_else(invalid)?;
    let (id, key) = rest.split_first_chunk::<16>().ok_or_else(invalid)?;
    if (*version, *list, *order) != (VERSION, scope.list as u8, scope.order) {
        return Err(invalid());
    }
    if *filter != scope.filter {
        let text = "was made under another filter";
        return Err(Refusal::token(code::CURSOR_FILTER_MISMATCH, "/cursor", text));
    }
    let key = match kind {
        0 => key.try_into().ok().map(|number| Key::Number(i64::from_be_bytes(number))),
        1 => std::str::from_utf8(key).ok().map(|text| Key::Text(text.to_owned())),
        _ => None,
    };
    Ok((key.ok_or_else(invalid)?, Uuid::from_bytes(*id)))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SCOPE: Scope = Scope { list: List::MyChats, order: 2, filter: 0 };

    fn by_cursor(cursor: Option<String>, limit: u64) -> Paging {
        Paging::Cursor { cursor, limit }
    }

    fn read(paging: &Paging) -> Span {
        Span::read(paging, SCOPE).unwrap()
    }

    fn cursor_of(key: Key, id: Uuid) -> String {
        encode(SCOPE, &(key, id))
    }

    #[test]
    fn a_full_page_has_a_cursor_and_the_last_one_has_none() {
        let key = |number: &i64| (Key::Number(*number), Uuid::from_u128(7));
        let span = read(&by_cursor(None, 2));
        let (items, page) = span.page(vec![1, 2, 3], None, key);
        assert_eq!((items, page.has_more), (vec![1, 2], true));
        let next = read(&by_cursor(page.next_cursor, 2));
        assert_eq!(next.position, Position::After(Key::Number(2), Uuid::from_u128(7)));
        let (items, page) = next.page(vec![3], None, key);
        assert_eq!((items, page.has_more, page.next_cursor), (vec![3], false, None));
    }

    #[test]
    fn pages_by_number_count() {
        let paging = Paging::Offset(OffsetQuery { page: 3, page_size: 2 });
        let span = read(&paging);
        assert_eq!(span.position, Position::Skip(4));
        let (_, page) = span.page(vec![5], Some(5), |_| (Key::Number(0), Uuid::nil()));
        assert_eq!((page.page, page.total_count, page.total_pages), (Some(3), Some(5), Some(3)));
        assert_eq!(page.next_cursor, None);
        for (total, pages) in [(0, 0), (1, 1), (2, 1), (3, 2)] {
            assert_eq!(numbered(OffsetQuery { page: 1, page_size: 2 }, total).total_pages, pages);
        }
    }

    #[test]
    fn a_cursor_that_is_none_or_of_another_list_is_refused() {
        let good = cursor_of(Key::Number(1), Uuid::nil());
        let mut foreign = good.clone();
        foreign.replace_range(2..4, "05");
        let mut other_order = good.clone();
        other_order.replace_range(4..6, "03");
        let mut other_kind = good.clone();
        other_kind.replace_range(8..10, "09");
        let short = good.get(..40).unwrap().to_owned();
        for text in [
            "",
            "x",
            "zz",
            "é0",
            "0102",
            &good.to_uppercase().replace('0', "G"),
            &short,
            &foreign,
            &other_order,
            &other_kind,
        ] {
            let refusal = Span::read(&by_cursor(Some(text.to_owned()), 20), SCOPE).unwrap_err();
            assert_eq!((refusal.status, refusal.code), (422, "validation_error"), "{text}");
            assert!(refusal.details.unwrap().into_map().contains_key("/cursor"));
        }
    }

    #[test]
    fn a_cursor_of_another_filter_says_so() {
        let cursor = cursor_of(Key::Number(1), Uuid::nil());
        let refusal = Span::read(&by_cursor(Some(cursor), 20), Scope { filter: 1, ..SCOPE }).unwrap_err();
        assert_eq!((refusal.status, refusal.code), (422, "cursor_filter_mismatch"));
    }

    proptest! {
        #[test]
        fn a_cursor_survives_its_text(number in any::<i64>(), text in any::<String>(), id in any::<u128>()) {
            for key in [Key::Number(number), Key::Text(text)] {
                let id = Uuid::from_u128(id);
                let cursor = cursor_of(key.clone(), id);
                prop_assert_eq!(decode(&cursor, SCOPE).unwrap(), (key, id));
            }
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            decode(&text, SCOPE).ok();
        }
    }
}
