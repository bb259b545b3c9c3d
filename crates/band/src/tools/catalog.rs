//! The tools that a model is offered.

use serde_json::{Value, json};

use super::contacts;

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// Its group: `chat` for those that every room has.
    pub category: &'static str,
    /// What it does and when to use it.
    pub description: &'static str,
    /// A JSON Schema of its arguments.
    pub parameters: Value,
}

pub(super) const SEND_MESSAGE: &str = "band_send_message";
pub(super) const NO_REPLY: &str = "band_no_reply";
pub(super) const GET_PARTICIPANTS: &str = "band_get_participants";

/// The tools of a room, whatever was chosen, in the order in which they are advertised.
pub fn tool_specs() -> Vec<ToolSpec> {
    let chat = [send_message(), no_reply(), get_participants()];
    chat.into_iter().chain(contacts::specs()).collect()
}

fn send_message() -> ToolSpec {
    ToolSpec {
        name: SEND_MESSAGE,
        category: "chat",
        description: "Say something in this room. Only those you mention are notified, and only this tool \
                      makes your words visible: plain text that you write reaches nobody.",
        parameters: json!({
            "type": "object",
            "properties": {
                "content": { "type": "string", "description": "What to say. It must not be blank." },
                "mentions": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "Who it is for, one at least. A participant's id is safest; a handle works \
                                    too: @user for a person, @user/agent for an agent.",
                },
            },
            "required": ["content", "mentions"],
        }),
    }
}

fn no_reply() -> ToolSpec {
    ToolSpec {
        name: NO_REPLY,
        category: "chat",
        description: "End this turn in silence. Use it when the newest message needs no answer from you: it is \
                      meant for someone else, only informs or thanks, or was dealt with already.",
        parameters: json!({
            "type": "object",
            "properties": {
                "reason": {
                    "anyOf": [{ "type": "string" }, { "type": "null" }],
                    "default": null,
                    "description": "Why, in a few words. It goes to the agent's log; nobody in the room sees it.",
                },
            },
        }),
    }
}

fn get_participants() -> ToolSpec {
    ToolSpec {
        name: GET_PARTICIPANTS,
        category: "chat",
        description: "List who is in this room right now, with ids, handles, names and roles.",
        parameters: json!({ "type": "object", "properties": {} }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemas_are_the_advertised_ones() {
        let facts: Value = serde_json::from_str(include_str!("../../../band-wire/facts/tools.json")).unwrap();
        let specs = tool_specs();
        let advertised =
            facts["tools"].as_array().unwrap().iter().filter(|tool| {
                tool["surface"] == "agent" && specs.iter().any(|spec| tool["name"] == spec.name)
            });
        let advertised: Vec<(&str, Value)> =
            advertised.map(|tool| (tool["name"].as_str().unwrap(), tool["parameters"].clone())).collect();
        let ours: Vec<(&str, Value)> =
            specs.iter().map(|spec| (spec.name, without_prose(spec.parameters.clone()))).collect();
        assert_eq!(ours, advertised, "schemas and order");
        assert_eq!(ours.len(), 8);
        for tool in facts["tools"].as_array().unwrap() {
            if let Some(spec) = specs.iter().find(|spec| tool["name"] == spec.name) {
                assert_eq!(tool["group"], spec.category, "{}", spec.name);
            }
        }
    }

    fn without_prose(schema: Value) -> Value {
        let Value::Object(map) = schema else { return schema };
        let kept = map.into_iter().filter(|(key, value)| key != "description" || !value.is_string());
        Value::Object(kept.map(|(key, value)| (key, without_prose(value))).collect())
    }
}
