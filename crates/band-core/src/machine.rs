//! The contract that every machine follows.

use std::fmt;

use crate::Moment;

/// A decision maker without I/O.
///
/// The shell's loop: [`handle`](Machine::handle) an input (or [`expire`](Machine::expire) when the deadline
/// has come), then [`poll`](Machine::poll) until it gives none, then wait for the next input or for
/// [`deadline`](Machine::deadline), whichever is first. Answers to outputs come back as inputs that carry
/// the same correlation id. Every queue inside is bounded.
pub trait Machine {
    /// What the world tells the machine.
    type Input;
    /// What the machine asks of the world.
    type Output;
    /// Why a deadline was set.
    type Why: Copy + fmt::Debug;

    /// Takes one input.
    fn handle(&mut self, now: Moment, input: Self::Input);

    /// Gives the next output, or none when the shell may wait.
    fn poll(&mut self) -> Option<Self::Output>;

    /// The next moment at which [`expire`](Machine::expire) wants to be called, and why.
    fn deadline(&self) -> Option<Deadline<Self::Why>>;

    /// Acts on every deadline that is not after `now`.
    fn expire(&mut self, now: Moment);
}

/// A moment at which a machine wants to wake, and why: so that "why did we wake?" can be logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline<W> {
    /// When.
    pub at: Moment,
    /// Why.
    pub why: W,
}
