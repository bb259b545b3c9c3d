//! Answers of the Gemini API, in one piece or as a stream.

use band::Usage;
use band_core::transcript::Opaque;
use serde_json::Value;

use crate::engine::{Arguments, AskedCall, Step, StepEnd};
use crate::provider::{FailureKind, Gather, ProviderFailure, SseEvent};
use crate::render::gemini::PROVIDER;

/// Puts an answer together. Each event of a stream is a response with further parts.
#[derive(Debug, Default)]
pub(super) struct GatherContent {
    step: Step,
    thinking: String,
    reason: Option<String>,
    blocked: Option<String>,
    has_candidate: bool,
}

impl Gather for GatherContent {
    type Done = Step;

    fn event(&mut self, event: &SseEvent) -> Result<bool, ProviderFailure> {
        let data: Value = serde_json::from_str(&event.data)
            .map_err(|err| ProviderFailure::unreadable(format!("an event is no JSON: {err}")))?;
        self.whole(&data)?;
        Ok(false)
    }

    fn whole(&mut self, body: &Value) -> Result<(), ProviderFailure> {
        // In a stream, or from a gateway that sends its refusal as if all were well.
        if let Some(error) = body.get("error").filter(|error| error.is_object()) {
            return Err(failed_midway(error));
        }
        if let Some(usage) = body.get("usageMetadata") {
            self.step.usage = usage_of(usage);
        }
        if let Some(why) = body.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            self.blocked = Some(why.to_owned());
        }
        let Some(candidate) = body.pointer("/candidates/0") else { return Ok(()) };
        self.has_candidate = true;
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            self.reason = Some(reason.to_owned());
        }
        for part in candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten() {
            self.part(part);
        }
        Ok(())
    }

    fn usage(&self) -> Usage {
        self.step.usage
    }

    fn finish(mut self) -> Result<Step, ProviderFailure> {
        let usage = self.step.usage;
        if let Some(why) = self.blocked {
            return Ok(Step { usage, end: StepEnd::Refused(why), ..Step::default() });
        }
        if !self.has_candidate {
            return Err(ProviderFailure::unreadable("the answer holds no candidate").with_usage(usage));
        }
        let Some(reason) = self.reason else {
            let broken = ProviderFailure::new(FailureKind::Connection, "connection", "the stream broke off");
            return Err(broken.with_usage(usage));
        };
        if !self.thinking.trim().is_empty() {
            self.step.thoughts.push(self.thinking);
        }
        self.step.end = match reason.as_str() {
            "STOP" | "FINISH_REASON_UNSPECIFIED" => StepEnd::Complete,
            "MAX_TOKENS" => StepEnd::CutShort,
            // The model has botched a call: asked again, it mostly gets it right.
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "MALFORMED_RESPONSE"
                if self.step.calls.is_empty() =>
            {
                StepEnd::Paused
            }
            _ if !self.step.calls.is_empty() => StepEnd::Complete,
            why => StepEnd::Refused(why.to_owned()),
        };
        Ok(self.step)
    }
}

impl GatherContent {
    fn part(&mut self, part: &Value) {
        let signature = part.get("thoughtSignature");
        if let Some(call) = part.get("functionCall") {
            let field = |key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            self.step.calls.push(AskedCall {
                id: field("id"),
                name: field("name"),
                arguments: Arguments::Value(call.get("args").cloned().unwrap_or_default()),
                opaque: signature.map(|signature| Opaque::new(PROVIDER, signature.clone())),
            });
            return;
        }
        let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
        let is_thought = part.get("thought").and_then(Value::as_bool).unwrap_or_default();
        if is_thought { self.thinking.push_str(text) } else { self.step.text.push_str(text) }
    }
}

/// Thoughts are no part of the provider's count of the output; here they are.
fn usage_of(usage: &Value) -> Usage {
    let count = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or_default();
    Usage {
        input_tokens: count("promptTokenCount").saturating_add(count("toolUsePromptTokenCount")),
        output_tokens: count("candidatesTokenCount").saturating_add(count("thoughtsTokenCount")),
        cache_read_tokens: count("cachedContentTokenCount"),
        cache_write_tokens: 0,
    }
}

fn failed_midway(error: &Value) -> ProviderFailure {
    let refusal = super::refusal(&serde_json::json!({ "error": error }));
    if refusal.is_too_long {
        return ProviderFailure::too_long(refusal.text);
    }
    let code = error.get("code").and_then(Value::as_u64).unwrap_or(500);
    let text = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let kind = if matches!(code, 429 | 500..) { FailureKind::Passing } else { FailureKind::Refused };
    ProviderFailure::new(kind, code.to_string(), text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: &Value) -> Result<Step, ProviderFailure> {
        let mut gather = GatherContent::default();
        gather.whole(body)?;
        gather.finish()
    }

    #[test]
    fn a_refusal_in_place_of_an_answer_is_read_as_one() {
        let busy = json!({ "error": { "code": 503, "message": "overloaded" } });
        assert_eq!(read(&busy).unwrap_err().kind, FailureKind::Passing);
        let text = "The input token count (9) exceeds the maximum number of tokens allowed (8).";
        let long = json!({ "error": { "code": 400, "message": text } });
        assert_eq!(read(&long).unwrap_err().kind, FailureKind::TooLong);
    }

    #[test]
    fn calls_keep_their_signatures_and_thoughts_count_as_output() {
        let parts = json!([
            { "text": "hm", "thought": true },
            { "text": "I look." },
            { "functionCall": { "name": "f", "args": { "a": 1 } }, "thoughtSignature": "s" },
            { "functionCall": { "id": "x", "name": "g" } },
        ]);
        let body = json!({
            "candidates": [{ "content": { "parts": parts }, "finishReason": "STOP" }],
            "usageMetadata": { "promptTokenCount": 9, "candidatesTokenCount": 4, "thoughtsTokenCount": 3 },
        });
        let step = read(&body).unwrap();
        assert_eq!((step.text.as_str(), step.thoughts.as_slice()), ("I look.", ["hm".to_owned()].as_slice()));
        assert_eq!(step.calls[0].opaque.as_ref().unwrap().value, json!("s"));
        assert_eq!(step.calls[1].arguments.read().unwrap(), json!({}));
        assert_eq!((step.usage.input_tokens, step.usage.output_tokens), (9, 7));
    }

    #[test]
    fn why_it_stopped_is_told_apart() {
        let end =
            |reason: &str| read(&json!({ "candidates": [{ "finishReason": reason }] })).map(|step| step.end);
        assert_eq!(end("STOP").unwrap(), StepEnd::Complete);
        assert_eq!(end("MAX_TOKENS").unwrap(), StepEnd::CutShort);
        assert_eq!(end("MALFORMED_FUNCTION_CALL").unwrap(), StepEnd::Paused);
        assert_eq!(end("SAFETY").unwrap(), StepEnd::Refused("SAFETY".into()));
        let blocked = json!({ "promptFeedback": { "blockReason": "OTHER" } });
        assert_eq!(read(&blocked).unwrap().end, StepEnd::Refused("OTHER".into()));
        assert_eq!(read(&json!({})).unwrap_err().kind, FailureKind::Unreadable);
        assert_eq!(read(&json!({ "candidates": [{}] })).unwrap_err().kind, FailureKind::Connection);
    }
}
