//! Recorded traffic, played again.

use band::FrameworkAdapter;
use band_testkit::{ModelServer, ModelStep};
use serde_json::json;

use super::subjects::{Subject, stamp};
use super::{Setup, Stage};

async fn recorded_traffic_plays_again_for_the_same_requests_alone(subject: &Subject) {
    let script = [ModelStep::call("band_get_participants", json!({})), ModelStep::decline()];
    let first = Stage::of(subject, script).await;
    first.hear("hi").await.unwrap();
    let recording = first.model.recording();
    assert_eq!(recording.exchanges.len(), 2);
    let kept = serde_json::to_string(&recording).unwrap();
    assert!(!kept.contains(super::subjects::KEY));
    let played = |text: &'static str| {
        let recording = serde_json::from_str(&kept).unwrap();
        async move {
            let model = ModelServer::replay(recording).await.unwrap();
            let room = super::room();
            let adapter = (subject.make)(&model, Setup::default());
            adapter.on_started(room.identity(), &room.platform().unwrap()).await.unwrap();
            let outcome = adapter.on_event(room.turn(text)).await;
            (outcome.is_ok(), model.refusals())
        }
    };
    assert_eq!(played("hi").await, (true, Vec::new()));
    let (went_well, refusals) = played("hello").await;
    assert!(!went_well);
    assert!(refusals[0].contains("request 1: ") && refusals[0].contains("hello"), "{refusals:?}");
}

stamp!(recorded_traffic_plays_again_for_the_same_requests_alone);
