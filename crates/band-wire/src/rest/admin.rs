//! Administration of a running platform by commands on its own machine: `/api/v1/admin/*`.
//!
//! Not part of the public API. The caller shows the token of the run, which only the owner of the data
//! directory can read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::agent::IssuedKey;
use super::profile::UserDetails;
use super::strict::{FromBody, Issues, ObjectReader};
use crate::Stamp;

/// Body of `POST /admin/users`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CreateUser {
    /// What people call them; the handle is made of it.
    pub name: String,
}

/// Answer to `POST /admin/users`: the only time the key is shown.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CreatedUser {
    /// The person.
    pub user: UserDetails,
    /// Their key.
    pub credentials: IssuedKey,
}

/// Body of `POST /admin/agents`. The answer is [`super::IssuedCredentials`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CreateAgent {
    /// The owner's handle or id; the oldest user when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// As in a registration.
    pub name: String,
    /// As in a registration.
    pub description: String,
}

/// Body of `POST /admin/sign-in-links`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CreateSignInLink {
    /// The person's handle or id; the oldest user when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

/// Answer to `POST /admin/sign-in-links`. `Debug` hides the token.
#[derive(Clone, Serialize, Deserialize)]
pub struct SignInLink {
    /// Works once, in the fragment of the page's address: `/#token=…`.
    pub token: String,
    /// When it stops working.
    pub expires_at: Stamp,
}

impl std::fmt::Debug for SignInLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignInLink").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// Body of `POST /auth/sign-in`. `Debug` hides the token.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct SignIn {
    /// From the fragment of a sign-in link.
    pub token: String,
}

impl std::fmt::Debug for SignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SignIn([REDACTED])")
    }
}

impl FromBody for CreateUser {
    const WRAPPER: Option<&'static str> = Some("user");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let name = fields.string("name").map(|name| name.trim().to_owned());
        if name.as_ref().is_some_and(String::is_empty) {
            fields.issue("name", "can't be blank");
        }
        if name.as_ref().is_some_and(|name| name.chars().count() > 100) {
            fields.issue("name", "should be at most 100 character(s)");
        }
        fields.finish()?;
        Ok(Self { name: name.unwrap_or_default() })
    }
}

impl FromBody for CreateAgent {
    const WRAPPER: Option<&'static str> = Some("agent");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let owner = fields.opt_string("owner");
        let name = fields.string("name");
        let description = fields.string("description");
        fields.finish()?;
        Ok(Self { owner, name: name.unwrap_or_default(), description: description.unwrap_or_default() })
    }
}

impl FromBody for CreateSignInLink {
    const WRAPPER: Option<&'static str> = Some("sign_in_link");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let user = fields.opt_string("user");
        fields.finish()?;
        Ok(Self { user })
    }
}

impl FromBody for SignIn {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::root(body)?;
        let token = fields.string("token");
        fields.finish()?;
        Ok(Self { token: token.unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::Body;

    #[test]
    fn what_a_command_writes_the_platform_reads() {
        let user = CreateUser { name: "Ann".to_owned() };
        let agent = CreateAgent { owner: None, name: "bot".to_owned(), description: "helps".to_owned() };
        let link = CreateSignInLink { user: Some("ann".to_owned()) };
        assert_eq!(CreateUser::from_body(json(&user)), Ok(user));
        assert_eq!(CreateAgent::from_body(json(&agent)), Ok(agent));
        assert_eq!(CreateSignInLink::from_body(json(&link)), Ok(link));
    }

    fn json<T: FromBody + Serialize>(body: &T) -> Value {
        serde_json::to_value(Body(body)).unwrap()
    }

    #[test]
    fn a_blank_name_is_refused() {
        let issues = CreateUser::from_body(serde_json::json!({"user": {"name": " "}})).unwrap_err();
        assert_eq!(issues, Issues::one("/user/name", "can't be blank"));
    }

    #[test]
    fn tokens_show_in_no_debug_output() {
        let link = SignInLink { token: "s3cret".to_owned(), expires_at: Stamp::from_micros(0) };
        assert!(!format!("{link:?}").contains("s3cret"));
        assert!(!format!("{:?}", SignIn { token: "s3cret".to_owned() }).contains("s3cret"));
    }
}
