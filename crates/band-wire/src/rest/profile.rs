//! The profile of a person.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lenient;
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
    /// May be unset, then it is omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// May be unset, then it is omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// Whether the public directory lists them.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub listed_in_directory: bool,
}

/// Body of `PUT /me/profile`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UpdateProfile {
    /// Kept when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// Kept when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
}

impl FromBody for UpdateProfile {
    const WRAPPER: Option<&'static str> = Some("user");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let first_name = fields.opt_string("first_name");
        let last_name = fields.opt_string("last_name");
        fields.finish()?;
        Ok(Self { first_name, last_name })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_profile_is_changed_in_part() {
        let update = UpdateProfile::from_body(json!({"user": {"last_name": "Lee"}})).unwrap();
        assert_eq!(update, UpdateProfile { first_name: None, last_name: Some("Lee".to_owned()) });
        let issues = UpdateProfile::from_body(json!({"user": {"email": "a@b", "first_name": null}}));
        assert_eq!(
            issues.unwrap_err().into_map().into_keys().collect::<Vec<_>>(),
            ["/user/email", "/user/first_name"]
        );
    }
}
