//! Users and agents of the site as others come to know them.

use band_core::platform::Principal;
use band_core::platform::handles;
use band_core::platform::membership::Candidate;
use band_core::platform::plan::full_name;
use band_wire::rest::SenderType;
use band_wire::rest::query::OffsetQuery;
use band_wire::{AgentId, ChatId, ParticipantId, UserId};
use rusqlite::{Row, params};

use super::View;
use crate::store::{StoreError, column};

const AGENT: &str = "a.id, a.name, o.handle, a.slug, a.description, a.owner_id, a.shared_with_organization,
    a.listed_in_directory, a.tags FROM agents a JOIN users o ON o.id = a.owner_id";

/// Someone whom a caller may bring into a room.
#[derive(Debug, Clone)]
pub struct PeerRow {
    /// Who.
    pub candidate: Candidate,
    /// Whether the caller reaches them without a contact.
    pub within: bool,
    /// Whether they are a contact of the caller.
    pub is_contact: bool,
}

impl View<'_> {
    /// The user or agent of an id.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn candidate(self, id: ParticipantId) -> Result<Option<Candidate>, StoreError> {
        let user: UserId = id.cast();
        if let Some(user) = self.user(user)? {
            return Ok(Some(Candidate {
                id,
                kind: SenderType::User,
                name: user.full_name(),
                handle: user.handle,
                description: None,
                owner: None,
                shared_with_organization: false,
                listed_in_directory: false,
                tags: Vec::new(),
            }));
        }
        self.agent_candidate(id.cast())
    }

    /// The agent of an id, as others see it.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn agent_candidate(self, agent: AgentId) -> Result<Option<Candidate>, StoreError> {
        let sql = format!("SELECT {AGENT} WHERE a.id = ?1 AND a.deleted_at IS NULL");
        self.first(&sql, params![agent.uuid()], read_agent)
    }

    /// Whom a caller may bring into a room, without itself and those who are in one room already: first whom
    /// it reaches anyway, people before agents, by name; then those who are contacts alone.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn peers(
        self,
        who: Principal,
        not_in: Option<ChatId>,
        kind: Option<SenderType>,
        page: OffsetQuery,
    ) -> Result<(Vec<PeerRow>, u64), StoreError> {
        let (owner, is_agent) = match who {
            Principal::User(user) => (user, false),
            Principal::Agent { owner, .. } => (owner, true),
        };
        let from = "FROM (
                SELECT 'User' AS kind, u.id, u.first_name AS name, u.last_name, u.handle, NULL AS slug,
                    NULL AS description, NULL AS owner_id, 0 AS shared, 0 AS listed, '[]' AS tags,
                    ?3 = 0 OR u.id = ?2 AS within, k.id IS NOT NULL AS is_contact
                FROM users u LEFT JOIN contacts k ON k.owner_id = ?1 AND k.contact_id = u.id
                WHERE within OR is_contact
                UNION ALL
                SELECT 'Agent', a.id, a.name, NULL, o.handle, a.slug, a.description, a.owner_id,
                    a.shared_with_organization, a.listed_in_directory, a.tags,
                    a.owner_id = ?2 OR a.shared_with_organization = 1, k.id IS NOT NULL
                FROM agents a JOIN users o ON o.id = a.owner_id
                LEFT JOIN contacts k ON k.owner_id = ?1 AND k.contact_id = a.id
                WHERE a.deleted_at IS NULL
                    AND (a.owner_id = ?2 OR a.shared_with_organization = 1 OR k.id IS NOT NULL)
            ) peer
            WHERE id <> ?1 AND (?4 IS NULL OR kind = ?4) AND (?5 IS NULL OR NOT EXISTS (
                SELECT 1 FROM participants p WHERE p.chat_id = ?5 AND p.participant_id = peer.id))";
        let (own, owner, room) = (who.participant().uuid(), owner.uuid(), not_in.map(ChatId::uuid));
        let kind = kind.map(SenderType::as_str);
        let total =
            self.count(&format!("SELECT count(*) {from}"), params![own, owner, is_agent, kind, room])?;
        let sql = format!(
            "SELECT * {from} ORDER BY within DESC, kind DESC, fold(coalesce(name, handle)), id
             LIMIT ?6 OFFSET ?7"
        );
        let skip = band_core::platform::page::skipped(page);
        let peers =
            self.list(&sql, params![own, owner, is_agent, kind, room, page.page_size, skip], read_peer)?;
        Ok((peers, total))
    }
}

fn read_agent(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    let (owner, slug): (String, String) = (row.get(2)?, row.get(3)?);
    Ok(Candidate {
        id: column::id(row, 0)?,
        kind: SenderType::Agent,
        name: row.get(1)?,
        handle: handles::of_agent(&owner, &slug),
        description: row.get(4)?,
        owner: column::opt_id(row, 5)?,
        shared_with_organization: row.get(6)?,
        listed_in_directory: row.get(7)?,
        tags: column::parsed(row, 8, |tags| serde_json::from_str(tags).ok())?,
    })
}

fn read_peer(row: &Row<'_>) -> rusqlite::Result<PeerRow> {
    let kind = column::parsed(row, 0, SenderType::parse)?;
    let (name, last, handle): (Option<String>, Option<String>, String) =
        (row.get(2)?, row.get(3)?, row.get(4)?);
    let (name, handle) = match kind {
        SenderType::User => (full_name(name.as_deref(), last.as_deref(), &handle), handle),
        SenderType::Agent => {
            let slug: String = row.get(5)?;
            (name.unwrap_or_default(), handles::of_agent(&handle, &slug))
        }
    };
    let candidate = Candidate {
        id: column::id(row, 1)?,
        kind,
        name,
        handle,
        description: row.get(6)?,
        owner: column::opt_id(row, 7)?,
        shared_with_organization: row.get(8)?,
        listed_in_directory: row.get(9)?,
        tags: column::parsed(row, 10, |tags| serde_json::from_str(tags).ok())?,
    };
    Ok(PeerRow { candidate, within: row.get(11)?, is_contact: row.get(12)? })
}
