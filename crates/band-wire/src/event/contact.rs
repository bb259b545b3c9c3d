//! Contacts, as a client reads them from a push.

use serde_json::Value;

use super::payload::{EventError, Fields};
use crate::{ContactId, ContactRequestId, Stamp};

/// `contact_request_received`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactRequest {
    /// The request.
    pub id: ContactRequestId,
    /// Who asks, without `@`.
    pub from_handle: Option<String>,
    /// Who asks, by name.
    pub from_name: Option<String>,
    /// What they write.
    pub message: Option<String>,
    /// `pending`.
    pub status: String,
    /// When it was made; none where the text is no timestamp.
    pub inserted_at: Option<Stamp>,
}

impl ContactRequest {
    pub(super) fn read(mut fields: Fields<'_>) -> Result<Self, EventError> {
        Ok(Self {
            id: fields.id("id")?,
            from_handle: fields.opt_text("from_handle"),
            from_name: fields.opt_text("from_name"),
            message: fields.opt_text("message"),
            status: fields.text("status"),
            inserted_at: fields.stamp("inserted_at"),
        })
    }
}

/// `contact_request_updated`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactRequestUpdate {
    /// The request.
    pub id: ContactRequestId,
    /// `approved`, `rejected`, `expired`, `cancelled`; other words on some servers.
    pub status: String,
}

impl ContactRequestUpdate {
    pub(super) fn read(mut fields: Fields<'_>) -> Result<Self, EventError> {
        Ok(Self { id: fields.id("id")?, status: fields.text("status") })
    }
}

/// `contact_added`.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactRecord {
    /// The caller's record of the contact.
    pub id: ContactId,
    /// Without `@`.
    pub handle: Option<String>,
    /// The contact's name.
    pub name: Option<String>,
    /// `User` or `Agent`; other words on some servers.
    pub kind: String,
    /// What an agent does.
    pub description: Option<String>,
    /// Of agents: whether its loop runs outside the platform.
    pub is_external: Option<bool>,
    /// Of agents: whether the public directory lists it.
    pub listed_in_directory: Option<bool>,
    /// Of agents: free labels.
    pub tags: Vec<Value>,
    /// When it came to be; none where the text is no timestamp.
    pub inserted_at: Option<Stamp>,
}

impl ContactRecord {
    pub(super) fn read(mut fields: Fields<'_>) -> Result<Self, EventError> {
        Ok(Self {
            id: fields.id("id")?,
            handle: fields.opt_text("handle"),
            name: fields.opt_text("name"),
            kind: fields.text("type"),
            description: fields.opt_text("description"),
            is_external: fields.flag("is_external"),
            listed_in_directory: fields.flag("listed_in_directory"),
            tags: fields.list("tags"),
            inserted_at: fields.stamp("inserted_at"),
        })
    }
}
