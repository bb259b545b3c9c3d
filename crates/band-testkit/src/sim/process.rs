//! A process of an agent: the real `Agent` on a simulated network, clock and disk.

use std::sync::Arc;
use std::time::Duration;

use band::rest::Gates;
use band::sim::Seams;
use band::{Agent, SessionConfig};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::disk::SimDisk;
use super::performer::Performer;
use super::rest::SimTransport;
use super::scenario::Knobs;
use super::socket::SimDialer;
use super::world::{Net, Process};

/// How long a process that ended by itself stays away.
const SUPERVISED: Duration = Duration::from_secs(2);

/// What a process is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Run,
    /// Stop; turns get this long.
    Stop(Option<Duration>),
}

/// All processes of one agent, one after another, as a supervisor would run them.
#[derive(Debug)]
pub(crate) struct Supervised {
    net: Arc<Net>,
    agent: usize,
    knobs: Knobs,
    disk: SimDisk,
    tasks: JoinSet<()>,
    order: Option<watch::Sender<Order>>,
}

impl Supervised {
    pub(crate) fn new(net: &Arc<Net>, agent: usize, knobs: Knobs) -> Self {
        let disk = SimDisk::new();
        Self { net: Arc::clone(net), agent, knobs, disk, tasks: JoinSet::new(), order: None }
    }

    /// Starts the next life, unless one is running.
    pub(crate) fn start(&mut self) {
        let (process, id, key) = {
            let mut world = self.net.lock();
            let Some(actor) = world.actors.get_mut(self.agent) else { return };
            if actor.is_alive {
                return;
            }
            actor.life += 1;
            actor.is_alive = true;
            let process = Process { agent: self.agent, life: actor.life };
            let (id, key) = (actor.id, actor.key.clone());
            world.note(|| format!("agent {} starts life {}", process.agent, process.life));
            (process, id, key)
        };
        let (order, orders) = watch::channel(Order::Run);
        self.order = Some(order);
        let (net, knobs, disk) = (Arc::clone(&self.net), self.knobs, self.disk.clone());
        self.tasks.spawn(async move {
            let agent = build(&net, process, &id.to_string(), key, knobs, disk);
            live(&net, process, agent, orders).await;
        });
    }

    /// The process dies. What it had not synced may be lost, or torn.
    pub(crate) async fn crash(&mut self, is_torn: bool) {
        self.net.lock().kill(self.agent);
        self.order = None;
        self.tasks.shutdown().await;
        let mut chance = self.net.lock().chance.fork();
        self.disk.crash(is_torn, &mut chance);
    }

    /// Asks the process to stop, and waits until it has.
    pub(crate) async fn stop(&mut self, grace: Option<Duration>) {
        if let Some(order) = self.order.take() {
            order.send_replace(Order::Stop(grace));
        }
        while self.tasks.join_next().await.is_some() {}
    }
}

fn build(
    net: &Arc<Net>,
    process: Process,
    id: &str,
    key: String,
    knobs: Knobs,
    disk: SimDisk,
) -> band::Result<Agent> {
    let mut session = SessionConfig::default();
    session.max_message_retries = knobs.retries;
    session.idle_resync_seconds = knobs.resync;
    session.idle_resync_max_seconds = knobs.resync * 2.0;
    session.max_cycle_seconds = knobs.max_cycle;
    session.enable_working_state = knobs.keep_alive;
    session.enable_context_hydration = knobs.history;
    let seed = net.lock().chance.roll();
    let mut seams = Seams::default();
    seams.transport = Some(Arc::new(SimTransport { net: Arc::clone(net), process }));
    seams.gates = Some(Gates::default());
    seams.dialer = Some(Arc::new(SimDialer { net: Arc::clone(net), process }));
    seams.disk = Some(Arc::new(disk));
    seams.seed = Some(seed);
    Agent::builder(Performer { net: Arc::clone(net), process })
        .credentials(id, key)
        .rest_url(format!("http://sim-{seed:x}.test"))
        .session(session)
        .seams(seams)
        .build_with(band::config::Env::default())
}

/// Runs to the order to stop; starts again whatever ends by itself.
async fn live(
    net: &Arc<Net>,
    process: Process,
    agent: band::Result<Agent>,
    mut orders: watch::Receiver<Order>,
) {
    let say = |line: String| net.lock().note(|| format!("agent {}: {line}", process.agent));
    let agent = match agent {
        Ok(agent) => agent,
        Err(err) => return say(format!("can't be built: {err}")),
    };
    loop {
        let started = tokio::select! {
            biased;
            () = ordered(&mut orders) => return retire(net, process),
            started = agent.start() => started,
        };
        let running = match started {
            Ok(running) => running,
            Err(err) => {
                say(format!("did not start: {err}"));
                tokio::select! {
                    biased;
                    () = ordered(&mut orders) => return retire(net, process),
                    () = sleep(SUPERVISED) => continue,
                }
            }
        };
        say("is started".to_owned());
        let is_over = tokio::select! {
            biased;
            () = ordered(&mut orders) => true,
            reason = running.closed() => {
                say(format!("is closed: {reason}"));
                false
            }
        };
        let grace = match *orders.borrow() {
            Order::Stop(grace) => grace,
            Order::Run => None,
        };
        match running.stop(grace).await {
            Ok(stopped) => say(format!("is stopped: {stopped:?}")),
            Err(incomplete) => say(format!("is not cleaned up: {incomplete}")),
        }
        if is_over {
            return retire(net, process);
        }
        tokio::select! {
            biased;
            () = ordered(&mut orders) => return retire(net, process),
            () = sleep(SUPERVISED) => {}
        }
    }
}

/// Resolves when the process is to stop.
async fn ordered(orders: &mut watch::Receiver<Order>) {
    if orders.wait_for(|order| *order != Order::Run).await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn retire(net: &Arc<Net>, process: Process) {
    let mut world = net.lock();
    world.note(|| format!("agent {} has ended", process.agent));
    if let Some(actor) = world.actors.get_mut(process.agent).filter(|actor| actor.life == process.life) {
        actor.is_alive = false;
    }
    world.watch.died(process);
}
