//! Any model behind a Chat Completions endpoint: OpenAI, or a server of one's own that speaks its format.

mod client;
mod config;
mod conversation;
mod history;
mod wire;

use std::sync::OnceLock;

use band::tools::{Format, RoomTools, ToolOutcome};
use band::{AdapterResult, AgentFailure, Identity, PlatformConnection, SimpleAdapter, Turn};
use band_wire::ChatId;
use band_wire::rest::EventType;
use serde_json::{Value, json};

pub use config::ChatConfig;
pub use history::{ChatHistory, Converted};

use self::client::Client;
use self::conversation::Conversations;
use self::wire::{Entry, ToolCall};
use crate::prompt::system_prompt;

/// Tools whose calls show in the room by themselves.
const UNREPORTED: [&str; 2] = ["band_send_message", "band_no_reply"];

/// The chat adapter: a plain loop of model and tools.
///
/// A model's final text without a call is relayed to whoever wrote the message. Each room's conversation is
/// kept in memory; the first message of a session starts it from the room's past.
#[derive(Debug)]
pub struct Chat {
    config: ChatConfig,
    client: Client,
    prompt: OnceLock<Entry>,
    conversations: Conversations,
}

impl Chat {
    /// An adapter with these settings. Nothing is sent.
    ///
    /// # Errors
    /// A setting does not fit.
    pub fn new(config: ChatConfig) -> band::Result<Self> {
        config.check()?;
        let client = Client::new(&config)?;
        Ok(Self { config, client, prompt: OnceLock::new(), conversations: Conversations::default() })
    }

    /// Asks the model until it is done, or has used up its rounds.
    async fn converse(&self, turn: &Turn<Converted>) -> AdapterResult {
        let tools = offered(&turn.tools);
        let mut called = Vec::new();
        for round in 0..self.config.max_tool_rounds {
            let kept = self.conversations.of(turn.room);
            let messages = self.prompt.get().into_iter().chain(kept.iter().map(AsRef::as_ref)).collect();
            let said = tokio::select! {
                said = self.client.complete(messages, &tools) => said,
                () = turn.cancelled() => return Err(band::Error::Cancelled.into()),
            };
            let said = match said {
                Ok(said) => said,
                Err(error) => {
                    turn.fail(error.to_failure()).await?;
                    return Err(error.into());
                }
            };
            let calls: Vec<ToolCall> = said
                .tool_calls
                .into_iter()
                .enumerate()
                .map(|(index, asked)| asked.into_call(round, index))
                .collect();
            if calls.is_empty() {
                let text = said.content.unwrap_or_default();
                let answer = Entry::Assistant { content: Some(text.clone()), tool_calls: Vec::new() };
                self.conversations.extend(turn.room, [answer]);
                turn.relay_reply(text).await?;
                return Ok(());
            }
            called.extend(calls.iter().map(|call| call.function.name.clone()));
            if self.run_tools(turn, said.content, calls).await? {
                return Ok(());
            }
        }
        let text = format!(
            "Exceeded max tool rounds ({}) in room {}; tool sequence: {}",
            self.config.max_tool_rounds,
            turn.room,
            called.join(", ")
        );
        turn.fail(AgentFailure::new("openai", text.clone())).await?;
        Err(text.into())
    }

    /// Runs what the model asked for, one after another. True when the turn ends in silence on purpose.
    async fn run_tools(
        &self,
        turn: &Turn<Converted>,
        content: Option<String>,
        calls: Vec<ToolCall>,
    ) -> Result<bool, band::AdapterError> {
        let mut results = Vec::with_capacity(calls.len());
        let mut declined = false;
        let mut all_ok = true;
        for call in &calls {
            let outcome = self.run_tool(turn, call).await;
            if let ToolOutcome::TurnOver(err) = outcome {
                return Err(err.into());
            }
            declined |= call.function.name == "band_no_reply";
            all_ok &= outcome.is_ok();
            let content = outcome.to_model_text();
            results.push(Entry::Tool { tool_call_id: call.id.clone(), content });
        }
        let asked = Entry::Assistant { content, tool_calls: calls };
        self.conversations.extend(turn.room, std::iter::once(asked).chain(results));
        Ok(declined && all_ok)
    }

    async fn run_tool(&self, turn: &Turn<Converted>, call: &ToolCall) -> ToolOutcome {
        let name = call.function.name.as_str();
        let args = match call.function.arguments.trim() {
            "" => Ok(json!({})),
            text => serde_json::from_str::<Value>(text),
        };
        let args = match args {
            Ok(args) => args,
            Err(err) => {
                return ToolOutcome::Invalid(format!(
                    "Invalid arguments for {name}: arguments: Input should be valid JSON ({err})"
                ));
            }
        };
        let is_reported = self.config.emit_tool_calls && !UNREPORTED.contains(&name);
        if is_reported {
            let told = json!({ "name": name, "args": args, "tool_call_id": call.id });
            self.report(turn, EventType::ToolCall, &told).await;
        }
        let outcome = turn.tools.call(name, args).await;
        if is_reported && !matches!(outcome, ToolOutcome::TurnOver(_)) {
            let told = json!({
                "name": name, "output": outcome.to_model_text(),
                "tool_call_id": call.id, "is_error": !outcome.is_ok(),
            });
            self.report(turn, EventType::ToolResult, &told).await;
        }
        outcome
    }

    /// Shows people what the model does. That it can't be shown never fails the tool.
    async fn report(&self, turn: &Turn<Converted>, kind: EventType, told: &Value) {
        if let Err(err) = turn.event(kind, told.to_string(), None).await {
            tracing::warn!(target: "band.openai", room = %turn.room, %err, "a tool call could not be shown");
        }
    }
}

/// The tools of a room, as the model is told of them.
fn offered(tools: &RoomTools) -> Value {
    tools.tool_set().shaped(Format::OpenAi)
}

impl SimpleAdapter for Chat {
    type Converter = ChatHistory;

    async fn on_started(&self, me: &Identity, _: &PlatformConnection) -> AdapterResult {
        // Of a second start the first prompt stays: it is the same agent.
        let content = system_prompt(me, self.config.instructions.as_deref());
        let _ = self.prompt.set(Entry::System { content });
        Ok(())
    }

    async fn on_message(&self, mut turn: Turn<Converted>) -> AdapterResult {
        if turn.is_bootstrap {
            self.conversations.begin(turn.room, std::mem::take(&mut turn.history).0);
        }
        let before = self.conversations.of(turn.room);
        let update = turn.participants_update.take();
        let update = update.map(|text| Entry::User { content: format!("[System]: {text}") });
        let message = Entry::User { content: turn.message.format_for_llm() };
        self.conversations.extend(turn.room, update.into_iter().chain([message]));
        let outcome = self.converse(&turn).await;
        if outcome.is_err() && !turn.tools.replied() {
            // The message is handled again, or not at all: either way it may not stand there unanswered.
            self.conversations.restore(turn.room, before);
        }
        outcome
    }

    async fn on_cleanup(&self, room: ChatId) -> AdapterResult {
        self.conversations.forget(room);
        Ok(())
    }

    async fn cleanup_all(&self) -> AdapterResult {
        self.conversations.forget_all();
        Ok(())
    }
}
