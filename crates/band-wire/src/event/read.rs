//! Pushed events with typed payloads.

use serde_json::{Map, Value};

use super::contact::{ContactRecord, ContactRequest, ContactRequestUpdate};
use super::control::{AgentControl, Supersede};
use super::payload::{EventError, Fields};
use super::room::{ParticipantRecord, RoomRecord};
use super::{name, validate};
use crate::phx::Topic;
use crate::rest::Message;
use crate::{ChatId, ContactId};

/// An event that passed its rules.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A text message. Its room is the topic's, whatever the payload says.
    MessageCreated(Box<Message>),
    /// A message or its delivery state changed.
    MessageUpdated(Box<Message>),
    /// An event of an agent, as it came.
    EventCreated(Map<String, Value>),
    /// The subscriber became a participant.
    RoomAdded(RoomRecord),
    /// The subscriber is a participant no more.
    RoomRemoved(RoomRecord),
    /// The room is gone.
    RoomDeleted(ChatId),
    /// Someone joined the topic's room.
    ParticipantAdded(ParticipantRecord),
    /// Someone left the topic's room.
    ParticipantRemoved(ParticipantRecord),
    /// Someone asks to be a contact.
    ContactRequestReceived(ContactRequest),
    /// A contact request was settled.
    ContactRequestUpdated(ContactRequestUpdate),
    /// A contact came to be.
    ContactAdded(ContactRecord),
    /// A contact is gone.
    ContactRemoved(ContactId),
    /// Another connection took this one's place.
    Supersede(Supersede),
    /// Stop, play or interrupt.
    Control(AgentControl),
}

impl Event {
    /// Validates and normalises a pushed payload, and reads it.
    ///
    /// # Errors
    /// [`EventError`] says which field of which event is off, or that the event does not belong to the topic.
    pub fn read(topic: Topic, event: &str, payload: Value) -> Result<Self, EventError> {
        let payload = validate(event, payload)
            .map_err(|source| EventError::Invalid { event: event.to_owned(), source })?;
        if !belongs(topic, event) {
            return Err(EventError::WrongTopic { event: event.to_owned(), topic });
        }
        let mut fields = Fields::new(event, payload);
        Ok(match event {
            name::MESSAGE_CREATED => Self::MessageCreated(Box::new(message(topic, fields)?)),
            name::MESSAGE_UPDATED => Self::MessageUpdated(Box::new(message(topic, fields)?)),
            name::ROOM_ADDED => Self::RoomAdded(RoomRecord::read(fields)?),
            name::ROOM_REMOVED => Self::RoomRemoved(RoomRecord::read(fields)?),
            name::ROOM_DELETED => Self::RoomDeleted(fields.id("id")?),
            name::PARTICIPANT_ADDED => Self::ParticipantAdded(ParticipantRecord::read(fields)?),
            name::PARTICIPANT_REMOVED => Self::ParticipantRemoved(ParticipantRecord::read(fields)?),
            name::CONTACT_REQUEST_RECEIVED => Self::ContactRequestReceived(ContactRequest::read(fields)?),
            name::CONTACT_REQUEST_UPDATED => Self::ContactRequestUpdated(ContactRequestUpdate::read(fields)?),
            name::CONTACT_ADDED => Self::ContactAdded(ContactRecord::read(fields)?),
            name::CONTACT_REMOVED => Self::ContactRemoved(fields.id("id")?),
            name::SUPERSEDE => Self::Supersede(Supersede::read(fields)),
            name::AGENT_CONTROL => Self::Control(AgentControl::read(fields)?),
            _ => Self::EventCreated(fields.rest()),
        })
    }
}

