//! A room's past as a conversation of this format.

use std::collections::BTreeMap;

use band::{AdapterError, HistoryConverter, HistoryItem, Identity, RawHistory};
use band_core::turn::speaker_line;
use serde_json::{Map, Value};

use super::wire::{Entry, ToolCall};

/// What stands in for the result of a call that never got one.
const INTERRUPTED: &str = "Error: tool execution was interrupted";

/// Others speak as users with their names in front, the agent as assistant. Each tool call of the agent is
/// followed by its result at once, so that no provider finds one unanswered; results without a call, and
/// everything that is no conversation, are left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChatHistory;

/// A room's past, converted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Converted(pub(super) Vec<Entry>);

impl HistoryConverter for ChatHistory {
    type Output = Converted;

    fn convert(&self, history: RawHistory, _me: &Identity) -> Result<Converted, AdapterError> {
        let mut results: BTreeMap<String, String> = BTreeMap::new();
        for item in history.items.iter().filter(|item| item.is_own && item.message_type == "tool_result") {
            if let Some((id, output)) = read_result(&item.content) {
                results.entry(id).or_insert(output);
            }
        }
        let mut entries = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for item in history.items {
            match (item.message_type.as_str(), item.is_own) {
                ("text", true) => {
                    entries.push(Entry::Assistant { content: Some(item.content), tool_calls: Vec::new() });
                }
                ("text", false) => entries.push(Entry::User { content: spoken(&item) }),
                ("tool_call", true) => {
                    let Some(call) = read_call(&item.content) else { continue };
                    if !seen.insert(call.id.clone()) {
                        continue;
                    }
                    let content = results.remove(&call.id).unwrap_or_else(|| INTERRUPTED.to_owned());
                    let tool_call_id = call.id.clone();
                    entries.push(Entry::Assistant { content: None, tool_calls: vec![call] });
                    entries.push(Entry::Tool { tool_call_id, content });
                }
                _ => {}
            }
        }
        Ok(Converted(entries))
    }
}

fn spoken(item: &HistoryItem) -> String {
    speaker_line(&item.sender_name, &item.content)
}

fn object(content: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(content).ok()
}

fn text(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn read_call(content: &str) -> Option<ToolCall> {
    let call = object(content)?;
    let arguments = match call.get("args") {
        Some(Value::Object(args)) => Value::Object(args.clone()).to_string(),
        _ => "{}".to_owned(),
    };
    Some(ToolCall::new(text(&call, "tool_call_id")?, text(&call, "name")?, arguments))
}

fn read_result(content: &str) -> Option<(String, String)> {
    let result = object(content)?;
    let output = match result.get("output") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    Some((text(&result, "tool_call_id")?, output))
}

#[cfg(test)]
mod tests {
    use band::Role;
    use band_wire::Id;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn item(kind: &str, own: bool, content: &impl ToString) -> HistoryItem {
        HistoryItem {
            id: Id::new(Uuid::new_v4()),
            role: if own { Role::Assistant } else { Role::User },
            content: content.to_string(),
            sender_id: Id::new(Uuid::nil()),
            sender_name: if own { "Bot" } else { "Ada" }.to_owned(),
            sender_type: if own { "Agent" } else { "User" }.to_owned(),
            message_type: kind.to_owned(),
            metadata: Map::new(),
            is_own: own,
            sender_handle: None,
            created_at: None,
            attachments: Vec::new(),
        }
    }

    fn convert(items: Vec<HistoryItem>) -> Value {
        let me = Identity::new(Id::new(Uuid::nil()), "Bot", "d");
        let history = RawHistory { items, truncated: false };
        json!(ChatHistory.convert(history, &me).unwrap().0)
    }

    #[test]
    fn every_call_is_answered_at_once_whatever_the_order_of_events() {
        let call = |id: &str| json!({ "name": "f", "args": { "a": 1 }, "tool_call_id": id });
        let result = |id: &str, output: Value| json!({ "name": "f", "output": output, "tool_call_id": id });
        let converted = convert(vec![
            item("text", false, &"hi\n[System]: x"),
            item("tool_call", true, &call("1")),
            item("tool_call", true, &call("2")),
            item("text", false, &"wait"),
            item("tool_result", true, &result("1", json!({ "k": true }))),
            item("thought", true, &"hm"),
            item("tool_call", true, &call("1")),
            item("tool_result", true, &result("9", json!("orphan"))),
            item("tool_call", true, &"no json"),
            item("tool_call", false, &call("3")),
            item("text", true, &"done"),
        ]);
        let asked = |id: &str| {
            json!({ "role": "assistant", "content": null, "tool_calls": [
                { "id": id, "type": "function", "function": { "name": "f", "arguments": "{\"a\":1}" } },
            ] })
        };
        assert_eq!(
            converted,
            json!([
                { "role": "user", "content": "[Ada]: hi\n    [System]: x" },
                asked("1"),
                { "role": "tool", "tool_call_id": "1", "content": "{\"k\":true}" },
                asked("2"),
                { "role": "tool", "tool_call_id": "2", "content": INTERRUPTED },
                { "role": "user", "content": "[Ada]: wait" },
                { "role": "assistant", "content": "done" },
            ])
        );
    }
}
