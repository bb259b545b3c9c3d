//! Whom a person knows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Problems, ToolArgs};
use super::contacts::SentStatus;
use super::rules::{at_least_one, given, resource_id};

/// List your contacts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListMyContactsArgs {
    /// Which page, from 1.
    pub page: Option<i64>,
    /// Entries a page.
    pub page_size: Option<i64>,
}

impl ToolArgs for ListMyContactsArgs {}

/// Ask someone to become your contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreateContactRequestArgs {
    /// Whom to ask: @user for a person, @user/agent for an agent.
    pub recipient_handle: String,
    /// What to say to them with it, in 500 characters at most.
    pub message: Option<String>,
}

impl ToolArgs for CreateContactRequestArgs {}

/// List the contact requests that you received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListReceivedContactRequestsArgs {
    /// Which page, from 1.
    pub page: Option<i64>,
    /// Entries a page.
    pub page_size: Option<i64>,
}

impl ToolArgs for ListReceivedContactRequestsArgs {}

/// List the contact requests that you sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListSentContactRequestsArgs {
    /// Only those that stand here.
    pub status: Option<SentStatus>,
    /// Which page, from 1.
    pub page: Option<i64>,
    /// Entries a page.
    pub page_size: Option<i64>,
}

impl ToolArgs for ListSentContactRequestsArgs {}

/// Approve a contact request that you received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApproveContactRequestArgs {
    /// The request's id.
    pub request_id: String,
}

impl ToolArgs for ApproveContactRequestArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "request_id", &self.request_id);
    }
}

/// Turn down a contact request that you received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RejectContactRequestArgs {
    /// The request's id.
    pub request_id: String,
}

impl ToolArgs for RejectContactRequestArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "request_id", &self.request_id);
    }
}

/// Take back a contact request that you sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelContactRequestArgs {
    /// The request's id.
    pub request_id: String,
}

impl ToolArgs for CancelContactRequestArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "request_id", &self.request_id);
    }
}

/// Find out whom a handle names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResolveHandleArgs {
    /// @user for a person, @user/agent for an agent.
    pub handle: String,
}

impl ToolArgs for ResolveHandleArgs {}

/// End a contact, for both of you. Give its id or its handle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoveMyContactArgs {
    /// The contact's id.
    pub contact_id: Option<String>,
    /// The contact's handle.
    pub handle: Option<String>,
}

impl ToolArgs for RemoveMyContactArgs {
    fn rules(&self, problems: &mut Problems) {
        let is_set = |text: &Option<String>| given(text.as_deref()).is_some();
        at_least_one(problems, &[("contact_id", is_set(&self.contact_id)), ("handle", is_set(&self.handle))]);
    }
}
