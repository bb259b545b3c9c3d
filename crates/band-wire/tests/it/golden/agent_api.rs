use std::collections::BTreeMap;

use band_wire::rest::{
    ActivityState, AgentChat, AgentMe, DeliveryStatus, EventCreated, EventType, MemberStatus, MessageMark,
    MessageSent, Participant, Peer, PeerSource, Recipient, Role, SenderType,
};

use super::{at, golden, id};

pub(super) fn agent_in_room() -> Participant {
    Participant {
        id: id(2),
        kind: SenderType::Agent.into(),
        role: Role::Member.into(),
        status: MemberStatus::Inactive.into(),
        name: Some("Echo".to_owned()),
        handle: Some("ann/echo".to_owned()),
        online: None,
        description: None,
        is_external: None,
        connection_status: None,
    }
}

#[test]
fn identity() {
    let me = AgentMe {
        id: id(2),
        name: "Echo".to_owned(),
        handle: "ann/echo".to_owned(),
        description: Some("Says it again.".to_owned()),
        owner_uuid: id(1),
        listed_in_directory: false,
        tags: vec!["demo".to_owned()],
        feature_flags: Some(BTreeMap::from([
            ("ff_file_transfer".to_owned(), false),
            ("ff_room_tasks".to_owned(), false),
        ])),
        avatar_url: None,
        inserted_at: at(0),
        updated_at: at(1),
    };
    golden!("agent_me", both me);
}

#[test]
fn rooms() {
    let room = AgentChat {
        id: id(4),
        title: Some("Hall".to_owned()),
        task_id: None,
        inserted_at: at(0),
        updated_at: at(1),
        participants: None,
        participant_count: None,
        participants_truncated: None,
    };
    golden!("agent_chat", both room);
    let listed = AgentChat {
        participants: Some(vec![agent_in_room()]),
        participant_count: Some(1),
        participants_truncated: Some(false),
        ..room
    };
    golden!("agent_chat_with_participants", both listed);
}

#[test]
fn participants_and_peers() {
    golden!("participant", both agent_in_room());
    golden!("participant_listed", both Participant { online: Some(true), ..agent_in_room() });
    let peer = Peer {
        id: id(1),
        name: "Ann Lee".to_owned(),
        handle: "ann".to_owned(),
        kind: SenderType::User.into(),
        source: PeerSource::Registry.into(),
        is_contact: false,
        online: true,
        description: None,
        is_external: None,
        listed_in_directory: None,
        tags: None,
    };
    golden!("peer", both peer);
}

#[test]
fn answers() {
    let recipient = Recipient { id: id(1), handle: "ann".to_owned(), name: Some("Ann Lee".to_owned()) };
    golden!("message_sent", both MessageSent { id: id(3), success: true, recipients: vec![recipient] });
    let mark =
        MessageMark { id: id(3), status: DeliveryStatus::Processed.into(), attempt_number: 1, success: true };
    golden!("message_mark", both mark);
    let event = EventCreated { id: id(3), message_type: EventType::ToolCall.into(), success: true };
    golden!("event_created_answer", both event);
    golden!("activity_state", both ActivityState { working: true });
}
