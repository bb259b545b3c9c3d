//! The short form of the long run: `cargo xtask soak` is the long one.

use std::time::Duration;

use band_testkit::soak::{Churn, Soak};

#[tokio::test]
async fn steady_traffic_over_a_faulty_network_loses_and_doubles_nothing() {
    let report = Soak { lasting: Duration::from_secs(15), rate: 50, seed: 3 }.run().await.unwrap();
    println!("{report}");
    assert!(report.account.is_clean(), "{report}");
    assert!(report.account.said > 300 && report.faults >= 3, "that is no load: {report}");
}

#[tokio::test]
async fn rooms_that_come_and_go_are_each_answered_in() {
    let report = Churn { cycles: 60 }.run().await.unwrap();
    assert_eq!(report.cycles, 60, "{report}");
}
