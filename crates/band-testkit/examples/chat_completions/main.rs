//! A minimal adapter for a Chat Completions endpoint, in full. The model is `OPENAI_MODEL` at `OPENAI_BASE_URL`, a
//! server of your own that wants no key; the agent is `my_agent` of `agent_config.yaml`.

#[path = "adapter.rs"]
mod chat_completions;

use band::Agent;
use chat_completions::ChatCompletions;

#[tokio::main]
async fn main() -> band::Result<()> {
    band::logging::init();
    let variable = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let adapter = ChatCompletions {
        http: reqwest::Client::new(),
        base_url: variable("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1"),
        model: variable("OPENAI_MODEL", "qwen3"),
        me: std::sync::OnceLock::new(),
        rooms: tokio::sync::Mutex::default(),
    };
    Agent::from_config("my_agent", adapter)?.run().await?;
    Ok(())
}
