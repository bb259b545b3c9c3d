use std::collections::BTreeMap;

use band::prompt::SystemPrompt;
use band::tools::{Format, ToolOutcome};
use band::transcript::{Block, Call, Exchange, Exchanged, Outcome, Transcript};
use band::{
    AdapterError, AdapterResult, Capability, Emit, Error, Identity, PlatformConnection, SimpleAdapter,
    Supported, Turn,
};
use band_wire::ChatId;
use serde_json::{Value, json};

const MAX_TOOL_ROUNDS: u32 = 10;
/// Runs one loop of model and tools for each message, with a conversation for each room.
pub(crate) struct ChatCompletions {
    pub(crate) http: reqwest::Client,
    pub(crate) base_url: String,
    pub(crate) model: String,
    pub(crate) me: std::sync::OnceLock<Identity>,
    pub(crate) rooms: tokio::sync::Mutex<BTreeMap<ChatId, Transcript>>,
}

impl ChatCompletions {
    async fn ask(&self, body: &Value) -> Result<Value, AdapterError> {
        let request = self.http.post(format!("{}/chat/completions", self.base_url)).json(body);
        let answer: Value = request.send().await?.error_for_status()?.json().await?;
        Ok(answer.pointer("/choices/0/message").ok_or("the answer holds no choice")?.clone())
    }

    async fn converse(&self, turn: &Turn<Transcript>, talk: &mut Transcript) -> AdapterResult {
        let tools = turn.tools.tool_set();
        let system = SystemPrompt::new(self.me.get().ok_or("not started")?, tools.names()).render();
        for _ in 0..MAX_TOOL_ROUNDS {
            let messages = band_adapters::render::chat::messages(Some(&system), talk);
            let body =
                json!({ "model": self.model, "tools": tools.shaped(Format::OpenAi), "messages": messages });
            let reply = tokio::select! {
                reply = self.ask(&body) => reply?,
                () = turn.cancelled() => return Err(Error::Cancelled.into()),
            };
            let text = reply.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
            let mut done = Vec::new();
            for call in reply.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
                done.push(run_tool(turn, call).await?);
            }
            let Some(exchange) = Exchange::new(done) else {
                talk.push_own(text.clone());
                turn.relay_reply(text).await?;
                return Ok(());
            };
            talk.push_exchange(exchange.said(Some(text)));
        }
        Err(format!("No final answer after {MAX_TOOL_ROUNDS} tool rounds").into())
    }
}

async fn run_tool(turn: &Turn<Transcript>, call: &Value) -> Result<Exchanged, AdapterError> {
    let part = |at: &str| call.pointer(at).and_then(Value::as_str).unwrap_or_default();
    let (id, name, text) = (part("/id"), part("/function/name"), part("/function/arguments"));
    let args: Value = serde_json::from_str(text).unwrap_or_default();
    turn.tools.show_call(id, name, &args).await;
    let outcome = turn.tools.call_text(name, text).await;
    turn.tools.show_result(id, name, &outcome).await;
    let told = Outcome { blocks: vec![Block::Text(outcome.to_model_text())], is_error: !outcome.is_ok() };
    if let ToolOutcome::TurnOver(err) = outcome {
        return Err(err.into());
    }
    Ok(Exchanged::new(Call::new(id, name, args.as_object().cloned().unwrap_or_default()), told))
}

impl SimpleAdapter for ChatCompletions {
    type Converter = Transcript;

    fn supported(&self) -> Supported {
        Supported { emit: Emit::ToolCalls.into(), capabilities: Capability::Contacts.into() }
    }

    async fn on_started(&self, me: &Identity, _: &PlatformConnection) -> AdapterResult {
        let _ = self.me.set(me.clone());
        Ok(())
    }

    async fn on_message(&self, mut turn: Turn<Transcript>) -> AdapterResult {
        let kept = self.rooms.lock().await.remove(&turn.room).unwrap_or_default();
        let mut talk = if turn.is_bootstrap { std::mem::take(&mut turn.history) } else { kept };
        for update in [&turn.participants_update, &turn.contacts_update].into_iter().flatten() {
            talk.push_update(update);
        }
        talk.push_peer(turn.message.speaker(), turn.message.content.clone());
        let outcome = self.converse(&turn, &mut talk).await;
        self.rooms.lock().await.insert(turn.room, talk);
        outcome
    }

    async fn on_cleanup(&self, room: ChatId) -> AdapterResult {
        self.rooms.lock().await.remove(&room);
        Ok(())
    }
}
