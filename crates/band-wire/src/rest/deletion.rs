//! Deleting many rooms or agents at once: a job that is watched until it is done.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::strict::{FromBody, Issues, ObjectReader};
use crate::word::{Open, words};
use crate::{DeletionId, Stamp};

words! {
    /// What a job deletes.
    pub enum DeletedResource {
        /// Rooms.
        Chat = "chat",
        /// Agents.
        Agent = "agent",
    }
}

words! {
    /// Where a job stands.
    pub enum DeletionStatus {
        /// It has not begun.
        Queued = "queued",
        /// It is under way.
        Processing = "processing",
        /// Each item has its result.
        Completed = "completed",
        /// It broke off.
        Failed = "failed",
    }
}

words! {
    /// Where one item of a job stands.
    pub enum DeletionItemStatus {
        /// It has not been tried.
        Pending = "pending",
        /// It is gone.
        Succeeded = "succeeded",
        /// It is there still, or never was.
        Failed = "failed",
    }
}

words! {
    /// Why an item was not deleted.
    pub enum DeletionErrorCode {
        /// There is no such thing for the caller.
        NotFound = "not_found",
        /// The caller may not delete it.
        Forbidden = "forbidden",
        /// An agent that has been in rooms needs `force`.
        ExecutionHistoryExists = "execution_history_exists",
        /// It was being deleted when the job broke off.
        DeleteFailed = "delete_failed",
        /// The job broke off before it.
        NotAttempted = "not_attempted",
    }
}

/// Body of `POST /me/chats/bulk-delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BulkDeleteChats {
    /// Each once, [`BulkDeletion::MAX_ITEMS`] at most. What is no UUID is an item that is not found.
    pub ids: Vec<String>,
}

/// Body of `POST /me/agents/bulk-delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BulkDeleteAgents {
    /// As of [`BulkDeleteChats::ids`].
    pub ids: Vec<String>,
    /// Delete those too that have been in rooms.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

impl FromBody for BulkDeleteChats {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let ids = read_ids(&mut fields);
        fields.finish()?;
        Ok(Self { ids })
    }
}

impl FromBody for BulkDeleteAgents {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let ids = read_ids(&mut fields);
        let force = if fields.has("force") { fields.bool("force") } else { None };
        fields.finish()?;
        Ok(Self { ids, force: force.unwrap_or_default() })
    }
}

fn read_ids(fields: &mut ObjectReader) -> Vec<String> {
    let Some(items) = fields.list("ids") else { return Vec::new() };
    let most = BulkDeletion::MAX_ITEMS;
    if items.is_empty() {
        fields.issue("ids", "Array length 0 is smaller than minItems: 1");
    } else if items.len() > most {
        fields.issue("ids", format!("Array length {} is larger than maxItems: {most}", items.len()));
    }
    let mut ids: Vec<String> = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        match item {
            Value::String(id) if ids.contains(&id) => {
                fields.issue_inside("ids", index, "Array items must be unique");
            }
            Value::String(id) => ids.push(id),
            _ => fields.issue_inside("ids", index, "Invalid string"),
        }
    }
    ids
}

/// A job: `POST …/bulk-delete` answers it with 202, `GET /me/bulk-deletions/{id}` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BulkDeletion {
    /// The job.
    pub id: DeletionId,
    /// What it deletes.
    pub resource_type: Open<DeletedResource>,
    /// Where it stands.
    pub status: Open<DeletionStatus>,
    /// Whether agents that have been in rooms are deleted too.
    pub force: bool,
    /// Items.
    pub total: u64,
    /// Items that were tried.
    pub processed: u64,
    /// Items that are gone.
    pub succeeded: u64,
    /// Items that are not.
    pub failed: u64,
    /// One for each item, in the order of the request.
    pub results: Vec<DeletionItem>,
    /// When it was asked for.
    pub inserted_at: Stamp,
    /// When it began.
    pub started_at: Option<Stamp>,
    /// When it ended.
    pub completed_at: Option<Stamp>,
}

impl BulkDeletion {
    /// Items of one job.
    pub const MAX_ITEMS: usize = 100;
}

/// One item of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletionItem {
    /// As it was asked for.
    pub id: String,
    /// Where it stands.
    pub status: Open<DeletionItemStatus>,
    /// Why it failed.
    pub error: Option<DeletionError>,
}

/// Why an item was not deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletionError {
    /// For programs.
    pub code: Open<DeletionErrorCode>,
    /// For people.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_are_few_and_each_is_there_once() {
        let many: Vec<String> = (0..=BulkDeletion::MAX_ITEMS).map(|id| id.to_string()).collect();
        for ids in [json!([]), json!(many), json!(["a", "a"]), json!([1]), json!(null)] {
            assert!(BulkDeleteChats::from_body(json!({ "ids": ids })).is_err(), "{ids}");
        }
        let read = BulkDeleteAgents::from_body(json!({"ids": ["b", "a"], "force": true})).unwrap();
        assert_eq!((read.ids, read.force), (vec!["b".to_owned(), "a".to_owned()], true));
        assert!(BulkDeleteAgents::from_body(json!({"ids": ["a"], "force": "true"})).is_err());
    }
}
