//! The turns of a room, each in a task of its own.

use std::sync::Arc;

use band_core::room::{Member, TurnEnd, TurnId, UpTo, participants_update};
use band_core::turn::{Ending, Verdict};
use band_wire::rest::Message;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::calls::RoomCalls;
use super::mailbox::Mailbox;
use super::phase::phase;
use crate::adapter::dispatch::{Dispatched, dispatch};
use crate::adapter::{AdapterError, AdapterErrorKind, BoxedAdapter, EffectiveFeatures, Identity};
use crate::agent::hooks::Hooks;
use crate::config::SessionConfig;
use crate::history::RawHistory;
use crate::host::apart;
use crate::journal::RoomJournal;
use crate::logging::trace::{self, turn_span};
use crate::preprocess::RoomContext;
use crate::sim::Chance;
use crate::tools::{RoomPort, RoomTools};
use crate::turn::{AgentInput, IncomingMessage, RoomShared, Turn, TurnShared};

/// Runs one turn at a time. A turn that was aborted and does not yield stays in the set until it does.
pub(super) struct Turns {
    scene: Scene,
    port: Arc<dyn RoomPort>,
    mailbox: Arc<Mailbox>,
    journal: RoomJournal,
    tasks: JoinSet<Dispatched>,
    running: Option<Running>,
}

/// What is the same for every turn of an agent.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub(super) identity: Arc<Identity>,
    pub(super) adapter: Arc<BoxedAdapter>,
    pub(super) features: Arc<EffectiveFeatures>,
    pub(super) hooks: Arc<Hooks>,
    pub(super) session: Arc<SessionConfig>,
    pub(super) chance: Chance,
    pub(super) may_block: bool,
}

struct Running {
    turn: TurnId,
    task: Id,
    abort: AbortHandle,
    shared: Arc<TurnShared>,
    calls: Arc<RoomCalls>,
    mailbox: Arc<Mailbox>,
    members: Arc<Vec<Member>>,
    updates: Option<UpTo>,
    span: Span,
}

impl Turns {
    pub(super) fn new(
        scene: Scene,
        port: Arc<dyn RoomPort>,
        mailbox: Arc<Mailbox>,
        journal: RoomJournal,
    ) -> Self {
        Self { scene, port, mailbox, journal, tasks: JoinSet::new(), running: None }
    }

    pub(super) fn start(&mut self, turn: TurnId, message: Message, bootstrap: bool, calls: &Arc<RoomCalls>) {
        let members = calls.roster().members();
        let updates = self.mailbox.updates().peek();
        let (text, updates) = updates.unzip();
        let input = self.input(message, bootstrap, calls, Arc::clone(&members), text);
        let shared = Arc::clone(&input.tools.shared);
        let fresh = trace::fresh(self.scene.chance.uuid());
        let span = trace::linked(turn_span!(fresh, calls.room, shared.trigger));
        let (adapter, hooks) = (Arc::clone(&self.scene.adapter), Arc::clone(&self.scene.hooks));
        let context = self.context(bootstrap, calls);
        let (room, trigger) = (calls.room, shared.trigger);
        let handler = async move { dispatch(&adapter, &hooks.preprocessor, context, input).await };
        let handler = apart(self.scene.may_block, handler);
        let abort = self.tasks.spawn(phase("handler", room, trigger, handler).instrument(span.clone()));
        let (calls, mailbox) = (Arc::clone(calls), Arc::clone(&self.mailbox));
        let task = abort.id();
        self.running = Some(Running { turn, task, abort, shared, calls, mailbox, members, updates, span });
    }

    fn context(&self, bootstrap: bool, calls: &RoomCalls) -> RoomContext {
        RoomContext {
            room: calls.room,
            identity: Arc::clone(&self.scene.identity),
            rest: calls.rest.clone(),
            session: Arc::clone(&self.scene.session),
            roster: Arc::clone(&calls.roster),
            hub_room: None,
            is_bootstrapped: !bootstrap,
        }
    }

