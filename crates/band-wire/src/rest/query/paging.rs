//! Pages by cursor, and by number.

use super::{QueryError, QueryReader};

const PAGE: [&str; 2] = ["page", "page_size"];
const CURSOR: [&str; 2] = ["cursor", "limit"];
/// The most items a page, where a list says nothing else.
const MOST: u64 = 100;

/// A page by number: `page`, `page_size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetQuery {
    /// From 1.
    pub page: u64,
    /// 20 when absent, 100 at most.
    pub page_size: u64,
}

impl Default for OffsetQuery {
    fn default() -> Self {
        Self { page: 1, page_size: 20 }
    }
}

impl OffsetQuery {
    pub(super) fn read(reader: &mut QueryReader) -> Self {
        Self::read_with(reader, MOST)
    }

    fn read_with(reader: &mut QueryReader, most: u64) -> Self {
        let default = Self::default();
        Self {
            page: reader.count("page", u64::from(u32::MAX)).unwrap_or(default.page),
            page_size: reader.count("page_size", most).unwrap_or(default.page_size),
        }
    }
}

/// A page of a list that knows nothing but cursors: `cursor`, `limit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorQuery {
    /// Opaque; none is the first page.
    pub cursor: Option<String>,
    /// Items a page, 100 at most.
    pub limit: u64,
}

impl CursorQuery {
    /// `limit` is the items of a page that nobody gave a size.
    pub(super) fn read(reader: &mut QueryReader, limit: u64) -> Self {
        Self { cursor: reader.text("cursor"), limit: reader.count("limit", MOST).unwrap_or(limit) }
    }
}

/// A page of a list that knows cursors: `cursor`, `limit`, or the deprecated `page`, `page_size`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Paging {
    /// The page after a cursor.
    Cursor {
        /// Opaque; none is the first page.
        cursor: Option<String>,
        /// Items a page, 100 at most.
        limit: u64,
    },
    /// The deprecated form. Answers to it say so in their headers.
    Offset(OffsetQuery),
}

impl Paging {
    /// The first page by cursor.
    pub const fn first(limit: u64) -> Self {
        Self::Cursor { cursor: None, limit }
    }

    /// Whether the deprecated form was used.
    pub const fn is_offset(&self) -> bool {
        matches!(self, Self::Offset(_))
    }

    /// `limit` is the items of a page that nobody gave a size.
    pub(super) fn read(reader: &mut QueryReader, limit: u64) -> Result<Self, QueryError> {
        Self::read_with(reader, limit, MOST)
    }

    /// `most` is the greatest `page_size`.
    pub(super) fn read_with(reader: &mut QueryReader, limit: u64, most: u64) -> Result<Self, QueryError> {
        let offset = PAGE.into_iter().find(|name| reader.has(name));
        let cursor = CURSOR.into_iter().find(|name| reader.has(name));
        match (offset, cursor) {
            (Some(offset), Some(cursor)) => {
                Err(QueryError::clash(offset, &format!("can't be combined with {cursor}")))
            }
            (Some(_), None) => Ok(Self::Offset(OffsetQuery::read_with(reader, most))),
            (None, _) => Ok(Self::Cursor {
                cursor: reader.text("cursor"),
                limit: reader.count("limit", MOST).unwrap_or(limit),
            }),
        }
    }
}

impl From<CursorQuery> for Paging {
    fn from(query: CursorQuery) -> Self {
        Self::Cursor { cursor: query.cursor, limit: query.limit }
    }
}

/// Which end of a list comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Oldest, smallest.
    Asc,
    /// Newest, greatest.
    Desc,
}

impl Order {
    /// From the wire's word.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "asc" => Some(Self::Asc),
            "desc" => Some(Self::Desc),
            _ => None,
        }
    }
}
