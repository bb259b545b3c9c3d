//! One invocation: the machine's calls, and the adapter's turn.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use band_core::oneshot::{Answer, Call, Claims, Flow, Outcome, PAGE, Page, Past, Ran, Refusal, Start};
use band_core::room::{Listing, Member, Roster, participants_update};
use band_core::turn::{Circumstances, Ending, MISSING_REPLY, Ruling, judge};
use band_wire::MessageId;
use band_wire::rest::{CreateEvent, EventType, Message};
use tokio_util::sync::CancellationToken;

use super::OneShotError;
use super::invoker::caught;
use crate::adapter::{AdapterError, AdapterErrorKind, ControlMessage, FrameworkAdapter};
use crate::agent::{OneShotHost, Up};
use crate::error::{Error, Result};
use crate::history::RawHistory;
use crate::journal::RoomJournal;
use crate::preprocess::{Preprocessor, RoomContext};
use crate::rest::{ContextQuery, MessagesQuery};
use crate::runtime::{label, marked};
use crate::tools::{RestPort, RoomTools};
use crate::turn::{AgentFailure, AgentInput, IncomingMessage, RoomShared, Turn, TurnShared};

/// Items of a page of open messages.
const LIST_PAGE: u32 = 100;

/// One message on its way through the machine. Dropped, it puts the message back.
pub(super) struct Invocation {
    host: OneShotHost,
    up: Arc<Up>,
    claims: Arc<Mutex<Claims>>,
    start: Start,
    /// Whether the message is in this invocation's hand.
    holds: bool,
    /// Another message in its hand, which is marked with it.
    drains: Option<MessageId>,
    roster: Arc<Mutex<Roster>>,
    /// What went wrong, for whoever is told of it.
    failed: Option<OneShotError>,
}

impl Invocation {
    pub(super) fn new(host: OneShotHost, up: Arc<Up>, claims: Arc<Mutex<Claims>>, start: Start) -> Self {
        Self { host, up, claims, start, holds: false, drains: None, roster: Arc::default(), failed: None }
    }

    pub(super) async fn run(mut self) -> Result<Outcome, OneShotError> {
        let mut flow = Flow::new(self.start, &mut lock(&self.claims));
        let shared = Arc::new(self.shared());
        // Whatever outlives the turn may not post for it any more, however it ends.
        let _over = shared.cancel.clone().drop_guard();
        while let Some(call) = flow.poll() {
            self.holds = true;
            self.drains = flow.draining();
            let answer = self.make(call, &shared).await;
            flow.answer(answer, &mut lock(&self.claims));
        }
        self.holds = false;
        self.drains = None;
        match flow.end().cloned() {
            Some(Ok(outcome)) => Ok(outcome),
            Some(Err(refusal)) => Err(self.error(refusal)),
            None => Err(self.error(Refusal::Call)),
        }
    }

    fn error(&mut self, refusal: Refusal) -> OneShotError {
        let stopped = || Error::Stopped { room: self.start.room }.into();
        match (refusal, self.failed.take()) {
            (Refusal::Stopped, _) => stopped(),
            (_, Some(failed)) => failed,
            (Refusal::Claim, None) => OneShotError::ClaimRefused,
            (Refusal::Completion, None) => OneShotError::CompletionRefused,
            (Refusal::Call, None) => OneShotError::Adapter("the call was given up".into()),
            (Refusal::Adapter, None) => OneShotError::Adapter("the turn failed".into()),
        }
    }

    fn shared(&self) -> TurnShared {
        let port = RestPort::new(self.up.rest.clone(), self.start.room, self.up.chance.clone());
        let common = RoomShared {
            wake: Arc::default(),
            room: self.start.room,
            identity: Arc::clone(&self.up.identity),
            port: Arc::new(port),
            roster: Arc::clone(&self.roster),
            features: Arc::clone(&self.up.features),
            is_hub: false,
            journal: RoomJournal::none(),
        };
        TurnShared::new(common, self.start.message, CancellationToken::new())
    }

    async fn make(&mut self, call: Call, shared: &Arc<TurnShared>) -> Answer {
        let (rest, room) = (self.up.rest.clone(), self.start.room);
        match call {
            Call::Next => Answer::Next(self.noted(rest.next(room).await).map(|found| found.map(Box::new))),
            Call::List { cursor } => {
                let query = MessagesQuery { status: None, cursor, limit: Some(LIST_PAGE) };
                let page = self.noted(rest.messages(room, &query).await);
                Answer::Listed(page.map(|page| {
                    let next = page.metadata.next_cursor.filter(|_| page.metadata.has_more);
                    Listing { messages: page.data, next }
                }))
            }
            Call::Claim(id) => Answer::Marked(marked(rest.mark_processing(room, id).await)),
            Call::Processed(id) => Answer::Marked(marked(rest.mark_processed(room, id).await)),
            Call::Failed(id, error) => Answer::Marked(marked(rest.mark_failed(room, id, &error).await)),
            Call::Participants => {
                self.read_participants().await;
                Answer::Participants
            }
            Call::Probe(message) => Answer::Probed(self.probe(*message, shared).await),
            Call::History { cursor } => Answer::History(self.page(cursor).await),
            Call::Run(message, past) => Answer::Ran(self.turn(*message, *past, shared).await),
        }
    }

