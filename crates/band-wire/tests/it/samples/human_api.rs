use band_wire::event::ControlMode;
use band_wire::rest::{
    ChatKind, ChatStatus, ContactParty, ContactRequestStatus, ContactUser, ControlSent, ControlledExecution,
    DeletedAgent, Execution, ExecutionStatus, IssuedAgent, IssuedCredentials, IssuedKey, Membership, MyAgent,
    MyChat, MyContact, MyContactRequest, MyMembership, Participant, ResolvedEntity, SenderType, UserDetails,
};

use super::shared::message;
use super::{agent_api, at, id};

pub(crate) fn profile() -> UserDetails {
    UserDetails {
        id: id(1),
        email: "ann@localhost".to_owned(),
        handle: "ann".to_owned(),
        role: "admin".to_owned(),
        first_name: Some("Ann".to_owned()),
        last_name: Some("Lee".to_owned()),
        listed_in_directory: false,
    }
}

pub(crate) fn nameless_profile() -> UserDetails {
    UserDetails { first_name: None, last_name: None, ..profile() }
}

pub(crate) fn agent() -> MyAgent {
    MyAgent {
        id: id(2),
        name: "Echo".to_owned(),
        description: Some("Says it again.".to_owned()),
        is_external: true,
        slug: Some("echo".to_owned()),
        model_type: None,
        system_prompt_id: None,
        registry_access: true,
        shared_with_organization: false,
        listed_in_directory: false,
        tags: Vec::new(),
        inserted_at: at(0),
        updated_at: at(1),
        avatar_url: None,
    }
}

pub(crate) fn credentials() -> IssuedCredentials {
    IssuedCredentials {
        agent: IssuedAgent {
            id: id(2),
            name: "Echo".to_owned(),
            description: Some("Says it again.".to_owned()),
            owner_id: id(1),
            inserted_at: at(0),
            avatar_url: None,
        },
        credentials: IssuedKey { api_key: "band_a_1_example".to_owned() },
    }
}

pub(crate) fn deleted_agent() -> DeletedAgent {
    DeletedAgent { id: id(2), name: "Echo".to_owned(), description: None, executions_deleted: 0 }
}

pub(crate) fn chat() -> MyChat {
    MyChat {
        id: id(4),
        title: Some("Hall".to_owned()),
        task_id: None,
        kind: ChatKind::Group.into(),
        status: ChatStatus::Active.into(),
        last_message_at: None,
        inserted_at: at(0),
        updated_at: at(1),
        participants: None,
        participant_count: None,
        participants_truncated: None,
        last_message: None,
        membership: None,
        message_counts: None,
    }
}

pub(crate) fn participant() -> Participant {
    Participant {
        description: Some("Says it again.".to_owned()),
        is_external: Some(true),
        online: Some(false),
        connection_status: Some(Some("disconnected".to_owned())),
        ..agent_api::participant()
    }
}

pub(crate) fn listed_chat() -> MyChat {
    let untracked = Participant { connection_status: Some(None), ..agent_api::participant() };
    MyChat {
        last_message_at: Some(at(2)),
        participants: Some(vec![participant(), untracked]),
        participant_count: Some(2),
        participants_truncated: Some(false),
        last_message: Some(Some(message())),
        membership: Some(MyMembership {
            membership: Membership::ViaAgent.into(),
            my_role: None,
            my_status: None,
            via_agent_ids: vec![id(2)],
        }),
        message_counts: Some([("text".to_owned(), 3)].into()),
        ..chat()
    }
}

pub(crate) fn contact() -> MyContact {
    let user = ContactUser {
        id: id(1),
        handle: Some("ann".to_owned()),
        name: Some("Ann Lee".to_owned()),
        email: Some("ann@example.org".to_owned()),
        listed_in_directory: Some(false),
        tags: Some(Vec::new()),
    };
    MyContact {
        id: id(6),
        contact_id: id(1),
        contact_type: SenderType::User.into(),
        status: "active".to_owned(),
        source: "request".to_owned(),
        online: true,
        user,
        inserted_at: at(0),
    }
}

pub(crate) fn contact_request() -> MyContactRequest {
    let party = |number, handle: &str, name: &str| ContactParty {
        id: id(number),
        handle: Some(handle.to_owned()),
        name: Some(name.to_owned()),
    };
    MyContactRequest {
        id: id(5),
        status: ContactRequestStatus::Approved.into(),
        message: Some("hello".to_owned()),
        requester_id: id(1),
        requester_type: SenderType::User.into(),
        recipient_id: id(2),
        recipient_type: SenderType::Agent.into(),
        requester: Some(party(1, "ann", "Ann Lee")),
        recipient: Some(party(2, "bob/scout", "Scout")),
        responded_at: Some(at(1)),
        inserted_at: at(0),
    }
}

pub(crate) fn resolved() -> ResolvedEntity {
    ResolvedEntity {
        kind: SenderType::Agent.into(),
        name: Some("Scout".to_owned()),
        handle: Some("bob/scout".to_owned()),
    }
}

pub(crate) fn execution() -> Execution {
    Execution {
        id: id(8),
        agent_id: id(2),
        chat_room_id: id(4),
        status: ExecutionStatus::Stopped.into(),
        stop_reason: Some("user_requested".to_owned()),
        stopped_at: Some(at(1)),
        inserted_at: at(0),
    }
}

pub(crate) fn control_sent() -> ControlSent {
    let execution = ControlledExecution {
        id: id(8),
        agent_id: id(2),
        chat_room_id: id(4),
        status: ExecutionStatus::Stopped.into(),
    };
    ControlSent { success: true, mode: ControlMode::Stop, executions: vec![execution] }
}
