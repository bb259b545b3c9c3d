//! Anthropic Messages: the array `messages`.

use band_core::transcript::{Exchange, Outcome, Transcript};
use serde_json::{Value, json};

use super::names::{Ids, tool_name};
use super::{Step, output, steps};

/// Whose opaque values are put back: blocks of the types `thinking` and `redacted_thinking`.
pub const PROVIDER: &str = "anthropic";

/// The longest id of a call; no limit is published.
const ID_MAX: usize = 128;
/// The longest name of a tool.
const NAME_MAX: usize = 128;
/// The images that it takes.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// The messages; the system prompt is a field of its own there. The sides alternate.
pub fn messages(transcript: &Transcript) -> Vec<Value> {
    let mut sides = Sides::default();
    let mut ids = Ids::new(ID_MAX);
    for step in steps(transcript) {
        match step {
            Step::User(text) => sides.add("user", [text_block(&text)]),
            Step::Own(text) => sides.add("assistant", [text_block(text)]),
            Step::Exchange(exchange) => write(exchange, &mut ids, &mut sides),
        }
    }
    let message = |(role, content)| json!({ "role": role, "content": content });
    sides.0.into_iter().map(message).collect()
}

/// Whose turn it is, and the blocks of that turn.
#[derive(Default)]
struct Sides(Vec<(&'static str, Vec<Value>)>);

impl Sides {
    fn add(&mut self, role: &'static str, blocks: impl IntoIterator<Item = Value>) {
        match self.0.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => self.0.push((role, blocks.into_iter().collect())),
        }
    }

    /// Thoughts stand before all else that the agent wrote in a turn.
    fn add_thoughts(&mut self, thoughts: Vec<Value>) {
        match self.0.last_mut() {
            Some(("assistant", content)) => {
                content.splice(0..0, thoughts);
            }
            _ if thoughts.is_empty() => {}
            _ => self.0.push(("assistant", thoughts)),
        }
    }
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn write(exchange: &Exchange, ids: &mut Ids, sides: &mut Sides) {
    sides.add_thoughts(exchange.opaque_of(PROVIDER).filter(|block| is_thought(block)).cloned().collect());
    sides.add("assistant", exchange.text().map(text_block));
    let mut results = Vec::new();
    for one in exchange.calls() {
        let id = ids.give(&one.call.id);
        let name = tool_name(&one.call.name, NAME_MAX);
        sides.add(
            "assistant",
            [json!({ "type": "tool_use", "id": id, "name": name, "input": one.call.arguments })],
        );
        let mut result = json!({ "type": "tool_result", "tool_use_id": id, "content": given(&one.outcome) });
        if one.outcome.is_error
            && let Some(fields) = result.as_object_mut()
        {
            fields.insert("is_error".to_owned(), Value::Bool(true));
        }
        results.push(result);
    }
    sides.add("user", results);
}

/// A thought without its signature would be refused.
fn is_thought(block: &Value) -> bool {
    let has_text = |key| block.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    match block.get("type").and_then(Value::as_str) {
        Some("thinking") => has_text("signature"),
        Some("redacted_thinking") => has_text("data"),
        _ => false,
    }
}

/// A text, or a list where there are images. Of a failure only its text is taken.
fn given(outcome: &Outcome) -> Value {
    let shown = |image: &(&str, &str)| !outcome.is_error && IMAGES.contains(&image.0);
    let images: Vec<Value> = outcome
        .images()
        .filter(shown)
        .map(|(media_type, data)| {
            json!({ "type": "image", "source": { "type": "base64", "media_type": media_type, "data": data } })
        })
        .collect();
    if images.is_empty() {
        return Value::String(output(outcome));
    }
    let mut blocks = vec![text_block(&output(outcome))];
    blocks.extend(images);
    Value::Array(blocks)
}
