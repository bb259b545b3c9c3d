//! Runs one scenario from its first step to rest.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use band_core::room::QUEUE_MAX;
use band_core::trial;
use band_wire::event::ControlMode;
use tokio::time::{Instant, advance, sleep, sleep_until};

use super::check;
use super::process::Supervised;
use super::scenario::{Act, Behaviour, DiskTrouble, Scenario, Step, When};
use super::watch::{Said, Violation};
use super::world::{Net, Process};

/// How often it is looked whether a process has ended.
const STILL_ENDING: Duration = Duration::from_millis(20);
/// How long everything may take to come to rest.
const PATIENCE: Duration = Duration::from_secs(900);
/// How often it is looked whether it has.
const GLANCE: Duration = Duration::from_millis(500);
/// How long a stop may take.
const LAST_GRACE: Duration = Duration::from_secs(20);

/// After this long the platform has noticed that a silent socket is dead.
const AFTERMATH: Duration = Duration::from_secs(100);

/// A room that hears its pushes answers within this time, when nothing goes wrong.
const PROMPT: Duration = Duration::from_secs(2);

/// What came of a simulation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    pub(crate) violations: Vec<Violation>,
    pub(crate) trace: Vec<String>,
}

/// Something that is due later because of something before.
#[derive(Debug, Clone, Copy)]
enum Later {
    Start(usize),
    Boot,
    Invite {
        agent: usize,
        room: usize,
    },
    Mend(usize),
    /// The process was asked to stop: start the next one once it has.
    Again(usize),
}

struct Stage {
    net: Arc<Net>,
    scenario: Scenario,
    origin: Instant,
    agents: Vec<Supervised>,
    later: BTreeMap<(Instant, u32), Later>,
    number: u32,
}

/// Runs a scenario in the runtime of now, whose clock must be paused.
pub(crate) async fn play(scenario: Scenario, with_trace: bool) -> Outcome {
    let Some(net) = Net::new(&scenario, with_trace) else {
        let text = "the site can't be set up".to_owned();
        return Outcome { violations: vec![Violation { checker: "set-up", text }], trace: Vec::new() };
    };
    let agents = (0..scenario.agents).map(|agent| Supervised::new(&net, agent, scenario.knobs)).collect();
    let (later, number) = (BTreeMap::new(), 0);
    let mut stage = Stage { net, scenario, origin: Instant::now(), agents, later, number };
    stage.agents.iter_mut().for_each(Supervised::start);
    stage.storm().await;
    stage.heal().await;
    stage.rest().await;
    let net = Arc::clone(&stage.net);
    if stage.has_failed() {
        for agent in &mut stage.agents {
            agent.crash(false).await;
        }
        net.close().await;
        let mut world = net.lock();
        let violations = std::mem::take(&mut world.watch.violations);
        return Outcome { violations, trace: world.take_trace() };
    }
    for agent in &mut stage.agents {
        agent.stop(Some(LAST_GRACE)).await;
    }
    check::end::silent(&net);
    sleep(AFTERMATH).await;
    check::end::stopped(&net);
    net.close().await;
    // The keeper of the time and this future are no task.
    let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    check::end::disks(&net);
    let mut world = net.lock();
    let (deepest, most) = (trial::deepest(), trial::queue_max(QUEUE_MAX));
    if deepest > most {
        world.watch.violated("bounded", format!("{deepest} pushes waited in a room, {most} may"));
    }
    if tasks > 0 {
        world.watch.violated("left-over", format!("{tasks} tasks are left"));
    }
    let violations = std::mem::take(&mut world.watch.violations);
    Outcome { violations, trace: world.take_trace() }
}

impl Stage {
    /// Everything that the scenario holds happens.
    async fn storm(&mut self) {
        let mut timed: Vec<(Duration, Step)> = Vec::new();
        for (_, step) in &self.scenario.steps {
            if let When::At(at) = step.when {
                timed.push((at, step.clone()));
            }
        }
        timed.sort_by_key(|(at, _)| *at);
        timed.reverse();
        let heal = self.origin + self.scenario.heal;
        let net = Arc::clone(&self.net);
        loop {
            let next = timed.last().map_or(heal, |(at, _)| self.origin + *at);
            let due = self.later.keys().next().map_or(next, |(at, _)| next.min(*at)).min(heal);
            tokio::select! {
                biased;
                () = net.news.notified() => self.fired().await,
                () = sleep_until(due) => {
                    self.overdue();
                    if timed.last().is_some_and(|(at, _)| self.origin + *at <= Instant::now())
                        && let Some((_, step)) = timed.pop()
                    {
                        self.act(step.act).await;
                    }
                    if Instant::now() >= heal && timed.is_empty() {
                        return;
                    }
                }
            }
        }
    }

    async fn fired(&mut self) {
        while let Some(step) = self.next_fired() {
            self.act(step.act).await;
        }
    }

