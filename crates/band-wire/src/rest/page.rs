//! Wrappers of successful bodies, and pagination.

use serde::{Deserialize, Serialize};

use super::lenient;

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

/// Offset pagination. Read leniently: a number that a server leaves out is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// From 1.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub page: u64,
    /// Items a page.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub page_size: u64,
    /// Items in all.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub total_count: u64,
    /// Pages in all; clients walk until this one.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub total_pages: u64,
}

/// Cursor pagination, with the deprecated offset fields where they were asked for. Read leniently: where a
/// server leaves `has_more` out, there is no more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursored {
    /// Whether another page follows.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub has_more: bool,
    /// Items a page.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
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

/// The answer of the context endpoint: the pagination stands in it twice, the second time under the older
/// key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextPage<T> {
    /// The items of this page.
    pub data: Vec<T>,
    /// Where the page stands.
    pub metadata: Cursored,
    /// Deprecated, the same again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Cursored>,
}

impl<T> From<Paged<T, Cursored>> for ContextPage<T> {
    fn from(page: Paged<T, Cursored>) -> Self {
        Self { data: page.data, meta: Some(page.metadata.clone()), metadata: page.metadata }
    }
}

/// Pagination of `GET /me/agents`, with what a client may filter and sort by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentsPage {
    /// Where the page stands.
    #[serde(flatten)]
    pub page: Cursored,
    /// Query parameters that narrow the list.
    #[serde(default)]
    pub available_filters: Vec<AvailableFilter>,
    /// Values of the query parameter `sort`.
    #[serde(default)]
    pub sortable_fields: Vec<SortableField>,
}

/// A query parameter that narrows a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AvailableFilter {
    /// Its name.
    pub param: String,
    /// For people.
    pub label: String,
    /// `string` or `boolean`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A value of the query parameter `sort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortableField {
    /// The value.
    pub param: String,
    /// For people.
    pub label: String,
}

impl From<Cursored> for AgentsPage {
    fn from(page: Cursored) -> Self {
        let filters = [
            ("name", "Name", "string"),
            ("is_external", "External", "boolean"),
            ("listed_in_directory", "Listed in the directory", "boolean"),
        ];
        let fields = [("name", "Name"), ("inserted_at", "Created"), ("updated_at", "Changed")];
        Self {
            page,
            available_filters: filters
                .map(|(param, label, kind)| AvailableFilter {
                    param: param.to_owned(),
                    label: label.to_owned(),
                    kind: kind.to_owned(),
                })
                .into(),
            sortable_fields: fields
                .map(|(param, label)| SortableField { param: param.to_owned(), label: label.to_owned() })
                .into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_that_says_little_is_still_read() {
        let page: Page = serde_json::from_value(json!({"total_pages": 3, "page": null})).unwrap();
        assert_eq!((page.page, page.total_pages), (0, 3));
        let page: Cursored = serde_json::from_value(json!({"page": null, "total_pages": 3})).unwrap();
        assert_eq!((page.has_more, page.next_cursor, page.total_pages), (false, None, Some(3)));
    }

    #[test]
    fn the_context_says_where_it_stands_twice() {
        let metadata = Cursored { has_more: true, ..Cursored::default() };
        let page = ContextPage::from(Paged { data: vec![1], metadata });
        assert_eq!(page.meta.as_ref(), Some(&page.metadata));
    }
}
