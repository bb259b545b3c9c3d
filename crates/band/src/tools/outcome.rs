//! What became of a tool call.

use band_wire::text::cut_middle;
use serde_json::Value;

use super::ToolError;
use crate::error::{Error, Result};

/// Characters of the text about a failed call at most.
const MAX_FAILURE: usize = 2000;

/// What became of a tool call. Whether it worked is [`is_ok`](Self::is_ok); the text never tells.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolOutcome {
    /// It worked. A picture comes as the content blocks of MCP: see [`images`](Self::images).
    Done(Value),
    /// There is no such tool, or its arguments do not fit: nothing was done. The text is for the model.
    Invalid(String),
    /// It was tried and failed. The text is for the model.
    Failed(String),
    /// It was refused by a rule of its own, which a program may want to tell apart.
    Refused(ToolError),
    /// The turn is over: it was asked to end, or the platform has stopped the agent in this room.
    TurnOver(Error),
}

/// A picture among the results of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image<'a> {
    /// In Base64.
    pub data: &'a str,
    /// Such as `image/png`.
    pub mime_type: &'a str,
}

impl ToolOutcome {
    /// Whether the tool did its work.
    pub const fn is_ok(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    /// What the model reads. Pictures are named only: hand [`images`](Self::images) over beside it.
    pub fn to_model_text(&self) -> String {
        match self {
            Self::Done(value) => match self.images().len() {
                0 => model_text(value),
                count => format!("<{count} image content block(s)>"),
            },
            Self::Invalid(text) | Self::Failed(text) => text.clone(),
            Self::Refused(err) => format!("Error: {err}"),
            Self::TurnOver(err) => format!("Error: {err}"),
        }
    }

    /// The pictures, if the result is some.
    pub fn images(&self) -> Vec<Image<'_>> {
        let Self::Done(value) = self else { return Vec::new() };
        images(value)
    }

    /// The text for the model, or the error that is not for it: the contract of the reference's
    /// `execute_tool_call`.
    ///
    /// # Errors
    /// A rule of the tool refused it, or the turn is over.
    pub fn into_text(self) -> Result<String> {
        match self {
            Self::Refused(err) => Err(err.into()),
            Self::TurnOver(err) => Err(err),
            told => Ok(told.to_model_text()),
        }
    }

    /// What a result of the tool `name` amounts to.
    pub(super) fn of(name: &str, result: Result<Value>) -> Self {
        match result {
            Ok(value) => Self::Done(value),
            Err(err @ (Error::Stopped { .. } | Error::Cancelled)) => Self::TurnOver(err),
            Err(Error::Tool(err)) if err.is_typed() => Self::Refused(err),
            Err(err) => Self::failed(name, err),
        }
    }

    pub(super) fn failed(name: &str, err: impl std::fmt::Display) -> Self {
        let text = format!("Error executing {name}: {err}");
        Self::Failed(cut_middle(&text, MAX_FAILURE, "... [truncated] ..."))
    }

    pub(super) fn unknown(name: &str) -> Self {
        let text = format!("Unknown tool: {name}");
        Self::Invalid(cut_middle(&text, band_wire::tools::MAX_PROBLEM_TEXT, "... [truncated] ..."))
    }
}

/// A result as a model reads it: a text as it is, everything else as JSON.
pub fn model_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn images(value: &Value) -> Vec<Image<'_>> {
    let blocks = value.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter_map(image).collect()
}

fn image(block: &Value) -> Option<Image<'_>> {
    if block.get("type")? != "image" {
        return None;
    }
    Some(Image { data: block.get("data")?.as_str()?, mime_type: block.get("mimeType")?.as_str()? })
}

/// Whether a result of a tool of one's own says that it failed: an object whose `ok` is false, or a text that begins
/// with `error:` or `error executing`.
pub(super) fn looks_failed(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.get("ok") == Some(&Value::Bool(false)),
        Value::String(text) => {
            let start: String = text.chars().take(16).collect::<String>().to_lowercase();
            start.starts_with("error:") || start.starts_with("error executing ")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_picture_is_named_in_the_text_and_handed_over_beside_it() {
        let block = json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" });
        let done = ToolOutcome::Done(json!({ "content": [block] }));
        assert_eq!(done.to_model_text(), "<1 image content block(s)>");
        assert_eq!(done.images(), [Image { data: "aGk=", mime_type: "image/png" }]);
        let text = ToolOutcome::Done(json!({ "content": "plain" }));
        assert!(text.images().is_empty());
        assert_eq!(text.to_model_text(), r#"{"content":"plain"}"#);
    }

    #[test]
    fn what_a_model_reads_and_what_is_raised_are_told_apart() {
        let raised = |outcome: ToolOutcome| outcome.into_text().is_err();
        assert!(!raised(ToolOutcome::Done(json!("x"))));
        assert!(!raised(ToolOutcome::Invalid("x".into())));
        assert!(!raised(ToolOutcome::Failed("x".into())));
        assert!(raised(ToolOutcome::Refused(ToolError::NoFile)));
        assert!(raised(ToolOutcome::TurnOver(Error::Cancelled)));
        assert_eq!(ToolOutcome::Done(Value::Null).to_model_text(), "null");
    }

    #[test]
    fn a_result_that_says_that_it_failed_is_known() {
        for failed in [json!({ "ok": false }), json!("Error: no"), json!("ERROR executing x")] {
            assert!(looks_failed(&failed), "{failed}");
        }
        for fine in [json!({ "ok": 0 }), json!("no error: x"), json!("Errors"), json!(false), json!("")] {
            assert!(!looks_failed(&fine), "{fine}");
        }
    }
}
