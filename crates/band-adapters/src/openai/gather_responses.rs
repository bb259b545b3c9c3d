//! Answers of the Responses API, in one piece or as a stream.

use band::Usage;
use band_core::transcript::Opaque;
use serde_json::Value;

use super::gather_chat::failed_midway;
use crate::engine::{Arguments, AskedCall, Step, StepEnd};
use crate::provider::{FailureKind, Gather, ProviderFailure, SseEvent};
use crate::render::responses::PROVIDER;

/// Puts an answer together. Of a stream the items are taken as each is done; the last event has the rest.
#[derive(Debug, Default)]
pub(super) struct GatherResponses {
    step: Step,
    is_over: bool,
}

impl Gather for GatherResponses {
    type Done = Step;

    fn event(&mut self, event: &SseEvent) -> Result<bool, ProviderFailure> {
        if event.data.trim() == "[DONE]" {
            return Ok(true);
        }
        let data: Value = serde_json::from_str(&event.data)
            .map_err(|err| ProviderFailure::unreadable(format!("an event is no JSON: {err}")))?;
        let kind = data.get("type").and_then(Value::as_str).unwrap_or(&event.name);
        match kind {
            "response.output_item.done" => {
                if let Some(item) = data.get("item") {
                    self.item(item);
                }
                Ok(false)
            }
            "response.completed" | "response.incomplete" => {
                self.end(data.get("response").unwrap_or(&Value::Null))?;
                Ok(true)
            }
            "response.failed" => {
                let error = data.pointer("/response/error").unwrap_or(&Value::Null);
                Err(failed_midway(error))
            }
            "error" => Err(failed_midway(data.get("error").unwrap_or(&data))),
            _ => Ok(false),
        }
    }

    fn whole(&mut self, body: &Value) -> Result<(), ProviderFailure> {
        let Some(output) = body.get("output").and_then(Value::as_array) else {
            return Err(ProviderFailure::unreadable("the answer holds no output"));
        };
        for item in output {
            self.item(item);
        }
        self.end(body)
    }

    fn usage(&self) -> Usage {
        self.step.usage
    }

    fn finish(self) -> Result<Step, ProviderFailure> {
        if self.is_over {
            return Ok(self.step);
        }
        let broken = ProviderFailure::new(FailureKind::Connection, "connection", "the stream broke off");
        Err(broken.with_usage(self.step.usage))
    }
}

impl GatherResponses {
    fn item(&mut self, item: &Value) {
        let field = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        match item.get("type").and_then(Value::as_str) {
            Some("message") => {
                for part in item.get("content").and_then(Value::as_array).into_iter().flatten() {
                    let text = part.get("text").or_else(|| part.get("refusal"));
                    self.step.text.push_str(text.and_then(Value::as_str).unwrap_or_default());
                }
            }
            Some("function_call") => self.step.calls.push(AskedCall {
                id: field("call_id"),
                name: field("name"),
                arguments: Arguments::Text(field("arguments")),
                opaque: None,
            }),
            Some("reasoning") => {
                for part in item.get("summary").and_then(Value::as_array).into_iter().flatten() {
                    self.step.thoughts.extend(part.get("text").and_then(Value::as_str).map(str::to_owned));
                }
                // Without its sealed content it means nothing to a provider that stored nothing.
                if item.get("encrypted_content").is_some_and(Value::is_string) {
                    self.step.opaque.push(Opaque::new(PROVIDER, sendable(item)));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, response: &Value) -> Result<(), ProviderFailure> {
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            let count = |path: &str| usage.pointer(path).and_then(Value::as_u64).unwrap_or_default();
            self.step.usage = Usage {
                input_tokens: count("/input_tokens"),
                output_tokens: count("/output_tokens"),
                cache_read_tokens: count("/input_tokens_details/cached_tokens"),
                cache_write_tokens: count("/input_tokens_details/cache_write_tokens"),
            };
        }
        if let Some(error) = response.get("error").filter(|error| error.is_object()) {
            return Err(failed_midway(error).with_usage(self.step.usage));
        }
        let why = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        self.step.end = match why {
            Some("max_output_tokens") => StepEnd::CutShort,
            Some(why) => StepEnd::Refused(why.to_owned()),
            None => StepEnd::Complete,
        };
        self.is_over = true;
        Ok(())
    }
}

/// A reasoning item as it may be sent back: its status is for reading only.
fn sendable(item: &Value) -> Value {
    let mut item = item.clone();
    if let Some(fields) = item.as_object_mut() {
        fields.retain(|key, _| ["type", "id", "summary", "encrypted_content"].contains(&key.as_str()));
    }
    item
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_read_with_its_reasoning_to_be_sent_back() {
        let mut gather = GatherResponses::default();
        let body = json!({
            "status": "completed", "output": [
                { "type": "reasoning", "id": "rs", "summary": [{ "type": "summary_text", "text": "hm" }],
                  "encrypted_content": "x", "status": null },
                { "type": "message", "content": [{ "type": "output_text", "text": "I look." }] },
                { "type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"a\":1}" },
                { "type": "web_search_call" },
            ],
            "usage": { "input_tokens": 9, "output_tokens": 4, "input_tokens_details": { "cached_tokens": 5 } },
        });
        gather.whole(&body).unwrap();
        let step = gather.finish().unwrap();
        assert_eq!((step.text.as_str(), step.thoughts.as_slice()), ("I look.", ["hm".to_owned()].as_slice()));
        assert_eq!(step.calls[0].arguments.read().unwrap(), json!({ "a": 1 }));
        assert!(step.opaque[0].value.get("status").is_none());
        assert_eq!((step.usage.input_tokens, step.usage.cache_read_tokens), (9, 5));
    }

    #[test]
    fn the_end_of_an_answer_is_told_apart() {
        let end = |response: Value| {
            let mut gather = GatherResponses::default();
            gather.end(&response).map(|()| gather.step.end)
        };
        let incomplete =
            |why: &str| json!({ "status": "incomplete", "incomplete_details": { "reason": why } });
        assert_eq!(end(incomplete("max_output_tokens")).unwrap(), StepEnd::CutShort);
        assert_eq!(end(incomplete("content_filter")).unwrap(), StepEnd::Refused("content_filter".into()));
        let failed = json!({ "error": { "code": "server_error", "message": "bad day" } });
        assert_eq!(end(failed).unwrap_err().code, "server_error");
        assert_eq!(GatherResponses::default().finish().unwrap_err().kind, FailureKind::Connection);
    }
}
