//! What is seen while a simulation runs: who said what, which handlers ran, what the wire carried.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use band_wire::{ChatId, MessageId};
use bytes::Bytes;
use http::Request;
use tokio::time::Instant;

use super::platform::Answer;
use super::scenario::{Behaviour, Kind, Scenario, Scripted};
use super::world::Process;

/// How late a signal may come.
const LATE: Duration = Duration::from_secs(5);

/// A message of a person.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) room: ChatId,
    pub(crate) to: Vec<usize>,
    pub(crate) how: Behaviour,
    pub(crate) at: Instant,
    /// Whether it was said after all faults had ended.
    pub(crate) is_canary: bool,
}

/// One run of a handler.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) process: Process,
    pub(crate) room: ChatId,
    pub(crate) message: MessageId,
    pub(crate) began: Instant,
    /// Which stay of the agent in the room it belongs to: a new one begins with nothing remembered.
    pub(crate) stay: u32,
    pub(crate) end: Option<End>,
}

/// How a handler's run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It returned, with a reply or a decline.
    Answered,
    /// It returned without either.
    Silent,
    /// It failed by its own doing.
    Failed,
    /// It could not post.
    Unposted,
    /// It did not take its input.
    NotAccepted,
    /// It was asked to end, and did.
    Cancelled,
    /// It was dropped while it ran.
    Dropped,
    /// Its process died.
    Died,
}

/// Why less than usual may be expected of a message for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Excuse {
    /// Its push was lost, late or doubled: later ones may be handled first.
    Disturbed,
    /// A person interrupted while it was open: it may be consumed without a reply.
    Interrupted,
    /// A post about it was refused, or could not be made.
    Unposted,
    /// A mark was refused for good, or its answer can't be read.
    Unmarked,
    /// A claim was refused.
    Unclaimed,
}

/// Something that must not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) checker: &'static str,
    pub(crate) text: String,
}

/// What the dials of a process looked like.
#[derive(Debug, Default)]
struct Dials {
    failed: Option<Instant>,
    gaps: Vec<Duration>,
    made: Vec<Instant>,
}

/// The record.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) said: BTreeMap<MessageId, Said>,
    pub(crate) runs: Vec<Run>,
    pub(crate) violations: Vec<Violation>,
    excuses: BTreeMap<(usize, MessageId), BTreeSet<Excuse>>,
    /// No request may leave between the two: since the answer that said so, which frees those of its own instant.
    quiet: BTreeMap<Process, (Instant, Instant)>,
    /// Marks that end a message, by the life that sent the first one.
    pub(crate) ended: BTreeMap<(usize, MessageId), u32>,
    /// Claims that were granted, and whose handler has not started.
    claims: BTreeSet<(Process, MessageId)>,
    /// Sends that were answered 409, by the run that made them, path and key.
    conflicts: BTreeSet<(usize, String)>,
    stays: BTreeMap<(usize, ChatId), u32>,
    dials: BTreeMap<Process, Dials>,
    pub(crate) retries: u32,
    /// Whether what is pushed arrives in time.
    is_faithful: bool,
    /// Signals to end a turn, with the room.
    pub(crate) signals: Vec<(usize, ChatId, Instant)>,
    /// Interrupts of each agent in each room.
    pub(crate) interrupts: BTreeMap<(usize, ChatId), usize>,
    /// Who was told who is in a room.
    rosters: BTreeSet<(Process, ChatId)>,
    /// Which rooms an adapter was told to forget.
    pub(crate) forgotten: BTreeSet<(Process, ChatId)>,
}

