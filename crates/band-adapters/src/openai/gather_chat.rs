//! Answers of Chat Completions, in one piece or as a stream.

use band::Usage;
use serde_json::Value;

use crate::engine::{Arguments, AskedCall, Step, StepEnd};
use crate::provider::{FailureKind, Gather, ProviderFailure, SseEvent};

/// The most calls that one answer is taken to hold.
const CALLS_MAX: usize = 128;

/// Puts an answer together. What servers of this format leave out or add is borne with.
#[derive(Debug, Default)]
pub(super) struct GatherChat {
    step: Step,
    thinking: String,
    reason: Option<String>,
    has_choice: bool,
    is_over: bool,
}

impl Gather for GatherChat {
    type Done = Step;

    fn event(&mut self, event: &SseEvent) -> Result<bool, ProviderFailure> {
        let data = event.data.trim();
        if data == "[DONE]" {
            self.is_over = true;
            return Ok(true);
        }
        if data.is_empty() {
            return Ok(false);
        }
        let chunk: Value = serde_json::from_str(data)
            .map_err(|err| ProviderFailure::unreadable(format!("an event is no JSON: {err}")))?;
        self.take(&chunk, "delta")?;
        Ok(false)
    }

    fn whole(&mut self, body: &Value) -> Result<(), ProviderFailure> {
        self.take(body, "message")?;
        self.is_over = true;
        Ok(())
    }

    fn usage(&self) -> Usage {
        self.step.usage
    }

    fn finish(mut self) -> Result<Step, ProviderFailure> {
        if !self.has_choice {
            return Err(ProviderFailure::unreadable("the answer holds no choice").with_usage(self.step.usage));
        }
        if !self.is_over && self.reason.is_none() {
            let broken = ProviderFailure::new(FailureKind::Connection, "connection", "the stream broke off");
            return Err(broken.with_usage(self.step.usage));
        }
        self.step.calls.retain(|call| !call.name.is_empty());
        if !self.thinking.trim().is_empty() {
            self.step.thoughts.push(self.thinking);
        }
        self.step.end = match self.reason.as_deref() {
            Some("length") => StepEnd::CutShort,
            Some("content_filter") => StepEnd::Refused("content_filter".into()),
            _ => StepEnd::Complete,
        };
        Ok(self.step)
    }
}

impl GatherChat {
    /// One chunk, or the whole of it: they differ in where the message stands.
    fn take(&mut self, body: &Value, message: &str) -> Result<(), ProviderFailure> {
        if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
            return Err(failed_midway(error));
        }
        if let Some(usage) = body.get("usage").filter(|usage| usage.is_object()) {
            self.step.usage = usage_of(usage);
        }
        let Some(choice) = body.get("choices").and_then(|choices| choices.get(0)) else { return Ok(()) };
        self.has_choice = true;
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.reason = Some(reason.to_owned());
        }
        let Some(said) = choice.get(message).or_else(|| choice.get("message")) else { return Ok(()) };
        if let Some(text) = said.get("content") {
            append(&mut self.step.text, text);
        }
        if let Some(text) = said.get("refusal").and_then(Value::as_str) {
            self.step.text.push_str(text);
        }
        // vLLM, llama.cpp and others; OpenRouter.
        let thinking = said.get("reasoning_content").or_else(|| said.get("reasoning"));
        if let Some(text) = thinking {
            append(&mut self.thinking, text);
        }
        let calls = said.get("tool_calls").and_then(Value::as_array);
        for (place, call) in calls.into_iter().flatten().enumerate() {
            self.take_call(place, call)?;
        }
        Ok(())
    }

    fn take_call(&mut self, place: usize, call: &Value) -> Result<(), ProviderFailure> {
        let index = call.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
        let mut index = index.unwrap_or(place);
        // Some servers number every call 0; a new id then means a new call.
        let is_taken = |call: &AskedCall| !id.is_empty() && !call.id.is_empty() && call.id != id;
        if self.step.calls.get(index).is_some_and(is_taken) {
            let known = self.step.calls.iter().position(|call| call.id == id);
            index = known.unwrap_or(self.step.calls.len());
        }
        if index >= CALLS_MAX {
            return Err(ProviderFailure::unreadable("the answer holds too many calls"));
        }
        while self.step.calls.len() <= index {
            let arguments = Arguments::Text(String::new());
            self.step.calls.push(AskedCall {
                id: String::new(),
                name: String::new(),
                arguments,
                opaque: None,
            });
        }
        let Some(kept) = self.step.calls.get_mut(index) else { return Ok(()) };
        if !id.is_empty() {
            id.clone_into(&mut kept.id);
        }
        let Some(function) = call.get("function") else { return Ok(()) };
        if let Some(name) = function.get("name").and_then(Value::as_str).filter(|_| kept.name.is_empty()) {
            name.clone_into(&mut kept.name);
        }
        match (function.get("arguments"), &mut kept.arguments) {
            (None | Some(Value::Null), _) => {}
            (Some(Value::String(more)), Arguments::Text(text)) => text.push_str(more),
            // Text by the book; some servers send the object itself.
            (Some(value), _) => kept.arguments = Arguments::Value(value.clone()),
        }
        Ok(())
    }
}

