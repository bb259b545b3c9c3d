//! The tools about who is in the room.

use band_core::room::Member;
use band_core::turn::{Effect, Found, seek};
use band_wire::rest::{CreateChat, Page, Paged, Peer, Role};
use band_wire::tools::args::given;
use band_wire::{ChatId, ParticipantId};
use serde::Serialize;

use super::{RoomTools, ToolError};
use crate::error::{Error, Result};

/// Peers of a page where someone is looked for.
const PAGE_SIZE: u64 = 100;
/// Pages looked through at most.
const PAGES: u64 = 50;

/// Someone who was brought in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Added {
    /// Whom.
    pub id: ParticipantId,
    /// Their name.
    pub name: Option<String>,
    /// The role that was asked for.
    pub role: Role,
    /// Whether they came, or were there already.
    pub status: AddedStatus,
}

/// What became of bringing someone in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AddedStatus {
    /// They are in the room now.
    Added,
    /// They were in the room already: nothing was done.
    AlreadyInRoom,
}

/// Someone who was taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Whom.
    pub id: ParticipantId,
    /// Their name.
    pub name: Option<String>,
    /// `removed`.
    pub status: &'static str,
}

/// Who is in the room.
impl RoomTools {
    /// Brings someone in, named by id, handle or a name that only one has. Counts as work done, unless they
    /// were in the room already.
    ///
    /// # Errors
    /// Nobody or more than one is meant, the turn was asked to end, or the platform refused.
    pub async fn add_participant(&self, identifier: &str, role: Role) -> Result<Added> {
        self.may_go_on()?;
        self.get_participants().await?;
        let here = self.participants();
        if let Found::One(member) = named(identifier, &here)? {
            let (id, name) = (member.id, member.name.clone());
            return Ok(Added { id, name, role, status: AddedStatus::AlreadyInRoom });
        }
        let peer = self.find_peer(identifier).await?;
        self.may_go_on()?;
        let added = self.shared.port.add_participant(peer.id, role).await?;
        self.shared.ledger().record(Effect::Act);
        let mut member = Member::from(added);
        member.handle = member.handle.or(peer.handle);
        member.name = member.name.or(peer.name);
        let name = member.name.clone();
        self.shared.roster().add(member);
        Ok(Added { id: peer.id, name, role, status: AddedStatus::Added })
    }

    /// Takes someone out, named by id, handle or a name that only one of them has. Counts as work done.
    ///
    /// # Errors
    /// Nobody or more than one is meant, the turn was asked to end, or the platform refused.
    pub async fn remove_participant(&self, identifier: &str) -> Result<Removed> {
        self.may_go_on()?;
        self.get_participants().await?;
        let here = self.participants();
        let Found::One(member) = named(identifier, &here)? else {
            return Err(ToolError::NotInRoom(identifier.trim().to_owned()).into());
        };
        self.shared.port.remove_participant(member.id).await?;
        self.shared.ledger().record(Effect::Act);
        self.shared.roster().remove(member.id);
        Ok(Removed { id: member.id, name: member.name.clone(), status: "removed" })
    }

    /// One page of those whom the agent may bring into this room, from page 1, at most 100 a page.
    ///
    /// # Errors
    /// The platform refused or could not be reached.
    pub async fn lookup_peers(&self, page: u64, page_size: u64) -> Result<Paged<Peer, Page>> {
        self.shared.port.peers(page, page_size).await
    }

    /// Opens a room that the agent owns, for a task if one is given, and gives its id. These tools stay with their
    /// room. Counts as work done.
    ///
    /// # Errors
    /// The turn was asked to end, or the platform refused.
    pub async fn create_chatroom(&self, task_id: Option<&str>) -> Result<ChatId> {
        self.may_go_on()?;
        let task_id = given(task_id).map(|id| id.trim().to_owned());
        let room = self.shared.port.create_chat(&CreateChat { title: None, task_id }).await?;
        self.shared.ledger().record(Effect::Act);
        Ok(room)
    }

    /// An id or a handle ends the search; of names all pages are looked through, since only one may have it.
    async fn find_peer(&self, identifier: &str) -> Result<Member> {
        let mut others = Vec::new();
        for page in 1..=PAGES {
            let found = self.lookup_peers(page, PAGE_SIZE).await?;
            let is_last = found.data.is_empty() || page >= found.metadata.total_pages;
            let new: Vec<Member> = found.data.into_iter().map(of_peer).collect();
            let nameless: Vec<Member> =
                new.iter().map(|member| Member { name: None, ..member.clone() }).collect();
            if let Found::One(found) = seek(identifier, &nameless) {
                let name =
                    new.iter().find(|member| member.id == found.id).and_then(|member| member.name.clone());
                return Ok(Member { name, ..found.clone() });
            }
            others.extend(new);
            if is_last {
                break;
            }
        }
        match named(identifier, &others)? {
            Found::One(member) => Ok(member.clone()),
            Found::Nobody | Found::Several(_) => {
                Err(ToolError::NoSuchPeer(identifier.trim().to_owned()).into())
            }
        }
    }

    /// A turn that was asked to end does nothing more.
    pub(super) fn may_go_on(&self) -> Result<()> {
        if self.shared.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Several of one name are an error of their own.
fn named<'m>(identifier: &str, members: &'m [Member]) -> Result<Found<'m>> {
    match seek(identifier, members) {
        Found::Several(handles) => {
            Err(ToolError::Ambiguous { name: identifier.trim().to_owned(), handles }.into())
        }
        found => Ok(found),
    }
}

fn of_peer(peer: Peer) -> Member {
    Member {
        id: peer.id,
        kind: peer.kind,
        name: Some(peer.name),
        handle: Some(peer.handle),
        description: peer.description,
    }
}
