//! A long run: our agent and our platform as processes, steady traffic, and a network that goes wrong every
//! few seconds. At the end everything said must have been answered once, and memory must be what it was.

mod account;
mod churn;
mod load;
mod weather;

use std::time::Duration;

use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

pub use account::{Account, Memory, SoakReport};
pub use churn::{Churn, ChurnReport};

use crate::soak::load::Said;
use crate::usage::Usage;
use crate::weather::FaultyNetwork;
use crate::{NewAgent, PATIENCE, Person, Process, Result, Served, band};

/// Rooms that are written to.
const ROOMS: usize = 10;
/// Looks at the processes' memory in one run.
const LOOKS: u32 = 240;

/// How long, how fast, with which faults.
#[derive(Debug, Clone, Copy)]
pub struct Soak {
    /// For how long messages are written.
    pub lasting: Duration,
    /// Messages a second, over all rooms.
    pub rate: u32,
    /// Chooses the faults and their times.
    pub seed: u64,
}

/// Platform, person and an agent behind a faulty network.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) served: Served,
    pub(crate) person: Person,
    pub(crate) agent: NewAgent,
    pub(crate) network: FaultyNetwork,
    folder: TempDir,
}

impl Site {
    pub(crate) async fn set() -> Result<Self> {
        let served = Served::start().await?;
        let person = served.add_person("Ann").await?;
        let agent = person.register("Helper", "Repeats what it is told.").await?;
        let network = FaultyNetwork::to(served.base_url().trim_start_matches("http://")).await?;
        let folder = tempfile::tempdir().map_err(crate::Error::io("cannot make a folder"))?;
        Ok(Self { served, person, agent, network, folder })
    }

    /// The agent, started and ready. It reaches the platform over the network alone.
    pub(crate) async fn start_agent(&self) -> Result<Process> {
        let mut command = band(["agent", "run", "--adapter", "echo"])?;
        command
            .env("BAND_AGENT_ID", self.agent.id.to_string())
            .env("BAND_API_KEY", &self.agent.key)
            .env("BAND_REST_URL", format!("http://{}", self.network.address()))
            .env("BAND_STATE_DIR", self.folder.path())
            .env("TMPDIR", self.folder.path());
        let mut process = Process::start("the agent", &mut command)?;
        process.line("Agent started: ", PATIENCE).await?;
        Ok(process)
    }
}

impl Soak {
    /// Runs it.
    ///
    /// # Errors
    /// A process ended, or the platform could not be asked. What was lost or doubled is in the report.
    pub async fn run(self) -> Result<SoakReport> {
        let mut site = Site::set().await?;
        let mut rooms = Vec::with_capacity(ROOMS);
        for number in 0..ROOMS {
            rooms.push(site.person.room_with(&format!("Room {number}"), &site.agent).await?);
        }
        let agent = site.start_agent().await?;

        let stop = CancellationToken::new();
        let mut writers = JoinSet::new();
        let pace = Duration::from_secs(1).mul_f64(ROOMS as f64 / f64::from(self.rate.max(1)));
        for room in &rooms {
            let (person, to) = (site.person.clone(), site.agent.id);
            writers.spawn(load::write(person, *room, to, pace, stop.clone()));
        }
        let platform = site.served.process().id();
        let watched = self.watch(&site.network, agent.id(), platform).await?;
        stop.cancel();
        let mut said: Vec<Said> = Vec::new();
        while let Some(written) = writers.join_next().await {
            said.extend(written.ok());
        }
        let mut account = Account::default();
        for said in &said {
            load::settle(&site.person, &site.agent, said.room).await?;
            account.add(&site.person.timeline(said.room).await?, &said.confirmed, site.agent.id);
        }
        let used = agent.id().map(Usage::of).transpose()?;
        drop(agent);
        Ok(SoakReport { account, faults: watched.faults, memory: watched.memory, used })
    }

    /// Lets the time pass: changes the weather, and looks at the memory.
    async fn watch(
        self,
        network: &FaultyNetwork,
        agent: Option<u32>,
        platform: Option<u32>,
    ) -> Result<Watched> {
        let end = Instant::now() + self.lasting;
        let every = (self.lasting / LOOKS).max(Duration::from_millis(100));
        let mut looks = interval_at(Instant::now() + every, every);
        looks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut changes = weather::Changes::new(self.seed);
        let mut watched = Watched::default();
        loop {
            tokio::select! {
                biased;
                () = tokio::time::sleep_until(end) => break,
                _ = looks.tick() => watched.memory.look(agent, platform)?,
                () = changes.next(network) => watched.faults = changes.faults(),
            }
        }
        network.set(crate::weather::Weather::Fair);
        Ok(watched)
    }
}

#[derive(Debug, Default)]
struct Watched {
    faults: u32,
    memory: Memory,
}
