//! An ordinary adapter as a function of a serverless platform: reads one envelope on standard input, handles it,
//! and prints what became of it.
//!
//! ```sh
//! BAND_AGENT_ID=… BAND_API_KEY=… BAND_REST_URL=http://127.0.0.1:4000 cargo run -p band --example one_shot < envelope.json
//! ```

use std::error::Error;
use std::io::Read;

use band::oneshot::{Event, OneShotInvoker};
use band::{Agent, Turn, adapter_fn};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut envelope = String::new();
    std::io::stdin().read_to_string(&mut envelope)?;
    let event: Event = serde_json::from_str(&envelope)?;

    let shout = adapter_fn(|turn: Turn| async move { turn.reply(turn.text().to_uppercase()).await });
    let invoker = OneShotInvoker::new(Agent::from_env(shout)?);
    invoker.startup().await?;
    let handled = invoker.handle_event(&event).await;
    invoker.shutdown().await?;

    let mut printed = serde_json::to_string(&handled?)?;
    printed.push('\n');
    std::io::Write::write_all(&mut std::io::stdout(), printed.as_bytes())?;
    Ok(())
}
