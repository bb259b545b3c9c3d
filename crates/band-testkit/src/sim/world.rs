//! Everything that a simulation shares: the platform, the sockets, the weather, what was seen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use band_core::Moment;
use band_core::platform::hub::ConnId;
use band_wire::{AgentId, ChatId, UserId};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use super::cable::Cable;
use super::chance::Chance;
use super::disk::SimDisk;
use super::platform::{Outgoing, Platform};
use super::scenario::{Act, Kind, Scenario, Scripted, Step, Weather, When};
use super::watch::Watch;

/// Frames that may wait for one socket, as on the real platform. One more ends it.
const MAX_QUEUED: usize = 4096;
/// How late a push may be.
const LATEST_PUSH: u64 = 3_000;

/// One life of an agent's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub(crate) agent: usize,
    pub(crate) life: u32,
}

/// An agent of the site.
#[derive(Debug, Clone)]
pub(crate) struct Actor {
    pub(crate) id: AgentId,
    pub(crate) key: String,
    /// The newest life.
    pub(crate) life: u32,
    /// Those that run: two, while one takes the place of another.
    pub(crate) alive: BTreeSet<u32>,
    pub(crate) disk: SimDisk,
}

/// What the writer of a socket is given.
#[derive(Debug)]
pub(crate) enum Item {
    Text(String),
    Close(u16, &'static str),
}

/// An open socket, as the platform holds it.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) process: Process,
    pub(crate) queue: mpsc::Sender<Item>,
}

/// Answers that are set in place of the platform's.
#[derive(Debug)]
struct Script {
    agent: usize,
    kind: Kind,
    answer: Scripted,
    left: u32,
}

/// The state. Locked for moments, never while something is awaited.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) chance: Chance,
    pub(crate) weather: Weather,
    pub(crate) platform: Platform,
    pub(crate) is_up: bool,
    /// While it is not up, something in front of it answers 502.
    pub(crate) is_proxied: bool,
    /// Runs of the platform.
    pub(crate) epoch: u32,
    pub(crate) person: UserId,
    pub(crate) actors: Vec<Actor>,
    pub(crate) rooms: Vec<ChatId>,
    pub(crate) sockets: BTreeMap<ConnId, Socket>,
    pub(crate) cables: Vec<(Process, Cable)>,
    pub(crate) watch: Watch,
    /// Which agents people have stopped where, and since when.
    pub(crate) stops: BTreeMap<(usize, ChatId), Moment>,
    /// Steps whose request has been made.
    pub(crate) fired: VecDeque<Step>,
    origin: Instant,
    scripts: Vec<Script>,
    counts: BTreeMap<(usize, Kind), u32>,
    waiting: Vec<Step>,
    trace: Option<Vec<String>>,
}

impl World {
    /// The time since the simulation began.
    pub(crate) fn now(&self) -> Moment {
        Moment::at(self.origin.elapsed())
    }