    fn next_fired(&self) -> Option<Step> {
        self.net.lock().fired.pop_front()
    }

    fn plan(&mut self, wait: Duration, what: Later) {
        self.number += 1;
        self.later.insert((Instant::now() + wait, self.number), what);
    }

    fn overdue(&mut self) {
        while let Some(entry) = self.later.first_entry().filter(|entry| entry.key().0 <= Instant::now()) {
            let what = entry.remove();
            self.catch_up(what);
        }
    }

    fn catch_up(&mut self, what: Later) {
        match what {
            Later::Start(agent) => {
                if let Some(agent) = self.agents.get_mut(agent) {
                    agent.start();
                }
            }
            Later::Boot => {
                let mut world = self.net.lock();
                world.note(|| "the platform is back".to_owned());
                world.is_up = true;
            }
            Later::Invite { agent, room } => self.invite(agent, room),
            Later::Mend(agent) => self.disk(agent, None),
            Later::Again(agent) => {
                let Some(running) = self.agents.get_mut(agent) else { return };
                if running.has_ended() {
                    running.start();
                } else {
                    self.plan(STILL_ENDING, Later::Again(agent));
                }
            }
        }
    }

    fn disk(&self, agent: usize, trouble: Option<DiskTrouble>) {
        if let Some(actor) = self.net.lock().actors.get(agent) {
            actor.disk.trouble(trouble);
        }
    }

    fn invite(&self, agent: usize, room: usize) {
        self.net.with(|world, now| {
            world.platform.advance(now);
            let (Some(actor), Some(chat)) = (world.actors.get(agent), world.rooms.get(room)) else { return };
            let (id, chat, person) = (actor.id, *chat, world.person);
            if !world.platform.store().is_member(chat, id.into()) {
                world.note(|| format!("agent {agent} is brought into room {room}"));
                // It may have answered after it was taken out, and before it heard of that.
                world.watch.moved(agent, chat);
                // It is no member, so nothing refuses it.
                let _ = world.platform.invite(person, chat, id);
            }
        });
    }

    async fn act(&mut self, act: Act) {
        self.net.lock().note(|| format!("step: {act:?}"));
        match act {
            Act::Say { room, to, how } => self.say(room, &to, how, false),
            Act::Script { agent, kind, answer, count } => {
                self.net.lock().add_script(agent, kind, answer, count);
            }
            Act::Cut { agent } => self.with_cables(agent, super::cable::Cable::cut),
            Act::Silence { agent } => {
                self.with_cables(agent, super::cable::Cable::silence);
                let mut world = self.net.lock();
                let lives = world.lives(agent);
                lives.into_iter().for_each(|life| world.watch.silenced(Process { agent, life }));
            }
            Act::Crash { agent, down, torn } => {
                if let Some(agent) = self.agents.get_mut(agent) {
                    agent.crash(torn).await;
                }
                self.plan(down, Later::Start(agent));
            }
            Act::Restart { agent, grace } => {
                if let Some(agent) = self.agents.get_mut(agent) {
                    agent.ask_to_stop(grace);
                }
                self.plan(Duration::ZERO, Later::Again(agent));
            }
            Act::Outage { down, is_proxied } => {
                self.net.lock().crash_platform(is_proxied);
                self.plan(down, Later::Boot);
            }
            Act::Steer { agent, room, mode } => self.steer(agent, room, mode),
            Act::Dismiss { agent, room, back } => {
                self.dismiss(agent, room);
                self.plan(back, Later::Invite { agent, room });
            }
            Act::Sleep(time) => {
                // Nobody hears or notices anything meanwhile, and what wakes first is not late.
                {
                    let mut world = self.net.lock();
                    world.watch.has_slept = true;
                    world.stops.values_mut().for_each(|since| *since = *since + time);
                }
                advance(time).await;
            }
            Act::Ask { agent } => self.ask(agent),
            Act::Rival { agent } => {
                if let Some(agent) = self.agents.get_mut(agent) {
                    agent.start_rival();
                }
            }
            Act::Disk { agent, what, time } => {
                self.disk(agent, Some(what));
                self.plan(time, Later::Mend(agent));
            }
        }
    }

    fn with_cables(&self, agent: usize, act: impl Fn(&super::cable::Cable)) {
        let world = self.net.lock();
        world.cables.iter().filter(|(process, _)| process.agent == agent).for_each(|(_, cable)| act(cable));
    }

