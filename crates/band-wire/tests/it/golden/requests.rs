use band_wire::rest::{
    ActivityKind, ActivityReport, AddParticipant, Body, CreateChat, CreateEvent, EventType, FailMark,
    MentionInput, RegisterAgent, ReportActivity, Role, SendMessage, UpdateProfile,
};
use serde_json::{Map, json};

use super::{golden, id};

#[test]
fn rooms_and_participants() {
    golden!("create_chat_empty", Body(&CreateChat::default()));
    let chat = CreateChat { title: Some("Hall".to_owned()), task_id: None };
    golden!("create_chat", Body(&chat));
    golden!("add_participant", Body(&AddParticipant { participant_id: id(2), role: Role::Admin }));
}

#[test]
fn messages_and_events() {
    let reference =
        MentionInput { kind: Some("reference".to_owned()), ..MentionInput::of_handle("ann/echo") };
    let message = SendMessage {
        content: "hello".to_owned(),
        mentions: vec![MentionInput::of(id(1)), reference],
        attachment_ids: Vec::new(),
    };
    golden!("send_message", Body(&message));
    let event = CreateEvent {
        content: "looking it up".to_owned(),
        message_type: EventType::ToolCall,
        metadata: Some(Map::from_iter([("function".to_owned(), json!({"name": "look_up"}))])),
    };
    golden!("create_event", Body(&event));
    golden!("fail_mark", Body(&FailMark { error: "model unavailable".to_owned() }));
    golden!("report_activity_bare", Body(&ReportActivity { working: false, activity: None }));
    let activity = ActivityReport { kind: ActivityKind::ToolCall, name: Some("look_up".to_owned()) };
    golden!("report_activity", Body(&ReportActivity { working: true, activity: Some(activity) }));
}

#[test]
fn people_and_agents() {
    let agent = RegisterAgent { name: "Echo".to_owned(), description: "Says it again.".to_owned() };
    golden!("register_agent", Body(&agent));
    let profile = UpdateProfile { first_name: Some("Ann".to_owned()), last_name: None };
    golden!("update_profile", Body(&profile));
}