    /// Writes a line into the trace, if there is one.
    pub(crate) fn note(&mut self, line: impl FnOnce() -> String) {
        let now = self.origin.elapsed();
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{:>10.3} {}", now.as_secs_f64(), line()));
        }
    }

    pub(crate) fn take_trace(&mut self) -> Vec<String> {
        self.trace.take().unwrap_or_default()
    }

    /// Whether somebody takes a connection: the platform, or what is in front of it.
    pub(crate) const fn is_there(&self) -> bool {
        self.is_up || self.is_proxied
    }

    /// Whether a process still runs.
    pub(crate) fn is_alive(&self, process: Process) -> bool {
        self.actors.get(process.agent).is_some_and(|actor| actor.alive.contains(&process.life))
    }

    /// The lives of an agent that run now.
    pub(crate) fn lives(&self, agent: usize) -> Vec<u32> {
        self.actors.get(agent).iter().flat_map(|actor| actor.alive.iter().copied()).collect()
    }

    /// Since when a person has stopped the agent in a room, if one has.
    pub(crate) fn stopped_since(&self, agent: usize, room: ChatId) -> Option<Moment> {
        self.stops.get(&(agent, room)).copied()
    }

    pub(crate) fn add_script(&mut self, agent: usize, kind: Kind, answer: Scripted, count: u32) {
        self.scripts.push(Script { agent, kind, answer, left: count });
    }

    /// What is answered in place of the platform, if something is.
    pub(crate) fn scripted(&mut self, agent: usize, kind: Kind) -> Option<Scripted> {
        let found = self.scripts.iter().position(|script| script.agent == agent && script.kind == kind)?;
        let script = self.scripts.get_mut(found)?;
        let answer = script.answer;
        script.left = script.left.saturating_sub(1);
        if script.left == 0 {
            self.scripts.remove(found);
        }
        Some(answer)
    }

    /// Counts a request; steps that wait for it are due. A crash that waits for it happens on the spot.
    pub(crate) fn count(&mut self, process: Process, kind: Kind) {
        let count = self.counts.entry((process.agent, kind)).or_default();
        *count += 1;
        let here = When::On { agent: process.agent, kind, nth: *count };
        let (due, waiting) =
            std::mem::take(&mut self.waiting).into_iter().partition(|step| step.when == here);
        self.waiting = waiting;
        for step in due {
            if let Act::Crash { agent, .. } = step.act {
                self.kill(agent);
            }
            self.fired.push_back(step);
        }
    }

    /// Ends the processes of an agent: from here on they do nothing that anybody could notice.
    pub(crate) fn kill(&mut self, agent: usize) {
        let Some(actor) = self.actors.get_mut(agent) else { return };
        actor.disk.die();
        for life in std::mem::take(&mut actor.alive) {
            let process = Process { agent, life };
            self.note(|| format!("agent {agent} dies"));
            let dead = self.cables.extract_if(.., |(owner, _)| *owner == process);
            dead.for_each(|(_, cable)| cable.cut());
            self.watch.died(process);
        }
    }

    /// Nothing goes wrong any more.
    pub(crate) fn heal(&mut self) {
        self.note(|| "all faults end".to_owned());
        self.weather = Weather::calm();
        self.scripts.clear();
        self.waiting.clear();
        self.fired.clear();
        self.actors.iter().for_each(|actor| actor.disk.trouble(None));
    }

    /// A push to a socket is lost or late.
    fn push_disturbed(&mut self, conn: ConnId, text: &str) {
        if let Some(socket) = self.sockets.get(&conn) {
            self.watch.push_disturbed(socket.process.agent, text);
        }
    }

    /// A push to a socket is under way, and nothing keeps it.
    fn push_told(&mut self, conn: ConnId, text: &str) {
        if let Some(socket) = self.sockets.get(&conn) {
            self.watch.push_told(socket.process, text);
        }
    }

    /// The platform loses its memory and its sockets.
    pub(crate) fn crash_platform(&mut self, is_proxied: bool) {
        self.note(|| "the platform dies".to_owned());
        self.is_up = false;
        self.is_proxied = is_proxied;
        self.epoch += 1;
        self.platform.crash();
        self.sockets.clear();
        self.cables.drain(..).for_each(|(_, cable)| cable.cut());
    }
}

/// The world, and the tasks that carry things through it.
#[derive(Debug)]
pub(crate) struct Net {
    world: Mutex<World>,
    tasks: Mutex<JoinSet<()>>,
    /// A step is due.
    pub(crate) news: Notify,
    /// The platform has another deadline.
    clock: Notify,
}

impl Net {
    /// A site with its people, agents and rooms; every agent is in every room.
    pub(crate) fn new(scenario: &Scenario, with_trace: bool) -> Option<Arc<Self>> {
        let mut platform = Platform::new();
        let person = platform.add_person("Ann Lee").ok()?;
        let names = ["Echo", "Quick", "Third"];
        let mut actors = Vec::new();
        for name in names.iter().take(scenario.agents) {
            let (id, key) = platform.add_agent(person, name).ok()?;
            let disk = SimDisk::new(Chance::new(scenario.seed ^ (actors.len() as u64 + 1) << 32));
            actors.push(Actor { id, key, life: 0, alive: BTreeSet::new(), disk });
        }
        let mut rooms = Vec::new();
        for number in 0..scenario.rooms {
            let chat = platform.add_room(person, &format!("Room {number}")).ok()?;
            for actor in &actors {
                platform.invite(person, chat, actor.id).ok()?;
            }
            rooms.push(chat);
        }
        let waits = |step: &Step| matches!(step.when, When::On { .. });
        let waiting = scenario.steps.iter().map(|(_, step)| step.clone()).filter(waits).collect();
        let world = World {
            chance: Chance::new(scenario.seed ^ 0x6e65_7477_6f72_6b73),
            weather: scenario.weather,
            platform,
            is_up: true,
            is_proxied: false,
            epoch: 0,
            person,
            actors,
            rooms,
            sockets: BTreeMap::new(),
            cables: Vec::new(),
            watch: Watch::new(scenario),
            stops: BTreeMap::new(),
            fired: VecDeque::new(),
            origin: Instant::now(),
            scripts: Vec::new(),
            counts: BTreeMap::new(),
            waiting,
            trace: with_trace.then(Vec::new),
        };
        let net = Arc::new(Self {
            world: Mutex::new(world),
            tasks: Mutex::default(),
            news: Notify::new(),
            clock: Notify::new(),
        });
        net.spawn(keep_time(Arc::downgrade(&net)));
        Some(net)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has something carried.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }

    /// Ends everything that is still on its way.
    pub(crate) async fn close(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.shutdown().await;
    }

    /// Does something at the platform, and carries what it wants to have pushed.
    pub(crate) fn with<T>(self: &Arc<Self>, act: impl FnOnce(&mut World, Moment) -> T) -> T {
        let mut world = self.lock();
        let now = world.now();
        let before = world.platform.deadline();
        let outcome = act(&mut world, now);
        self.carry(&mut world);
        if world.platform.deadline() != before {
            self.clock.notify_one();
        }
        if !world.fired.is_empty() {
            self.news.notify_one();
        }
        outcome
    }

    /// Puts what the platform has for its sockets into their queues, as the weather allows.
    fn carry(self: &Arc<Self>, world: &mut World) {
        for outgoing in world.platform.take_outgoing() {
            let (conn, item, push) = match outgoing {
                Outgoing::Reply { conn, text } => (conn, Item::Text(text), None),
                Outgoing::Push { conn, event, topic, text } => {
                    (conn, Item::Text(text), Some(format!("{event} on {topic}")))
                }
                Outgoing::Close { conn, close } => (conn, Item::Close(close.code(), close.reason()), None),
            };
            match (push, item) {
                (Some(what), Item::Text(text)) => self.push(world, conn, &what, text),
                (_, item) => put(world, conn, item),
            }
        }
    }

    fn push(self: &Arc<Self>, world: &mut World, conn: ConnId, what: &str, text: String) {
        let weather = world.weather;
        if weather.push_lost > 0 && world.chance.permille(weather.push_lost) {
            world.note(|| format!("a push is lost: {what}"));
            world.push_disturbed(conn, &text);
            return;
        }
        if world.chance.permille(weather.garbage) {
            put(
                world,
                conn,
                Item::Text("[null,null,\"chat_room:x\",\"message_created\",{\"id\":7}]".to_owned()),
            );
        }
        if world.chance.permille(weather.push_late) {
            let late = world.chance.millis(1, LATEST_PUSH);
            world.note(|| format!("a push comes {late:?} late: {what}"));
            world.push_disturbed(conn, &text);
            let net = Arc::clone(self);
            self.spawn(async move {
                sleep(late).await;
                put(&mut net.lock(), conn, Item::Text(text));
            });
            return;
        }
        if world.chance.permille(weather.push_twice) {
            world.note(|| format!("a push comes twice: {what}"));
            put(world, conn, Item::Text(text.clone()));
        }
        world.push_told(conn, &text);
        put(world, conn, Item::Text(text));
    }
}

/// Queues something for a socket. One that is full is cut off.
fn put(world: &mut World, conn: ConnId, item: Item) {
    let Some(socket) = world.sockets.get(&conn) else { return };
    if socket.queue.try_send(item).is_err() {
        world.sockets.remove(&conn);
    }
}

/// A queue of a socket.
pub(crate) fn queue() -> (mpsc::Sender<Item>, mpsc::Receiver<Item>) {
    mpsc::channel(MAX_QUEUED)
}

/// Wakes the platform when something is due.
async fn keep_time(net: std::sync::Weak<Net>) {
    loop {
        let Some(held) = net.upgrade() else { return };
        let at = {
            let world = held.lock();
            world.platform.deadline().map(|at| world.origin + at.since_origin())
        };
        let due = async {
            match at {
                Some(at) => sleep_until(at).await,
                None => sleep(Duration::from_secs(3600)).await,
            }
        };
        tokio::select! {
            biased;
            () = held.clock.notified() => {}
            () = due => held.with(|world, now| {
                if world.is_up {
                    world.platform.advance(now);
                }
            }),
        }
    }
}