/// A text, or the texts of a list of parts.
fn append(text: &mut String, more: &Value) {
    match more {
        Value::String(more) => text.push_str(more),
        Value::Array(parts) => {
            for part in parts {
                text.push_str(part.get("text").and_then(Value::as_str).unwrap_or_default());
            }
        }
        _ => {}
    }
}

/// A stream that had begun well says that it failed.
pub(super) fn failed_midway(error: &Value) -> ProviderFailure {
    let refusal = super::refusal(&serde_json::json!({ "error": error }));
    if refusal.is_too_long {
        return ProviderFailure::too_long(refusal.text);
    }
    let code = error.get("code").map(|code| code.as_str().map_or_else(|| code.to_string(), str::to_owned));
    let code = code.filter(|code| code != "null").unwrap_or_else(|| "error".to_owned());
    ProviderFailure::new(FailureKind::Passing, code, refusal.text)
}

fn usage_of(usage: &Value) -> Usage {
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64).unwrap_or_default();
    let deepseek = count("/prompt_cache_hit_tokens");
    Usage {
        input_tokens: count("/prompt_tokens"),
        output_tokens: count("/completion_tokens"),
        cache_read_tokens: count("/prompt_tokens_details/cached_tokens").max(deepseek),
        cache_write_tokens: count("/prompt_tokens_details/cache_write_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn whole(message: &Value, reason: Option<&str>) -> Step {
        let mut gather = GatherChat::default();
        gather.whole(&json!({ "choices": [{ "message": message, "finish_reason": reason }] })).unwrap();
        gather.finish().unwrap()
    }

    fn stream(deltas: &[Value]) -> Result<Step, ProviderFailure> {
        let mut gather = GatherChat::default();
        for delta in deltas {
            let data =
                json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }).to_string();
            gather.event(&SseEvent { name: String::new(), data })?;
        }
        gather.event(&SseEvent { name: String::new(), data: "[DONE]".into() })?;
        gather.finish()
    }

    fn calls(step: &Step) -> Vec<(String, String, Value)> {
        step.calls
            .iter()
            .map(|call| (call.id.clone(), call.name.clone(), call.arguments.read().unwrap()))
            .collect()
    }

    #[test]
    fn what_servers_leave_out_or_write_otherwise_is_borne_with() {
        let step = whole(
            &json!({ "role": "assistant", "tool_calls": [
                { "function": { "name": "f", "arguments": { "a": 1 } } },
                { "id": "x", "function": { "name": "g" } },
            ] }),
            None,
        );
        let f = (String::new(), "f".to_owned(), json!({ "a": 1 }));
        assert_eq!(calls(&step), [f, ("x".to_owned(), "g".to_owned(), json!({}))]);
        let silent = whole(&json!({ "content": null, "tool_calls": null }), Some("stop"));
        assert_eq!(silent, Step::default());
        let parts =
            whole(&json!({ "content": [{ "type": "text", "text": "a" }, { "text": "b" }] }), Some("length"));
        assert_eq!((parts.text.as_str(), parts.end), ("ab", StepEnd::CutShort));
        let thinks = whole(&json!({ "content": "x", "reasoning": "hm" }), None);
        assert_eq!(thinks.thoughts, ["hm"]);
    }

    #[test]
    fn a_call_is_put_together_from_its_pieces_however_servers_number_them() {
        let piece = |index: u64, id: Option<&str>, name: Option<&str>, arguments: &str| json!({ "tool_calls": [{ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }] });
        let step = stream(&[
            piece(0, Some("a"), Some("f"), ""),
            piece(0, None, None, "{\"x\":"),
            piece(1, Some("b"), Some("g"), "{}"),
            piece(0, None, None, "1}"),
        ])
        .unwrap();
        let f = ("a".to_owned(), "f".to_owned(), json!({ "x": 1 }));
        let g = ("b".to_owned(), "g".to_owned(), json!({}));
        assert_eq!(calls(&step), [f.clone(), g.clone()]);
        let all_zero = [piece(0, Some("a"), Some("f"), "{\"x\":1}"), piece(0, Some("b"), Some("g"), "{}")];
        assert_eq!(calls(&stream(&all_zero).unwrap()), [f, g]);
    }

    #[test]
    fn a_stream_that_breaks_off_is_no_answer() {
        let mut gather = GatherChat::default();
        let data =
            json!({ "choices": [{ "delta": { "content": "half" } }], "usage": { "prompt_tokens": 3 } });
        gather.event(&SseEvent { name: String::new(), data: data.to_string() }).unwrap();
        let failure = gather.finish().unwrap_err();
        assert_eq!((failure.kind, failure.usage.input_tokens), (FailureKind::Connection, 3));
        let error = json!({ "error": { "message": "overloaded", "code": 502 } }).to_string();
        let failure =
            GatherChat::default().event(&SseEvent { name: String::new(), data: error }).unwrap_err();
        assert_eq!((failure.kind, failure.code.as_str()), (FailureKind::Passing, "502"));
        let failure = stream(&[piece_of_many()]).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unreadable);
    }

    fn piece_of_many() -> Value {
        json!({ "tool_calls": [{ "index": 1_000_000_000, "function": { "name": "f" } }] })
    }
}