    /// Keeps the error for whoever is told of it.
    fn noted<T>(&mut self, answer: Result<T>) -> Result<T, ()> {
        answer.map_err(|err| self.failed = Some(err.into()))
    }

    async fn read_participants(&self) {
        match self.up.rest.participants(self.start.room).await {
            Ok(list) => self.roster().replace(list.into_iter().map(Member::from)),
            Err(err) => {
                let room = self.start.room;
                tracing::warn!(target: "band.oneshot", %room, %err, "participants could not be read");
            }
        }
    }

    async fn page(&self, cursor: Option<String>) -> Option<Page> {
        let query = ContextQuery { cursor, limit: Some(PAGE), newest_first: false };
        match self.up.rest.context(self.start.room, &query).await {
            Ok(page) => Some(Page {
                messages: page.data,
                has_more: page.metadata.has_more,
                cursor: page.metadata.next_cursor,
            }),
            Err(err) => {
                let room = self.start.room;
                tracing::warn!(target: "band.oneshot", %room, %err, "the room's past could not be read");
                None
            }
        }
    }

    async fn probe(&mut self, message: Message, shared: &Arc<TurnShared>) -> Result<bool, String> {
        let message = IncomingMessage::read(message, self.start.room, &self.roster().members());
        let tools = RoomTools { shared: Arc::clone(shared) };
        let control = ControlMessage { message, room: self.start.room, tools };
        let taken = caught(self.host.adapter().try_handle_control(&control)).await;
        taken.map_err(|err| self.note_adapter(err))
    }

    /// The text of the failed mark; the error is kept.
    fn note_adapter(&mut self, err: AdapterError) -> String {
        let text = label(&err);
        self.failed = Some(OneShotError::Adapter(err));
        text
    }

    async fn turn(&mut self, message: Message, past: Past, shared: &Arc<TurnShared>) -> Ran {
        let input = self.input(message, past, shared);
        let ended = caught(self.dispatch(input)).await;
        let stopped = shared.was_stopped();
        let ending = match ended {
            Ok(true) => Ending::Returned,
            Ok(false) => return Ran::Done,
            Err(err) => match err.kind() {
                AdapterErrorKind::NotAccepted => Ending::NotAccepted,
                AdapterErrorKind::Stopped => Ending::Stopped,
                AdapterErrorKind::Failed
                | AdapterErrorKind::AlreadyReported
                | AdapterErrorKind::Cancelled => Ending::Failed(self.note_adapter(err)),
            },
        };
        let facts = Circumstances {
            ledger: *shared.ledger(),
            cancel: None,
            judged: self.host.adapter().judges_turns(),
            last_attempt: true,
            report: true,
        };
        let ending = if stopped && ending == Ending::Returned { Ending::Stopped } else { ending };
        match judge(ending, facts) {
            Ruling::Processed => Ran::Done,
            Ruling::Failed { error, notice } => {
                if notice == Some(MISSING_REPLY) {
                    self.tell_silence(shared).await;
                    self.failed = Some(OneShotError::Adapter(error.clone().into()));
                }
                Ran::Failed(error)
            }
            Ruling::Later => Ran::NotAccepted,
            Ruling::Paused | Ruling::Left => Ran::Stopped,
        }
    }

    /// Says whether there was a turn.
    async fn dispatch(&self, input: AgentInput) -> Result<bool, AdapterError> {
        let context = RoomContext {
            room: self.start.room,
            identity: Arc::clone(&self.up.identity),
            rest: self.up.rest.clone(),
            session: self.host.session(),
            roster: Arc::clone(&self.roster),
            hub_room: None,
            is_bootstrapped: false,
        };
        match self.host.preprocessor().process(&context, input).await? {
            Some(input) => self.host.adapter().on_event(input).await.map(|()| true),
            None => Ok(false),
        }
    }

    fn input(&self, message: Message, past: Past, shared: &Arc<TurnShared>) -> AgentInput {
        let (room, members) = (self.start.room, self.roster().members());
        let history = RawHistory::around(
            self.start.message,
            past.messages,
            past.truncated,
            self.up.identity.id,
            &members,
        );
        Turn {
            message: IncomingMessage::read(message, room, &members),
            room,
            history,
            participants_update: Some(participants_update(&members)),
            contacts_update: None,
            participants: members,
            is_bootstrap: true,
            tools: RoomTools { shared: Arc::clone(shared) },
        }
    }

    async fn tell_silence(&self, shared: &TurnShared) {
        let failure = AgentFailure::new("band-runtime", MISSING_REPLY);
        let event = CreateEvent {
            content: failure.content(),
            message_type: EventType::Error,
            metadata: Some(failure.metadata()),
        };
        if let Err(err) = shared.port.event(&event).await {
            let room = self.start.room;
            tracing::warn!(target: "band.oneshot", %room, %err, "the room could not be told of a silent turn");
        }
    }

    fn roster(&self) -> MutexGuard<'_, Roster> {
        lock(&self.roster)
    }
}

impl Drop for Invocation {
    fn drop(&mut self) {
        if self.holds {
            let mut claims = lock(&self.claims);
            claims.release(self.start.room, self.start.message);
            if let Some(drained) = self.drains {
                claims.release(self.start.room, drained);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
