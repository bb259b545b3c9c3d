use band_wire::event::{AgentControl, ControlMode, Supersede, emit};
use band_wire::rest::{ChatKind, ChatStatus, MemberStatus, Role, SenderType};
use serde_json::{Map, json};

use super::{at, id};

pub(crate) fn message() -> emit::Message {
    emit::Message {
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
    }
}

pub(crate) fn room() -> emit::Room {
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

pub(crate) fn agent() -> emit::Participant {
    let agent = emit::Participant::agent(
        id(2),
        "Echo".to_owned(),
        Some("ann/echo".to_owned()),
        Some("Says it again.".to_owned()),
    );
    agent.with_membership(Role::Member, MemberStatus::Inactive)
}

pub(crate) fn contact_request() -> emit::ContactRequest {
    emit::ContactRequest {
        id: id(5),
        from_handle: "bob".to_owned(),
        from_name: Some("Bob".to_owned()),
        message: Some("hello".to_owned()),
        status: "pending".to_owned(),
        inserted_at: at(0),
    }
}

pub(crate) fn contact() -> emit::Contact {
    emit::Contact {
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
    }
}

pub(crate) fn agent_contact() -> emit::Contact {
    emit::Contact {
        kind: SenderType::Agent,
        description: Some("Says it again.".to_owned()),
        is_remote: Some(true),
        is_external: Some(true),
        listed_in_directory: Some(true),
        tags: Some(vec!["demo".to_owned()]),
        ..contact()
    }
}

pub(crate) fn supersede() -> Supersede {
    Supersede::eviction(id(2), "evict-1".to_owned())
}

pub(crate) fn stop() -> AgentControl {
    AgentControl::in_room(ControlMode::Stop, id(2), id(4), "ctl-1".to_owned())
}

pub(crate) fn activity() -> emit::AgentActivity {
    emit::AgentActivity { agent_id: id(2), execution_id: "e-1".to_owned(), working: true, activity: None }
}
