use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::event::validate;
use crate::rest::{ChatKind, ChatStatus, MemberStatus, Role, SenderType};
use crate::{ChatId, ContactId, Id, MessageId, ParticipantId, Stamp};

fn id<M>() -> Id<M> {
    Id::new(Uuid::from_u128(7))
}

fn passes(name: &str, payload: &impl Serialize) {
    let payload = serde_json::to_value(payload).unwrap();
    if let Err(err) = validate(name, payload) {
        panic!("{name}: {:?}", err.issues);
    }
}

fn room() -> Room {
    Room {
        id: id(),
        title: "t".to_owned(),
        task_id: None,
        kind: ChatKind::Direct,
        status: ChatStatus::Active,
        inserted_at: Stamp::from_micros(0),
        updated_at: Stamp::from_micros(1),
    }
}

#[test]
fn everything_emitted_passes_the_rules() {
    let message = Message {
        id: MessageId::new(Uuid::nil()),
        content: "hi".to_owned(),
        message_type: "text".to_owned(),
        sender_id: id(),
        sender_type: SenderType::User,
        sender_name: None,
        chat_room_id: id(),
        thread_id: None,
        metadata: serde_json::Map::new(),
        attachments: Vec::new(),
        inserted_at: Stamp::from_micros(0),
        updated_at: Stamp::from_micros(0),
    };
    passes("message_created", &message);
    passes("room_added", &room());
    passes("room_removed", &RoomRemoved { room: room(), removed_at: Stamp::from_micros(2) });
    passes("room_deleted", &RoomDeleted { id: ChatId::new(Uuid::nil()) });
    passes("participant_added", &Participant::user(id(), Some(" "), None));
    passes(
        "participant_removed",
        &Participant::agent(id(), "Echo".to_owned(), Some("ann/echo".to_owned()), None)
            .with_membership(Role::Member, MemberStatus::Inactive),
    );
    let contact = Contact {
        id: ContactId::new(Uuid::nil()),
        handle: None,
        name: None,
        kind: SenderType::User,
        description: None,
        is_remote: None,
        is_external: None,
        listed_in_directory: None,
        tags: None,
        inserted_at: Stamp::from_micros(0),
    };
    passes("contact_added", &contact);
    passes("contact_removed", &ContactRemoved { id: contact.id });
    let request = ContactRequest {
        id: id(),
        from_handle: "ann".to_owned(),
        from_name: None,
        message: None,
        status: "pending".to_owned(),
        inserted_at: Stamp::from_micros(0),
    };
    passes("contact_request_received", &request);
    passes(
        "contact_request_updated",
        &ContactRequestUpdate { id: request.id, status: "approved".to_owned() },
    );
}

#[test]
fn a_person_without_a_name_is_unknown() {
    let person = Participant::user(ParticipantId::new(Uuid::nil()), Some("  "), None);
    assert_eq!(
        serde_json::to_value(person).unwrap(),
        json!({"id": Uuid::nil().to_string(), "type": "User", "name": "Unknown"})
    );
}
