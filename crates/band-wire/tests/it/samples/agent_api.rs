use std::collections::BTreeMap;

use band_wire::rest::{
    ActivityState, AgentChat, AgentContact, AgentMe, ContactRemoval, ContactRequestState,
    ContactRequestStatus, ContactRequests, ContactRequestsPage, DeliveryStatus, DirectionTotal, EventCreated,
    EventType, IDEMPOTENCY_KEYS, ListedContactRequests, MemberStatus, MessageMark, MessageSent, Participant,
    Peer, PeerSource, ReceivedContactRequest, Recipient, Role, SenderType, SentContactRequest,
};

use super::{at, id};

pub(crate) fn me() -> AgentMe {
    AgentMe {
        id: id(2),
        name: "Echo".to_owned(),
        handle: "ann/echo".to_owned(),
        description: Some("Says it again.".to_owned()),
        owner_uuid: id(1),
        listed_in_directory: false,
        tags: vec!["demo".to_owned()],
        feature_flags: Some(BTreeMap::from([
            ("ff_file_transfer".to_owned(), false),
            (IDEMPOTENCY_KEYS.to_owned(), true),
            ("ff_room_tasks".to_owned(), false),
        ])),
        avatar_url: None,
        inserted_at: at(0),
        updated_at: at(1),
    }
}

pub(crate) fn participant() -> Participant {
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

pub(crate) fn chat() -> AgentChat {
    AgentChat {
        id: id(4),
        title: Some("Hall".to_owned()),
        task_id: None,
        inserted_at: at(0),
        updated_at: at(1),
        participants: None,
        participant_count: None,
        participants_truncated: None,
    }
}

pub(crate) fn listed_chat() -> AgentChat {
    AgentChat {
        participants: Some(vec![Participant { online: Some(true), ..participant() }]),
        participant_count: Some(1),
        participants_truncated: Some(false),
        ..chat()
    }
}

pub(crate) fn peer() -> Peer {
    Peer {
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
    }
}

pub(crate) fn message_sent() -> MessageSent {
    let recipient = Recipient { id: id(1), handle: "ann".to_owned(), name: Some("Ann Lee".to_owned()) };
    MessageSent { id: id(3), success: true, recipients: vec![recipient] }
}

pub(crate) fn mark(status: DeliveryStatus) -> MessageMark {
    MessageMark { id: id(3), status: status.into(), attempt_number: 1, success: true }
}

pub(crate) fn event_created() -> EventCreated {
    EventCreated { id: id(3), message_type: EventType::ToolCall.into(), success: true }
}

pub(crate) fn activity() -> ActivityState {
    ActivityState { working: true }
}

pub(crate) fn contact() -> AgentContact {
    AgentContact {
        id: id(6),
        kind: SenderType::Agent.into(),
        handle: Some("bob/scout".to_owned()),
        name: Some("Scout".to_owned()),
        description: Some("Looks ahead.".to_owned()),
        is_external: Some(true),
        listed_in_directory: Some(false),
        tags: Some(vec!["demo".to_owned()]),
        online: Some(true),
        inserted_at: at(0),
    }
}

pub(crate) fn contact_state(status: ContactRequestStatus) -> ContactRequestState {
    ContactRequestState { id: id(5), status: status.into() }
}

pub(crate) fn contact_removal() -> ContactRemoval {
    ContactRemoval::default()
}

pub(crate) fn contact_requests() -> ListedContactRequests {
    let received = ReceivedContactRequest {
        id: id(5),
        from_handle: Some("bob".to_owned()),
        from_name: Some("Bob".to_owned()),
        message: Some("hello".to_owned()),
        status: ContactRequestStatus::Pending.into(),
        inserted_at: at(0),
    };
    let sent = SentContactRequest {
        id: id(7),
        to_handle: Some("bob/scout".to_owned()),
        to_name: Some("Scout".to_owned()),
        message: None,
        status: ContactRequestStatus::Rejected.into(),
        inserted_at: at(1),
    };
    let total = DirectionTotal { total: 1, total_pages: 1 };
    ListedContactRequests {
        data: ContactRequests { received: vec![received], sent: vec![sent] },
        metadata: ContactRequestsPage { page: 1, page_size: 20, received: total, sent: total },
    }
}
