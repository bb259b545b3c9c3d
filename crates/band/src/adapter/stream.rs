//! Messages one by one, for hosts whose loop is their own.

use std::fmt;

use tokio::sync::{mpsc, oneshot};

use super::{AdapterError, AdapterResult, FrameworkAdapter};
use crate::turn::AgentInput;

/// Messages that wait for the host; more wait in their rooms.
const WAITING: usize = 64;

/// Makes an adapter that hands every message out, and the stream that they come from. Give the adapter to an
/// agent, start it, and read the stream: it has no gaps. What is said while the connection is away or the host
/// is slow comes later, and each message of a room waits until the one before it is done.
///
/// ```no_run
/// # async fn example() -> band::Result<()> {
/// let (adapter, mut messages) = band::message_stream();
/// let running = band::Agent::from_env(adapter)?.start().await?;
/// while let Some(delivery) = messages.next().await {
///     println!("{}", delivery.input.text());
///     delivery.input.reply("got it").await?;
///     delivery.done();
/// }
/// # running.stop(None).await?;
/// # Ok(())
/// # }
/// ```
pub fn message_stream() -> (StreamAdapter, MessageStream) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (StreamAdapter(sender), MessageStream(receiver))
}

/// The adapter's end of a [`message_stream`].
pub struct StreamAdapter(mpsc::Sender<Delivery>);

/// The host's end of a [`message_stream`]. When it is dropped, messages are not accepted any more, and stay
/// open on the platform.
pub struct MessageStream(mpsc::Receiver<Delivery>);

/// A message, until it is done. One that is dropped before is not accepted, and comes again.
pub struct Delivery {
    /// The message with its tools, and what else an adapter would get.
    pub input: AgentInput,
    done: oneshot::Sender<AdapterResult>,
}

impl MessageStream {
    /// The next message of any room; none once the agent is gone. May be dropped and called again.
    pub async fn next(&mut self) -> Option<Delivery> {
        self.0.recv().await
    }
}

impl Delivery {
    /// The message is handled. It is marked as processed, whatever was said or not said.
    pub fn done(self) {
        // Whoever waited was told to end.
        let _ = self.done.send(Ok(()));
    }

    /// The message could not be handled: it is marked as failed.
    pub fn failed(self, why: impl Into<AdapterError>) {
        let _ = self.done.send(Err(why.into()));
    }
}

impl FrameworkAdapter for StreamAdapter {
    async fn on_event(&self, input: AgentInput) -> AdapterResult {
        let tools = input.tools.clone();
        let (done, answer) = oneshot::channel();
        let handled = async {
            let gone = || AdapterError::not_accepted("nobody reads the stream of messages");
            self.0.send(Delivery { input, done }).await.map_err(|_| gone())?;
            let dropped = || AdapterError::not_accepted("the message was dropped from the stream");
            answer.await.map_err(|_| dropped())?
        };
        tokio::select! {
            biased;
            outcome = handled => outcome,
            () = tools.cancelled() => Err(crate::Error::Cancelled.into()),
        }
    }

    fn judges_turns(&self) -> bool {
        false
    }
}

impl fmt::Debug for StreamAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StreamAdapter")
    }
}

impl fmt::Debug for MessageStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MessageStream")
    }
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery").field("input", &self.input).finish_non_exhaustive()
    }
}
