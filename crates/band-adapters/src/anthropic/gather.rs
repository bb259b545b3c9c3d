//! Answers of the Messages API, in one piece or as a stream.

use std::collections::BTreeMap;

use band::Usage;
use band_core::transcript::Opaque;
use serde_json::{Value, json};

use crate::engine::{Arguments, AskedCall, Step, StepEnd};
use crate::provider::{FailureKind, Gather, ProviderFailure, SseEvent};
use crate::render::anthropic::PROVIDER;

/// The most blocks that one answer is taken to hold.
const BLOCKS_MAX: u64 = 1024;

/// Puts an answer together, a block at a time.
#[derive(Debug, Default)]
pub(super) struct GatherMessage {
    blocks: BTreeMap<u64, Block>,
    usage: Usage,
    reason: Option<String>,
    is_over: bool,
}

/// A block that grows.
#[derive(Debug, Default)]
struct Block {
    start: Value,
    /// Text, thought, or the input of a tool as JSON.
    grown: String,
    signature: String,
}

impl Gather for GatherMessage {
    type Done = Step;

    fn event(&mut self, event: &SseEvent) -> Result<bool, ProviderFailure> {
        let data: Value = serde_json::from_str(&event.data)
            .map_err(|err| ProviderFailure::unreadable(format!("an event is no JSON: {err}")))?;
        let index = data.get("index").and_then(Value::as_u64).unwrap_or_default();
        match data.get("type").and_then(Value::as_str).unwrap_or(&event.name) {
            "message_start" => {
                if let Some(usage) = data.pointer("/message/usage") {
                    self.count(usage);
                }
            }
            "content_block_start" if index < BLOCKS_MAX => {
                let start = data.get("content_block").cloned().unwrap_or_default();
                self.blocks.insert(index, Block { start, ..Block::default() });
            }
            "content_block_delta" => {
                if let (Some(block), Some(delta)) = (self.blocks.get_mut(&index), data.get("delta")) {
                    block.grow(delta);
                }
            }
            "message_delta" => {
                self.reason = data.pointer("/delta/stop_reason").and_then(Value::as_str).map(str::to_owned);
                if let Some(usage) = data.get("usage") {
                    self.count(usage);
                }
            }
            "message_stop" => {
                self.is_over = true;
                return Ok(true);
            }
            "error" => return Err(failed_midway(data.get("error").unwrap_or(&data))),
            _ => {}
        }
        Ok(false)
    }

    fn whole(&mut self, body: &Value) -> Result<(), ProviderFailure> {
        // A gateway may send its refusal as if all were well.
        if let Some(error) = body.get("error").filter(|error| error.is_object()) {
            return Err(failed_midway(error));
        }
        let Some(content) = body.get("content").and_then(Value::as_array) else {
            return Err(ProviderFailure::unreadable("the answer holds no content"));
        };
        for (index, block) in (0..).zip(content) {
            self.blocks.insert(index, Block { start: block.clone(), ..Block::default() });
        }
        if let Some(usage) = body.get("usage") {
            self.count(usage);
        }
        self.reason = body.get("stop_reason").and_then(Value::as_str).map(str::to_owned);
        self.is_over = true;
        Ok(())
    }

    fn usage(&self) -> Usage {
        self.usage
    }

    fn finish(self) -> Result<Step, ProviderFailure> {
        if !self.is_over && self.reason.is_none() {
            let broken = ProviderFailure::new(FailureKind::Connection, "connection", "the stream broke off");
            return Err(broken.with_usage(self.usage));
        }
        let mut step = Step { usage: self.usage, ..Step::default() };
        for block in self.blocks.into_values() {
            block.add_to(&mut step);
        }
        step.end = match self.reason.as_deref() {
            Some("pause_turn") => StepEnd::Paused,
            Some("refusal") => StepEnd::Refused("refusal".into()),
            Some("model_context_window_exceeded") if step.calls.is_empty() && step.text.is_empty() => {
                return Err(ProviderFailure::too_long("the model's context is full").with_usage(step.usage));
            }
            Some("max_tokens" | "model_context_window_exceeded") => StepEnd::CutShort,
            _ => StepEnd::Complete,
        };
        Ok(step)
    }
}

