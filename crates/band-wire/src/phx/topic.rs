//! The topics of a Band socket.

use std::fmt;
use std::str::FromStr;

use crate::id::{AgentId, ChatId, Marker, UserId};

/// A topic that Band knows. Its text is `kind:id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// `supersede`, `agent.control`: that agent only.
    AgentControl(AgentId),
    /// `room_added`, `room_removed`: that agent only.
    AgentRooms(AgentId),
    /// Contact events: that agent only.
    AgentContacts(AgentId),
    /// Messages: participants.
    ChatRoom(ChatId),
    /// Joins and leaves of participants: participants.
    RoomParticipants(ChatId),
    /// The task board: participants.
    RoomTasks(ChatId),
    /// Who is working right now: participants, for people's clients.
    RoomActivity(ChatId),
    /// `room_added`, `room_removed`, `room_updated`: that user only.
    UserRooms(UserId),
    /// Contact events: that user only.
    UserContacts(UserId),
    /// `agent_created`, `agent_updated`, `agent_deleted`: that user only.
    UserAgents(UserId),
    /// The older task list: that user only.
    Tasks(UserId),
}

/// Why a text is no topic of Band's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unmatched topic")]
pub struct TopicError;

impl Topic {
    /// The room, for the topics of a room.
    pub const fn room(self) -> Option<ChatId> {
        match self {
            Self::ChatRoom(id)
            | Self::RoomParticipants(id)
            | Self::RoomTasks(id)
            | Self::RoomActivity(id) => Some(id),
            Self::AgentControl(_)
            | Self::AgentRooms(_)
            | Self::AgentContacts(_)
            | Self::UserRooms(_)
            | Self::UserContacts(_)
            | Self::UserAgents(_)
            | Self::Tasks(_) => None,
        }
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AgentControl(id) => write!(f, "agent_control:{id}"),
            Self::AgentRooms(id) => write!(f, "agent_rooms:{id}"),
            Self::AgentContacts(id) => write!(f, "agent_contacts:{id}"),
            Self::ChatRoom(id) => write!(f, "chat_room:{id}"),
            Self::RoomParticipants(id) => write!(f, "room_participants:{id}"),
            Self::RoomTasks(id) => write!(f, "room_tasks:{id}"),
            Self::RoomActivity(id) => write!(f, "room_activity:{id}"),
            Self::UserRooms(id) => write!(f, "user_rooms:{id}"),
            Self::UserContacts(id) => write!(f, "user_contacts:{id}"),
            Self::UserAgents(id) => write!(f, "user_agents:{id}"),
            Self::Tasks(id) => write!(f, "tasks:{id}"),
        }
    }
}

impl FromStr for Topic {
    type Err = TopicError;

    fn from_str(text: &str) -> Result<Self, TopicError> {
        let (kind, id) = text.split_once(':').ok_or(TopicError)?;
        match kind {
            "agent_control" => parse(id).map(Self::AgentControl),
            "agent_rooms" => parse(id).map(Self::AgentRooms),
            "agent_contacts" => parse(id).map(Self::AgentContacts),
            "chat_room" => parse(id).map(Self::ChatRoom),
            "room_participants" => parse(id).map(Self::RoomParticipants),
            "room_tasks" => parse(id).map(Self::RoomTasks),
            "room_activity" => parse(id).map(Self::RoomActivity),
            "user_rooms" => parse(id).map(Self::UserRooms),
            "user_contacts" => parse(id).map(Self::UserContacts),
            "user_agents" => parse(id).map(Self::UserAgents),
            "tasks" => parse(id).map(Self::Tasks),
            _ => Err(TopicError),
        }
    }
}

fn parse<M: Marker>(text: &str) -> Result<crate::Id<M>, TopicError> {
    text.parse().map_err(|_| TopicError)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d";

    #[test]
    fn every_topic_survives_its_text() {
        for kind in [
            "agent_control",
            "agent_rooms",
            "agent_contacts",
            "chat_room",
            "room_participants",
            "room_tasks",
            "room_activity",
            "user_rooms",
            "user_contacts",
            "user_agents",
            "tasks",
        ] {
            let text = format!("{kind}:{ID}");
            let topic: Topic = text.parse().unwrap();
            assert_eq!(topic.to_string(), text);
            let of_room = matches!(kind, "chat_room" | "room_participants" | "room_tasks" | "room_activity");
            assert_eq!(topic.room().is_some(), of_room, "{kind}");
        }
    }

    #[test]
    fn other_texts_are_no_topics() {
        for text in
            ["", "chat_room", "chat_room:", "chat_room:7", "lobby:0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d"]
        {
            assert_eq!(text.parse::<Topic>(), Err(TopicError), "{text}");
        }
    }
}
