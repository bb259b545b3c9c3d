//! The chat adapter against a scripted model.

use axum::http::StatusCode;
use band::testing::FakeTools;
use band::{FrameworkAdapter, HistoryItem, RawHistory, Role};
use band_adapters::openai::{Chat, ChatConfig};
use band_adapters::registry;
use band_wire::Id;
use band_wire::rest::EventType;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::model_server::{ModelServer, Move};

async fn chat(server: &ModelServer, room: &FakeTools) -> Chat {
    let config = ChatConfig::new("test-model").base_url(server.base_url()).instructions("Be brief.");
    let chat = Chat::new(config).unwrap();
    FrameworkAdapter::on_started(&chat, room.identity(), &room.platform().unwrap()).await.unwrap();
    chat
}

#[tokio::test]
async fn the_final_text_goes_to_the_sender_when_nothing_was_sent() {
    let server = ModelServer::start([Move::Say("Hello, Ada.")]).await;
    let room = FakeTools::new();
    chat(&server, &room).await.on_event(room.turn("hi")).await.unwrap();
    assert_eq!(room.sent()[0].content, "Hello, Ada.");
    assert_eq!(room.sent()[0].mentions, [FakeTools::ada()]);
    let request = &server.requests()[0];
    assert_eq!(request["model"], "test-model");
    let names: Vec<&Value> =
        request["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names.len(), 8, "{names:?}");
    let messages = server.last_messages();
    let prompt = messages[0]["content"].as_str().unwrap();
    assert!(prompt.starts_with("You are Echo: ") && prompt.ends_with("Be brief."));
    assert!(
        messages[1]["content"].as_str().unwrap().starts_with("[System]: ## Current Participants\n- @ada")
    );
    assert_eq!(messages[2], json!({ "role": "user", "content": "[Ada]: hi" }));
    assert_eq!(server.keys(), [None], "no key, no header");
}

#[tokio::test]
async fn tools_run_in_a_loop_and_their_results_go_back() {
    let server = ModelServer::start([
        Move::Call(vec![("band_get_participants", ""), ("band_fly", "{}")]),
        Move::Call(vec![("band_send_message", r#"{"content":"Here.","mentions":["ada"]}"#)]),
        Move::Say("All done."),
    ])
    .await;
    let room = FakeTools::new();
    chat(&server, &room).await.on_event(room.turn("who is here?")).await.unwrap();
    let said: Vec<String> = room.sent().into_iter().map(|sent| sent.content).collect();
    assert_eq!(said, ["Here."], "after a reply the final text is not relayed");
    let messages = server.last_messages();
    let results: Vec<&str> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert!(results[0].contains("\"handle\":\"ada\""), "{}", results[0]);
    assert_eq!(results[1], "Unknown tool: band_fly");
    let shown: Vec<(EventType, Value)> = room
        .events()
        .into_iter()
        .map(|event| (event.kind, serde_json::from_str(&event.content).unwrap()))
        .collect();
    let kinds: Vec<EventType> = shown.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        kinds,
        [EventType::ToolCall, EventType::ToolResult, EventType::ToolCall, EventType::ToolResult],
        "a sent message shows by itself"
    );
    assert_eq!(shown[1].1["is_error"], false);
    assert_eq!(shown[3].1["is_error"], true);
}

#[tokio::test]
async fn wrong_arguments_go_back_to_the_model() {
    let server = ModelServer::start([
        Move::Call(vec![("band_send_message", "{not json")]),
        Move::Call(vec![("band_send_message", r#"{"content":"x","mentions":["eve"]}"#)]),
        Move::Call(vec![("band_send_message", r#"{"content":"x"}"#)]),
        Move::Say("I give up."),
    ])
    .await;
    let room = FakeTools::new();
    chat(&server, &room).await.on_event(room.turn("hi")).await.unwrap();
    let messages = server.last_messages();
    let results: Vec<&str> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert!(results[0].starts_with("Invalid arguments for band_send_message: arguments: "), "{}", results[0]);
    assert_eq!(
        results[1],
        "Error executing band_send_message: Unknown participant 'eve'. Available handles: ['ada']"
    );
    assert_eq!(results[2], "Invalid arguments for band_send_message: mentions: Field required");
    assert_eq!(room.sent()[0].content, "I give up.");
}

#[tokio::test]
async fn a_model_that_declines_ends_the_turn_without_another_round() {
    let server =
        ModelServer::start([Move::Call(vec![("band_no_reply", r#"{"reason":"thanks only"}"#)])]).await;
    let room = FakeTools::new();
    let turn = room.turn("thanks!");
    let tools = turn.tools.clone();
    chat(&server, &room).await.on_event(turn).await.unwrap();
    assert!(tools.replied() && room.sent().is_empty());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_model_that_says_nothing_leaves_the_turn_unsettled() {
    let server = ModelServer::start([Move::Say(" \n")]).await;
    let room = FakeTools::new();
    let turn = room.turn("hi");
    let tools = turn.tools.clone();
    chat(&server, &room).await.on_event(turn).await.unwrap();
    assert!(!tools.is_complete() && room.sent().is_empty());
}

#[tokio::test]
async fn a_room_keeps_its_conversation_until_it_is_cleaned_up() {
    let server = ModelServer::start([Move::Say("One."), Move::Say("Two."), Move::Say("Three.")]).await;
    let room = FakeTools::new();
    let chat = chat(&server, &room).await;
    chat.on_event(room.turn("first")).await.unwrap();
    let mut second = room.turn("second");
    second.is_bootstrap = false;
    second.participants_update = None;
    let id = second.room;
    chat.on_event(second).await.unwrap();
    let contents: Vec<Value> =
        server.last_messages().into_iter().skip(2).map(|mut message| message["content"].take()).collect();
    assert_eq!(contents, ["[Ada]: first", "One.", "[Ada]: second"]);
    FrameworkAdapter::on_cleanup(&chat, id).await.unwrap();
    let mut third = room.turn("third");
    third.is_bootstrap = false;
    third.participants_update = None;
    chat.on_event(third).await.unwrap();
    assert_eq!(server.last_messages().len(), 2, "prompt and message");
}

#[tokio::test]
async fn the_past_of_a_room_comes_before_the_first_message() {
    let server = ModelServer::start([Move::Say("Again.")]).await;
    let room = FakeTools::new();
    let entry = |kind: &str, own: bool, content: &str| HistoryItem {
        id: Id::new(Uuid::new_v4()),
        role: if own { Role::Assistant } else { Role::User },
        content: content.to_owned(),
        sender_id: Id::new(Uuid::nil()),
        sender_name: "Ada".to_owned(),
        sender_type: String::new(),
        message_type: kind.to_owned(),
        metadata: Map::new(),
        is_own: own,
        sender_handle: None,
        created_at: None,
        attachments: Vec::new(),
    };
    let items = vec![
        entry("text", false, "before"),
        entry("tool_call", true, r#"{"name":"f","args":{},"tool_call_id":"c"}"#),
        entry("text", true, "answered"),
    ];
    let turn = room.turn_after("now", RawHistory { items, truncated: false });
    chat(&server, &room).await.on_event(turn).await.unwrap();
    let roles: Vec<String> =
        server.last_messages().iter().map(|message| message["role"].as_str().unwrap().to_owned()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant", "user", "user"]);
}

#[tokio::test]
async fn rounds_are_bounded_and_the_end_is_told() {
    let server = ModelServer::start((0..3).map(|_| Move::Call(vec![("band_get_participants", "{}")]))).await;
    let room = FakeTools::new();
    let mut config = ChatConfig::new("m");
    config.base_url = server.base_url();
    config.max_tool_rounds = 3;
    config.emit_tool_calls = false;
    let err = Chat::new(config).unwrap().on_event(room.turn("loop")).await.unwrap_err();
    let told = &room.events()[0];
    assert_eq!(told.kind, EventType::Error);
    assert_eq!(told.content, err.to_string());
    assert!(told.content.starts_with("Exceeded max tool rounds (3) in room "), "{}", told.content);
    assert!(
        told.content
            .ends_with("tool sequence: band_get_participants, band_get_participants, band_get_participants")
    );
}

#[tokio::test]
async fn a_refusal_is_told_with_its_code_and_without_what_the_provider_wrote() {
    let body = json!({ "error": { "message": "Incorrect API key provided: sk-secret", "type": "auth", "code": "invalid_api_key" } });
    let server =
        ModelServer::start([Move::Refuse(StatusCode::UNAUTHORIZED, body, None), Move::Say("Back.")]).await;
    let room = FakeTools::new();
    let config = ChatConfig::new("m").base_url(server.base_url()).api_key("sk-secret");
    let chat = Chat::new(config).unwrap();
    let err = chat.on_event(room.turn("hi")).await.unwrap_err().to_string();
    assert_eq!(server.keys(), [Some("Bearer sk-secret".to_owned())]);
    assert!(err.contains("401") && err.contains("invalid_api_key") && !err.contains("sk-secret"), "{err}");
    let told = &room.events()[0];
    assert_eq!(told.content, "The model provider refused the request with status 401.");
    let failure = &told.metadata.as_ref().unwrap()["failure"];
    assert_eq!((&failure["provider"], &failure["code"]), (&json!("openai"), &json!("401")));
    let mut again = room.turn("hi");
    again.is_bootstrap = false;
    chat.on_event(again).await.unwrap();
    let asked = server.last_messages();
    assert_eq!(asked.iter().filter(|message| message["content"] == "[Ada]: hi").count(), 1);
}

#[tokio::test]
async fn a_rate_limit_is_waited_out_within_bounds() {
    let limited = |wait| Move::Refuse(StatusCode::TOO_MANY_REQUESTS, json!({}), Some(wait));
    let server = ModelServer::start([limited("0"), Move::Say("At last."), limited("61")]).await;
    let room = FakeTools::new();
    let chat = chat(&server, &room).await;
    chat.on_event(room.turn("hi")).await.unwrap();
    assert_eq!(room.sent()[0].content, "At last.");
    let err = chat.on_event(room.turn("hi")).await.unwrap_err().to_string();
    assert!(err.contains("429"), "{err}");
    assert_eq!(server.requests().len(), 3, "a minute is too long");
}

#[tokio::test]
async fn an_answer_that_is_no_completion_fails_the_turn() {
    let server = ModelServer::start([Move::Garble]).await;
    let room = FakeTools::new();
    let err = chat(&server, &room).await.on_event(room.turn("hi")).await.unwrap_err().to_string();
    assert!(err.contains("unreadable"), "{err}");
    assert_eq!(room.events()[0].content, "The model provider sent an answer that can't be read.");
}

#[tokio::test]
async fn the_registry_makes_a_chat_adapter_from_settings() {
    let server = ModelServer::start([Move::Say("Hi.")]).await;
    let settings = registry::Settings::from([
        ("model".to_owned(), json!("m")),
        ("base_url".to_owned(), json!(server.base_url())),
    ]);
    let adapter = registry::make("openai", &settings).unwrap();
    let room = FakeTools::new();
    adapter.on_event(room.turn("hi")).await.unwrap();
    assert_eq!(room.sent()[0].content, "Hi.");
    let err = registry::make("openai", &registry::Settings::from([("modle".to_owned(), json!("m"))]));
    assert!(err.unwrap_err().to_string().contains("Did you mean 'model'?"));
}
