//! Our machines beside the released ones of `band_sdk_core`: the same random operations go into both, and after
//! each one both must say the same. Where we differ on purpose the mapping is at the head of the file, and the
//! reason in `docs/differences.md`.
//!
//! Each machine sees [`OPERATIONS`] operations, or as many as `BAND_DIFFERENTIAL_OPS` says; `BAND_DIFFERENTIAL_SEED`
//! starts elsewhere. What differs is shrunk before it is told.

mod claims;
mod decisions;
mod delivery;
mod rooms;
mod roster;
mod session;
mod subscriptions;
mod turn;
mod wheel;

use std::cell::{Cell, RefCell};
use std::env;
use std::fmt::Debug;

use proptest::collection::vec;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

pub(crate) use wheel::{Script, Wheel};

/// Operations that each machine sees.
const OPERATIONS: usize = 5_000;
/// Operations of one sequence, at most.
const LONGEST: usize = 80;
/// Sequences of one round.
const ROUND: u32 = 16;
/// How often what differs is made smaller before it is told.
const SHRINKS: u32 = 2_000;

/// Both machines get sequences of operations until they have seen enough of them.
///
/// `compare` takes one sequence, has the wheel play the same, and says where they differ.
pub(crate) fn compare<Op: Debug>(
    what: &str,
    operation: impl Strategy<Value = Op>,
    compare: impl Fn(&mut Wheel, &[Op]) -> Result<(), String>,
) {
    let wanted = setting("BAND_DIFFERENTIAL_OPS").map_or(OPERATIONS, |ops| ops.try_into().unwrap());
    let wheel = RefCell::new(Wheel::start());
    let played = Cell::new(0);
    let config =
        Config { cases: ROUND, failure_persistence: None, max_shrink_iters: SHRINKS, ..Config::default() };
    let sequences = vec(operation, 1..=LONGEST);
    for round in 0.. {
        if played.get() >= wanted {
            break;
        }
        let outcome = TestRunner::new_with_rng(config.clone(), rng(round)).run(&sequences, |sequence| {
            played.set(played.get() + sequence.len());
            compare(&mut wheel.borrow_mut(), &sequence).map_err(TestCaseError::fail)
        });
        outcome.unwrap_or_else(|err| panic!("{what}: {err}"));
    }
    println!("{what}: {} operations, no difference", played.get());
}

/// Fails with the step when the two differ.
pub(crate) fn same<T: PartialEq + Debug>(at: usize, what: &str, ours: &T, theirs: &T) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    Err(format!("operation {at}, {what}\n  ours:   {ours:?}\n  theirs: {theirs:?}"))
}

/// A number from the environment.
pub(crate) fn setting(name: &str) -> Option<u64> {
    let text = env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|err| panic!("{name}={text}: {err}")))
}

fn rng(round: u64) -> TestRng {
    let mut seed = [0; 32];
    let (start, rest) = seed.split_at_mut(8);
    start.copy_from_slice(&setting("BAND_DIFFERENTIAL_SEED").unwrap_or(0).to_le_bytes());
    rest[..8].copy_from_slice(&round.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &seed)
}
