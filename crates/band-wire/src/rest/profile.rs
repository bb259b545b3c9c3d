//! The profile of a person.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::strict::{FromBody, Issues, ObjectReader};
use crate::UserId;

/// `GET /me/profile`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserDetails {
    /// The person.
    pub id: UserId,
    /// Where mail would go.
    pub email: String,
    /// Without `@`.
    pub handle: String,
    /// `user` or `admin`.
    pub role: String,
    /// May be unset.
    #[serde(default)]
    pub first_name: Option<String>,
    /// May be unset.
    #[serde(default)]
    pub last_name: Option<String>,
    /// Whether the public directory lists them.
    #[serde(default)]
    pub listed_in_directory: bool,
}

/// Body of `PUT /me/profile`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpdateProfile {
    /// Kept when absent.
    pub first_name: Option<String>,
    /// Kept when absent.
    pub last_name: Option<String>,
}

impl FromBody for UpdateProfile {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::wrapped(body, "user")?;
        let first_name = fields.opt_string("first_name");
        let last_name = fields.opt_string("last_name");
        fields.finish()?;
        Ok(Self { first_name, last_name })
    }
}
