//! The loop of a link: socket, commands, clock and stop in; machine; socket, events and log out.

use std::future::pending;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use band_core::link::limits::{CLOSE_LIMIT, CLOSE_NORMAL};
use band_core::link::{
    Failure, Generation, Gone, Input, LinkEvent, LinkMachine, LinkOptions, Output, StopReason,
};
use band_core::{Machine, Moment};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::WebSocketStream;
use tokio_util::sync::CancellationToken;

use super::config::{ConflictPolicy, LinkConfig, Target};
use super::dial::{Dial, Stream};
use super::handle::{Command, Shared};
use super::log::Log;
use super::socket::Socket;
use super::upgrade;

/// Runs a link. Whoever owns the link spawns [`run`](Self::run) and awaits it.
#[derive(Debug)]
pub struct LinkDriver {
    dialer: Arc<dyn Dial>,
    target: Arc<Target>,
    machine: LinkMachine,
    commands: mpsc::Receiver<Command>,
    events: mpsc::Sender<LinkEvent>,
    shared: Arc<Shared>,
}

type Opening = Pin<Box<dyn Future<Output = Result<WebSocketStream<Stream>, Failure>> + Send>>;

/// Where the alarm stands when a deadline is beyond the clock's range.
const FAR_AWAY: Duration = Duration::from_secs(86_400);

/// The connection of now.
enum Wire {
    None,
    Opening(Generation, Opening),
    Open(Generation, Box<Socket>),
    /// The other end has closed it; our answer is not written yet.
    Closed(Generation, Box<Socket>),
}

impl Wire {
    /// What the connection has to tell; never anything while there is none. May be dropped and called
    /// again.
    async fn next(&mut self) -> Input {
        match self {
            Self::None | Self::Closed(..) => pending().await,
            Self::Opening(generation, opening) => {
                let generation = *generation;
                match opening.await {
                    Ok(stream) => {
                        *self = Self::Open(generation, Box::new(Socket::new(stream)));
                        Input::Opened(generation)
                    }
                    Err(failure) => {
                        *self = Self::None;
                        Input::OpenFailed(generation, failure)
                    }
                }
            }
            Self::Open(generation, socket) => {
                let generation = *generation;
                match socket.next().await {
                    Ok(received) => Input::Received(generation, received),
                    Err(gone) => {
                        if let Self::Open(_, socket) = std::mem::replace(self, Self::None)
                            && matches!(gone, Gone::Closed { .. })
                        {
                            *self = Self::Closed(generation, socket);
                        }
                        Input::Gone(generation, gone)
                    }
                }
            }
        }
    }

    fn send(&mut self, generation: Generation, text: String) {
        match self {
            Self::Open(open, socket) if *open == generation => socket.send(text),
            Self::None | Self::Opening(..) | Self::Open(..) | Self::Closed(..) => {}
        }
    }
}

/// Either owner asks for the end.
async fn stopped(by_token: &CancellationToken, by_handle: &CancellationToken) {
    tokio::select! {
        biased;
        () = by_token.cancelled() => {}
        () = by_handle.cancelled() => {}
    }
}

/// Gives the connection up. An open socket gets a little time to close, beside whatever comes next.
fn say_goodbye(wire: &mut Wire, goodbyes: &mut JoinSet<Generation>, code: u16, reason: &'static str) {
    match std::mem::replace(wire, Wire::None) {
        Wire::Open(generation, socket) | Wire::Closed(generation, socket) => {
            goodbyes.spawn(async move {
                socket.close(code, reason, CLOSE_LIMIT).await;
                generation
            });
        }
        Wire::None | Wire::Opening(..) => {}
    }
}

impl LinkDriver {
    pub(super) fn new(
        config: &LinkConfig,
        dialer: Arc<dyn Dial>,
        commands: mpsc::Receiver<Command>,
        events: mpsc::Sender<LinkEvent>,
        shared: Arc<Shared>,
    ) -> crate::Result<Self> {
        let options = LinkOptions {
            agent: config.agent_id,
            contacts: config.contacts,
            reject: config.on_conflict == ConflictPolicy::Reject,
            seed: config.seed.unwrap_or_else(crate::seed),
        };
        let target = Arc::new(Target::new(config)?);
        Ok(Self { dialer, target, machine: LinkMachine::new(&options), commands, events, shared })
    }

