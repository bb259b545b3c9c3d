//! What adapters post, and what counts.

use band::testing::{FakeTools, TurnProbe};
use band::{
    AdapterError, AdapterResult, AgentFailure, ApiError, Capability, Emit, Error, Features, Supported, Turn,
    Usage, adapter_fn,
};
use band_wire::rest::EventType;
use serde_json::json;

use crate::platform::Platform;
use crate::scene::builder_of;
use crate::traps::Warnings;

fn refusal(status: u16, text: &str) -> ApiError {
    ApiError::new(status, text)
}

#[tokio::test]
async fn a_failed_delivery_can_be_told_from_a_failed_provider() {
    let room = FakeTools::new();
    let turn = room.turn("hi");
    let probe = TurnProbe::on(&turn);
    room.refuse(refusal(422, "no"));
    let failed = AdapterError::from(turn.deliver_reply("hello").await.unwrap_err());
    assert_eq!(failed.delivery().and_then(Error::status), Some(422));
    assert!(!probe.is_complete(), "what failed is not recorded");
    turn.deliver_notice("on it").await.unwrap();
    assert!(!probe.is_complete(), "a notice is no reply");
    turn.deliver_reply("hello").await.unwrap();
    assert!(probe.replied());
    let keys: Vec<String> = room.sent().iter().map(|sent| sent.key.clone()).collect();
    let id = turn.message.id;
    assert_eq!(keys, [format!("{id}-0"), format!("{id}-1")], "a refused message gives its number back");
}

#[tokio::test]
async fn a_send_whose_answer_was_lost_keeps_its_number() {
    let room = FakeTools::new();
    let turn = room.turn("hi");
    room.refuse(refusal(502, "who knows"));
    turn.reply("one").await.unwrap_err();
    turn.reply("two").await.unwrap();
    assert_eq!(room.sent()[0].key, format!("{}-1", turn.message.id));
}

#[tokio::test]
async fn notices_events_and_blank_replies_leave_the_reply_missing() {
    let room = FakeTools::new();
    let turn = room.turn("hi");
    let probe = TurnProbe::on(&turn);
    turn.notice("on it").await.unwrap();
    turn.event(EventType::Thought, "hm", None).await.unwrap();
    assert!(matches!(turn.reply(" \u{200b}\n").await.unwrap_err(), Error::Tool(_)));
    assert!(!turn.relay_reply("\u{200b}").await.unwrap());
    assert!(!probe.is_complete());
    assert_eq!((room.sent().len(), room.events().len()), (1, 1));
    assert!(turn.relay_reply("answer").await.unwrap());
    assert!(!turn.relay_reply("once more").await.unwrap(), "the turn has replied");
    assert_eq!(room.sent().len(), 2);
}

#[tokio::test]
async fn a_failure_counts_as_reported_only_when_the_room_heard_of_it() {
    let room = FakeTools::new();
    let turn = room.turn("hi");
    let probe = TurnProbe::on(&turn);
    room.refuse(refusal(500, "down"));
    assert!(!turn.fail(AgentFailure::new("openai", "no quota")).await.unwrap());
    assert!(!probe.reported() && !probe.is_complete(), "the runtime tells the room then");
    assert!(turn.fail(AgentFailure::new("openai", "no quota")).await.unwrap());
    assert!(probe.reported() && probe.is_complete() && !probe.replied());
    room.refuse(refusal(403, "execution is stopped"));
    let stopped = turn.fail(AgentFailure::new("openai", "x")).await.unwrap_err();
    assert!(matches!(stopped, Error::Stopped { .. }), "only that propagates");
    room.refuse(refusal(500, "down"));
    assert!(!turn.event_safe(EventType::Thought, "hm", None).await);
    assert!(turn.event_safe(EventType::Thought, "hm", None).await);
}

#[tokio::test]
async fn usage_is_shown_only_when_it_was_chosen_and_is_not_nothing() {
    let supported = Supported { emit: Emit::Usage.into(), ..Supported::default() };
    let features = Features::new().resolve("Foo", &supported).unwrap();
    let room = FakeTools::new().with_features(features);
    let turn = room.turn("hi");
    let mut usage = Usage::default();
    turn.emit_usage(usage).await;
    usage += Usage { input_tokens: 3, output_tokens: 4, cache_read_tokens: 1, cache_write_tokens: 0 };
    usage += Usage { input_tokens: 2, ..Usage::default() };
    turn.emit_usage(usage).await;
    room.cancel();
    turn.emit_usage(usage).await;
    let [event] = &room.events()[..] else { panic!("one event") };
    assert_eq!((event.kind, event.content.as_str()), (EventType::Task, "Token usage: input=5 output=4"));
    let counts = json!({
        "input_tokens": 5, "output_tokens": 4, "cache_read_tokens": 1, "cache_write_tokens": 0,
    });
    assert_eq!(event.metadata.as_ref().unwrap()["band_usage"], counts);

    let silent = FakeTools::new();
    silent.turn("hi").emit_usage(usage).await;
    assert!(silent.events().is_empty());
}

#[tokio::test]
async fn context_that_is_retained_is_owed_to_the_next_turn() {
    let room = FakeTools::new();
    let turn = room.turn("hi");
    let probe = TurnProbe::on(&turn);
    assert!(probe.was_delivered());
    turn.retain_context();
    assert!(!probe.was_delivered());
}

#[tokio::test]
async fn the_offered_tools_follow_the_features() {
    let supported =
        Supported { capabilities: Capability::Files | Capability::Contacts, ..Supported::default() };
    let names = |features: Features| {
        let room = FakeTools::new().with_features(features.resolve("Foo", &supported).unwrap());
        room.tools().tool_set().definitions().map(|tool| tool.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(Features::new()).len(), 8);
    let without = Features::new().exclude_tools(["band_no_reply"]);
    assert!(!names(without.clone()).contains(&"band_no_reply".to_owned()) && names(without).len() == 7);
    assert_eq!(names(Features::new().include_tools(["band_no_reply"])), ["band_no_reply"]);
    assert!(names(Features::new().include_categories(["memory"])).is_empty());
    let contacts = Features::new().capabilities(Capability::Contacts);
    assert_eq!(names(contacts.clone()).len(), 13);
    assert_eq!(names(contacts.include_tools(["band_list_contacts"])), ["band_list_contacts"]);
}

async fn away(turn: Turn) -> AdapterResult {
    if turn.text() != "unheard" {
        turn.fail(AgentFailure::new("my-model", "the model is away")).await?;
    }
    Err(AdapterError::already_reported("the model is away"))
}

#[tokio::test]
async fn a_failure_that_the_room_knows_is_told_once_and_is_no_error_in_the_log() {
    let platform = Platform::start(&[1]).await;
    let warnings = Warnings::default();
    let guard = warnings.listen();
    let running = builder_of(&platform, adapter_fn(away)).build().unwrap().start().await.unwrap();
    let id = platform.say(1, "hi").await;
    platform.stands(1, id, "failed").await;
    let next = platform.say(1, "unheard").await;
    platform.stands(1, next, "failed").await;
    platform.saw("event", 2).await;
    running.stop(None).await.unwrap();
    drop(guard);
    let told: Vec<_> = platform
        .events()
        .iter()
        .map(|event| event["event"]["metadata"]["failure"]["provider"].clone())
        .collect();
    assert_eq!(told, ["my-model", "band-runtime"], "where the room was not told it gets the generic notice");
    assert_eq!(warnings.lines("turn failed"), Vec::<String>::new());
}
