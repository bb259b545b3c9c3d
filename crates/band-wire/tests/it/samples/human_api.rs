use band_wire::rest::{
    ChatKind, ChatStatus, DeletedAgent, IssuedAgent, IssuedCredentials, IssuedKey, Membership, MyAgent,
    MyChat, MyMembership, Participant, UserDetails,
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
