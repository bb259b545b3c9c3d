//! Wrappers of successful bodies, and pagination.

use serde::{Deserialize, Serialize};

/// `{"data":…}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data<T> {
    /// The payload.
    pub data: T,
}

/// A list with its pagination: `{"data":[…],"metadata":{…}}`. `M` is [`Page`] or [`Cursored`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paged<T, M> {
    /// The items of this page.
    pub data: Vec<T>,
    /// Where the page stands.
    pub metadata: M,
}

/// Offset pagination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// From 1.
    pub page: u64,
    /// Items a page.
    pub page_size: u64,
    /// Items in all.
    pub total_count: u64,
    /// Pages in all; clients walk until this one.
    pub total_pages: u64,
}

/// Cursor pagination, with the deprecated offset fields where they were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursored {
    /// Whether another page follows.
    pub has_more: bool,
    /// Items a page.
    pub limit: u64,
    /// Opaque; null on the last page.
    pub next_cursor: Option<String>,
    /// Echo of the `status` filter, on message lists of agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_filter: Option<String>,
    /// Only with `around`: older messages exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_older: Option<bool>,
    /// Only with `around`: newer messages exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_newer: Option<bool>,
    /// Deprecated, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    /// Deprecated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u64>,
    /// Deprecated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_count: Option<u64>,
    /// Deprecated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_pages: Option<u64>,
}
