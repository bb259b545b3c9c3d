//! What goes wrong between an adapter and its provider.

use band::FrameworkAdapter;
use band_testkit::ModelStep;
use serde_json::{Value, json};

use super::Stage;
use super::subjects::{KEY, Subject, stamp};

/// The failure that the room was told of.
fn told(stage: &Stage) -> (String, Value) {
    let events = stage.room.events();
    let told = events.iter().find(|event| event.kind.as_str() == "error").expect("an error event");
    (told.content.clone(), told.metadata.as_ref().unwrap()["failure"].clone())
}

async fn a_refusal_is_told_with_its_code_and_without_what_the_provider_wrote(subject: &Subject) {
    let text = format!("Incorrect API key provided: {KEY}");
    let stage = Stage::of(subject, [ModelStep::refuse(401, "authentication_error", text)]).await;
    let err = stage.hear("hi").await.unwrap_err();
    assert!(err.contains("401") && err.contains("authentication_error"), "{err}");
    let (content, failure) = told(&stage);
    assert_eq!(content, "The model provider refused the request with status 401.");
    assert_eq!(failure["code"], "401");
    assert!(failure["provider"].as_str().is_some_and(|name| !name.is_empty()));
    for text in [err, format!("{:?}", stage.room.events()), format!("{:?}", stage.adapter)] {
        assert!(!text.contains(KEY), "{text}");
    }
    assert_eq!(stage.model.seen().len(), 1, "it is not asked again");
}

async fn a_busy_provider_is_asked_again_when_it_says(subject: &Subject) {
    let script = [
        ModelStep::busy(429, "0"),
        ModelStep::busy(529, "0.05"),
        ModelStep::send("At last.", &["ada"]),
        ModelStep::silence(),
        ModelStep::busy(429, "600"),
    ];
    let stage = Stage::of(subject, script).await;
    stage.hear("hi").await.unwrap();
    assert_eq!(stage.said(), ["At last."]);
    let err = stage.hear_next("again").await.unwrap_err();
    assert!(err.contains("429"), "{err}");
    assert_eq!(stage.model.seen().len(), 5, "ten minutes are too long");
}

async fn what_will_not_pass_is_not_tried_again(subject: &Subject) {
    let script = [
        ModelStep::refuse(400, "invalid_request_error", "no"),
        ModelStep::refuse(404, "not_found_error", "no"),
    ];
    let stage = Stage::of(subject, script).await;
    for _ in 0..2 {
        stage.hear("hi").await.unwrap_err();
    }
    assert_eq!(stage.model.seen().len(), 2);
}

async fn an_answer_that_is_none_fails_the_turn(subject: &Subject) {
    let stage = Stage::of(subject, [ModelStep::garbage()]).await;
    let err = stage.hear("hi").await.unwrap_err();
    assert!(err.contains("unreadable"), "{err}");
    assert_eq!(told(&stage).0, "The model provider sent an answer that can't be read.");
}

async fn an_answer_that_breaks_off_is_asked_for_again(subject: &Subject) {
    let script = [
        ModelStep::send("Never whole.", &["ada"]).cut_after(3),
        ModelStep::send("Whole.", &["ada"]),
        ModelStep::silence(),
    ];
    let stage = Stage::of(subject, script).await;
    stage.hear("hi").await.unwrap();
    assert_eq!(stage.said(), ["Whole."]);
    assert_eq!(stage.model.seen().len(), 3);
}

async fn a_stream_that_stands_still_is_given_up(subject: &Subject) {
    if !subject.streams {
        return;
    }
    let stage = Stage::of(subject, [ModelStep::say("I will be with").stall_after(2)]).await;
    let err = stage.hear("hi").await.unwrap_err();
    assert!(err.contains("timeout"), "{err}");
    let (content, failure) = told(&stage);
    assert_eq!(
        (content.as_str(), &failure["code"]),
        ("The model did not answer in time.", &json!("timeout"))
    );
}

async fn an_answer_is_read_however_its_bytes_are_cut(subject: &Subject) {
    let text = "Grüße, \u{1f389} and 日本語";
    let script = [
        ModelStep::send(text, &["ada"]).saying("I say it.").in_pieces_of(1),
        ModelStep::silence().in_pieces_of(3),
    ];
    let stage = Stage::of(subject, script).await;
    stage.hear("hi").await.unwrap();
    assert_eq!(stage.said(), [text]);
    stage.assert_accepted();
}

async fn a_cancelled_turn_drops_its_request_midway(subject: &Subject) {
    let stage = Stage::of(subject, [ModelStep::say("I will be with").stall_after(2)]).await;
    let cancel = async {
        stage.model.asked(1).await.unwrap();
        stage.room.cancel();
    };
    let (outcome, ()) = tokio::join!(stage.adapter.on_event(stage.room.turn("hi")), cancel);
    assert_eq!(outcome.unwrap_err().kind(), band::AdapterErrorKind::Cancelled);
    assert!(stage.said().is_empty() && stage.room.events().is_empty());
}

async fn a_provider_that_fails_after_the_reply_spoils_nothing(subject: &Subject) {
    let script = [ModelStep::send("Here.", &["ada"]), ModelStep::refuse(400, "invalid_request_error", "no")];
    let stage = Stage::of(subject, script).await;
    stage.hear("hi").await.unwrap();
    assert_eq!(stage.said(), ["Here."]);
    assert!(stage.events("error").is_empty());
}

async fn output_that_is_used_up_before_anything_was_said_is_told(subject: &Subject) {
    let stage = Stage::of(subject, [ModelStep::silence().cut_short()]).await;
    stage.hear("hi").await.unwrap_err();
    assert_eq!(told(&stage).1["code"], "max_tokens");
}

async fn nobody_at_the_address_is_told(subject: &Subject) {
    let stage = Stage::of(subject, []).await;
    let adapter = {
        let gone = band_testkit::ModelServer::start([]).await.unwrap();
        (subject.make)(&gone, super::Setup { impatient: true, ..super::Setup::default() })
    };
    adapter.on_started(stage.room.identity(), &stage.room.platform().unwrap()).await.unwrap();
    let err = adapter.on_event(stage.room.turn("hi")).await.unwrap_err().to_string();
    assert!(err.contains("connection"), "{err}");
    assert_eq!(told(&stage).0, "The model provider can't be reached.");
}

stamp!(
    a_refusal_is_told_with_its_code_and_without_what_the_provider_wrote,
    a_busy_provider_is_asked_again_when_it_says,
    what_will_not_pass_is_not_tried_again,
    an_answer_that_is_none_fails_the_turn,
    an_answer_that_breaks_off_is_asked_for_again,
    a_stream_that_stands_still_is_given_up,
    an_answer_is_read_however_its_bytes_are_cut,
    a_cancelled_turn_drops_its_request_midway,
    a_provider_that_fails_after_the_reply_spoils_nothing,
    output_that_is_used_up_before_anything_was_said_is_told,
    nobody_at_the_address_is_told,
);
