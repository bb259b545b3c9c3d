//! Runs one seed, or a part of what it holds.

use std::fmt;
use std::time::Duration;

use band_core::trial::{self, Fault};

use tokio::time::timeout;

use super::scenario::{Scenario, Weather};
use super::stage::{Outcome, play};

/// No simulation lasts longer, by its own clock.
const LONGEST: Duration = Duration::from_secs(6 * 3600);

/// A seed, and which part of what it holds is to happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The seed.
    pub seed: u64,
    /// The numbers of the steps that happen; all when none.
    pub only: Option<Vec<usize>>,
    /// The network does nothing by itself.
    pub calm: bool,
    /// A fault of the product that is planted for this run.
    pub planted: Option<Fault>,
}

impl Choice {
    /// All that a seed holds.
    pub const fn all(seed: u64) -> Self {
        Self { seed, only: None, calm: false, planted: None }
    }

    pub(super) fn scenario(&self) -> Scenario {
        let mut scenario = Scenario::of(self.seed);
        if let Some(only) = &self.only {
            scenario.steps.retain(|(number, _)| only.contains(number));
        }
        if self.calm {
            scenario.weather = Weather::calm();
        }
        scenario.judge();
        scenario
    }
}

/// As words for the command line.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--seed {}", self.seed)?;
        if let Some(only) = &self.only {
            let numbers: Vec<String> = only.iter().map(ToString::to_string).collect();
            write!(f, " --only {}", if numbers.is_empty() { "none".to_owned() } else { numbers.join(",") })?;
        }
        if self.calm {
            f.write_str(" --calm")?;
        }
        if let Some(fault) = self.planted {
            write!(f, " --plant {fault:?}")?;
        }
        Ok(())
    }
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What was run.
    pub choice: Choice,
    /// What must not have happened: the checker and what it saw.
    pub violations: Vec<(&'static str, String)>,
    /// Line by line, if it was asked for.
    pub trace: Vec<String>,
}

/// Runs a choice once. The trace costs time.
pub fn replay(choice: &Choice, with_trace: bool) -> Report {
    let scenario = choice.scenario();
    trial::narrow_queues(scenario.knobs.queue);
    trial::plant(choice.planted);
    let mut heading = Vec::new();
    if with_trace {
        heading.push(format!("{} agents, {} rooms, {:?}", scenario.agents, scenario.rooms, scenario.knobs));
        heading.push(format!("{:?}", scenario.weather));
        heading.extend(scenario.steps.iter().map(|(number, step)| format!("step {number}: {step:?}")));
    }
    let built = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let Outcome { violations, trace } = match built {
        Ok(runtime) => runtime.block_on(async {
            let played = timeout(LONGEST, play(scenario, with_trace)).await;
            played.unwrap_or_else(|_| {
                let text = format!("it has not come to its end after {LONGEST:?}");
                let violation = super::watch::Violation { checker: "livelock", text };
                Outcome { violations: vec![violation], trace: Vec::new() }
            })
        }),
        Err(err) => {
            let violation = super::watch::Violation { checker: "set-up", text: err.to_string() };
            Outcome { violations: vec![violation], trace: Vec::new() }
        }
    };
    trial::plant(None);
    trial::narrow_queues(None);
    heading.extend(trace);
    let violations = violations.into_iter().map(|found| (found.checker, found.text)).collect();
    Report { choice: choice.clone(), violations, trace: heading }
}
