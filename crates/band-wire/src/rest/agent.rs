//! Agents: their own view, their owner's view, registration.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lenient;
use super::strict::{FromBody, Issues, ObjectReader};
use crate::{AgentId, Stamp, UserId};

/// The feature flag of a platform that honours the header `Idempotency-Key` on every creating request. An
/// addition of ours: where it is absent, a repeated request is carried out a second time.
pub const IDEMPOTENCY_KEYS: &str = "ff_idempotency_keys";

/// `GET /agent/me`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentMe {
    /// The agent.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// `owner/slug`, without `@`.
    pub handle: String,
    /// What it does. The SDK refuses to run an agent without one.
    #[serde(default)]
    pub description: Option<String>,
    /// The person who owns it.
    pub owner_uuid: UserId,
    /// Whether the public directory lists it.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub listed_in_directory: bool,
    /// Free labels.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub tags: Vec<String>,
    /// What the deployment serves: `ff_file_transfer`, `ff_room_tasks`, [`IDEMPOTENCY_KEYS`]. Absent on servers that predate flags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_flags: Option<BTreeMap<String, bool>>,
    /// Null when avatars are off.
    #[serde(default)]
    pub avatar_url: Option<String>,
    /// When it was registered.
    pub inserted_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
}

/// Body of `POST /me/agents/register`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegisterAgent {
    /// 3 to 100 characters.
    pub name: String,
    /// 10 to 500 characters.
    pub description: String,
}

impl FromBody for RegisterAgent {
    const WRAPPER: Option<&'static str> = Some("agent");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let name = fields.string("name");
        let description = fields.string("description");
        for (field, text, least, most) in [("name", &name, 3, 100), ("description", &description, 10, 500)] {
            let Some(text) = text else { continue };
            let count = text.trim().chars().count();
            if count < least {
                fields.issue(field, format!("should be at least {least} character(s)"));
            } else if count > most {
                fields.issue(field, format!("should be at most {most} character(s)"));
            }
        }
        fields.finish()?;
        let trim = |text: Option<String>| text.unwrap_or_default().trim().to_owned();
        Ok(Self { name: trim(name), description: trim(description) })
    }
}

/// Answer to a registration: the only time the key is shown.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IssuedCredentials {
    /// The agent.
    pub agent: IssuedAgent,
    /// Its key.
    pub credentials: IssuedKey,
}

/// The agent of a registration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuedAgent {
    /// The agent.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// Who owns it.
    pub owner_id: UserId,
    /// When it was registered.
    pub inserted_at: Stamp,
    /// Null when avatars are off.
    #[serde(default)]
    pub avatar_url: Option<String>,
}

/// A key in the clear. `Debug` hides it.
#[derive(Clone, Serialize, Deserialize)]
pub struct IssuedKey {
    /// `band_a_…`.
    pub api_key: String,
}

impl std::fmt::Debug for IssuedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IssuedKey([REDACTED])")
    }
}

impl AgentMe {
    /// Whether the platform says that it honours idempotency keys.
    pub fn honours_idempotency_keys(&self) -> bool {
        self.feature_flags.as_ref().and_then(|flags| flags.get(IDEMPOTENCY_KEYS)).copied().unwrap_or_default()
    }
}

/// An agent as its owner sees it: `GET /me/agents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MyAgent {
    /// The agent.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// Whether its loop runs outside the platform: always, here.
    pub is_external: bool,
    /// The second half of its handle.
    pub slug: Option<String>,
    /// Of hosted agents only.
    pub model_type: Option<String>,
    /// Of hosted agents only.
    pub system_prompt_id: Option<String>,
    /// Whether it may discover all of its owner's agents.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub registry_access: bool,
    /// Whether its owner's organization may discover it.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub shared_with_organization: bool,
    /// Whether the public directory lists it.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub listed_in_directory: bool,
    /// Free labels.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub tags: Vec<String>,
    /// When it was registered.
    pub inserted_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
    /// Null when avatars are off.
    pub avatar_url: Option<String>,
}

/// Answer to `DELETE /me/agents/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedAgent {
    /// The agent that is gone.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// What it did.
    pub description: Option<String>,
    /// How many of its executions went with it.
    pub executions_deleted: u64,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_registration_is_trimmed_and_measured() {
        let body = json!({"agent": {"name": " Echo ", "description": " Says it again. "}});
        let agent = RegisterAgent::from_body(body).unwrap();
        assert_eq!((agent.name.as_str(), agent.description.as_str()), ("Echo", "Says it again."));
        for (name, description, pointer) in [
            ("Ec", "Says it again.", "/agent/name"),
            (&*"x".repeat(101), "Says it again.", "/agent/name"),
            ("Echo", "         short         ", "/agent/description"),
            ("Echo", &*"x".repeat(501), "/agent/description"),
        ] {
            let body = json!({"agent": {"name": name, "description": description}});
            let issues = RegisterAgent::from_body(body).unwrap_err().into_map();
            assert_eq!(issues.keys().collect::<Vec<_>>(), [pointer]);
        }
    }

    #[test]
    fn a_key_does_not_show_in_debug_output() {
        let key = IssuedKey { api_key: "band_a_1_secret".to_owned() };
        assert_eq!(format!("{key:?}"), "IssuedKey([REDACTED])");
    }

    #[test]
    fn an_agent_of_a_server_without_flags_is_read() {
        let id = "00000000-0000-0000-0000-000000000001";
        let me: AgentMe = serde_json::from_value(json!({
            "id": id, "name": "Echo", "handle": "ann/echo", "owner_uuid": id, "tags": null,
            "listed_in_directory": null, "inserted_at": "2026-07-01T10:00:00", "updated_at": "2026-07-01T10:00:00Z",
        }))
        .unwrap();
        assert_eq!(me.feature_flags, None);
        assert_eq!(me.inserted_at, me.updated_at);
    }
}
