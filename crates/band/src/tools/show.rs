//! What a model says and shows, and what people see of its calls.

use band_wire::rest::{CreateEvent, EventType, Recipient};
use band_wire::text::cut_middle;
use band_wire::tools::args::{SendEventArgs, SendMessageArgs, ShownEvent};
use serde_json::{Value, json};

use super::{CUT, RoomTools, ToolError, ToolOutcome};
use crate::adapter::Emit;
use crate::error::Result;

/// The tool whose content people need not see twice.
const SEND_FILE: &str = "band_send_room_file";

impl RoomTools {
    /// Shows people that the model calls a tool, if the adapter was chosen to: before the call. The contents of a file
    /// are left out. That it can't be shown is logged.
    pub async fn show_call(&self, call_id: &str, name: &str, args: &Value) {
        if !self.shared.features.emits(Emit::ToolCalls) {
            return;
        }
        let content = fitting(|most| {
            let args = bounded(&redacted(name, args), most);
            json!({ "name": name, "args": args, "tool_call_id": call_id })
        });
        self.send_event_safe(EventType::ToolCall, content, None).await;
    }

    /// Shows people what came of the call, if the adapter was chosen to. A turn that is over shows nothing more.
    pub async fn show_result(&self, call_id: &str, name: &str, outcome: &ToolOutcome) {
        if !self.shared.features.emits(Emit::ToolCalls) || matches!(outcome, ToolOutcome::TurnOver(_)) {
            return;
        }
        let (output, is_error) = (outcome.to_model_text(), !outcome.is_ok());
        let content = fitting(|most| {
            let output = cut_middle(&output, most, CUT);
            json!({ "name": name, "output": output, "tool_call_id": call_id, "is_error": is_error })
        });
        self.send_event_safe(EventType::ToolResult, content, None).await;
    }

    pub(super) async fn do_send_message(&self, args: SendMessageArgs) -> Result<Value> {
        let found = self.resolve(&args.mentions).await?;
        let sent = self.send_to(args.content, found.to).await?;
        let unnamed: Vec<String> =
            sent.recipients.iter().filter(|one| one.handle.is_empty()).map(named).collect();
        if !unnamed.is_empty() {
            return Err(ToolError::Unconfirmed { id: sent.id, recipients: unnamed.join(", ") }.into());
        }
        let mut sent = json!(sent);
        if let (true, Some(sent)) = (found.self_dropped, sent.as_object_mut()) {
            sent.insert("warning".to_owned(), "you were left out of the mentions".into());
        }
        Ok(sent)
    }

    pub(super) async fn do_send_event(&self, args: SendEventArgs) -> Result<Value> {
        let kind = match args.message_type {
            ShownEvent::Thought => EventType::Thought,
            ShownEvent::Error => EventType::Error,
            ShownEvent::Task => EventType::Task,
        };
        super::dispatch::told(self.send_event(kind, args.content, args.metadata).await)
    }
}

fn named(recipient: &Recipient) -> String {
    match &recipient.name {
        Some(name) => format!("id={} name={name}", recipient.id),
        None => format!("id={}", recipient.id),
    }
}

/// The arguments of a call as others may see them: without the contents of a file, of which the size is told.
pub fn redacted(name: &str, args: &Value) -> Value {
    let mut shown = args.clone();
    if name == SEND_FILE
        && let Some(Value::String(content)) = shown.get_mut("content")
    {
        *content = format!("<{} byte file content>", content.len());
    }
    shown
}

/// Texts that are too long lose their middle, so that what is left is an event that can be read.
fn fitting(content: impl Fn(usize) -> Value) -> String {
    let mut most = CreateEvent::MAX_CONTENT;
    loop {
        let text = content(most).to_string();
        if text.chars().count() <= CreateEvent::MAX_CONTENT || most < 2 {
            return text;
        }
        most /= 2;
    }
}

fn bounded(value: &Value, most: usize) -> Value {
    match value {
        Value::String(text) => cut_middle(text, most, CUT).into(),
        Value::Array(items) => items.iter().take(most).map(|item| bounded(item, most)).collect(),
        Value::Object(map) => {
            map.iter().take(most).map(|(key, value)| (key.clone(), bounded(value, most))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::{Features, Supported};
    use crate::testing::FakeTools;

    fn room() -> FakeTools {
        let supported = Supported { emit: Emit::ToolCalls.into(), ..Supported::default() };
        FakeTools::new().with_features(Features::new().resolve("Foo", &supported).unwrap())
    }

    #[tokio::test]
    async fn calls_and_results_are_shown_as_the_interface_says() {
        let fake = room();
        let tools = fake.tools();
        tools.show_call("c1", "band_get_participants", &json!({})).await;
        tools.show_result("c1", "band_get_participants", &ToolOutcome::Failed("no".into())).await;
        let events = fake.events();
        let read = |at: usize| serde_json::from_str::<Value>(&events[at].content).unwrap();
        assert_eq!(events[0].kind, EventType::ToolCall);
        assert_eq!(read(0), json!({ "name": "band_get_participants", "args": {}, "tool_call_id": "c1" }));
        assert_eq!(
            read(1),
            json!({ "name": "band_get_participants", "output": "no", "tool_call_id": "c1", "is_error": true })
        );
        let silent = FakeTools::new();
        silent.tools().show_call("c1", "x", &json!({})).await;
        assert!(silent.events().is_empty(), "not chosen");
    }

    #[tokio::test]
    async fn file_contents_are_not_shown_and_long_texts_leave_an_event_that_can_be_read() {
        let fake = room();
        let tools = fake.tools();
        let args = json!({ "content": "grüße", "filename": "a.md" });
        tools.show_call("c1", "band_send_room_file", &args).await;
        tools
            .show_call(
                "c2",
                "sum",
                &json!({ "text": "é".repeat(60_000), "list": vec!["x".repeat(300); 200] }),
            )
            .await;
        let image =
            json!({ "content": [{ "type": "image", "data": "A".repeat(90_000), "mimeType": "image/png" }] });
        tools.show_result("c3", "band_read_room_file", &ToolOutcome::Done(image)).await;
        tools.show_result("c4", "sum", &ToolOutcome::Done("\"".repeat(50_000).into())).await;
        let events = fake.events();
        let read = |at: usize| serde_json::from_str::<Value>(&events[at].content).unwrap();
        assert_eq!(read(0)["args"]["content"], "<7 byte file content>");
        assert!(read(1)["args"]["text"].as_str().unwrap().contains(CUT));
        assert_eq!(read(2)["output"], "<1 image content block(s)>");
        assert!(read(3)["output"].as_str().unwrap().ends_with('"'));
        assert!(events.iter().all(|event| event.content.chars().count() <= CreateEvent::MAX_CONTENT));
    }
}
