//! Calls of tools and their results as events of a room: JSON in the content of a message.
//!
//! Written here and read here, so that neither the id nor the mark of a failure can be forgotten. What other SDKs
//! write is read as far as it can be used.

use serde_json::{Map, Value, json};

use super::entry::{Call, Outcome};

/// A call or a result, as people see it in a room.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolEvent {
    /// A tool is about to run.
    Call(Call),
    /// What the tool gave.
    Result {
        /// The id of its call.
        id: String,
        /// The tool.
        name: String,
        /// A text as it is; anything else as a JSON value.
        output: Value,
        /// Whether it failed.
        is_error: bool,
    },
}

impl ToolEvent {
    /// The result of a call, for the room: images are replaced by how many there are.
    pub fn result(call: &Call, outcome: &Outcome) -> Self {
        let images = outcome.images().count();
        let mut output = outcome.as_text().into_owned();
        if images > 0 {
            if !output.is_empty() {
                output.push('\n');
            }
            output.push_str(&format!("<{images} image content block(s)>"));
        }
        Self::Result {
            id: call.id.clone(),
            name: call.name.clone(),
            output: Value::String(output),
            is_error: outcome.is_error,
        }
    }

    /// `tool_call` or `tool_result`.
    pub const fn message_type(&self) -> &'static str {
        match self {
            Self::Call(_) => "tool_call",
            Self::Result { .. } => "tool_result",
        }
    }

    /// The content of the event.
    pub fn content(&self) -> String {
        let content = match self {
            Self::Call(call) => {
                json!({ "name": call.name, "args": call.arguments, "tool_call_id": call.id })
            }
            Self::Result { id, name, output, is_error } => {
                json!({ "name": name, "output": output, "tool_call_id": id, "is_error": is_error })
            }
        };
        content.to_string()
    }
}

/// Reads the content of a `tool_call`. None, if it is no JSON object, or lacks its id or its name; arguments
/// that are no object count as none.
pub fn parse_tool_call(content: &str) -> Option<Call> {
    let mut event = object(content)?;
    let arguments = match event.remove("args") {
        Some(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    };
    Some(Call::new(text(&event, "tool_call_id")?, text(&event, "name")?, arguments))
}

/// Reads the content of a `tool_result` into the id and the name of its call and what came of it. None, if it is
/// no JSON object, or lacks id or name. An output that is no text is written as JSON.
pub fn parse_tool_result(content: &str) -> Option<(String, String, Outcome)> {
    let event = object(content)?;
    let output = match event.get("output") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let is_error = match event.get("is_error") {
        Some(Value::Bool(is_error)) => *is_error,
        Some(Value::String(word)) => word.eq_ignore_ascii_case("true"),
        _ => false,
    };
    let outcome = if is_error { Outcome::error(output) } else { Outcome::text(output) };
    Some((text(&event, "tool_call_id")?, text(&event, "name")?, outcome))
}

fn object(content: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(content).ok()
}

fn text(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_with_its_id_and_its_failure() {
        let Value::Object(arguments) = json!({ "city": "Ulm" }) else { panic!("no object") };
        let call = Call::new("c1", "weather", arguments);
        let event = ToolEvent::Call(call.clone());
        assert_eq!(
            serde_json::from_str::<Value>(&event.content()).unwrap(),
            json!({ "name": "weather", "args": { "city": "Ulm" }, "tool_call_id": "c1" })
        );
        assert_eq!(parse_tool_call(&event.content()), Some(call.clone()));
        for outcome in [Outcome::text("sunny"), Outcome::error("no such city"), Outcome::text("")] {
            let event = ToolEvent::result(&call, &outcome);
            let read = parse_tool_result(&event.content()).unwrap();
            assert_eq!(read, ("c1".to_owned(), "weather".to_owned(), outcome));
        }
    }

    #[test]
    fn an_image_is_shown_to_people_as_a_count() {
        use super::super::entry::Block;
        let image = Block::Image { media_type: "image/png".into(), data: "AAAA".into() };
        let call = Call::new("c1", "camera", Map::new());
        let blocks = vec![Block::Text("taken".into()), image.clone(), image];
        let content = ToolEvent::result(&call, &Outcome { blocks, is_error: false }).content();
        assert!(
            content.contains("taken\\n<2 image content block(s)>") && !content.contains("AAAA"),
            "{content}"
        );
    }

    #[test]
    fn calls_of_other_sdks_are_read_as_far_as_they_can_be_used() {
        let read = |event: Value| parse_tool_call(&event.to_string()).map(|call| json!(call.arguments));
        let base = |args: Value| json!({ "name": "f", "args": args, "tool_call_id": "1" });
        assert_eq!(read(base(json!({ "a": 1 }))), Some(json!({ "a": 1 })));
        for args in [json!(null), json!([1]), json!("{\"a\": 1}"), json!(7)] {
            assert_eq!(read(base(args)), Some(json!({})));
        }
        assert_eq!(read(json!({ "name": "f", "tool_call_id": "1" })), Some(json!({})));
        for unusable in [
            json!({ "name": "f" }),
            json!({ "name": "f", "tool_call_id": "" }),
            json!({ "name": "f", "tool_call_id": 1 }),
            json!({ "name": "f", "tool_call_id": null }),
            json!({ "tool_call_id": "1" }),
            json!({ "name": "", "tool_call_id": "1" }),
            json!({ "name": ["f"], "tool_call_id": "1" }),
            json!(["f"]),
            json!("f"),
            json!(null),
        ] {
            assert_eq!(read(unusable.clone()), None, "{unusable}");
            assert_eq!(parse_tool_result(&unusable.to_string()), None, "{unusable}");
        }
        for text in ["", "no json", "{", "{} {}"] {
            assert_eq!(parse_tool_call(text), None, "{text:?}");
            assert_eq!(parse_tool_result(text), None, "{text:?}");
        }
    }

    #[test]
    fn outputs_of_other_sdks_become_texts_and_failures_real_ones() {
        let read = |event: Value| {
            let (_, _, outcome) = parse_tool_result(&event.to_string()).unwrap();
            (outcome.as_text().into_owned(), outcome.is_error)
        };
        let with = |output: Value, is_error: Value| {
            read(json!({ "name": "f", "output": output, "tool_call_id": "1", "is_error": is_error }))
        };
        for (output, text) in [
            (json!("out"), "out"),
            (json!({ "k": true }), "{\"k\":true}"),
            (json!(null), "null"),
            (json!(true), "true"),
            (json!([1, "a"]), "[1,\"a\"]"),
            (json!(1.5), "1.5"),
        ] {
            assert_eq!(with(output, json!(false)), (text.to_owned(), false));
        }
        for (is_error, expected) in [
            (json!(true), true),
            (json!("true"), true),
            (json!("True"), true),
            (json!("false"), false),
            (json!(null), false),
            (json!(1), false),
        ] {
            assert_eq!(with(json!("x"), is_error.clone()).1, expected, "{is_error}");
        }
        assert_eq!(read(json!({ "name": "f", "tool_call_id": "1" })), (String::new(), false));
    }
}