    fn say(&self, room: usize, to: &[usize], how: Behaviour, is_canary: bool) {
        self.net.with(|world, now| {
            if !world.is_up {
                return;
            }
            world.platform.advance(now);
            let Some(chat) = world.rooms.get(room).copied() else { return };
            let inside = |agent: &&usize| {
                let actor = world.actors.get(**agent);
                actor.is_some_and(|actor| world.platform.store().is_member(chat, actor.id.into()))
            };
            let to: Vec<usize> = to.iter().filter(inside).copied().collect();
            let ids: Vec<_> = to.iter().filter_map(|agent| world.actors.get(*agent)).map(|a| a.id).collect();
            if ids.is_empty() {
                return;
            }
            let content = format!("do {how}");
            match world.platform.say(world.person, chat, &content, &ids) {
                Ok(id) => {
                    world.note(|| format!("room {room}: {id} says to {to:?}: {content}"));
                    world.watch.said.insert(id, Said { room: chat, to, how, at: Instant::now(), is_canary });
                }
                Err(refusal) => {
                    world.watch.violated("set-up", format!("a message is refused: {refusal}"));
                }
            }
        });
    }

    fn ask(&self, agent: usize) {
        self.net.with(|world, now| {
            let Some(id) = world.actors.get(agent).map(|actor| actor.id) else { return };
            if !world.is_up {
                return;
            }
            world.platform.advance(now);
            match world.platform.ask(id, world.person) {
                Ok(request) => {
                    world.note(|| format!("somebody asks agent {agent} to be a contact: {request}"));
                    world.watch.asked.push((agent, request));
                }
                Err(refusal) => world.watch.violated("set-up", format!("a request is refused: {refusal}")),
            }
        });
    }

    fn steer(&self, agent: usize, room: usize, mode: ControlMode) {
        self.net.with(|world, now| {
            let (Some(actor), Some(chat)) = (world.actors.get(agent), world.rooms.get(room)) else { return };
            let (id, chat, person) = (actor.id, *chat, world.person);
            if !world.is_up || !world.platform.store().is_member(chat, id.into()) {
                return;
            }
            world.platform.advance(now);
            world.note(|| format!("agent {agent} in room {room}: {mode:?}"));
            match mode {
                ControlMode::Interrupt => {
                    check::end::interrupted(world, agent, chat);
                    world.watch.signals.push((agent, chat, Instant::now()));
                }
                ControlMode::Stop => {
                    world.watch.signals.push((agent, chat, Instant::now()));
                    world.watch.stopped.insert((agent, chat));
                    world.stops.entry((agent, chat)).or_insert(now);
                }
                ControlMode::Play => {
                    let lives = world.lives(agent);
                    world.watch.goes_on(agent, &lives, chat);
                    world.stops.remove(&(agent, chat));
                }
            }
            // It is a member, so nothing refuses it.
            let _ = world.platform.steer(person, id, chat, mode);
        });
    }

    fn dismiss(&self, agent: usize, room: usize) {
        self.net.with(|world, now| {
            let (Some(actor), Some(chat)) = (world.actors.get(agent), world.rooms.get(room)) else { return };
            let (id, chat, person) = (actor.id, *chat, world.person);
            if world.is_up && world.platform.store().is_member(chat, id.into()) {
                world.platform.advance(now);
                world.note(|| format!("agent {agent} is taken out of room {room}"));
                world.watch.moved(agent, chat);
                // It is a member, so nothing refuses it.
                let _ = world.platform.dismiss(person, chat, id);
            }
        });
    }

    fn is_stopped(&self, agent: usize, room: usize) -> bool {
        let world = self.net.lock();
        world.rooms.get(room).is_some_and(|room| world.stopped_since(agent, *room).is_some())
    }

    /// All faults end: everybody runs, is in every room, and may speak.
    async fn heal(&mut self) {
        self.net.lock().heal();
        self.net.lock().is_up = true;
        while let Some((_, what)) = self.later.pop_first() {
            if let Later::Again(agent) = what
                && let Some(agent) = self.agents.get_mut(agent)
            {
                agent.stop(None).await;
            }
            self.catch_up(what);
        }
        for agent in 0..self.scenario.agents {
            for room in 0..self.scenario.rooms {
                self.invite(agent, room);
                if self.is_stopped(agent, room) {
                    self.steer(agent, room, ControlMode::Play);
                }
            }
        }
        self.agents.iter_mut().for_each(Supervised::start);
        sleep(Duration::from_secs(1)).await;
    }

    /// Waits until nothing is left to do, then says something in every room, and waits again.
    async fn rest(&self) {
        self.quiet().await;
        if self.has_failed() {
            return;
        }
        check::end::at_rest(&self.net);
        let all: Vec<usize> = (0..self.scenario.agents).collect();
        // By now every dead socket has been noticed, and there is another.
        sleep(AFTERMATH).await;
        for room in 0..self.scenario.rooms {
            self.say(room, &all, Behaviour::Reply, true);
        }
        sleep(PROMPT).await;
        check::end::prompt(&self.net);
        self.quiet().await;
        check::end::canaries(&self.net);
    }

    /// Whether something has happened that must not. What comes after it says little.
    fn has_failed(&self) -> bool {
        !self.net.lock().watch.violations.is_empty()
    }

    async fn quiet(&self) {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until && !self.has_failed() && !check::end::is_quiet(&self.net.lock()) {
            sleep(GLANCE).await;
        }
    }
}
