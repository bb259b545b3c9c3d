//! The Chat Completions format.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum Entry {
    System {
        content: String,
    },
    User {
        content: String,
    },
    Assistant {
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    Tool {
        tool_call_id: String,
        content: String,
    },
}

/// A call of a tool, as the model asked for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ToolCall {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: FunctionKind,
    pub(super) function: Function,
}

/// The one kind of tool there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FunctionKind {
    Function,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Function {
    pub(super) name: String,
    /// JSON, as text.
    pub(super) arguments: String,
}

impl ToolCall {
    pub(super) fn new(id: String, name: String, arguments: String) -> Self {
        Self { id, kind: FunctionKind::Function, function: Function { name, arguments } }
    }
}

/// The body of a request.
#[derive(Debug, Serialize)]
pub(super) struct Request<'r> {
    pub(super) model: &'r str,
    pub(super) messages: Vec<&'r Entry>,
    pub(super) tools: &'r Value,
}

/// The body of an answer, as far as it matters. What servers of this format leave out or add is borne with.
#[derive(Debug, Deserialize)]
pub(super) struct Response {
    pub(super) choices: Vec<Choice>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    pub(super) message: Said,
}

/// What the model said.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Said {
    #[serde(default)]
    pub(super) content: Option<String>,
    #[serde(default, deserialize_with = "or_none")]
    pub(super) tool_calls: Vec<Asked>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    pub(super) id: Option<String>,
    pub(super) function: AskedFunction,
}

#[derive(Debug, Deserialize)]
pub(super) struct AskedFunction {
    pub(super) name: String,
    /// Text by the book; some servers send the object itself.
    #[serde(default)]
    pub(super) arguments: Value,
}

fn or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Asked>, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl Asked {
    /// The call as the conversation keeps it. One without an id gets one that is unique in its answer.
    pub(super) fn into_call(self, round: u32, index: usize) -> ToolCall {
        let id = self.id.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("call_{round}_{index}"));
        let arguments = match self.function.arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        };
        ToolCall::new(id, self.function.name, arguments)
    }
}

/// The body of a refusal.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Refusal {
    #[serde(default)]
    pub(super) error: RefusalError,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct RefusalError {
    #[serde(default)]
    pub(super) message: Option<String>,
    /// A text by the book; some servers send a number.
    #[serde(default)]
    pub(super) code: Option<Value>,
    #[serde(default, rename = "type")]
    pub(super) kind: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_are_written_by_the_book() {
        let call = ToolCall::new("c1".into(), "f".into(), "{}".into());
        let entries = [
            Entry::System { content: "s".into() },
            Entry::User { content: "u".into() },
            Entry::Assistant { content: None, tool_calls: vec![call] },
            Entry::Tool { tool_call_id: "c1".into(), content: "r".into() },
            Entry::Assistant { content: Some("a".into()), tool_calls: Vec::new() },
        ];
        let expected = json!([
            { "role": "system", "content": "s" },
            { "role": "user", "content": "u" },
            { "role": "assistant", "content": null, "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "f", "arguments": "{}" } },
            ] },
            { "role": "tool", "tool_call_id": "c1", "content": "r" },
            { "role": "assistant", "content": "a" },
        ]);
        assert_eq!(json!(entries), expected);
    }

    #[test]
    fn what_servers_leave_out_or_write_otherwise_is_borne_with() {
        let body = json!({ "choices": [{ "message": { "role": "assistant", "tool_calls": [
            { "function": { "name": "f", "arguments": { "a": 1 } } },
            { "id": "x", "function": { "name": "g" } },
        ] } }], "usage": null });
        let said = serde_json::from_value::<Response>(body).unwrap().choices.remove(0).message;
        let calls: Vec<ToolCall> =
            said.tool_calls.into_iter().enumerate().map(|(n, asked)| asked.into_call(2, n)).collect();
        assert_eq!(calls[0], ToolCall::new("call_2_0".into(), "f".into(), "{\"a\":1}".into()));
        assert_eq!(calls[1], ToolCall::new("x".into(), "g".into(), String::new()));
        let silent = json!({ "choices": [{ "message": { "content": null, "tool_calls": null } }] });
        assert!(serde_json::from_value::<Response>(silent).is_ok());
    }
}
