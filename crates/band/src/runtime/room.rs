//! The task of one room: mail, answers, ends of turns and the clock in; machine; calls and turns out.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use band_core::room::{Answer, CallId, Control, Input, Note, Output, Room};
use band_core::trial::{self, Fault};
use band_core::{Machine, Moment};
use band_wire::ChatId;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

use super::calls::RoomCalls;
use super::leftover::Leftover;
use super::mailbox::{Mail, Mailbox, News};
use super::turns::{Said, Turns};
use crate::adapter::{AdapterResult, BoxedAdapter, FrameworkAdapter, InterruptMode};
use crate::agent::hooks::{Presence, RoomCallbacks};
use crate::alarm;
use crate::journal::RoomJournal;
use crate::metrics::RoomMeter;

/// A call on its way. It is polled by the room's own task: nothing is spawned for it.
type Asked = Pin<Box<dyn Future<Output = (CallId, Answer)> + Send>>;

/// What is left of a room when its task has ended.
#[derive(Debug)]
pub(super) struct RoomEnd {
    /// No turn had to be cancelled.
    pub(super) graceful: bool,
    /// Whether the adapter forgot the room.
    pub(super) cleanup: AdapterResult,
    /// Turns that were dropped and still run; the adapter was not asked to forget the room then.
    pub(super) leftover: Option<Leftover>,
}

/// The task of one room.
pub(super) struct RoomTask {
    machine: Room,
    journal: RoomJournal,
    origin: Instant,
    mailbox: Arc<Mailbox>,
    calls: Arc<RoomCalls>,
    asked: FuturesUnordered<Asked>,
    turns: Turns,
    callbacks: RoomCallbacks,
    adapter: Arc<BoxedAdapter>,
    meter: RoomMeter,
    turn_began: Option<Instant>,
}

/// What a room's task works with.
pub(super) struct RoomParts {
    pub(super) mailbox: Arc<Mailbox>,
    pub(super) calls: Arc<RoomCalls>,
    pub(super) turns: Turns,
    pub(super) callbacks: RoomCallbacks,
    pub(super) meter: RoomMeter,
}

impl RoomTask {
    pub(super) fn new(
        machine: Room,
        journal: RoomJournal,
        parts: RoomParts,
        adapter: Arc<BoxedAdapter>,
    ) -> Self {
        let RoomParts { mailbox, calls, turns, callbacks, meter } = parts;
        let asked = FuturesUnordered::new();
        let (origin, turn_began) = (Instant::now(), None);
        Self { machine, journal, origin, mailbox, calls, asked, turns, callbacks, adapter, meter, turn_began }
    }

    /// Runs until the room is closed, and has the adapter forget it.
    pub(super) async fn run(mut self) -> RoomEnd {
        let room = self.calls.room;
        let graceful = loop {
            if let Some(graceful) = self.drain() {
                break graceful;
            }
            let deadline = self.machine.deadline();
            // The clock comes first, since it can't keep the others waiting; then what people want, and the
            // turn's end before answers, which its verdict does not need.
            tokio::select! {
                biased;
                () = alarm::due(self.origin, deadline) => {
                    let now = self.now();
                    self.machine.expire(now);
                }
                mail = self.mailbox.take() => self.mail(mail),
                said = self.turns.next() => self.turn_said(said),
                Some((call, answer)) = self.asked.next() => self.tell(Input::Answered { call, answer }),
                () = self.callbacks.next() => {}
            }
        };
        let mut leftover = self.turns.into_leftover();
        if !leftover.is_empty() && leftover.settle().await > 0 {
            tracing::warn!(target: "band.room", %room, "turns that were dropped still run");
            // Whoever leaves a room can wait; whoever stops the agent wants to know.
            while !self.mailbox.is_agents_end() && !leftover.is_empty() {
                tokio::select! {
                    biased;
                    _ = self.mailbox.take() => {}
                    () = leftover.over() => {}
                }
            }
            if !leftover.is_empty() {
                return RoomEnd { graceful: false, cleanup: Ok(()), leftover: Some(leftover) };
            }
        }
        if trial::has(Fault::CleanupSkipped) {
            return RoomEnd { graceful, cleanup: Ok(()), leftover: None };
        }
        let cleanup = self.adapter.on_cleanup(room).await;
        RoomEnd { graceful, cleanup, leftover: None }
    }

    fn turn_said(&mut self, said: Said) {
        self.tell(match said {
            Said::Detached { turn, delivered } => Input::Detached { turn, delivered },
            Said::PostRefused(turn) => Input::PostRefused(turn),
            Said::Ended { turn, end } => Input::TurnEnded { turn, end },
        });
    }

    fn now(&self) -> Moment {
        Moment::at(self.origin.elapsed())
    }