    /// Connects and stays connected until the end, and says why it ended. Cancelling the token asks for a
    /// graceful end, which takes 7 s at most and usually milliseconds.
    pub async fn run(mut self, stop: CancellationToken) -> StopReason {
        let origin = Instant::now();
        let now = || Moment::at(origin.elapsed());
        let mut wire = Wire::None;
        let mut goodbyes: JoinSet<Generation> = JoinSet::new();
        let mut log = Log::default();
        let mut alarm = pin!(sleep_until(origin));
        let (mut stopping, mut owned, mut listening) = (false, true, true);
        self.machine.handle(now(), Input::Start);
        let reason = loop {
            self.carry_out(&mut wire, &mut goodbyes, &log);
            if let Some(reason) = self.machine.ended() {
                break reason.clone();
            }
            if let Some(deadline) = self.machine.deadline() {
                let at = origin.checked_add(deadline.at.since_origin()).unwrap_or_else(|| origin + FAR_AWAY);
                if alarm.deadline() != at {
                    alarm.as_mut().reset(at);
                }
            }
            tokio::select! {
                biased;
                () = stopped(&stop, &self.shared.stop), if !stopping => {
                    stopping = true;
                    self.machine.handle(now(), Input::Close);
                }
                () = &mut alarm => self.machine.expire(now()),
                command = self.commands.recv(), if owned => match command {
                    Some(Command::Join(room)) => self.machine.handle(now(), Input::JoinRoom(room)),
                    Some(Command::Leave(room)) => self.machine.handle(now(), Input::LeaveRoom(room)),
                    None => owned = false,
                },
                place = self.events.reserve(), if listening && self.machine.has_event() => {
                    let event = self.machine.next_event();
                    log.event(event.as_ref());
                    match (place, event) {
                        (Ok(place), Some(event)) => place.send(event),
                        (Err(_), _) => listening = false,
                        (Ok(_), None) => {}
                    }
                }
                Some(gone) = goodbyes.join_next(), if !goodbyes.is_empty() => {
                    if let Ok(generation) = gone {
                        let gone = Gone::Broken("closed".to_owned());
                        self.machine.handle(now(), Input::Gone(generation, gone));
                    }
                }
                input = wire.next() => {
                    if matches!(input, Input::Received(..)) {
                        self.shared.hear();
                    }
                    self.machine.handle(now(), input);
                }
            }
            if !listening {
                while self.machine.next_event().is_some() {}
            }
        };
        drop(wire);
        while goodbyes.join_next().await.is_some() {}
        self.finish(&reason, &mut log);
        reason
    }

    /// Does what the machine asks for.
    fn carry_out(&mut self, wire: &mut Wire, goodbyes: &mut JoinSet<Generation>, log: &Log) {
        if matches!(wire, Wire::Closed(..)) {
            say_goodbye(wire, goodbyes, CLOSE_NORMAL, "");
        }
        while let Some(output) = self.machine.poll() {
            match output {
                Output::Connect { generation, reject } => {
                    let (dialer, target) = (Arc::clone(&self.dialer), Arc::clone(&self.target));
                    let opening = Box::pin(async move { upgrade::open(&*dialer, &target, reject).await });
                    *wire = Wire::Opening(generation, opening);
                }
                Output::Send { generation, text } => wire.send(generation, text),
                Output::Close { code, reason, .. } => say_goodbye(wire, goodbyes, code, reason),
                Output::Note(note) => log.note(&note),
            }
        }
        self.shared.count(self.machine.counters());
        self.shared.contacts(self.machine.hears_contacts());
    }

    /// Hands over the events that fit, and the end.
    fn finish(&mut self, reason: &StopReason, log: &mut Log) {
        while let Some(event) = self.machine.next_event() {
            log.event(Some(&event));
            if !matches!(event, LinkEvent::Ended(_))
                && let Ok(place) = self.events.try_reserve()
            {
                place.send(event);
            }
        }
        self.shared.contacts(false);
        self.shared.end(reason.clone());
    }
}
