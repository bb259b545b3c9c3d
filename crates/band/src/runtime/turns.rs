//! The turns of a room, each in a task of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use band_core::room::{Member, TurnEnd, TurnId, UpTo, participants_update};
use band_core::turn::{Ending, Verdict};
use band_wire::MessageId;
use band_wire::rest::Message;
use tokio::sync::Notify;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use super::calls::RoomCalls;
use super::leftover::{Leftover, log_late};
use super::mailbox::Mailbox;
use super::phase::{phase, told};
use crate::adapter::dispatch::{Dispatched, dispatch};
use crate::adapter::{
    AdapterError, AdapterErrorKind, BoxedAdapter, ControlMessage, FrameworkAdapter, Identity,
};
use crate::agent::hooks::Hooks;
use crate::config::SessionConfig;
use crate::contacts::HubRoom;
use crate::history::RawHistory;
use crate::host::{Places, apart};
use crate::journal::RoomJournal;
use crate::logging::trace::{self, turn_span};
use crate::preprocess::RoomContext;
use crate::sim::Chance;
use crate::tools::{Offer, RoomPort, RoomTools};
use crate::turn::{AgentInput, IncomingMessage, RoomShared, Turn, TurnShared};

/// Runs the turns of a room: one at a time, those that let the room go on beside it, and offers of messages. A
/// turn that was dropped and does not yield stays in the set until it does.
pub(super) struct Turns {
    scene: Scene,
    port: Arc<dyn RoomPort>,
    mailbox: Arc<Mailbox>,
    journal: RoomJournal,
    wake: Arc<Notify>,
    tasks: JoinSet<Dispatched>,
    open: BTreeMap<TurnId, Running>,
    is_hub: bool,
}

/// What comes of a turn.
#[derive(Debug)]
pub(super) enum Said {
    /// The room may go on; whether the adapter got what the turn carried.
    Detached { turn: TurnId, delivered: bool },
    /// A post was refused because of a stop.
    PostRefused(TurnId),
    /// It is over.
    Ended { turn: TurnId, end: TurnEnd },
}

/// What is the same for every turn of an agent.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub(super) identity: Arc<Identity>,
    pub(super) adapter: Arc<BoxedAdapter>,
    pub(super) features: Arc<Offer>,
    pub(super) hooks: Arc<Hooks>,
    pub(super) session: Arc<SessionConfig>,
    pub(super) chance: Chance,
    /// Where the adapter may block its thread.
    pub(super) places: Option<Places>,
    pub(super) hub: HubRoom,
}

struct Running {
    task: Id,
    abort: AbortHandle,
    shared: Arc<TurnShared>,
    calls: Arc<RoomCalls>,
    mailbox: Arc<Mailbox>,
    /// What the turn carries; none once it is settled whether that is still owed.
    carried: Option<Carried>,
    refusal_told: bool,
    span: Span,
}

struct Carried {
    members: Arc<Vec<Member>>,
    updates: Option<UpTo>,
}

impl Turns {
    pub(super) fn new(
        scene: Scene,
        port: Arc<dyn RoomPort>,
        mailbox: Arc<Mailbox>,
        journal: RoomJournal,
    ) -> Self {
        let (wake, tasks, open) = (Arc::default(), JoinSet::new(), BTreeMap::new());
        Self { scene, port, mailbox, journal, wake, tasks, open, is_hub: false }
    }

    /// The agent's contacts are handled in this room.
    pub(super) const fn set_hub(&mut self) {
        self.is_hub = true;
    }

    pub(super) fn start(&mut self, turn: TurnId, message: Message, bootstrap: bool, calls: &Arc<RoomCalls>) {
        let members = calls.roster().members();
        let updates = self.mailbox.updates().peek();
        let (text, updates) = updates.unzip();
        let input = self.input(message, bootstrap, calls, Arc::clone(&members), text);
        let shared = Arc::clone(&input.tools.shared);
        let (adapter, hooks) = (Arc::clone(&self.scene.adapter), Arc::clone(&self.scene.hooks));
        let context = self.context(bootstrap, calls);
        let work = async move { dispatch(&adapter, &hooks.preprocessor, context, input).await };
        self.spawn(turn, shared, calls, Some(Carried { members, updates }), work);
    }

    /// Asks the adapter whether it takes a message as a word to work under way.
    pub(super) fn offer(&mut self, turn: TurnId, message: Message, calls: &Arc<RoomCalls>) {
        let members = calls.roster().members();
        let shared = Arc::new(self.shared(message.id, calls));
        let tools = RoomTools { shared: Arc::clone(&shared) };
        let message = IncomingMessage::read(message, calls.room, &members);
        let control = ControlMessage { message, room: calls.room, tools };
        let adapter = Arc::clone(&self.scene.adapter);
        let work = async move {
            match adapter.try_handle_control(&control).await {
                Ok(true) => Dispatched::WithoutTurn,
                Ok(false) => Dispatched::Turn(Ok(())),
                Err(err) => Dispatched::Turn(Err(err)),
            }
        };
        self.spawn(turn, shared, calls, None, work);
    }

    fn spawn(
        &mut self,
        turn: TurnId,
        shared: Arc<TurnShared>,
        calls: &Arc<RoomCalls>,
        carried: Option<Carried>,
        work: impl Future<Output = Dispatched> + Send + 'static,
    ) {
        let fresh = trace::fresh(self.scene.chance.uuid());
        let span = trace::linked(turn_span!(fresh, calls.room, shared.trigger));
        let (held, places) = (Arc::clone(&shared), self.scene.places.clone());
        let work = async move {
            let (room, trigger) = (held.room, held.trigger);
            let cycle = async {
                let outcome = phase("handler", room, trigger, apart(places, work)).await;
                // Somebody may still be at it.
                held.work_over().await;
                outcome
            };
            // The turn's span is the cycle's.
            told("cycle", room, trigger, cycle).await
        };
        let abort = self.tasks.spawn(work.instrument(span.clone()));
        let (calls, mailbox) = (Arc::clone(calls), Arc::clone(&self.mailbox));
        let task = abort.id();
        self.open.insert(
            turn,
            Running { task, abort, shared, calls, mailbox, carried, refusal_told: false, span },
        );
    }

