//! The adapter of the simulated agents: it does what the message says.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use band::{AdapterError, AdapterResult, AgentInput, Error, FrameworkAdapter};
use band_wire::{ChatId, MessageId};
use tokio::time::sleep;

use super::scenario::Behaviour;
use super::watch::End;
use super::world::{Net, Process};

/// One for each life of a process.
pub(crate) struct Performer {
    pub(crate) net: Arc<Net>,
    pub(crate) process: Process,
}

impl fmt::Debug for Performer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Performer({:?})", self.process)
    }
}

/// A run that is under way. Dropped without an end, it says so.
struct Running<'a> {
    stage: &'a Performer,
    message: MessageId,
    run: usize,
}

impl Running<'_> {
    fn over(&self, end: End) {
        let agent = self.stage.process.agent;
        let mut world = self.stage.net.lock();
        if !world.is_alive(self.stage.process) {
            return;
        }
        world.note(|| format!("agent {agent} ends {}: {end:?}", self.message));
        world.watch.over(self.run, end);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let is_running = self.stage.net.lock().watch.runs.get(self.run).is_some_and(|run| run.end.is_none());
        if is_running {
            self.over(End::Dropped);
        }
    }
}

impl Performer {
    /// Notes that a run begins, and gives its number and how many there were before; none in a dead process.
    fn begin(&self, input: &AgentInput) -> Option<(usize, usize)> {
        let Process { agent, .. } = self.process;
        let message = input.message.id;
        let mut world = self.net.lock();
        if !world.is_alive(self.process) {
            return None;
        }
        let earlier = world.watch.runs_of(agent, message).count();
        world.note(|| format!("agent {agent} runs {message}: {}", input.text()));
        super::check::end::remembers(&mut world, agent);
        super::check::steering::begins(&mut world, self.process, input.room, message);
        let sender = input.message.sender_id;
        let is_known = input.participants.iter().any(|member| member.id == sender);
        if !is_known && world.watch.knows_roster(self.process, input.room) {
            let text = format!("{:?} in {}: {message} comes from a stranger", self.process, input.room);
            world.watch.violated("roster", text);
        }
        Some((world.watch.began(self.process, input.room, message), earlier))
    }
}

impl FrameworkAdapter for Performer {
    async fn on_event(&self, input: AgentInput) -> AdapterResult {
        let message = input.message.id;
        let Some((run, earlier)) = self.begin(&input) else { return std::future::pending().await };
        let running = Running { stage: self, message, run };
        let how = Behaviour::read(input.text()).unwrap_or(Behaviour::Reply);
        let outcome = perform(how, &input, earlier, self.process).await;
        if let Err(Failed::Unposted(err)) = &outcome
            && may_pass(err)
        {
            let text = format!("{:?} has given up a reply to {message}: {err}", self.process);
            let mut world = self.net.lock();
            // The time for it may have passed while the machine slept.
            if !world.watch.has_slept {
                world.watch.violated("given-up", text);
            }
        }
        running.over(match &outcome {
            Ok(true) => End::Answered,
            Ok(false) => End::Silent,
            Err(Failed::Unposted(_)) => End::Unposted,
            Err(Failed::Cancelled(_)) => End::Cancelled,
            Err(Failed::NotAccepted(_)) => End::NotAccepted,
            Err(Failed::Itself(_)) => End::Failed,
        });
        match outcome {
            Ok(_) => Ok(()),
            Err(Failed::Itself(err)) if how == Behaviour::Panic => {
                drop(running);
                // A panic that the process's hook does not hear of.
                std::panic::resume_unwind(Box::new(err.to_string()))
            }
            Err(failed) => Err(failed.into()),
        }
    }

    async fn on_cleanup(&self, room: ChatId) -> AdapterResult {
        self.net.lock().watch.forgotten.insert((self.process, room));
        Ok(())
    }
}

/// Why a performance ended early.
enum Failed {
    Itself(AdapterError),
    NotAccepted(AdapterError),
    Cancelled(AdapterError),
    Unposted(Error),
}

/// Whether the platform would have taken it later: nothing here is away for as long as a message is worth waiting.
fn may_pass(err: &Error) -> bool {
    match err.status() {
        Some(status) => matches!(status, 200..300 | 408 | 429 | 500..),
        None => matches!(err, Error::Connection(_)),
    }
}

impl From<Failed> for AdapterError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Itself(err) | Failed::NotAccepted(err) | Failed::Cancelled(err) => err,
            Failed::Unposted(err) => err.into(),
        }
    }
}

impl From<Error> for Failed {
    fn from(err: Error) -> Self {
        match err {
            Error::Cancelled | Error::Stopped { .. } => Self::Cancelled(err.into()),
            other => Self::Unposted(other),
        }
    }
}

/// Does what the message says; true when that counts as an answer.
async fn perform(
    how: Behaviour,
    turn: &AgentInput,
    earlier: usize,
    process: Process,
) -> Result<bool, Failed> {
    let line = |ordinal: u32| format!("re {} {ordinal} life {} run {earlier}", turn.message.id, process.life);
    let past = u32::try_from(earlier).unwrap_or(u32::MAX);
    match how {
        Behaviour::Slow(ms) => tokio::select! {
            biased;
            () = turn.cancelled() => return Err(Failed::Cancelled(Error::Cancelled.into())),
            () = sleep(Duration::from_millis(ms)) => {}
        },
        Behaviour::Stubborn(ms) => sleep(Duration::from_millis(ms)).await,
        Behaviour::Fail | Behaviour::Panic => return Err(Failed::Itself("it was told to fail".into())),
        Behaviour::FailFirst(n) if past < n => return Err(Failed::Itself("it was told to fail".into())),
        Behaviour::NotYet(n) if past < n => {
            return Err(Failed::NotAccepted(AdapterError::not_accepted("not yet")));
        }
        Behaviour::Silent => return Ok(false),
        Behaviour::Decline => {
            turn.no_reply(None);
            return Ok(true);
        }
        Behaviour::Reply | Behaviour::Several(_) | Behaviour::FailFirst(_) | Behaviour::NotYet(_) => {}
    }
    for ordinal in 0..how.replies() {
        turn.reply(line(ordinal)).await?;
    }
    Ok(true)
}