/// Whether a topic carries an event.
fn belongs(topic: Topic, event: &str) -> bool {
    match topic {
        Topic::AgentControl(_) => matches!(event, name::SUPERSEDE | name::AGENT_CONTROL),
        Topic::AgentRooms(_) | Topic::UserRooms(_) => matches!(event, name::ROOM_ADDED | name::ROOM_REMOVED),
        Topic::AgentContacts(_) | Topic::UserContacts(_) => matches!(
            event,
            name::CONTACT_REQUEST_RECEIVED
                | name::CONTACT_REQUEST_UPDATED
                | name::CONTACT_ADDED
                | name::CONTACT_REMOVED
        ),
        Topic::ChatRoom(_) => {
            matches!(event, name::MESSAGE_CREATED | name::MESSAGE_UPDATED | name::EVENT_CREATED)
        }
        Topic::RoomParticipants(_) => {
            matches!(event, name::PARTICIPANT_ADDED | name::PARTICIPANT_REMOVED | name::ROOM_DELETED)
        }
        Topic::RoomTasks(_) | Topic::RoomActivity(_) | Topic::UserAgents(_) | Topic::Tasks(_) => false,
    }
}

fn message(topic: Topic, mut fields: Fields<'_>) -> Result<Message, EventError> {
    Ok(Message {
        id: fields.id("id")?,
        content: fields.text("content"),
        message_type: fields.text("message_type"),
        sender_id: fields.id("sender_id")?,
        sender_type: fields.text("sender_type"),
        sender_name: fields.opt_text("sender_name"),
        chat_room_id: topic.room(),
        metadata: fields.object("metadata"),
        attachments: fields.list("attachments"),
        inserted_at: fields.stamp("inserted_at"),
        updated_at: fields.stamp("updated_at"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::event::{ControlMode, emit};
    use crate::rest::{MemberStatus, Role};
    use crate::{AgentId, Id, ParticipantId};

    const ROOM: &str = "00000000-0000-0000-0000-000000000001";
    const OTHER: &str = "00000000-0000-0000-0000-000000000002";

    fn id<M>() -> Id<M> {
        Id::new(Uuid::from_u128(7))
    }

    fn room() -> Topic {
        Topic::ChatRoom(ROOM.parse().unwrap())
    }

    fn message_payload() -> Value {
        json!({
            "id": OTHER, "content": "hi", "message_type": "text", "sender_id": OTHER, "sender_type": "User",
            "chat_room_id": OTHER, "inserted_at": "2026-07-01T10:00:00Z", "updated_at": "some day",
        })
    }

    #[test]
    fn the_room_of_a_message_is_the_topics() {
        let Event::MessageCreated(message) =
            Event::read(room(), "message_created", message_payload()).unwrap()
        else {
            panic!("another event")
        };
        assert_eq!(message.chat_room_id, Some(ROOM.parse().unwrap()));
        assert_eq!(message.sender_id, OTHER.parse::<ParticipantId>().unwrap());
        assert_eq!(message.inserted_at.unwrap().to_string(), "2026-07-01T10:00:00.000000Z");
        assert_eq!(message.updated_at, None, "any text passes the rules, an unreadable one is none");
        assert_eq!(message.metadata["mentions"], json!([]));
    }

    #[test]
    fn an_id_that_is_no_uuid_is_named() {
        let mut payload = message_payload();
        payload["sender_id"] = "u-1".into();
        let err = Event::read(room(), "message_created", payload).unwrap_err();
        assert_eq!(err.to_string(), "event \"message_created\": `sender_id` must be a UUID, got \"u-1\"");
    }

    #[test]
    fn an_event_on_a_foreign_topic_is_refused() {
        let agent = Topic::AgentRooms(AgentId::new(Uuid::nil()));
        let err = Event::read(agent, "message_created", message_payload()).unwrap_err();
        assert!(matches!(err, EventError::WrongTopic { .. }), "{err}");
    }

    #[test]
    fn a_control_signal_is_read_and_written_alike() {
        let agent = AgentId::new(Uuid::nil());
        let signal =
            AgentControl::in_room(ControlMode::Play, agent, ROOM.parse().unwrap(), "ctl-1".to_owned());
        let payload = serde_json::to_value(&signal).unwrap();
        let read = Event::read(Topic::AgentControl(agent), "agent.control", payload).unwrap();
        assert_eq!(read, Event::Control(signal));
    }

    #[test]
    fn a_supersede_is_read_and_written_alike() {
        let agent = AgentId::new(Uuid::nil());
        let sent = Supersede::eviction(agent, "evict-1".to_owned());
        let payload = serde_json::to_value(&sent).unwrap();
        let read = Event::read(Topic::AgentControl(agent), "supersede", payload).unwrap();
        assert_eq!(read, Event::Supersede(sent));
    }

    fn in_the_room(event: &str, payload: &impl serde::Serialize) -> Event {
        let topic = Topic::RoomParticipants(ROOM.parse().unwrap());
        Event::read(topic, event, serde_json::to_value(payload).unwrap()).unwrap()
    }

    #[test]
    fn a_participant_is_read_as_it_is_emitted() {
        let sent = emit::Participant::agent(id(), "Echo".to_owned(), Some("ann/echo".to_owned()), None)
            .with_membership(Role::Member, MemberStatus::Inactive);
        let Event::ParticipantAdded(read) = in_the_room("participant_added", &sent) else {
            panic!("another event")
        };
        assert_eq!((read.id, read.kind.as_str(), read.name.as_str()), (sent.id, "Agent", "Echo"));
        assert_eq!((read.handle.as_deref(), read.is_external), (Some("ann/echo"), Some(true)));
        assert_eq!((read.role.as_deref(), read.status.as_deref()), (Some("member"), Some("inactive")));
        let gone = emit::Participant::user(id(), None, None);
        let Event::ParticipantRemoved(read) = in_the_room("participant_removed", &gone) else {
            panic!("another event")
        };
        assert_eq!((read.name.as_str(), read.handle), ("Unknown", None));
    }

    #[test]
    fn a_room_is_read_from_its_three_events() {
        let topic = Topic::AgentRooms(id());
        let payload = json!({
            "id": ROOM, "title": null, "inserted_at": "", "updated_at": "", "owner": "somebody",
        });
        let room = RoomRecord { id: ROOM.parse().unwrap(), title: None, task_id: None };
        let read = |event| Event::read(topic, event, payload.clone());
        assert_eq!(read("room_added"), Ok(Event::RoomAdded(room.clone())));
        assert_eq!(read("room_removed"), Ok(Event::RoomRemoved(room.clone())));
        assert_eq!(
            in_the_room("room_deleted", &emit::RoomDeleted { id: room.id }),
            Event::RoomDeleted(room.id)
        );
    }

    #[test]
    fn contacts_are_read_as_they_are_emitted() {
        let topic = Topic::AgentContacts(id());
        let read = |event, payload: Value| Event::read(topic, event, payload).unwrap();
        let request = json!({"id": OTHER, "from_handle": "bob", "status": "pending", "inserted_at": "2026-07-01T10:00:00Z"});
        let Event::ContactRequestReceived(request) = read("contact_request_received", request) else {
            panic!("another event")
        };
        assert_eq!((request.from_handle.as_deref(), request.message), (Some("bob"), None));
        let update = read("contact_request_updated", json!({"id": OTHER, "status": "approved"}));
        let Event::ContactRequestUpdated(update) = update else { panic!("another event") };
        assert_eq!((update.id, update.status.as_str()), (request.id, "approved"));
        let added = json!({
            "id": OTHER, "handle": "bob", "name": null, "type": "Agent", "inserted_at": "", "is_remote": true,
            "tags": ["demo"],
        });
        let Event::ContactAdded(contact) = read("contact_added", added) else { panic!("another event") };
        assert_eq!((contact.name, contact.is_external, contact.tags.len()), (None, Some(true), 1));
        let gone = read("contact_removed", json!({ "id": OTHER }));
        assert_eq!(gone, Event::ContactRemoved(contact.id));
    }

    #[test]
    fn an_event_of_an_agent_is_kept_as_it_came() {
        let payload = json!({"id": "anything", "content": null});
        let Event::EventCreated(map) = Event::read(room(), "event_created", payload.clone()).unwrap() else {
            panic!("another event")
        };
        assert_eq!(Value::Object(map), payload);
        let odd = Event::read(room(), "event_created", json!([1])).unwrap();
        assert_eq!(odd, Event::EventCreated(Map::new()), "the rules take any JSON");
    }
}
