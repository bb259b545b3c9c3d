//! One event at a time, for hosts that live no longer than that: a function of a serverless platform, a worker
//! of a queue, a bridge's target.
//!
//! Somebody else keeps the socket and forwards what is pushed. Each event is one [`Event`]; the adapter is an
//! ordinary one, told each time that its session begins.
//!
//! ```no_run
//! use band::{Agent, adapter_fn};
//! use band::oneshot::{Event, OneShotInvoker};
//!
//! # async fn run(body: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let echo = adapter_fn(|turn| async move { turn.reply(turn.text()).await });
//! let invoker = OneShotInvoker::new(Agent::from_env(echo)?);
//! invoker.startup().await?;
//! let handled = invoker.handle_event(&serde_json::from_str::<Event>(body)?).await?;
//! println!("{}", serde_json::to_string(&handled)?);
//! invoker.shutdown().await?;
//! # Ok(())
//! # }
//! ```

mod calls;
mod error;
mod event;
mod invoker;

pub use band_core::oneshot::Outcome;
pub use error::OneShotError;
pub use event::{Event, Handled};
pub use invoker::OneShotInvoker;
