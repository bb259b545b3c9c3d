//! REST over the simulated network.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use band::rest::{Carried, Lost, Transport};
use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode};
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::platform::{Answer, status};
use super::scenario::{Kind, Scripted, Wait};
use super::world::{Net, Process, World};

/// Longer than any call is waited for.
const NEVER: Duration = Duration::from_secs(600);

/// What carries the requests of one process.
#[derive(Clone)]
pub(crate) struct SimTransport {
    pub(crate) net: Arc<Net>,
    pub(crate) process: Process,
}

impl fmt::Debug for SimTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimTransport({:?})", self.process)
    }
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unsent,
    Lost,
    Carried { twice: bool, answer: Way },
}

/// What becomes of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Arrives,
    Breaks,
    Hangs,
}

impl Transport for SimTransport {
    fn carry(&self, request: Request<Bytes>) -> Carried<'_> {
        Box::pin(async move {
            let (answer, brought) = oneshot::channel();
            let Some(fate) = self.depart(&request) else {
                // The process is dead: nothing of it goes on.
                return std::future::pending().await;
            };
            match fate {
                Fate::Unsent => {
                    sleep(self.way()).await;
                    Err(Lost::Unsent("connect: refused".to_owned()))
                }
                Fate::Lost => {
                    sleep(self.way()).await;
                    Err(Lost::Broken("the connection was reset".to_owned()))
                }
                Fate::Carried { twice, answer: way } => {
                    let (transport, epoch) = (self.clone(), self.net.lock().epoch);
                    let asked = copy(&request);
                    if twice {
                        let (again, request) = (self.clone(), copy(&request));
                        self.net.spawn(async move {
                            sleep(again.way() + again.way()).await;
                            again.arrive(epoch, &request);
                        });
                    }
                    self.net.spawn(async move { transport.travel(epoch, &request, way, answer).await });
                    let brought =
                        brought.await.map_err(|_| Lost::Broken("the connection was reset".to_owned()))?;
                    self.hear(&asked, &brought);
                    Ok(brought)
                }
            }
        })
    }
}

impl SimTransport {
    /// The way of one packet.
    fn way(&self) -> Duration {
        let mut world = self.net.lock();
        let longest = world.weather.latency;
        world.chance.millis(0, longest)
    }

    /// A request leaves; none when its process is dead.
    fn depart(&self, request: &Request<Bytes>) -> Option<Fate> {
        self.net.with(|world, _| {
            if !world.is_alive(self.process) {
                return None;
            }
            let kind = Kind::of(request.method(), request.uri().path());
            let Process { agent, .. } = self.process;
            world.note(|| format!("agent {agent} asks {} {}", request.method(), request.uri().path()));
            world.watch.departed(self.process, kind, request);
            if let Some(kind) = kind {
                world.count(self.process, kind);
            }
            if world.watch.is_spinning(self.process) {
                return None;
            }
            let mut fate = fate(world);
            if !world.is_alive(self.process) && world.chance.permille(500) {
                fate = Fate::Lost;
            }
            if fate != (Fate::Carried { twice: false, answer: Way::Arrives }) {
                world.note(|| format!("its fate is {fate:?}"));
            }
            Some(fate)
        })
    }

    async fn travel(self, epoch: u32, request: &Request<Bytes>, way: Way, answer: oneshot::Sender<Answer>) {
        sleep(self.way()).await;
        let Some(brought) = self.arrive(epoch, request) else { return };
        sleep(self.way()).await;
        match way {
            Way::Arrives => {
                if self.net.lock().epoch == epoch {
                    // Whoever gave up the call never hears the answer.
                    let _ = answer.send(brought);
                }
            }
            Way::Breaks => {}
            Way::Hangs => {
                sleep(NEVER).await;
                drop(answer);
            }
        }
    }

    /// An answer reaches whoever asked.
    fn hear(&self, request: &Request<Bytes>, answer: &Answer) {
        let mut world = self.net.lock();
        let agent = self.process.agent;
        world.note(|| format!("agent {agent} hears {} to {}", answer.status(), request.uri().path()));
        world.watch.answered(self.process, request, answer);
    }

    /// A request arrives; none when nobody is there.
    fn arrive(&self, epoch: u32, request: &Request<Bytes>) -> Option<Answer> {
        self.net.with(|world, now| {
            if !world.is_there() || world.epoch != epoch {
                return None;
            }
            if !world.is_up {
                return Some(Scripted::Status(502).answer());
            }
            let kind = Kind::of(request.method(), request.uri().path());
            let scripted = kind.and_then(|kind| world.scripted(self.process.agent, kind));
            if let Some(scripted) = scripted {
                world.note(|| format!("a script answers {scripted:?}"));
                world.watch.scripted(self.process, kind, request, scripted);
            }
            match scripted {
                Some(scripted) if !scripted.is_carried_out() => Some(scripted.answer()),
                Some(scripted) => {
                    world.platform.request(now, request);
                    Some(scripted.answer())
                }
                None => Some(world.platform.request(now, request)),
            }
        })
    }
}

fn fate(world: &mut World) -> Fate {
    let weather = world.weather;
    if !world.is_there() || world.chance.permille(weather.unsent) {
        return Fate::Unsent;
    }
    if world.chance.permille(weather.lost) {
        return Fate::Lost;
    }
    let answer = if world.chance.permille(weather.unanswered) {
        Way::Breaks
    } else if world.chance.permille(weather.hanging) {
        Way::Hangs
    } else {
        Way::Arrives
    };
    Fate::Carried { twice: world.chance.permille(weather.twice), answer }
}

fn copy(request: &Request<Bytes>) -> Request<Bytes> {
    let mut copy = Request::new(request.body().clone());
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    copy
}

impl Scripted {
    const fn is_carried_out(self) -> bool {
        matches!(self, Self::BadGateway | Self::Garbage | Self::Empty)
    }

    fn answer(self) -> Answer {
        let code = |code: u16| StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY);
        let bare = |number: u16| {
            let body = format!(r#"{{"error":{{"code":"scripted","message":"scripted {number}"}}}}"#);
            status(code(number), if number == 204 { Bytes::new() } else { body.into() })
        };
        let with = |mut answer: Answer, wait: Wait| {
            for (name, value) in wait.headers() {
                if let Ok(value) = HeaderValue::from_str(&value) {
                    answer.headers_mut().insert(name, value);
                }
            }
            answer
        };
        match self {
            Self::Status(number) => bare(number),
            Self::Busy(wait) => with(bare(429), wait),
            Self::Unavailable(wait) => with(bare(503), Wait::Seconds(wait)),
            Self::BadGateway => {
                status(StatusCode::BAD_GATEWAY, Bytes::from_static(b"<html>bad gateway</html>"))
            }
            Self::Garbage => status(StatusCode::OK, Bytes::from_static(b"\x00\xff{not json")),
            Self::Empty => status(StatusCode::OK, Bytes::new()),
        }
    }
}
