//! A whole adapter: a model behind any Chat Completions endpoint, with the tools of the room.

use band::{AdapterResult, Agent, Emit, RawHistory, SimpleAdapter, Supported, Turn};
use band::{prompt::SystemPrompt, tools::Format};
use band_wire::ChatId;
use serde_json::{Value, json};
use tokio::sync::{Mutex, OnceCell};

const MAX_TOOL_ROUNDS: usize = 10;

#[derive(Default)]
pub(crate) struct ChatAdapter {
    pub(crate) http: reqwest::Client,
    pub(crate) url: String,
    pub(crate) key: String,
    pub(crate) model: String,
    pub(crate) me: OnceCell<band::Identity>,
    pub(crate) rooms: Mutex<std::collections::BTreeMap<ChatId, Vec<Value>>>,
}

impl SimpleAdapter for ChatAdapter {
    type Converter = RawHistory;
    fn supported(&self) -> Supported {
        Supported { emit: Emit::ToolCalls.into(), ..Supported::default() }
    }

    async fn on_started(&self, me: &band::Identity, _: &band::PlatformConnection) -> AdapterResult {
        self.me.get_or_init(|| async { me.clone() }).await;
        Ok(())
    }

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        let mut messages = self.conversation(&turn).await;
        for _ in 0..MAX_TOOL_ROUNDS {
            let tools = turn.tools.tool_set().shaped(Format::OpenAi);
            let body = json!({ "model": self.model, "messages": messages, "tools": tools });
            let answer = self.http.post(&self.url).bearer_auth(&self.key).json(&body).send().await?;
            let mut answer: Value = answer.error_for_status()?.json().await?;
            let reply = answer.pointer_mut("/choices/0/message").ok_or("the answer holds no message")?.take();
            let calls = reply.get("tool_calls").and_then(Value::as_array).cloned().unwrap_or_default();
            if calls.is_empty() {
                let text = reply.get("content").and_then(Value::as_str).unwrap_or_default();
                messages.push(json!({ "role": "assistant", "content": text }));
                turn.relay_reply(text).await?;
                self.rooms.lock().await.insert(turn.room, messages);
                return Ok(());
            }
            messages.push(reply);
            for call in &calls {
                messages.push(run(&turn, call).await);
            }
        }
        Err(format!("No final answer after {MAX_TOOL_ROUNDS} tool rounds").into())
    }

    async fn on_cleanup(&self, room: ChatId) -> AdapterResult {
        self.rooms.lock().await.remove(&room);
        Ok(())
    }
}

impl ChatAdapter {
    /// The room's conversation, with the new message. That one is kept only once it has its answer.
    async fn conversation(&self, turn: &Turn) -> Vec<Value> {
        let user = |text| json!({ "role": "user", "content": text });
        let mut rooms = self.rooms.lock().await;
        let kept = rooms.entry(turn.room).or_default();
        if turn.is_bootstrap || kept.is_empty() {
            let prompt =
                self.me.get().map(|me| SystemPrompt::new(me, turn.tools.tool_set().names()).render());
            *kept = vec![json!({ "role": "system", "content": prompt })];
            kept.extend(turn.history.items.iter().filter(|item| item.message_type == "text").map(|item| {
                let own = json!({ "role": "assistant", "content": item.content });
                if item.is_own { own } else { user(format!("[{}]: {}", item.speaker(), item.content)) }
            }));
        }
        let news = [&turn.participants_update, &turn.contacts_update].into_iter().flatten();
        kept.extend(news.map(|news| user(format!("[System]: {news}"))));
        kept.iter().cloned().chain([user(turn.message.format_for_llm())]).collect()
    }
}

/// Runs a call and shows it in the room. What goes wrong is told to the model as text.
async fn run(turn: &Turn, call: &Value) -> Value {
    let text = |pointer| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (id, name, arguments) = (text("/id"), text("/function/name"), text("/function/arguments"));
    turn.tools.show_call(id, name, &serde_json::from_str(arguments).unwrap_or_default()).await;
    let outcome = turn.tools.call_text(name, arguments).await;
    turn.tools.show_result(id, name, &outcome).await;
    json!({ "role": "tool", "tool_call_id": id, "content": outcome.to_model_text() })
}

#[tokio::main]
async fn main() -> band::Result<()> {
    let env = |name| std::env::var(name).unwrap_or_default();
    let (url, key) = (env("CHAT_URL"), env("CHAT_KEY"));
    let adapter = ChatAdapter { url, key, model: env("CHAT_MODEL"), ..ChatAdapter::default() };
    Agent::from_config("my_agent", adapter)?.run().await.map(drop)
}