impl GatherMessage {
    /// Counts of a stream are of the whole so far; what one event leaves out keeps its count.
    fn count(&mut self, usage: &Value) {
        let count = |key: &str| usage.get(key).and_then(Value::as_u64);
        let read = count("cache_read_input_tokens").unwrap_or(self.usage.cache_read_tokens);
        let written = count("cache_creation_input_tokens").unwrap_or(self.usage.cache_write_tokens);
        let cached = self.usage.cache_read_tokens.saturating_add(self.usage.cache_write_tokens);
        // The provider leaves what was cached out of the input; here it is a part of it.
        let fresh = count("input_tokens").unwrap_or(self.usage.input_tokens.saturating_sub(cached));
        self.usage = Usage {
            input_tokens: fresh.saturating_add(read).saturating_add(written),
            output_tokens: count("output_tokens").unwrap_or(self.usage.output_tokens),
            cache_read_tokens: read,
            cache_write_tokens: written,
        };
    }
}

impl Block {
    fn grow(&mut self, delta: &Value) {
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        for key in ["text", "thinking", "partial_json"] {
            self.grown.push_str(text(key));
        }
        self.signature.push_str(text("signature"));
    }

    fn add_to(self, step: &mut Step) {
        let own = |key: &str| self.start.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        match self.start.get("type").and_then(Value::as_str) {
            Some("text") => {
                step.text.push_str(&own("text"));
                step.text.push_str(&self.grown);
            }
            Some("thinking") => {
                let thinking = own("thinking") + &self.grown;
                let signature = own("signature") + &self.signature;
                if !thinking.trim().is_empty() {
                    step.thoughts.push(thinking.clone());
                }
                let block = json!({ "type": "thinking", "thinking": thinking, "signature": signature });
                step.opaque.push(Opaque::new(PROVIDER, block));
            }
            Some("redacted_thinking") => step.opaque.push(Opaque::new(PROVIDER, self.start)),
            Some("tool_use") => {
                let arguments = if self.grown.is_empty() {
                    Arguments::Value(self.start.get("input").cloned().unwrap_or_default())
                } else {
                    Arguments::Text(self.grown.clone())
                };
                step.calls.push(AskedCall { id: own("id"), name: own("name"), arguments, opaque: None });
            }
            _ => {}
        }
    }
}