    fn context(&self, bootstrap: bool, calls: &RoomCalls) -> RoomContext {
        RoomContext {
            room: calls.room,
            identity: Arc::clone(&self.scene.identity),
            rest: calls.rest.clone(),
            session: Arc::clone(&self.scene.session),
            roster: Arc::clone(&calls.roster),
            hub_room: self.scene.hub.get(),
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
        let shared = self.shared(trigger, calls);
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

    fn shared(&self, trigger: MessageId, calls: &RoomCalls) -> TurnShared {
        let common = RoomShared {
            room: calls.room,
            identity: Arc::clone(&self.scene.identity),
            port: Arc::clone(&self.port),
            roster: Arc::clone(&calls.roster),
            features: Arc::clone(&self.scene.features),
            is_hub: self.is_hub,
            journal: self.journal.clone(),
            wake: Arc::clone(&self.wake),
        };
        TurnShared::new(common, trigger, CancellationToken::new())
    }

    pub(super) fn cancel(&self, turn: TurnId) {
        if let Some(running) = self.open.get(&turn) {
            running.shared.cancel.cancel();
        }
    }

    /// Drops a turn that was asked to end and did not.
    pub(super) fn abort(&mut self, turn: TurnId) -> Option<TurnEnd> {
        let running = self.open.remove(&turn)?;
        running.abort.abort();
        let _in_turn = running.span.clone().entered();
        tracing::warn!(
            target: "band.room", room = %running.calls.room, message_id = %running.shared.trigger,
            "the adapter did not end its turn when asked to; it was dropped",
        );
        Some(running.end(Ending::Cancelled))
    }

    /// What the turns say next, or which of them is over. May be dropped and called again.
    pub(super) async fn next(&mut self) -> Said {
        loop {
            for (turn, running) in &mut self.open {
                if let Some(said) = running.said(*turn) {
                    return said;
                }
            }
            tokio::select! {
                biased;
                () = self.wake.notified() => {}
                Some(over) = self.tasks.join_next_with_id() => {
                    if let Some((turn, end)) = self.over(over) {
                        return Said::Ended { turn, end };
                    }
                }
            }
        }
    }

    fn over(&mut self, over: Result<(Id, Dispatched), JoinError>) -> Option<(TurnId, TurnEnd)> {
        let (task, outcome) = match over {
            Ok((task, outcome)) => (task, Ok(outcome)),
            Err(broken) => (broken.id(), Err(broken)),
        };
        let turn = self.open.iter().find(|(_, running)| running.task == task).map(|(turn, _)| *turn);
        let Some((turn, running)) = turn.and_then(|turn| self.open.remove_entry(&turn)) else {
            log_late(&outcome.map_err(|err| err.to_string()));
            return None;
        };
        let ending = running.span.in_scope(|| running.ending(outcome));
        Some((turn, running.end(ending)))
    }

    /// What is left of turns that were dropped.
    pub(super) fn into_leftover(self) -> Leftover {
        Leftover::new(self.tasks)
    }
}

impl Running {
    fn ending(&self, outcome: Result<Dispatched, JoinError>) -> Ending {
        let is_open = self.shared.ledger().verdict() == Verdict::MissingReply;
        let (room, message) = (self.calls.room, self.shared.trigger);
        match outcome {
            _ if self.shared.was_stopped() && is_open => Ending::Stopped,
            Ok(Dispatched::WithoutTurn) => Ending::Consumed,
            Ok(Dispatched::Turn(Ok(()))) => Ending::Returned,
            Ok(Dispatched::Turn(Err(err))) => match err.kind() {
                AdapterErrorKind::NotAccepted => Ending::NotAccepted,
                AdapterErrorKind::Stopped => Ending::Stopped,
                AdapterErrorKind::Cancelled if self.shared.cancel.is_cancelled() => Ending::Cancelled,
                AdapterErrorKind::AlreadyReported => {
                    tracing::debug!(target: "band.room", %room, message_id = %message, %err, "turn failed, as the room knows");
                    Ending::Failed(label(&err))
                }
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

    fn said(&mut self, turn: TurnId) -> Option<Said> {
        if self.carried.is_some() && self.shared.is_detached() {
            let delivered = self.shared.was_delivered();
            self.commit(delivered);
            return Some(Said::Detached { turn, delivered });
        }
        if self.shared.was_stopped() && !std::mem::replace(&mut self.refusal_told, true) {
            return Some(Said::PostRefused(turn));
        }
        None
    }

    /// What the turn carried is no longer owed, if the adapter took it.
    fn commit(&mut self, taken: bool) {
        let Some(Carried { members, updates }) = self.carried.take().filter(|_| taken) else { return };
        self.calls.roster().mark_told(members);
        self.calls.past.forget();
        if let Some(upto) = updates {
            self.mailbox.updates().delivered(upto);
        }
    }

    fn end(mut self, ending: Ending) -> TurnEnd {
        let delivered = self.shared.was_delivered();
        self.commit(delivered && !matches!(ending, Ending::NotAccepted | Ending::Consumed));
        let ledger = *self.shared.ledger();
        TurnEnd { ending, ledger, delivered }
    }
}

impl Drop for Running {
    /// Whatever outlives the turn may not post for it any more, however it ended.
    fn drop(&mut self) {
        self.shared.cancel.cancel();
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
