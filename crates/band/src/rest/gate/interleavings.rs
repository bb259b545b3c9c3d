//! The gates, in many orders of their callers' steps. Time passes from one sleeper's end to the next.

use std::sync::atomic::Ordering;

use shuttle::future::block_on;
use shuttle::sync::atomic::AtomicUsize;
use shuttle::thread;

use super::*;
use crate::sync::model::{orders, pass_time};

/// A client's gate to the same platform, with so many places.
fn gate(gates: &Gates, places: usize) -> Arc<Gate> {
    let own = Lanes::new(places, places, places);
    Arc::new(Gate { own, platform: gates.platform("http://one") })
}

fn limited(gate: &Arc<Gate>, seconds: u64) -> thread::JoinHandle<()> {
    let gate = Arc::clone(gate);
    thread::spawn(move || gate.limited(Some(Duration::from_secs(seconds))))
}

/// Calls, one through each gate.
struct Calls {
    over: Arc<AtomicUsize>,
    threads: Vec<thread::JoinHandle<u64>>,
}

impl Calls {
    fn start(gates: impl IntoIterator<Item = Arc<Gate>>) -> Self {
        let over = Arc::new(AtomicUsize::new(0));
        let call = |gate: Arc<Gate>| {
            let over = Arc::clone(&over);
            thread::spawn(move || {
                let pass = block_on(gate.pass(Lane::Work));
                let started = gate.platform.origin.elapsed().as_secs();
                drop(pass);
                over.fetch_add(1, Ordering::Relaxed);
                started
            })
        };
        let threads = gates.into_iter().map(call).collect();
        Self { over, threads }
    }

    /// The seconds at which they started.
    fn starts(self) -> Vec<u64> {
        while self.over.load(Ordering::Relaxed) < self.threads.len() {
            pass_time();
        }
        self.threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    }
}

#[test]
fn of_several_demands_the_latest_end_holds() {
    orders(|| {
        let gates = Gates::default();
        let (one, other) = (gate(&gates, 2), gate(&gates, 2));
        for demand in [limited(&one, 5), limited(&other, 60), limited(&one, 20)] {
            demand.join().unwrap();
        }
        let starts = Calls::start([one, other]).starts();
        assert!(starts.iter().all(|at| *at >= 60), "{starts:?}");
    });
}

#[test]
fn no_call_passes_a_gate_that_was_closed_for_longer_while_it_waited() {
    orders(|| {
        let gates = Gates::default();
        let (one, other) = (gate(&gates, 2), gate(&gates, 2));
        one.limited(Some(Duration::from_secs(5)));
        let calls = Calls::start([Arc::clone(&one), one, Arc::clone(&other)]);
        // Before any time has passed.
        other.limited(Some(Duration::from_secs(60)));
        let starts = calls.starts();
        assert!(starts.iter().all(|at| *at >= 60), "{starts:?}");
    });
}

#[test]
fn a_call_that_waited_for_a_place_heeds_a_gate_that_closed_meanwhile() {
    orders(|| {
        let gates = Gates::default();
        let gate = gate(&gates, 1);
        let first = block_on(gate.pass(Lane::Work));
        let calls = Calls::start([Arc::clone(&gate), Arc::clone(&gate)]);
        gate.limited(Some(Duration::from_secs(30)));
        drop(first);
        let starts = calls.starts();
        assert!(starts.iter().all(|at| *at >= 30), "{starts:?}");
    });
}

#[test]
fn clients_that_come_at_once_share_one_gate_to_their_platform() {
    orders(|| {
        let gates = Gates::default();
        let come = || {
            let gates = gates.clone();
            thread::spawn(move || gates.platform("http://one"))
        };
        let platforms = [come(), come(), come()].map(|thread| thread.join().unwrap());
        assert!(platforms.iter().all(|platform| Arc::ptr_eq(platform, &platforms[0])));
    });
}