fn failed_midway(error: &Value) -> ProviderFailure {
    let field = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = field("type");
    let refusal = super::refusal(&json!({ "error": error }));
    if refusal.is_too_long {
        return ProviderFailure::too_long(refusal.text);
    }
    let failure = match kind {
        "overloaded_error" | "api_error" | "rate_limit_error" | "timeout_error" => FailureKind::Passing,
        _ => FailureKind::Refused,
    };
    ProviderFailure::new(failure, if kind.is_empty() { "error" } else { kind }, field("message"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(events: &[Value]) -> Result<Step, ProviderFailure> {
        let mut gather = GatherMessage::default();
        for event in events {
            gather.event(&SseEvent { name: String::new(), data: event.to_string() })?;
        }
        gather.finish()
    }

    fn block(start: &Value, deltas: &[Value]) -> Vec<Value> {
        let mut events = vec![json!({ "type": "content_block_start", "index": 0, "content_block": start })];
        let more =
            deltas.iter().map(|delta| json!({ "type": "content_block_delta", "index": 0, "delta": delta }));
        events.extend(more);
        events.push(json!({ "type": "message_stop" }));
        events
    }

    #[test]
    fn a_thought_comes_back_with_its_signature() {
        let start = json!({ "type": "thinking", "thinking": "", "signature": "" });
        let deltas = [
            json!({ "type": "thinking_delta", "thinking": "hm" }),
            json!({ "type": "signature_delta", "signature": "s1" }),
        ];
        let step = stream(&block(&start, &deltas)).unwrap();
        assert_eq!(step.thoughts, ["hm"]);
        let expected = json!({ "type": "thinking", "thinking": "hm", "signature": "s1" });
        assert_eq!(step.opaque[0].value, expected);
    }

    #[test]
    fn the_input_of_a_tool_grows_or_is_there_at_once() {
        let start = json!({ "type": "tool_use", "id": "t", "name": "f", "input": {} });
        let deltas = [
            json!({ "partial_json": "" }),
            json!({ "partial_json": "{\"a\":" }),
            json!({ "partial_json": "1}" }),
        ];
        let step = stream(&block(&start, &deltas)).unwrap();
        assert_eq!(step.calls[0].arguments.read().unwrap(), json!({ "a": 1 }));
        assert_eq!(stream(&block(&start, &[])).unwrap().calls[0].arguments.read().unwrap(), json!({}));
    }

    #[test]
    fn what_was_cached_is_a_part_of_the_input() {
        let mut gather = GatherMessage::default();
        gather.count(&json!({ "input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 1 }));
        gather.count(&json!({ "output_tokens": 7 }));
        let expected =
            Usage { input_tokens: 110, output_tokens: 7, cache_read_tokens: 100, cache_write_tokens: 0 };
        assert_eq!(gather.usage(), expected);
    }

    #[test]
    fn counts_that_no_model_reaches_do_no_harm() {
        let mut gather = GatherMessage::default();
        let count = json!({
            "input_tokens": u64::MAX, "cache_read_input_tokens": u64::MAX,
            "cache_creation_input_tokens": u64::MAX, "output_tokens": -1,
        });
        gather.count(&count);
        gather.count(&count);
        assert_eq!((gather.usage().input_tokens, gather.usage().output_tokens), (u64::MAX, 0));
    }

    #[test]
    fn a_refusal_in_place_of_an_answer_is_read_as_one() {
        let read = |kind: &str, text: &str| {
            let body = json!({ "type": "error", "error": { "type": kind, "message": text } });
            GatherMessage::default().whole(&body).unwrap_err()
        };
        let busy = read("overloaded_error", "Overloaded");
        assert_eq!((busy.kind, busy.code.as_str()), (FailureKind::Passing, "overloaded_error"));
        let long = read("invalid_request_error", "prompt is too long: 3 tokens > 2 maximum");
        assert_eq!(long.kind, FailureKind::TooLong);
        assert_eq!(read("no kind\nof mine", "x").code, "error");
    }

    #[test]
    fn a_stream_may_say_that_it_failed_or_just_break_off() {
        let overloaded =
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } });
        let failure = stream(&[overloaded]).unwrap_err();
        assert_eq!((failure.kind, failure.code.as_str()), (FailureKind::Passing, "overloaded_error"));
        let started = json!({ "type": "message_start", "message": { "usage": { "input_tokens": 4 } } });
        let failure = stream(&[started]).unwrap_err();
        assert_eq!((failure.kind, failure.usage.input_tokens), (FailureKind::Connection, 4));
    }

    #[test]
    fn why_it_stopped_is_told_apart() {
        let end = |reason: &str, text: &str| {
            let mut gather = GatherMessage::default();
            let content = json!([{ "type": "text", "text": text }]);
            gather.whole(&json!({ "content": content, "stop_reason": reason })).unwrap();
            gather.finish().map(|step| step.end)
        };
        assert_eq!(end("end_turn", "x").unwrap(), StepEnd::Complete);
        assert_eq!(end("max_tokens", "x").unwrap(), StepEnd::CutShort);
        assert_eq!(end("pause_turn", "x").unwrap(), StepEnd::Paused);
        assert_eq!(end("refusal", "x").unwrap(), StepEnd::Refused("refusal".into()));
        assert_eq!(end("model_context_window_exceeded", "x").unwrap(), StepEnd::CutShort);
        assert_eq!(end("model_context_window_exceeded", "").unwrap_err().kind, FailureKind::TooLong);
    }
}
