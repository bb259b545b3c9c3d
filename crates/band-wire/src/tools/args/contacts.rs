//! Whom an agent knows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Problems, ToolArgs};
use super::rules::{uuid, visible};
use crate::word::words;

words! {
    /// Which of the requests that were sent.
    pub enum SentStatus {
        /// Those that wait for an answer.
        Pending = "pending",
        /// Those that were approved.
        Approved = "approved",
        /// Those that were rejected.
        Rejected = "rejected",
        /// Those that were taken back.
        Cancelled = "cancelled",
        /// All of them.
        All = "all",
    }

    /// How a request is settled.
    pub enum Settlement {
        /// Take one that was received.
        Approve = "approve",
        /// Turn down one that was received.
        Reject = "reject",
        /// Take back one that was sent.
        Cancel = "cancel",
    }
}

const fn first_page() -> i64 {
    1
}

const fn usual_page_size() -> i64 {
    50
}

const fn pending() -> SentStatus {
    SentStatus::Pending
}

/// List your contacts, page by page, with their ids and handles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListContactsArgs {
    /// Which page, from 1.
    #[serde(default = "first_page")]
    #[schemars(range(min = 1))]
    pub page: i64,
    /// Entries a page, 100 at most.
    #[serde(default = "usual_page_size")]
    #[schemars(range(min = 1, max = 100))]
    pub page_size: i64,
}

impl ToolArgs for ListContactsArgs {}

/// Ask someone to become your contact. It waits for their answer; if they have asked you already, you are contacts
/// at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AddContactArgs {
    /// Whom to ask: @user for a person, @user/agent for an agent.
    pub handle: String,
    /// What to say to them with it, in 500 characters at most.
    pub message: Option<String>,
}

impl ToolArgs for AddContactArgs {
    fn rules(&self, problems: &mut Problems) {
        visible(problems, "handle", &self.handle);
    }
}

/// End a contact, for both of you. Give its handle or its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoveContactArgs {
    /// The contact's handle.
    pub handle: Option<String>,
    /// The contact's id, from band_list_contacts.
    pub contact_id: Option<String>,
}

impl ToolArgs for RemoveContactArgs {
    fn rules(&self, problems: &mut Problems) {
        uuid(problems, "contact_id", self.contact_id.as_deref());
    }
}

/// List contact requests: those that wait for your answer, and those that you sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListContactRequestsArgs {
    /// Which page, from 1.
    #[serde(default = "first_page")]
    #[schemars(range(min = 1))]
    pub page: i64,
    /// Entries a page of each direction, 100 at most.
    #[serde(default = "usual_page_size")]
    #[schemars(range(min = 1, max = 100))]
    pub page_size: i64,
    /// Which of those that you sent. Of those that you received, the open ones are listed.
    #[serde(default = "pending")]
    pub sent_status: SentStatus,
}

impl ToolArgs for ListContactRequestsArgs {}

/// Settle a contact request. Give its id or the other side's handle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RespondContactRequestArgs {
    /// approve or reject one that you received; cancel one that you sent.
    pub action: Settlement,
    /// The other side's handle: who asked you, or whom you asked.
    pub handle: Option<String>,
    /// The request's id. Safer than the handle.
    pub request_id: Option<String>,
}

impl ToolArgs for RespondContactRequestArgs {
    fn rules(&self, problems: &mut Problems) {
        uuid(problems, "request_id", self.request_id.as_deref());
    }
}