    fn input(
        &self,
        message: Message,
        bootstrap: bool,
        calls: &RoomCalls,
        members: Arc<Vec<Member>>,
        contacts_update: Option<String>,
    ) -> AgentInput {
        let (room, trigger) = (calls.room, message.id);
        let history = if bootstrap {
            let past = calls.past.take(trigger);
            RawHistory::before(trigger, past.messages, past.truncated, self.scene.identity.id, &members)
        } else {
            RawHistory::default()
        };
        let common = RoomShared {
            room,
            identity: Arc::clone(&self.scene.identity),
            port: Arc::clone(&self.port),
            roster: Arc::clone(&calls.roster),
            features: Arc::clone(&self.scene.features),
            journal: self.journal.clone(),
        };
        let shared = TurnShared::new(common, trigger, CancellationToken::new());
        let changed = calls.roster().changed();
        Turn {
            message: IncomingMessage::read(message, room, &members),
            room,
            history,
            participants_update: changed.then(|| participants_update(&members)),
            contacts_update,
            participants: members,
            is_bootstrap: bootstrap,
            tools: RoomTools { shared: Arc::new(shared) },
        }
    }

    pub(super) fn cancel(&self, turn: TurnId) {
        if let Some(running) = self.running.as_ref().filter(|running| running.turn == turn) {
            running.shared.cancel.cancel();
        }
    }

    /// Drops a turn that was asked to end and did not.
    pub(super) fn abort(&mut self, turn: TurnId) -> Option<TurnEnd> {
        let running = self.running.take_if(|running| running.turn == turn)?;
        running.abort.abort();
        let _in_turn = running.span.clone().entered();
        tracing::warn!(
            target: "band.room", room = %running.calls.room, message_id = %running.shared.trigger,
            "the adapter did not end its turn when asked to; it was dropped",
        );
        Some(running.end(Ending::Cancelled))
    }

    /// The end of the running turn; none at once when no task is there. May be dropped and called again.
    pub(super) async fn ended(&mut self) -> Option<(TurnId, TurnEnd)> {
        loop {
            let (task, outcome) = match self.tasks.join_next_with_id().await? {
                Ok((task, result)) => (task, Ok(result)),
                Err(broken) => (broken.id(), Err(broken)),
            };
            if let Some(running) = self.running.take_if(|running| running.task == task) {
                let ending = running.span.in_scope(|| running.ending(outcome));
                return Some((running.turn, running.end(ending)));
            }
            tracing::debug!(target: "band.room", "a turn that had been dropped is over");
        }
    }
}

impl Running {
    fn ending(&self, outcome: Result<Dispatched, JoinError>) -> Ending {
        let is_open = self.shared.ledger().verdict() == Verdict::MissingReply;
        let (room, message) = (self.calls.room, self.shared.trigger);
        match outcome {
            _ if self.shared.was_stopped() && is_open => Ending::Stopped,
            Ok(Dispatched::WithoutTurn) => {
                // It counts as handled, and what it carried stays owed.
                self.shared.ledger().settle();
                self.shared.keep_owed();
                Ending::Returned
            }
            Ok(Dispatched::Turn(Ok(()))) => Ending::Returned,
            Ok(Dispatched::Turn(Err(err))) => match err.kind() {
                AdapterErrorKind::NotAccepted => Ending::NotAccepted,
                AdapterErrorKind::Stopped => Ending::Stopped,
                AdapterErrorKind::Cancelled if self.shared.cancel.is_cancelled() => Ending::Cancelled,
                AdapterErrorKind::Cancelled | AdapterErrorKind::Failed => {
                    tracing::error!(target: "band.room", %room, message_id = %message, %err, "turn failed");
                    Ending::Failed(label(&err))
                }
            },
            Err(broken) if broken.is_panic() => {
                tracing::error!(target: "band.room", %room, message_id = %message, %broken, "the adapter panicked");
                Ending::Failed("the adapter panicked".to_owned())
            }
            Err(_) => Ending::Cancelled,
        }
    }

    fn end(self, ending: Ending) -> TurnEnd {
        let delivered = self.shared.was_delivered();
        if delivered && ending != Ending::NotAccepted {
            self.calls.roster().mark_told(self.members);
            self.calls.past.forget();
            if let Some(upto) = self.updates {
                self.mailbox.updates().delivered(upto);
            }
        }
        let ledger = *self.shared.ledger();
        // Whatever outlives the turn may not post for it any more.
        self.shared.cancel.cancel();
        TurnEnd { ending, ledger, delivered }
    }
}

/// What the failed mark says: one that is not blank.
pub(crate) fn label(err: &AdapterError) -> String {
    let text = err.to_string();
    match text.trim() {
        "" => "AdapterError".to_owned(),
        text => text.to_owned(),
    }
}
