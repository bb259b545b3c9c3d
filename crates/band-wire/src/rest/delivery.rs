//! Where a message stands for the agents it routes to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::strict::{FromBody, Issues, ObjectReader};
use crate::word::{Open, words};
use crate::{AgentId, MessageId, Stamp};

words! {
    /// Where a message stands for one agent.
    pub enum DeliveryStatus {
        /// Handed to a live connection.
        Delivered = "delivered",
        /// An attempt is open.
        Processing = "processing",
        /// The last attempt failed; served again.
        Failed = "failed",
        /// Done.
        Processed = "processed",
    }
}

/// One agent's entry of `metadata.delivery_status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryRecord {
    /// Where it stands.
    pub status: DeliveryStatus,
    /// When it was handed to a live connection.
    pub delivered_at: Option<Stamp>,
    /// When it was done.
    pub processed_at: Option<Stamp>,
    /// The newest attempt's number; none before the first.
    pub current_attempt: Option<u32>,
    /// All attempts, oldest first.
    #[serde(default)]
    pub attempts: Vec<AttemptRecord>,
}

/// One attempt at a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// From 1.
    pub attempt_number: u32,
    /// `processing`, `success` or `failed`.
    pub status: String,
    /// When it began.
    pub started_at: Option<Stamp>,
    /// When it ended.
    pub completed_at: Option<Stamp>,
    /// Why it failed.
    pub error: Option<String>,
}

/// The entries of `metadata.delivery_status`, by recipient.
pub type DeliveryMap = BTreeMap<AgentId, DeliveryRecord>;

/// Answer to a delivery mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageMark {
    /// The message.
    pub id: MessageId,
    /// `processing`, `processed` or `failed`.
    pub status: Open<DeliveryStatus>,
    /// From 1.
    pub attempt_number: u32,
    /// False means not accepted.
    pub success: bool,
}

/// Body of `POST …/failed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailMark {
    /// What went wrong.
    pub error: String,
}

impl FromBody for FailMark {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let error = fields.string("error");
        if error.as_ref().is_some_and(|error| error.trim().is_empty()) {
            fields.issue("error", "can't be blank");
        }
        fields.finish()?;
        Ok(Self { error: error.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failure_has_a_text() {
        assert_eq!(FailMark::from_body(json!({"error": "boom"})).unwrap().error, "boom");
        for (body, pointer, text) in [
            (json!({"error": " "}), "/error", "can't be blank"),
            (json!({"error": null}), "/error", "null value where string expected"),
            (json!({"error": {"why": 1}}), "/error", "Invalid string. Got: object"),
            (json!({"error": "x", "reason": "y"}), "/reason", "Unexpected field: reason"),
            (json!({}), "/error", "Missing field: error"),
            (json!([]), "/", "Invalid object. Got: array"),
        ] {
            let issues = FailMark::from_body(body).unwrap_err().into_map();
            assert_eq!(issues[pointer], [text]);
        }
    }
}
