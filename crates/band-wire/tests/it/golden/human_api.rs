use band_wire::rest::{
    ChatKind, ChatStatus, DeletedAgent, IssuedAgent, IssuedCredentials, IssuedKey, MyAgent, MyChat,
    Participant, UserDetails,
};

use super::agent_api::agent_in_room;
use super::shared::message;
use super::{at, golden, id};

#[test]
fn profile() {
    let ann = UserDetails {
        id: id(1),
        email: "ann@localhost".to_owned(),
        handle: "ann".to_owned(),
        role: "admin".to_owned(),
        first_name: Some("Ann".to_owned()),
        last_name: None,
        listed_in_directory: false,
    };
    golden!("user_details", both ann);
}

#[test]
fn agents() {
    let agent = MyAgent {
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
    };
    golden!("my_agent", both agent);
    let issued = IssuedCredentials {
        agent: IssuedAgent {
            id: id(2),
            name: "Echo".to_owned(),
            description: Some("Says it again.".to_owned()),
            owner_id: id(1),
            inserted_at: at(0),
            avatar_url: None,
        },
        credentials: IssuedKey { api_key: "band_a_1_example".to_owned() },
    };
    golden!("issued_credentials", issued);
    let gone = DeletedAgent { id: id(2), name: "Echo".to_owned(), description: None, executions_deleted: 0 };
    golden!("deleted_agent", both gone);
}

#[test]
fn rooms() {
    let room = MyChat {
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
    };
    golden!("my_chat", both room);
    let person = Participant {
        description: Some("Says it again.".to_owned()),
        is_external: Some(true),
        online: Some(false),
        connection_status: Some(Some("disconnected".to_owned())),
        ..agent_in_room()
    };
    let listed = MyChat {
        last_message_at: Some(at(2)),
        participants: Some(vec![person, Participant { connection_status: Some(None), ..agent_in_room() }]),
        participant_count: Some(2),
        participants_truncated: Some(false),
        last_message: Some(Some(message())),
        ..room.clone()
    };
    golden!("my_chat_with_everything", both listed);
    golden!("my_chat_without_last_message", both MyChat { last_message: Some(None), ..room });
}
