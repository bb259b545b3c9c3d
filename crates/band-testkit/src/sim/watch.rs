//! What is seen while a simulation runs: who said what, which handlers ran, what the wire carried.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use band_wire::{ChatId, ContactRequestId, MessageId};
use bytes::Bytes;
use http::Request;
use tokio::time::Instant;

use super::platform::Answer;
use super::scenario::{Behaviour, Kind, Scenario, Scripted, Wait};
use super::world::Process;

/// Requests of one process at one instant that only a loop without a wait makes.
const AT_ONCE: u32 = 1_000;

/// Claims of one message that may be refused in a row before later ones are taken up.
const CLAIM_PATIENCE: u32 = 5;

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
    pub(crate) end: Option<End>,
    pub(crate) ended: Option<Instant>,
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
    /// Its push was lost or late, or nobody could hear that it is served: later ones may be handled first.
    Disturbed,
    /// A person interrupted while it was open: it may be consumed without a reply.
    Interrupted,
    /// A post about it was refused, or could not be made.
    Unposted,
    /// A mark was refused for good, or its answer can't be read.
    Unmarked,
    /// A claim found nothing: the message is passed over, and looked for again.
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
    /// When agents were last taken out of a room, or brought in.
    moves: BTreeMap<(usize, ChatId), Instant>,
    dials: BTreeMap<Process, Dials>,
    pub(crate) retries: u32,
    /// Whether what is pushed arrives in time.
    pub(crate) is_faithful: bool,
    /// Signals to end a turn, with the room.
    pub(crate) signals: Vec<(usize, ChatId, Instant)>,
    /// Who was asked to be a contact.
    pub(crate) asked: Vec<(usize, ContactRequestId)>,
    /// Callbacks that have settled a request.
    settled: BTreeSet<(Process, ContactRequestId)>,
    /// Agents of which two processes ran at the same time.
    pub(crate) rivals: BTreeSet<usize>,
    /// Who was ever stopped where.
    pub(crate) stopped: BTreeSet<(usize, ChatId)>,
    /// Who did not hear in time of a stop, of a play, or of being in a room.
    misled: BTreeSet<(usize, ChatId)>,
    /// Processes whose sockets went silent, until they dial again.
    silenced: BTreeSet<Process>,
    /// Agents that were told to wait.
    slowed: BTreeSet<usize>,
    /// Whether the machine was ever asleep.
    pub(crate) has_slept: bool,
    /// Claims of a message that something refused in a row.
    refused: BTreeMap<(usize, MessageId), u32>,
    /// Since when a process hears that it is stopped in a room.
    told: BTreeMap<(Process, ChatId), Instant>,
    /// How many requests each process has sent in its last instant.
    instant: BTreeMap<Process, (Instant, u32)>,
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
            moves: BTreeMap::new(),
            dials: BTreeMap::new(),
            retries: scenario.knobs.retries,
            is_faithful: scenario.is_faithful,
            signals: Vec::new(),
            asked: Vec::new(),
            settled: BTreeSet::new(),
            rivals: BTreeSet::new(),
            stopped: BTreeSet::new(),
            misled: BTreeSet::new(),
            silenced: BTreeSet::new(),
            slowed: BTreeSet::new(),
            has_slept: false,
            refused: BTreeMap::new(),
            told: BTreeMap::new(),
            instant: BTreeMap::new(),
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
        let began = Instant::now();
        self.runs.push(Run { process, room, message, began, end: None, ended: None });
        self.runs.len() - 1
    }

    /// A process is told of a request.
    pub(crate) fn request_told(&mut self, process: Process, request: ContactRequestId) {
        if self.settled.contains(&(process, request)) {
            self.violated("contact", format!("{process:?} is told of {request} after it has settled it"));
        }
    }

    /// A process has settled a request.
    pub(crate) fn request_settled(&mut self, process: Process, request: ContactRequestId) {
        self.settled.insert((process, request));
    }

    /// The agent is taken out of a room, or brought in: a new stay begins with nothing remembered.
    pub(crate) fn moved(&mut self, agent: usize, room: ChatId) {
        self.moves.insert((agent, room), Instant::now());
    }

    /// Whether the agent may have heard, after a run began, that another stay has begun.
    pub(crate) fn has_moved_since(&self, run: &Run) -> bool {
        let last = self.moves.get(&(run.process.agent, run.room));
        last.is_some_and(|at| *at >= run.began || run.began - *at <= LATE)
    }

    /// Whether a person has ever stopped the agent in a room.
    pub(crate) fn was_stopped(&self, agent: usize, room: ChatId) -> bool {
        self.stopped.contains(&(agent, room))
    }

    /// Whether the agent did not hear in time that it is in a room, or may speak there.
    pub(crate) fn was_misled(&self, agent: usize, room: ChatId) -> bool {
        self.misled.contains(&(agent, room))
    }

    /// Whether the agent was ever told to wait.
    pub(crate) fn was_slowed(&self, agent: usize) -> bool {
        self.slowed.contains(&agent)
    }

    /// Whether a person's signal may have reached a run before its end.
    pub(crate) fn was_signalled(&self, run: &Run) -> bool {
        let here = (run.process.agent, run.room);
        let signals = self.signals.iter().filter(|(agent, room, _)| (*agent, *room) == here);
        let end = run.ended.unwrap_or(run.began);
        signals.map(|(.., at)| *at).any(|at| at <= end && (at >= run.began || run.began - at <= LATE))
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
        run.ended = Some(Instant::now());
        let run = run.clone();
        if self.is_faithful {
            super::check::steering::ends(self, &run);
        }
        let (agent, message) = (run.process.agent, run.message);
        if end == End::Unposted {
            self.excuse(agent, message, Excuse::Unposted);
        }
    }

    /// Since when a process hears that it is stopped in the room of a message, if it does.
    pub(crate) fn told_since(&self, process: Process, message: MessageId) -> Option<Instant> {
        let room = self.said.get(&message)?.room;
        self.told.get(&(process, room)).copied()
    }

    /// Whether a process sends without end, and without a wait.
    pub(crate) fn is_spinning(&self, process: Process) -> bool {
        self.instant.get(&process).is_some_and(|(_, count)| *count >= AT_ONCE)
    }

    /// A process begins anew: what it was told to wait for is forgotten.
    pub(crate) fn forget_waits(&mut self, process: Process) {
        self.quiet.remove(&process);
    }

    /// A process is no more, and with it its handlers.
    pub(crate) fn died(&mut self, process: Process) {
        let running = self.runs.iter_mut().filter(|run| run.process == process && run.end.is_none());
        running.for_each(|run| run.end = Some(End::Died));
    }

    /// A push to an agent was lost, or comes late.
    pub(crate) fn push_disturbed(&mut self, agent: usize, frame: &str) {
        match Push::read(frame) {
            Some(Push::Message(message)) => self.excuse(agent, message, Excuse::Disturbed),
            // It is looked for when the agent connects again, which may be never.
            Some(Push::Request(request)) => self.asked.retain(|(_, asked)| *asked != request),
            Some(Push::Room(room) | Push::Stop(room)) => {
                self.misled.insert((agent, room));
            }
            Some(Push::Play(room)) => {
                self.misled.insert((agent, room));
                // A room that may go on, and does not know it, handles later pushes first.
                let here = self.said.iter().filter(|(_, said)| said.room == room);
                let open: Vec<MessageId> = here.map(|(id, _)| *id).collect();
                open.into_iter().for_each(|id| self.excuse(agent, id, Excuse::Disturbed));
            }
            None => {}
        }
    }

    /// A room goes on. A process that did not hear of the stop, as one that has started since, may have a later
    /// push in preparation.
    pub(crate) fn goes_on(&mut self, agent: usize, lives: &[u32], room: ChatId) {
        let has_heard = |life: &u32| self.told.contains_key(&(Process { agent, life: *life }, room));
        if lives.is_empty() || !lives.iter().all(has_heard) {
            let here = self.said.iter().filter(|(_, said)| said.room == room);
            let open: Vec<MessageId> = here.map(|(id, _)| *id).collect();
            open.into_iter().for_each(|id| self.excuse(agent, id, Excuse::Disturbed));
        }
    }

    /// The sockets of a process go silent.
    pub(crate) fn silenced(&mut self, process: Process) {
        self.silenced.insert(process);
    }

    /// A push to a process is under way, and nothing keeps it but a socket that went silent.
    pub(crate) fn push_told(&mut self, process: Process, frame: &str) {
        if self.silenced.contains(&process) {
            return;
        }
        match Push::read(frame) {
            Some(Push::Stop(room)) => {
                self.told.entry((process, room)).or_insert_with(Instant::now);
            }
            Some(Push::Play(room)) => {
                self.told.remove(&(process, room));
            }
            Some(Push::Message(_) | Push::Room(_) | Push::Request(_)) | None => {}
        }
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
        let (since, count) = self.instant.entry(process).or_insert((now, 0));
        (*since, *count) = if *since == now { (now, *count + 1) } else { (now, 1) };
        if *count == AT_ONCE {
            self.violated(
                "livelock",
                format!("{process:?} sends {AT_ONCE} requests at once, the last is {}", request.uri()),
            );
        }
        if kind == Some(Kind::Claim)
            && let Some(message) = message_of(request)
        {
            super::check::steering::claims(self, process, message);
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
        if status == 429 {
            self.slowed.insert(process.agent);
        }
        if status == 429 && !matches!(kind, Some(Kind::Me | Kind::Activity)) {
            let wait = Wait::read(answer.headers());
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
            self.refused.remove(&(process.agent, message));
        }
        if matches!(status, 400..500)
            && !matches!(status, 408 | 429)
            && kind == Some(Kind::Claim)
            && let Some(message) = message_of(request)
        {
            let refused = self.refused.entry((process.agent, message)).or_default();
            *refused += 1;
            if *refused >= CLAIM_PATIENCE {
                self.excuse(process.agent, message, Excuse::Unclaimed);
            }
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
            Some(Kind::Claim) if answer == Scripted::Status(404) => {
                self.excuse(process.agent, message, Excuse::Unclaimed);
            }
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
        self.silenced.remove(&process);
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

/// What a push tells, as far as it matters here.
enum Push {
    Message(MessageId),
    Request(ContactRequestId),
    /// The agent was brought into a room, or taken out of it.
    Room(ChatId),
    Stop(ChatId),
    Play(ChatId),
}

impl Push {
    fn read(frame: &str) -> Option<Self> {
        let frame = band_wire::phx::Frame::decode(frame).ok()?;
        let text = |name: &str| frame.payload.get(name)?.as_str();
        match frame.event.as_str() {
            "message_created" => Some(Self::Message(text("id")?.parse().ok()?)),
            "contact_request_received" => Some(Self::Request(text("id")?.parse().ok()?)),
            "room_added" | "room_removed" => Some(Self::Room(text("id")?.parse().ok()?)),
            "agent.control" => {
                let room = text("room_id")?.parse().ok()?;
                match text("mode")? {
                    "stop" => Some(Self::Stop(room)),
                    "play" => Some(Self::Play(room)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
