//! The room's past, read page by page to its true end.

use std::collections::{BTreeSet, VecDeque};

use band_wire::MessageId;
use band_wire::rest::Message;

/// Entries of a page.
pub const PAGE: u32 = 50;
/// Pages that are kept: the newest.
pub const PAGES_KEPT: usize = 20;
/// Pages that are read at most.
pub const FETCHES_MAX: u32 = 500;

/// One page, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// Its entries.
    pub messages: Vec<Message>,
    /// Whether the platform says that there are more.
    pub has_more: bool,
    /// Where the next one starts.
    pub cursor: Option<String>,
}

/// What was read of a room's past.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Past {
    /// Oldest first.
    pub messages: Vec<Message>,
    /// Some of it is missing.
    pub truncated: bool,
}

impl Past {
    /// The ids in it.
    pub(super) fn ids(&self) -> BTreeSet<MessageId> {
        self.messages.iter().map(|message| message.id).collect()
    }
}

/// Reads until there is no further page.
#[derive(Debug)]
pub(super) struct Reader {
    most: usize,
    pages: VecDeque<Vec<Message>>,
    fetches: u32,
    truncated: bool,
}

impl Reader {
    pub(super) const fn new(most: usize) -> Self {
        Self { most, pages: VecDeque::new(), fetches: 0, truncated: false }
    }

    /// Takes a page, or that there was none. Gives where the next one starts, if it is to be read.
    pub(super) fn take(&mut self, page: Option<Page>) -> Option<String> {
        self.fetches += 1;
        let Some(page) = page else {
            self.truncated = true;
            return None;
        };
        self.pages.push_back(page.messages);
        if self.pages.len() > self.most {
            self.pages.pop_front();
            self.truncated = true;
        }
        let next = page.cursor.filter(|cursor| page.has_more && !cursor.is_empty());
        self.truncated |= page.has_more && (next.is_none() || self.fetches >= FETCHES_MAX);
        next.filter(|_| self.fetches < FETCHES_MAX)
    }

    pub(super) fn done(self) -> Past {
        Past { messages: self.pages.into_iter().flatten().collect(), truncated: self.truncated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(has_more: bool, cursor: Option<&str>) -> Page {
        Page { messages: Vec::new(), has_more, cursor: cursor.map(str::to_owned) }
    }

    #[test]
    fn the_cursor_is_followed_to_the_end_and_what_is_missing_is_told() {
        let table = [
            (vec![Some(page(true, Some("a"))), Some(page(false, None))], false),
            (vec![Some(page(true, Some("a"))), None], true),
            (vec![None], true),
            (vec![Some(page(true, None))], true),
            (vec![Some(page(true, Some("")))], true),
            (vec![Some(page(false, Some("a")))], false),
        ];
        for (pages, truncated) in table {
            let (mut reader, count) = (Reader::new(20), pages.len());
            for (at, page) in pages.into_iter().enumerate() {
                assert_eq!(reader.take(page).is_some(), at + 1 < count);
            }
            assert_eq!(reader.done().truncated, truncated);
        }
    }

    #[test]
    fn only_the_newest_pages_are_kept_and_an_endless_past_comes_to_an_end() {
        let mut reader = Reader::new(2);
        let mut fetches = 0;
        while reader.take(Some(page(true, Some("x")))).is_some() {
            fetches += 1;
        }
        assert_eq!((fetches, reader.pages.len()), (FETCHES_MAX - 1, 2));
        assert!(reader.done().truncated);
    }
}
