//! What a simulation may change: faults that it must find, and limits that it narrows. Builds without debug
//! assertions, and so every release, have none of it: each question is answered with a constant there.
//!
//! A fault stands at one place of the code, as `if trial::has(Fault::…)`. It is planted for the thread of one
//! simulation alone.

/// Each is one line of a machine or a shell that goes wrong when it is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it, and docs/simulation.md tells what each does")]
pub enum Fault {
    AckBeforeJournal,
    BackoffOff,
    BudgetIgnored,
    CleanupSkipped,
    ConflictRetried,
    DateNotRead,
    DedupeOff,
    GapIgnored,
    GenerationOff,
    HeadHidesRest,
    HeartbeatOff,
    InterruptLeaks,
    JitterZero,
    OrdinalRandom,
    OverflowNotDirty,
    PartNotCut,
    QueueUnbounded,
    RefusedClaimRuns,
    ResyncOff,
    RetryAfterIgnored,
    RoomsNotRejoined,
    RosterLost,
    SendGivenUp,
    StopCharged,
    StopIgnored,
    SupersedeIgnored,
    TailNotCut,
    TwoTurns,
    WorkingNotEnded,
}

impl Fault {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::AckBeforeJournal,
        Self::BackoffOff,
        Self::BudgetIgnored,
        Self::CleanupSkipped,
        Self::ConflictRetried,
        Self::DateNotRead,
        Self::DedupeOff,
        Self::GapIgnored,
        Self::GenerationOff,
        Self::HeadHidesRest,
        Self::HeartbeatOff,
        Self::InterruptLeaks,
        Self::JitterZero,
        Self::OrdinalRandom,
        Self::OverflowNotDirty,
        Self::PartNotCut,
        Self::QueueUnbounded,
        Self::RefusedClaimRuns,
        Self::ResyncOff,
        Self::RetryAfterIgnored,
        Self::RoomsNotRejoined,
        Self::RosterLost,
        Self::SendGivenUp,
        Self::StopCharged,
        Self::StopIgnored,
        Self::SupersedeIgnored,
        Self::TailNotCut,
        Self::TwoTurns,
        Self::WorkingNotEnded,
    ];
}

#[cfg(debug_assertions)]
mod state {
    use std::cell::Cell;

    use super::Fault;

    thread_local! {
        static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
        static QUEUE: Cell<Option<usize>> = const { Cell::new(None) };
        static DEEPEST: Cell<usize> = const { Cell::new(0) };
    }

    /// Plants a fault in this thread, or takes it out.
    pub fn plant(fault: Option<Fault>) {
        PLANTED.set(fault);
    }

    /// Whether a fault is planted here.
    pub fn has(fault: Fault) -> bool {
        PLANTED.get() == Some(fault)
    }

    /// Narrows the queues of rooms in this thread, or lets them be as they are.
    pub fn narrow_queues(most: Option<usize>) {
        QUEUE.set(most);
        DEEPEST.set(0);
    }

    /// The bound of a room's queue.
    pub fn queue_max(usual: usize) -> usize {
        QUEUE.get().unwrap_or(usual)
    }

    /// Notes how many wait in a room's queue.
    pub fn note_depth(depth: usize) {
        DEEPEST.set(DEEPEST.get().max(depth));
    }

    /// How many have waited in a room's queue at most since the queues were narrowed.
    pub fn deepest() -> usize {
        DEEPEST.get()
    }
}

#[cfg(not(debug_assertions))]
mod state {
    use super::Fault;

    /// Does nothing in a release.
    pub const fn plant(_: Option<Fault>) {}

    /// Never, in a release.
    pub const fn has(_: Fault) -> bool {
        false
    }

    /// Does nothing in a release.
    pub const fn narrow_queues(_: Option<usize>) {}

    /// The usual bound, in a release.
    pub const fn queue_max(usual: usize) -> usize {
        usual
    }

    /// Does nothing in a release.
    pub const fn note_depth(_: usize) {}

    /// Nothing is counted in a release.
    pub const fn deepest() -> usize {
        0
    }
}

pub use state::{deepest, has, narrow_queues, note_depth, plant, queue_max};
