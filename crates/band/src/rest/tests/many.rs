//! Many rooms at once.

use band_wire::rest::ReportActivity;

use super::*;
use crate::rest::gate::{IN_FLIGHT, REPORTS_IN_FLIGHT};

#[tokio::test]
async fn a_thousand_rooms_at_once_are_all_served_and_never_too_many_at_a_time() {
    const CALLS: usize = 1_000;
    let hold = Arc::new(Notify::new());
    let steps = Mutex::new([ok(&json!({"data": message()}))].into());
    let script = Script { steps, hold: Some(Arc::clone(&hold)), ..Script::default() };
    let platform = Platform::run(script).await;
    let client = platform.client();
    let mut calls = JoinSet::new();
    for _ in 0..CALLS {
        let client = client.clone();
        calls.spawn(async move { client.next(CHAT).await });
    }
    // Nobody is answered before as many as may are at work.
    while platform.script.at_work.load(Ordering::SeqCst) < IN_FLIGHT {
        tokio::task::yield_now().await;
    }
    let mut served = 0;
    while served < CALLS {
        hold.notify_one();
        while let Some(done) = calls.try_join_next() {
            done.unwrap().unwrap();
            served += 1;
        }
        tokio::task::yield_now().await;
    }
    assert_eq!(platform.script.most_at_work.load(Ordering::SeqCst), IN_FLIGHT);
}

#[tokio::test]
async fn reports_of_activity_that_hang_do_not_hold_up_the_work() {
    let mut steps: Vec<Step> = vec![Step::Hang; REPORTS_IN_FLIGHT];
    steps.push(ok(&json!({"data": message()})));
    let platform = Platform::follow(steps).await;
    let client = platform.client();
    let mut reports = JoinSet::new();
    for _ in 0..IN_FLIGHT * 2 {
        let client = client.clone();
        let report = ReportActivity { working: true, activity: None };
        reports.spawn(async move { client.report_activity(CHAT, &report, Duration::from_secs(60)).await });
    }
    while platform.lines().len() < REPORTS_IN_FLIGHT {
        tokio::task::yield_now().await;
    }
    client.next(CHAT).await.unwrap();
}

/// The platform lives on its own runtime; the client is used from two others and from a thread without one.
#[test]
fn a_client_works_from_any_runtime_and_after_the_one_it_was_first_used_in_has_ended() {
    let runtime =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let there = runtime();
    let platform = there.block_on(Platform::follow([ok(&json!({"data": message()}))]));
    let client = platform.client();
    let first = runtime();
    first.block_on(client.next(CHAT)).unwrap();
    let elsewhere = client.clone();
    let thread = std::thread::spawn(move || runtime().block_on(elsewhere.next(CHAT)).map(drop));
    thread.join().unwrap().unwrap();
    drop(first);
    runtime().block_on(client.next(CHAT)).unwrap();
}