impl Watch {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self {
            said: BTreeMap::new(),
            runs: Vec::new(),
            violations: Vec::new(),
            excuses: BTreeMap::new(),
            quiet: BTreeMap::new(),
            ended: BTreeMap::new(),
            claims: BTreeSet::new(),
            conflicts: BTreeSet::new(),
            stays: BTreeMap::new(),
            dials: BTreeMap::new(),
            retries: scenario.knobs.retries,
            is_faithful: scenario.is_faithful,
            signals: Vec::new(),
            interrupts: BTreeMap::new(),
            rosters: BTreeSet::new(),
            forgotten: BTreeSet::new(),
        }
    }

    /// Writes down what must not happen.
    pub(crate) fn violated(&mut self, checker: &'static str, text: String) {
        self.violations.push(Violation { checker, text });
    }

    pub(crate) fn excuse(&mut self, agent: usize, message: MessageId, why: Excuse) {
        self.excuses.entry((agent, message)).or_default().insert(why);
    }

    pub(crate) fn is_excused(&self, agent: usize, message: MessageId, why: Excuse) -> bool {
        self.excuses.get(&(agent, message)).is_some_and(|all| all.contains(&why))
    }

    /// The runs of one message by one agent, in order.
    pub(crate) fn runs_of(&self, agent: usize, message: MessageId) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(move |run| run.process.agent == agent && run.message == message)
    }

    /// A handler begins. Gives the number of its run.
    pub(crate) fn began(&mut self, process: Process, room: ChatId, message: MessageId) -> usize {
        super::check::running::begins(self, process, room, message);
        let stay = self.stay(process.agent, room);
        self.runs.push(Run { process, room, message, began: Instant::now(), stay, end: None });
        self.runs.len() - 1
    }

    /// Which stay of the agent in the room this is.
    pub(crate) fn stay(&self, agent: usize, room: ChatId) -> u32 {
        self.stays.get(&(agent, room)).copied().unwrap_or_default()
    }

    /// The agent is taken out of a room.
    pub(crate) fn left(&mut self, agent: usize, room: ChatId) {
        *self.stays.entry((agent, room)).or_default() += 1;
    }

    /// Whether a person has stopped or interrupted the agent in a room.
    pub(crate) fn was_steered(&self, agent: usize, room: ChatId) -> bool {
        self.signals.iter().any(|(who, here, _)| (*who, *here) == (agent, room))
    }

    /// Whether the message was cut short by a signal that was sent not long before it: it may have come late.
    pub(crate) fn was_cut_short(&self, agent: usize, message: MessageId) -> bool {
        let has_run = self.runs_of(agent, message).next().is_some();
        if let Some(said) = self.said.get(&message).filter(|_| !has_run) {
            let mut signals =
                self.signals.iter().filter(|(who, room, _)| (*who, *room) == (agent, said.room));
            return signals.any(|(_, _, at)| *at <= said.at && said.at - *at <= LATE);
        }
        self.runs_of(agent, message).any(|run| {
            let is_meant = |(who, room, at): &(usize, ChatId, Instant)| {
                (*who, *room) == (agent, run.room) && *at <= run.began && run.began - *at <= LATE
            };
            matches!(run.end, Some(End::Cancelled | End::Dropped)) && self.signals.iter().any(is_meant)
        })
    }

    /// Whether the process was told who is in the room.
    pub(crate) fn knows_roster(&self, process: Process, room: ChatId) -> bool {
        self.is_faithful && self.rosters.contains(&(process, room))
    }

    /// Whether a claim was granted for a handler that starts now.
    pub(crate) fn take_claim(&mut self, process: Process, message: MessageId) -> bool {
        self.claims.remove(&(process, message))
    }

    /// A handler's run is over.
    pub(crate) fn over(&mut self, run: usize, end: End) {
        let Some(run) = self.runs.get_mut(run).filter(|run| run.end.is_none()) else { return };
        run.end = Some(end);
        let run = run.clone();
        if self.is_faithful {
            super::check::steering::ends(self, &run);
        }
        let (agent, message) = (run.process.agent, run.message);
        if end == End::Unposted {
            self.excuse(agent, message, Excuse::Unposted);
        }
    }

    /// A process is no more, and with it its handlers.
    pub(crate) fn died(&mut self, process: Process) {
        let running = self.runs.iter_mut().filter(|run| run.process == process && run.end.is_none());
        running.for_each(|run| run.end = Some(End::Died));
    }

    /// A push was lost, late or doubled.
    pub(crate) fn push_disturbed(&mut self, frame: &str) {
        let Some(message) = message_in(frame) else { return };
        let to = self.said.get(&message).map(|said| said.to.clone()).unwrap_or_default();
        to.into_iter().for_each(|agent| self.excuse(agent, message, Excuse::Disturbed));
    }

    /// A request leaves.
    pub(crate) fn departed(&mut self, process: Process, kind: Option<Kind>, request: &Request<Bytes>) {
        let now = Instant::now();
        if let Some((_, until)) =
            self.quiet.get(&process).filter(|(since, until)| *since < now && now < *until)
        {
            let early = *until - now;
            self.violated("retry-after", format!("{process:?} sends {} {early:?} too early", request.uri()));
        }
        if matches!(kind, Some(Kind::Processed | Kind::Failed))
            && let Some(message) = message_of(request)
        {
            self.ended.entry((process.agent, message)).or_insert(process.life);
        }
        let run = self.running_in(process, request);
        if run.is_some_and(|run| self.conflicts.contains(&(run, identity(request)))) {
            self.violated("no-retry-of-409", format!("{process:?} repeats {}", request.uri()));
        }
    }

    /// An answer reaches its process.
    pub(crate) fn answered(&mut self, process: Process, request: &Request<Bytes>, answer: &Answer) {
        let kind = Kind::of(request.method(), request.uri().path());
        let status = answer.status().as_u16();
        if status == 429 && !matches!(kind, Some(Kind::Me | Kind::Activity)) {
            let header = |name: &str| answer.headers().get(name)?.to_str().ok()?.parse::<u64>().ok();
            let wait = header("retry-after-ms").map(Duration::from_millis);
            let wait = wait.or_else(|| header("retry-after").map(Duration::from_secs)).unwrap_or_default();
            let now = Instant::now();
            let (since, until) = self.quiet.entry(process).or_insert((now, now));
            (*since, *until) = (now, (now + wait).max(*until));
        }
        if status == 200
            && kind == Some(Kind::Participants)
            && answer.body().starts_with(b"{")
            && let Some(room) = part(request, 5).and_then(|room| room.parse().ok())
        {
            self.rosters.insert((process, room));
        }
        if status == 200
            && kind == Some(Kind::Claim)
            && let Some(message) = message_of(request)
        {
            self.claims.insert((process, message));
        }
        if status == 409
            && kind == Some(Kind::Send)
            && let Some(run) = self.running_in(process, request)
        {
            self.conflicts.insert((run, identity(request)));
        }
        let lasting = matches!(status, 400..500) && !matches!(status, 408 | 409 | 429);
        if lasting
            && matches!(kind, Some(Kind::Processed | Kind::Failed))
            && let Some(message) = message_of(request)
        {
            self.excuse(process.agent, message, Excuse::Unmarked);
        }
    }

    /// Something else answers in place of the platform.
    pub(crate) fn scripted(
        &mut self,
        process: Process,
        kind: Option<Kind>,
        request: &Request<Bytes>,
        answer: Scripted,
    ) {
        let lasting = match answer {
            Scripted::Status(status) => !matches!(status, 408 | 429 | 500..),
            Scripted::Garbage | Scripted::Empty => true,
            Scripted::Busy(_) | Scripted::Unavailable(_) | Scripted::BadGateway => false,
        };
        let is_final = lasting && matches!(answer, Scripted::Status(_));
        if lasting && matches!(kind, Some(Kind::Next | Kind::List)) {
            // What was missed is not served: later pushes are handled all the same.
            let room = part(request, 5).and_then(|room| room.parse::<ChatId>().ok());
            let here = self.said.iter().filter(|(_, said)| Some(said.room) == room);
            let ids: Vec<MessageId> = here.map(|(id, _)| *id).collect();
            ids.into_iter().for_each(|id| self.excuse(process.agent, id, Excuse::Disturbed));
            return;
        }
        let running = || Some(self.runs.get(self.running_in(process, request)?)?.message);
        let Some(message) = message_of(request).or_else(running) else { return };
        match kind {
            Some(Kind::Claim) => self.excuse(process.agent, message, Excuse::Unclaimed),
            Some(Kind::Processed | Kind::Failed) if lasting => {
                self.excuse(process.agent, message, Excuse::Unmarked);
            }
            // Everything else is outlasted: no script goes on for minutes.
            Some(Kind::Send) if is_final => self.excuse(process.agent, message, Excuse::Unposted),
            _ => {}
        }
    }

    /// The run that a post of a process belongs to: what runs in its room.
    fn running_in(&self, process: Process, request: &Request<Bytes>) -> Option<usize> {
        let room = part(request, 5)?.parse::<ChatId>().ok()?;
        self.runs.iter().rposition(|run| run.process == process && run.room == room && run.end.is_none())
    }

    /// A process opens a connection.
    pub(crate) fn dialled(&mut self, process: Process) {
        let now = Instant::now();
        let dials = self.dials.entry(process).or_default();
        if let Some(failed) = dials.failed.take() {
            dials.gaps.push(now - failed);
        }
        dials.made.push(now);
        super::check::dialling::made(self, process, now);
    }

    /// A connection could not be opened.
    pub(crate) fn undialled(&mut self, process: Process) {
        self.dials.entry(process).or_default().failed = Some(Instant::now());
    }

    /// When a process dialled, and how long it waited after each refusal.
    pub(crate) fn dials_of(&self, process: Process) -> (&[Instant], &[Duration]) {
        self.dials.get(&process).map_or((&[], &[]), |dials| (&dials.made, &dials.gaps))
    }
}

fn identity(request: &Request<Bytes>) -> String {
    let key = request.headers().get("idempotency-key").and_then(|key| key.to_str().ok()).unwrap_or_default();
    format!("{} {key}", request.uri().path())
}

fn part(request: &Request<Bytes>, at: usize) -> Option<&str> {
    request.uri().path().split('/').nth(at)
}

/// The message that a mark names.
fn message_of(request: &Request<Bytes>) -> Option<MessageId> {
    part(request, 8)?;
    part(request, 7)?.parse().ok()
}

/// The message that a push carries.
fn message_in(frame: &str) -> Option<MessageId> {
    let frame = band_wire::phx::Frame::decode(frame).ok()?;
    if frame.event != "message_created" {
        return None;
    }
    frame.payload.get("id")?.as_str()?.parse().ok()
}
