//! The events of a change, ready to be pushed.

use std::sync::Arc;

use band_wire::event::emit;
use band_wire::phx::Topic;
use band_wire::rest::{self, DeliveryMap, MemberStatus, Role, SenderType};
use band_wire::{AgentId, ChatId, Stamp};
use serde::Serialize;
use serde_json::Value;

use super::plan::NewMessage;
use super::{Audience, Chat, Member, Push, Roster, delivery, text};

/// The longest title that people's clients take in `room_title_changed`, in bytes.
const MAX_TITLE_BYTES: usize = 256;

/// Encodes a payload, once for all who get it.
pub(super) fn push(topic: Topic, audience: Audience, event: &'static str, payload: &impl Serialize) -> Push {
    Push { topic, audience, event, payload: encode(payload) }
}

/// What is pushed has string keys and no number that JSON lacks, so encoding it can't fail.
fn encode(payload: &impl Serialize) -> Arc<str> {
    serde_json::to_string(payload).map_or_else(|_| Arc::from("{}"), Arc::from)
}

fn room(chat: &Chat) -> emit::Room {
    emit::Room {
        id: chat.id,
        title: chat.title.clone(),
        task_id: chat.task_id.clone(),
        kind: chat.kind,
        status: chat.status,
        inserted_at: chat.inserted_at,
        updated_at: chat.updated_at,
    }
}

fn rooms_topic(member: &Member) -> Topic {
    match member.kind {
        SenderType::User => Topic::UserRooms(member.id.cast()),
        SenderType::Agent => Topic::AgentRooms(member.id.cast()),
    }
}

/// `room_added`, to the one who came in.
pub(super) fn room_added(chat: &Chat, member: &Member) -> Push {
    push(rooms_topic(member), Audience::Everyone, "room_added", &room(chat))
}

/// `room_removed`, to the one who left.
pub(super) fn room_removed(chat: &Chat, member: &Member, at: Stamp) -> Push {
    let payload = emit::RoomRemoved { room: room(chat), removed_at: at };
    push(rooms_topic(member), Audience::Everyone, "room_removed", &payload)
}

/// `room_updated`, to the people of the room; one encoded payload for all.
pub(super) fn room_updated<'a>(chat: &Chat, people: impl Iterator<Item = &'a Member>) -> Vec<Push> {
    let payload = encode(&room(chat));
    people
        .filter_map(|member| member.user().filter(|_| member.status == MemberStatus::Active))
        .map(|user| Push {
            topic: Topic::UserRooms(user),
            audience: Audience::Everyone,
            event: "room_updated",
            payload: Arc::clone(&payload),
        })
        .collect()
}

/// `room_title_changed` and `room_updated`, to the people of the room.
pub(super) fn title_changed(chat: &Chat, roster: &Roster) -> Vec<Push> {
    let title = text::cut(&chat.title, MAX_TITLE_BYTES).to_owned();
    let payload = emit::RoomTitleChanged { id: chat.id, title };
    let topic = Topic::RoomParticipants(chat.id);
    let mut pushes = vec![push(topic, Audience::Users, "room_title_changed", &payload)];
    pushes.extend(room_updated(chat, roster.iter()));
    pushes
}

/// `participant_added` or `participant_removed`, to everyone in the room.
pub(super) fn participant(event: &'static str, chat: ChatId, member: &Member) -> Push {
    let handle = Some(member.handle.clone());
    let payload = match member.kind {
        SenderType::User => emit::Participant::user(member.id, Some(&member.name), handle),
        SenderType::Agent => {
            emit::Participant::agent(member.id, member.name.clone(), handle, member.description.clone())
        }
    };
    let payload = payload.with_membership(member.role, member.status);
    push(Topic::RoomParticipants(chat), Audience::Everyone, event, &payload)
}

/// The REST view of a participant.
pub fn participant_view(member: &Member, role: Role) -> rest::Participant {
    rest::Participant {
        id: member.id,
        kind: member.kind.into(),
        role: role.into(),
        status: member.status.into(),
        name: Some(member.name.clone()),
        handle: Some(member.handle.clone()),
        online: None,
        description: member.description.clone(),
        is_external: member.agent().map(|_| true),
        connection_status: None,
    }
}

/// `message_created` to people and to the agents it is for, or `event_created` to people.
pub(super) fn message_created(message: &NewMessage) -> Push {
    let is_text = message.message_type == super::TEXT;
    let mut metadata = message.metadata.clone();
    if is_text {
        let delivered = message
            .deliveries
            .iter()
            .filter_map(|delivery| delivery.delivered_at.map(|at| (delivery.agent, delivery::delivered(at))));
        metadata.insert(DELIVERY_STATUS.to_owned(), delivery_value(&delivered.collect()));
    }
    let payload = emit::Message {
        id: message.id,
        content: message.content.clone(),
        message_type: message.message_type.to_owned(),
        sender_id: message.sender,
        sender_type: message.sender_kind,
        sender_name: Some(message.sender_name.clone()),
        chat_room_id: message.chat,
        thread_id: None,
        metadata,
        attachments: message.files.iter().filter_map(|file| serde_json::to_value(file).ok()).collect(),
        inserted_at: message.at,
        updated_at: message.at,
    };
    let (event, audience) = if is_text {
        (
            "message_created",
            super::routing::audience(message.deliveries.iter().map(|delivery| delivery.agent)),
        )
    } else {
        ("event_created", Audience::Users)
    };
    push(Topic::ChatRoom(message.chat), audience, event, &payload)
}

/// `message_updated`, to people.
pub(super) fn message_updated(chat: ChatId, message: rest::Message) -> Push {
    let payload = emit::Message {
        id: message.id,
        content: message.content,
        message_type: message.message_type,
        sender_id: message.sender_id,
        sender_type: SenderType::parse(&message.sender_type).unwrap_or(SenderType::User),
        sender_name: message.sender_name,
        chat_room_id: chat,
        thread_id: None,
        metadata: message.metadata,
        attachments: message.attachments,
        inserted_at: message.inserted_at.unwrap_or_else(|| Stamp::from_micros(0)),
        updated_at: message.updated_at.or(message.inserted_at).unwrap_or_else(|| Stamp::from_micros(0)),
    };
    push(Topic::ChatRoom(chat), Audience::Users, "message_updated", &payload)
}

/// `agent_deleted`, to its owner.
pub(super) fn agent_deleted(owner: band_wire::UserId, agent: AgentId) -> Push {
    let payload = emit::AgentDeleted { id: agent };
    push(Topic::UserAgents(owner), Audience::Everyone, "agent_deleted", &payload)
}

/// The metadata key under which delivery records stand.
const DELIVERY_STATUS: &str = "delivery_status";

/// Puts the delivery records into the metadata of a stored text message. Events keep their own metadata.
pub fn with_deliveries(mut message: rest::Message, deliveries: &DeliveryMap) -> rest::Message {
    if message.message_type == super::TEXT {
        message.metadata.insert(DELIVERY_STATUS.to_owned(), delivery_value(deliveries));
    }
    message
}

fn delivery_value(deliveries: &DeliveryMap) -> Value {
    serde_json::to_value(deliveries).unwrap_or_default()
}
