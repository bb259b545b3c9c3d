//! Contacts and the requests that lead to them.

use std::collections::BTreeMap;

use band_core::platform::membership::Candidate;
use band_core::platform::page::skipped;
use band_core::platform::plan::{ContactRequestRow, ContactRow};
use band_wire::rest::query::{OffsetQuery, SentFilter};
use band_wire::rest::{ContactRequestStatus, SenderType};
use band_wire::{ContactId, ContactRequestId, ParticipantId, UserId};
use rusqlite::{Row, params};

use super::View;
use crate::store::{StoreError, column};

const REQUEST: &str = "r.id, r.requester_id, r.requester_kind, r.recipient_id, r.recipient_kind, r.message,
    r.status, r.inserted_at, r.responded_at FROM contact_requests r";

const CONTACT: &str =
    "c.id, c.owner_id, c.owner_kind, c.contact_id, c.contact_kind, c.inserted_at FROM contacts c";

/// The received requests that wait for an answer: someone's own, and those of the agents that they own.
const RECEIVED: &str = "r.status = 'pending' AND r.recipient_id IN (
    SELECT ?1 UNION ALL SELECT id FROM agents WHERE owner_id = ?1 AND deleted_at IS NULL)";

impl View<'_> {
    /// A request.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn contact_request(self, request: ContactRequestId) -> Result<Option<ContactRequestRow>, StoreError> {
        self.first(&format!("SELECT {REQUEST} WHERE r.id = ?1"), params![request.uuid()], read_request)
    }

    /// The open request from one to another.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn open_request(
        self,
        from: ParticipantId,
        to: ParticipantId,
    ) -> Result<Option<ContactRequestRow>, StoreError> {
        let sql = format!(
            "SELECT {REQUEST} WHERE r.requester_id = ?1 AND r.recipient_id = ?2 AND r.status = 'pending'"
        );
        self.first(&sql, params![from.uuid(), to.uuid()], read_request)
    }

    /// The open requests of which someone is a side.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn open_requests_of(self, who: ParticipantId) -> Result<Vec<ContactRequestRow>, StoreError> {
        let sql = format!(
            "SELECT {REQUEST} WHERE r.status = 'pending' AND r.requester_id = ?1
             UNION ALL SELECT {REQUEST} WHERE r.status = 'pending' AND r.recipient_id = ?1"
        );
        self.list(&sql, params![who.uuid()], read_request)
    }

    /// The open requests that someone, or an agent of theirs, received, the newest first: some, and how many
    /// there are.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn received_requests(
        self,
        who: ParticipantId,
        page: OffsetQuery,
    ) -> Result<(Vec<ContactRequestRow>, u64), StoreError> {
        let total = self.count(
            &format!("SELECT count(*) FROM contact_requests r WHERE {RECEIVED}"),
            params![who.uuid()],
        )?;
        let sql = format!(
            "SELECT {REQUEST} WHERE {RECEIVED} ORDER BY r.inserted_at DESC, r.id DESC LIMIT ?2 OFFSET ?3"
        );
        let found = self.list(&sql, params![who.uuid(), page.page_size, skipped(page)], read_request)?;
        Ok((found, total))
    }

    /// The requests that someone sent, the newest first: some, and how many there are.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn sent_requests(
        self,
        who: ParticipantId,
        filter: SentFilter,
        page: OffsetQuery,
    ) -> Result<(Vec<ContactRequestRow>, u64), StoreError> {
        let status = filter.status().map(ContactRequestStatus::as_str);
        let shown = "r.requester_id = ?1 AND (?2 IS NULL OR r.status = ?2)";
        let total = self.count(
            &format!("SELECT count(*) FROM contact_requests r WHERE {shown}"),
            params![who.uuid(), status],
        )?;
        let sql = format!(
            "SELECT {REQUEST} WHERE {shown} ORDER BY r.inserted_at DESC, r.id DESC LIMIT ?3 OFFSET ?4"
        );
        let found =
            self.list(&sql, params![who.uuid(), status, page.page_size, skipped(page)], read_request)?;
        Ok((found, total))
    }

    /// One side's record of a contact.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn contact(
        self,
        owner: ParticipantId,
        contact: ParticipantId,
    ) -> Result<Option<ContactRow>, StoreError> {
        let sql = format!("SELECT {CONTACT} WHERE c.owner_id = ?1 AND c.contact_id = ?2");
        self.first(&sql, params![owner.uuid(), contact.uuid()], read_contact)
    }

    /// One side's record of a contact, by its id.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn contact_record(
        self,
        owner: ParticipantId,
        record: ContactId,
    ) -> Result<Option<ContactRow>, StoreError> {
        let sql = format!("SELECT {CONTACT} WHERE c.id = ?2 AND c.owner_id = ?1");
        self.first(&sql, params![owner.uuid(), record.uuid()], read_contact)
    }

    /// The records of both sides of all contacts of someone.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn contact_records_of(self, who: ParticipantId) -> Result<Vec<ContactRow>, StoreError> {
        let sql = format!(
            "SELECT {CONTACT} WHERE c.owner_id = ?1
             UNION ALL SELECT {CONTACT} JOIN contacts own ON own.contact_id = c.owner_id
             WHERE own.owner_id = ?1 AND c.contact_id = ?1"
        );
        self.list(&sql, params![who.uuid()], read_contact)
    }

    /// The contacts of someone, the newest first: some, and how many there are.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn contacts(
        self,
        owner: ParticipantId,
        page: OffsetQuery,
    ) -> Result<(Vec<ContactRow>, u64), StoreError> {
        let total = self.count("SELECT count(*) FROM contacts WHERE owner_id = ?1", params![owner.uuid()])?;
        let sql = format!(
            "SELECT {CONTACT} WHERE c.owner_id = ?1 ORDER BY c.inserted_at DESC, c.id DESC LIMIT ?2 OFFSET ?3"
        );
        let found = self.list(&sql, params![owner.uuid(), page.page_size, skipped(page)], read_contact)?;
        Ok((found, total))
    }

    /// The users and agents of some ids.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn candidates(
        self,
        ids: impl IntoIterator<Item = ParticipantId>,
    ) -> Result<BTreeMap<ParticipantId, Candidate>, StoreError> {
        let mut found = BTreeMap::new();
        for id in ids {
            if !found.contains_key(&id)
                && let Some(candidate) = self.candidate(id)?
            {
                found.insert(id, candidate);
            }
        }
        Ok(found)
    }

    /// The user or agent of a handle, given as [`band_core::platform::contacts::handle`] reads it.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn by_handle(self, user: &str, slug: Option<&str>) -> Result<Option<Candidate>, StoreError> {
        let id: Option<ParticipantId> = match slug {
            None => self.user_by_handle(user)?.map(|user| user.id.cast()),
            Some(slug) => {
                let Some(owner) = self.user_by_handle(user)?.map(|user| user.id) else { return Ok(None) };
                self.agent_by_slug(owner, slug)?
            }
        };
        id.map_or(Ok(None), |id| self.candidate(id))
    }

    fn agent_by_slug(self, owner: UserId, slug: &str) -> Result<Option<ParticipantId>, StoreError> {
        let sql = "SELECT id FROM agents WHERE owner_id = ?1 AND slug = ?2 AND deleted_at IS NULL";
        self.first(sql, params![owner.uuid(), slug], |row| column::id(row, 0))
    }
}

fn read_request(row: &Row<'_>) -> rusqlite::Result<ContactRequestRow> {
    Ok(ContactRequestRow {
        id: column::id(row, 0)?,
        requester: column::id(row, 1)?,
        requester_kind: column::parsed(row, 2, SenderType::parse)?,
        recipient: column::id(row, 3)?,
        recipient_kind: column::parsed(row, 4, SenderType::parse)?,
        message: row.get(5)?,
        status: column::parsed(row, 6, ContactRequestStatus::parse)?,
        inserted_at: column::stamp(row, 7)?,
        responded_at: column::opt_stamp(row, 8)?,
    })
}

fn read_contact(row: &Row<'_>) -> rusqlite::Result<ContactRow> {
    Ok(ContactRow {
        id: column::id(row, 0)?,
        owner: column::id(row, 1)?,
        owner_kind: column::parsed(row, 2, SenderType::parse)?,
        contact: column::id(row, 3)?,
        contact_kind: column::parsed(row, 4, SenderType::parse)?,
        inserted_at: column::stamp(row, 5)?,
    })
}
