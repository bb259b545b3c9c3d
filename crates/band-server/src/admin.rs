//! What crosses the admin routes: administration of a running platform from the command line.
//!
//! The routes accept the bearer token of the server's own file and nothing else. Answers hold keys and
//! one-time tokens, so none of them shows itself in full.

use std::fmt;

use band_wire::rest::{IssuedKey, UserDetails};
use band_wire::{AgentId, Stamp, UserId};
use serde::{Deserialize, Serialize};

/// `POST`: adds a person. [`AddUser`] → [`UserAdded`].
pub const USERS: &str = "/api/v1/admin/users";
/// `POST`: adds an agent. [`AddAgent`] → [`AgentAdded`].
pub const AGENTS: &str = "/api/v1/admin/agents";
/// `POST`: a link that signs a person in once. [`MakeLink`] → [`SignInLink`].
pub const SIGN_IN_LINKS: &str = "/api/v1/admin/sign-in-links";

/// Body of [`USERS`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddUser {
    /// First name, or first and last name. The handle is made of it.
    pub name: String,
}

/// Answer of [`USERS`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UserAdded {
    /// The person.
    pub user: UserDetails,
    /// Their key, shown this once.
    pub credentials: IssuedKey,
}

/// Body of [`AGENTS`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddAgent {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Whose it is: a handle, a full name or an id. The only person when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// Answer of [`AGENTS`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AgentAdded {
    /// The agent.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// Without `@`.
    pub handle: String,
    /// Who owns it.
    pub owner_id: UserId,
    /// Its key, shown this once.
    pub credentials: IssuedKey,
}

/// Body of [`SIGN_IN_LINKS`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MakeLink {
    /// Who: a handle, a full name or an id. The only person when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

/// Answer of [`SIGN_IN_LINKS`]. The link itself is the platform's address and `/#token=` with the token.
#[derive(Clone, Serialize, Deserialize)]
pub struct SignInLink {
    /// Whom it signs in.
    pub user: UserDetails,
    /// Works once.
    pub token: String,
    /// When it stops working unused.
    pub expires_at: Stamp,
}

impl SignInLink {
    /// The link, on a platform of that address.
    pub fn url(&self, base_url: &str) -> String {
        format!("{base_url}/#token={}", self.token)
    }
}

impl fmt::Debug for SignInLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignInLink")
            .field("user", &self.user.id)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_whole_in_its_address_and_hidden_in_logs() {
        let user = serde_json::json!({"id": "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d", "email": "", "handle": "ann", "role": "user"});
        let link = SignInLink {
            user: serde_json::from_value(user).unwrap(),
            token: "hush".into(),
            expires_at: Stamp::from_micros(0),
        };
        assert_eq!(link.url("http://127.0.0.1:4000"), "http://127.0.0.1:4000/#token=hush");
        assert!(!format!("{link:?}").contains("hush"));
    }
}
