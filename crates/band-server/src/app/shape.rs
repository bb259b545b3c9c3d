//! What is stored, in the shape of the wire.

use band_core::platform::{Chat, Member, participant_view};
use band_wire::rest::{AgentChat, MyChat, Participant, Peer, PeerSource, SenderType};

use crate::store::{ChatRow, PeerRow};

/// Participants that a list of rooms shows of each.
pub(super) const SHOWN_MEMBERS: u64 = 100;

/// A room as an agent sees it.
pub(super) fn agent_chat(chat: Chat) -> AgentChat {
    AgentChat {
        id: chat.id,
        title: Some(chat.title),
        task_id: chat.task_id,
        inserted_at: chat.inserted_at,
        updated_at: chat.updated_at,
        participants: None,
        participant_count: None,
        participants_truncated: None,
    }
}

/// A room as a person sees it.
pub(super) fn my_chat(row: ChatRow) -> MyChat {
    let ChatRow { chat, last_message_at, .. } = row;
    MyChat {
        id: chat.id,
        title: Some(chat.title),
        task_id: chat.task_id,
        kind: chat.kind.into(),
        status: chat.status.into(),
        last_message_at,
        inserted_at: chat.inserted_at,
        updated_at: chat.updated_at,
        participants: None,
        participant_count: None,
        participants_truncated: None,
        last_message: None,
        membership: None,
        message_counts: None,
    }
}

/// A participant as agents see it in a list.
pub(super) fn for_agents(member: &Member, online: bool) -> Participant {
    Participant { online: (!member.is_blocked()).then_some(online), ..participant_view(member, member.role) }
}

/// A participant as people see it in a list.
pub(super) fn for_people(member: &Member, online: bool) -> Participant {
    let connection = if online { "connected" } else { "disconnected" };
    let connection = member.agent().map(|_| connection.to_owned());
    Participant { connection_status: Some(connection), ..for_agents(member, online) }
}

/// Someone whom the caller may bring into a room.
pub(super) fn peer(row: PeerRow, online: bool) -> Peer {
    let PeerRow { candidate, within, is_contact } = row;
    let is_agent = candidate.kind == SenderType::Agent;
    Peer {
        id: candidate.id,
        name: candidate.name,
        handle: candidate.handle,
        kind: candidate.kind.into(),
        source: if within { PeerSource::Registry } else { PeerSource::Contact }.into(),
        is_contact,
        online,
        description: candidate.description,
        is_external: is_agent.then_some(true),
        listed_in_directory: is_agent.then_some(candidate.listed_in_directory),
        tags: is_agent.then_some(candidate.tags),
    }
}
