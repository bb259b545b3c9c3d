//! The working indicator.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::strict::{FromBody, Issues, ObjectReader};
use crate::word::words;

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

words! {
    /// Kinds of work.
    pub enum ActivityKind {
        /// Thinking.
        Reasoning = "reasoning",
        /// A tool runs.
        ToolCall = "tool_call",
        /// Reading or writing memory.
        Memory = "memory",
        /// Waiting for a permission.
        Permission = "permission",
    }
}

impl ActivityReport {
    /// The longest name that is kept, in characters.
    pub const MAX_NAME: usize = 128;
}

/// Answer to a report: what holds after the call. False for a stopped execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityState {
    /// Whether the platform shows the agent as working.
    pub working: bool,
}

impl FromBody for ReportActivity {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let working = fields.bool("working");
        let activity = fields.nullable_object("activity").and_then(|mut nested| {
            let kind = nested.string("kind");
            let kind = nested.parse("kind", kind, ActivityKind::parse);
            let name = nested.opt_string("name");
            match (kind, &name) {
                (Some(ActivityKind::ToolCall), None) => nested.issue("name", "Missing field: name"),
                (Some(kind), Some(_)) if kind != ActivityKind::ToolCall => {
                    nested.issue("name", "Unexpected field: name");
                }
                _ => {}
            }
            fields.close(nested);
            Some(ActivityReport { kind: kind?, name: name.as_deref().map(tidy) })
        });
        fields.finish()?;
        Ok(Self { working: working.unwrap_or_default(), activity })
    }
}

/// A name as the platform keeps it: short, and of plain characters.
fn tidy(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.:/@-".contains(c);
    name.chars().take(ActivityReport::MAX_NAME).map(|c| if plain(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn issues(body: Value) -> Vec<String> {
        ReportActivity::from_body(body).unwrap_err().into_map().into_keys().collect()
    }

    #[test]
    fn a_report_says_at_least_whether_the_agent_works() {
        let bare = ReportActivity { working: true, activity: None };
        assert_eq!(ReportActivity::from_body(json!({"working": true})).unwrap(), bare);
        assert_eq!(ReportActivity::from_body(json!({"working": true, "activity": null})).unwrap(), bare);
        assert_eq!(issues(json!({})), ["/working"]);
        assert_eq!(issues(json!({"working": null})), ["/working"]);
        assert_eq!(
            issues(json!({"working": 1, "activity": 2, "more": 3})),
            ["/activity", "/more", "/working"]
        );
    }

    #[test]
    fn a_tool_call_has_a_name_and_nothing_else_has() {
        let report = |activity: Value| json!({"working": true, "activity": activity});
        assert_eq!(issues(report(json!({"kind": "tool_call"}))), ["/activity/name"]);
        assert_eq!(issues(report(json!({"kind": "memory", "name": "x"}))), ["/activity/name"]);
        assert_eq!(issues(report(json!({"kind": "sleeping"}))), ["/activity/kind"]);
        assert_eq!(issues(report(json!({"kind": "memory", "since": 1}))), ["/activity/since"]);
    }

    #[test]
    fn a_name_is_kept_short_and_plain() {
        let body =
            json!({"working": true, "activity": {"kind": "tool_call", "name": "a b\u{e9}".repeat(90)}});
        let name = ReportActivity::from_body(body).unwrap().activity.unwrap().name.unwrap();
        assert!(name.starts_with("a_b_a_b_"), "{name}");
        assert_eq!(name.len(), ActivityReport::MAX_NAME);
    }
}
