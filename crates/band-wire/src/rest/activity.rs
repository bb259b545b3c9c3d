//! The working indicator.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::strict::{FromBody, Issues, ObjectReader};

/// Body of `POST …/activity`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportActivity {
    /// Whether the agent is at work. True lapses after 10 s without another report.
    pub working: bool,
    /// What it is at; reasoning when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<ActivityReport>,
}

/// What an agent is at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityReport {
    /// The kind of work.
    pub kind: ActivityKind,
    /// The tool's name: required for a tool call, refused otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Kinds of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    /// Thinking.
    Reasoning,
    /// A tool runs.
    ToolCall,
    /// Reading or writing memory.
    Memory,
    /// Waiting for a permission.
    Permission,
}

/// Answer to a report: what holds after the call. False for a stopped execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityState {
    /// Whether the platform shows the agent as working.
    pub working: bool,
}

impl FromBody for ReportActivity {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::root(body)?;
        let working = fields.bool("working");
        let activity = fields.nullable_object("activity").and_then(|mut nested| {
            let kind = nested.string("kind");
            let kind = nested.parse("kind", kind, |text| match text {
                "reasoning" => Some(ActivityKind::Reasoning),
                "tool_call" => Some(ActivityKind::ToolCall),
                "memory" => Some(ActivityKind::Memory),
                "permission" => Some(ActivityKind::Permission),
                _ => None,
            });
            let name = nested.opt_string("name");
            match (kind, &name) {
                (Some(ActivityKind::ToolCall), None) => nested.issue("name", "Missing field: name"),
                (Some(kind), Some(_)) if kind != ActivityKind::ToolCall => {
                    nested.issue("name", "Unexpected field: name");
                }
                _ => {}
            }
            fields.close(nested);
            Some(ActivityReport { kind: kind?, name })
        });
        fields.finish()?;
        Ok(Self { working: working.unwrap_or_default(), activity })
    }
}
