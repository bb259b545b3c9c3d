//! A process of an agent: the real `Agent` on a simulated network, clock and disk.

use std::sync::Arc;
use std::time::Duration;

use band::contacts::{ContactEvent, ContactEvents, ContactTools};
use band::link::StopReason;
use band::rest::Gates;
use band::sim::Seams;
use band::{Agent, SessionConfig};
use band_wire::rest::ContactAction;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::disk::SimDisk;
use super::performer::Performer;
use super::rest::SimTransport;
use super::scenario::Knobs;
use super::socket::SimDialer;
use super::world::{Net, Process};

/// How long a process that ended by itself stays away.
const SUPERVISED: Duration = Duration::from_secs(2);

/// No stop takes longer, with a platform that answers.
const STOPPED: Duration = Duration::from_secs(3600);

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
    tasks: JoinSet<()>,
    orders: Vec<watch::Sender<Order>>,
}

impl Supervised {
    pub(crate) fn new(net: &Arc<Net>, agent: usize, knobs: Knobs) -> Self {
        Self { net: Arc::clone(net), agent, knobs, tasks: JoinSet::new(), orders: Vec::new() }
    }

    /// Starts the next life, unless one is running.
    pub(crate) fn start(&mut self) {
        if self.alive() == 0 {
            self.begin();
        }
    }

    /// Starts another process beside the one that runs.
    pub(crate) fn start_rival(&mut self) {
        if self.alive() == 1 {
            self.net.lock().watch.rivals.insert(self.agent);
            self.begin();
        }
    }

    fn alive(&self) -> usize {
        self.net.lock().actors.get(self.agent).map_or(0, |actor| actor.alive.len())
    }

    fn begin(&mut self) {
        let (process, id, key, disk) = {
            let mut world = self.net.lock();
            let Some(actor) = world.actors.get_mut(self.agent) else { return };
            actor.life += 1;
            actor.alive.insert(actor.life);
            let process = Process { agent: self.agent, life: actor.life };
            let (id, key, disk) = (actor.id, actor.key.clone(), actor.disk.clone());
            world.note(|| format!("agent {} starts life {}", process.agent, process.life));
            (process, id, key, disk)
        };
        let (order, orders) = watch::channel(Order::Run);
        self.orders.push(order);
        let (net, knobs) = (Arc::clone(&self.net), self.knobs);
        self.tasks.spawn(async move {
            let agent = build(&net, process, &id.to_string(), key, knobs, disk);
            live(&net, process, agent, orders).await;
        });
    }

    /// The process dies. What it had not synced may be lost, or torn.
    pub(crate) async fn crash(&mut self, is_torn: bool) {
        self.net.lock().kill(self.agent);
        self.orders.clear();
        self.tasks.shutdown().await;
        if is_torn && let Some(actor) = self.net.lock().actors.get(self.agent) {
            actor.disk.cut_power();
        }
    }

    /// Asks the process to stop.
    pub(crate) fn ask_to_stop(&mut self, grace: Option<Duration>) {
        for order in self.orders.drain(..) {
            order.send_replace(Order::Stop(grace));
        }
    }

    /// Whether nothing of it runs any more.
    pub(crate) fn has_ended(&mut self) -> bool {
        while self.tasks.try_join_next().is_some() {}
        self.tasks.is_empty()
    }

    /// Asks the process to stop, and waits until it has.
    pub(crate) async fn stop(&mut self, grace: Option<Duration>) {
        self.ask_to_stop(grace);
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(STOPPED, ended).await.is_err() {
            let text = format!("agent {} does not stop", self.agent);
            self.net.lock().watch.violated("left-over", text);
        }
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
    let contacts = if knobs.contacts { welcome(net, process) } else { ContactEvents::Disabled };
    Agent::builder(Performer { net: Arc::clone(net), process })
        .credentials(id, key)
        .rest_url(format!("http://sim-{seed:x}.test"))
        .session(session)
        .contacts(contacts)
        .seams(seams)
        .build_with(band::config::Env::default())
}

/// A callback that approves whoever asks.
fn welcome(net: &Arc<Net>, process: Process) -> ContactEvents {
    let net = Arc::clone(net);
    ContactEvents::callback(move |event, tools: ContactTools| {
        let net = Arc::clone(&net);
        async move {
            let ContactEvent::RequestReceived(request) = event else { return Ok::<_, band::Error>(()) };
            net.lock().watch.request_told(process, request.id);
            let told = tools.respond_contact_request(ContactAction::Approve, None, Some(request.id)).await;
            // A callback that failed is called again when the agent connects again, which may be never.
            match &told {
                Ok(_) => net.lock().watch.request_settled(process, request.id),
                Err(_) => net.lock().watch.asked.retain(|(_, asked)| *asked != request.id),
            }
            told.map(|_| ())
        }
    })
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
        super::check::end::starts(&mut net.lock(), process);
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
        let (mut is_over, mut has_lost_its_place) = (false, false);
        tokio::select! {
            biased;
            () = ordered(&mut orders) => is_over = true,
            reason = running.closed() => {
                say(format!("is closed: {reason}"));
                has_lost_its_place = matches!(reason, StopReason::Superseded { .. });
            }
        }
        let grace = match *orders.borrow() {
            Order::Stop(grace) => grace,
            Order::Run => None,
        };
        match running.stop(grace).await {
            Ok(stopped) => say(format!("is stopped: {stopped:?}")),
            Err(incomplete) => say(format!("is not cleaned up: {incomplete}")),
        }
        // No supervisor starts it again when another one has taken over.
        if is_over || (has_lost_its_place && gives_way(net, process)) {
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

/// Whether a process leaves the agent to another one that runs.
fn gives_way(net: &Arc<Net>, process: Process) -> bool {
    net.lock().actors.get(process.agent).is_some_and(|actor| actor.alive.len() > 1)
}

fn retire(net: &Arc<Net>, process: Process) {
    let mut world = net.lock();
    world.note(|| format!("agent {} has ended", process.agent));
    if let Some(actor) = world.actors.get_mut(process.agent) {
        actor.alive.remove(&process.life);
    }
    world.watch.died(process);
}