    fn tell(&mut self, input: Input) {
        let now = self.now();
        self.machine.handle(now, input);
    }

    fn mail(&mut self, mail: Mail) {
        if mail.gap {
            self.tell(Input::Unsubscribed);
        }
        if mail.subscribed {
            self.tell(Input::Subscribed);
        }
        if mail.resync {
            self.tell(Input::Resync);
        }
        if mail.hub {
            self.turns.set_hub();
            self.tell(Input::Hub);
        }
        for control in mail.controls {
            self.tell(Input::Control(control));
        }
        for news in mail.news {
            match news {
                News::Message(message) => self.tell(Input::Pushed(message)),
                News::Synthetic(message) => self.tell(Input::Synthetic(message)),
                News::Arrived(member) => {
                    self.calls.roster().add((*member).clone());
                    self.callbacks.tell(Presence::Arrived(*member));
                }
                News::Left(member) => {
                    self.calls.roster().remove(member.id);
                    self.callbacks.tell(Presence::Left(*member));
                }
            }
        }
        if let Some(by) = mail.close {
            let by = by.map(|by| Moment::at(by.saturating_duration_since(self.origin)));
            self.tell(Input::Close { by });
        }
    }

    /// Tells the adapter. What it does wrong there must not cost the room.
    fn interrupt(&self, control: Control) {
        let mode = match control {
            Control::Interrupt => InterruptMode::Interrupt,
            Control::Stop => InterruptMode::Stop,
            Control::Play => return,
        };
        let (room, adapter) = (self.calls.room, &self.adapter);
        let told = std::panic::catch_unwind(AssertUnwindSafe(|| adapter.on_interrupt(room, mode)));
        if told.is_err() {
            tracing::error!(target: "band.room", %room, "the adapter panicked when it was interrupted");
        }
    }

    /// Does what the machine asks for; says when the room is closed, and whether gracefully.
    fn drain(&mut self) -> Option<bool> {
        while let Some(output) = self.machine.poll() {
            match output {
                Output::Record(record) => self.journal.record(&record),
                Output::Call { id, call } => {
                    let calls = Arc::clone(&self.calls);
                    self.asked.push(Box::pin(async move { (id, calls.make(call).await) }));
                }
                Output::StartTurn { turn, message, bootstrap, served } => {
                    if served {
                        let (room, id) = (self.calls.room, message.id);
                        tracing::info!(target: "band.room", "Dispatch source=backlog room={room} message={id}");
                    }
                    self.meter.metrics().turn_started();
                    self.turn_began = Some(Instant::now());
                    self.turns.start(turn, *message, bootstrap, &self.calls);
                }
                Output::Offer { turn, message } => self.turns.offer(turn, *message, &self.calls),
                Output::TellAdapter(control) => self.interrupt(control),
                Output::CancelTurn(turn) => self.turns.cancel(turn),
                Output::AbortTurn(turn) => {
                    if let Some(end) = self.turns.abort(turn) {
                        self.tell(Input::TurnEnded { turn, end });
                    }
                }
                Output::Note(note) => {
                    self.meter.metrics().dropped((note == Note::Overflow).into());
                    log(self.calls.room, &note);
                }
                Output::Closed { graceful } => {
                    self.measure();
                    return Some(graceful);
                }
            }
        }
        self.measure();
        None
    }

    fn measure(&mut self) {
        if let Some(outcome) = self.machine.take_outcome() {
            let took = self.turn_began.take().map(|began| began.elapsed());
            self.meter.metrics().turn_ended(outcome, took.unwrap_or_default());
        }
        self.meter.level(self.machine.queued(), self.machine.owes());
    }
}

fn log(room: ChatId, note: &Note) {
    match note {
        Note::Overflow => {
            tracing::warn!(target: "band.room", %room, "too many messages wait: the platform is asked again later");
        }
        Note::GaveUp(message) => {
            tracing::warn!(target: "band.room", %room, message_id = %message, "no further attempt at this message is made");
        }
        Note::TooManyDetached => {
            tracing::warn!(target: "band.room", %room, "too many turns go on beside the room: it waits for this one");
        }
        Note::HubFull => {
            tracing::warn!(target: "band.room", %room, "too many contact events wait: one was lost");
        }
        Note::HubFailed(message) => {
            tracing::warn!(target: "band.room", %room, message_id = %message, "a contact event could not be handled");
        }
        Note::NotServed => {
            tracing::warn!(target: "band.room", %room, "the platform serves no missed messages of this room");
        }
        Note::WorkingTooLong => {
            tracing::info!(target: "band.room", %room, "the work goes on beyond max_working_state_seconds: it is not reported again");
        }
        Note::Resumed => tracing::info!(target: "band.room", %room, "the room goes on"),
    }
}
