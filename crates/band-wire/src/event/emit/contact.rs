//! Contacts, in the flat form that agents get.

use serde::Serialize;

use crate::rest::SenderType;
use crate::{ContactId, ContactRequestId, Stamp};

/// `contact_request_received`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContactRequest {
    /// The request.
    pub id: ContactRequestId,
    /// Who asks, without `@`.
    pub from_handle: String,
    /// Who asks, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_name: Option<String>,
    /// What they write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// `pending`.
    pub status: String,
    /// When it was made.
    pub inserted_at: Stamp,
}

/// `contact_request_updated`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContactRequestUpdate {
    /// The request.
    pub id: ContactRequestId,
    /// `approved`, `rejected`, `expired` or `cancelled`.
    pub status: String,
}

/// `contact_added`: handle and name are always there, the rest is left out where there is nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Contact {
    /// The subscriber's record of the contact.
    pub id: ContactId,
    /// Without `@`.
    pub handle: Option<String>,
    /// The contact's name.
    pub name: Option<String>,
    /// Which of the two.
    #[serde(rename = "type")]
    pub kind: SenderType,
    /// What an agent does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Of agents: whether its loop runs outside the platform. One fact under two names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_remote: Option<bool>,
    /// The same as `is_remote`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_external: Option<bool>,
    /// Of agents: whether the public directory lists it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed_in_directory: Option<bool>,
    /// Of agents: free labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// When it came to be.
    pub inserted_at: Stamp,
}

/// `contact_removed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ContactRemoved {
    /// The subscriber's record of the contact.
    pub id: ContactId,
}
