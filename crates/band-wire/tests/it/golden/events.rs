use band_wire::event::{AgentControl, ControlMode, Supersede, emit};
use band_wire::rest::{ChatKind, ChatStatus, MemberStatus, Role, SenderType};
use serde_json::{Map, json};

use super::{at, golden, id};

fn room() -> emit::Room {
    emit::Room {
        id: id(4),
        title: "Hall".to_owned(),
        task_id: None,
        kind: ChatKind::Direct,
        status: ChatStatus::Active,
        inserted_at: at(0),
        updated_at: at(1),
    }
}

#[test]
fn messages() {
    let message = emit::Message {
        id: id(3),
        content: "hello".to_owned(),
        message_type: "text".to_owned(),
        sender_id: id(1),
        sender_type: SenderType::User,
        sender_name: Some("Ann Lee".to_owned()),
        chat_room_id: id(4),
        thread_id: None,
        metadata: Map::from_iter([("mentions".to_owned(), json!([]))]),
        attachments: Vec::new(),
        inserted_at: at(0),
        updated_at: at(0),
    };
    golden!("event_message", message);
    golden!("event_message_deleted", emit::MessageDeleted { id: id(3), chat_room_id: id(4) });
}

#[test]
fn rooms() {
    golden!("event_room", room());
    golden!("event_room_removed", emit::RoomRemoved { room: room(), removed_at: at(2) });
    golden!("event_room_deleted", emit::RoomDeleted { id: id(4) });
    let title = "Hall".to_owned();
    golden!("event_room_title_changed", emit::RoomTitleChanged { id: id(4), title });
}

#[test]
fn participants() {
    golden!("event_participant_user", emit::Participant::user(id(1), None, None));
    let agent = emit::Participant::agent(
        id(2),
        "Echo".to_owned(),
        Some("ann/echo".to_owned()),
        Some("Says it again.".to_owned()),
    );
    golden!("event_participant_agent", agent.with_membership(Role::Member, MemberStatus::Inactive));
}

#[test]
fn contacts() {
    let request = emit::ContactRequest {
        id: id(5),
        from_handle: "bob".to_owned(),
        from_name: Some("Bob".to_owned()),
        message: Some("hello".to_owned()),
        status: "pending".to_owned(),
        inserted_at: at(0),
    };
    golden!("event_contact_request", request);
    let status = "approved".to_owned();
    golden!("event_contact_request_updated", emit::ContactRequestUpdate { id: id(5), status });
    let contact = emit::Contact {
        id: id(6),
        handle: Some("bob".to_owned()),
        name: None,
        kind: SenderType::User,
        description: None,
        is_remote: None,
        is_external: None,
        listed_in_directory: None,
        tags: None,
        inserted_at: at(0),
    };
    golden!("event_contact", contact);
    let agent = emit::Contact {
        kind: SenderType::Agent,
        description: Some("Says it again.".to_owned()),
        is_remote: Some(true),
        is_external: Some(true),
        listed_in_directory: Some(true),
        tags: Some(vec!["demo".to_owned()]),
        ..contact
    };
    golden!("event_contact_agent", agent);
    golden!("event_contact_removed", emit::ContactRemoved { id: id(6) });
}

#[test]
fn control() {
    golden!("event_supersede", Supersede::eviction(id(2), "evict-1".to_owned()));
    let stop = AgentControl::in_room(ControlMode::Stop, id(2), id(4), "ctl-1".to_owned());
    golden!("event_agent_control", stop);
}

#[test]
fn what_people_alone_get() {
    let activity = emit::AgentActivity { agent_id: id(2), execution_id: "e-1".to_owned(), working: true };
    golden!("event_agent_activity", activity);
    golden!("reply_working_agents", emit::WorkingAgents::new([activity]));
    golden!("event_agent_deleted", emit::AgentDeleted { id: id(2) });
    let connection = emit::AgentConnection { id: id(2), chat_room_id: id(4), connected: true };
    golden!("event_agent_connection", connection);
}
