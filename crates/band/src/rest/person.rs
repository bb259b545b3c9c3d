//! Calls of the Human API, as the platform answers them.

use http::Method;
use serde_json::Value;

use super::client::{Call, RestClient, is_empty};
use super::retry::Policy;
use crate::error::Result;

/// What goes with a call.
pub(crate) type Query = Vec<(&'static str, Option<String>)>;

impl RestClient {
    /// Makes a call for a person and gives the answer whole; null when it has no body. What creates something is sent with
    /// a key of its own.
    pub(crate) async fn for_person(
        &self,
        method: Method,
        path: String,
        query: Query,
        body: Option<&Value>,
    ) -> Result<Value> {
        let mut call = match method {
            Method::GET => Call::get(path),
            Method::PUT => Call::put(path, Policy::Repeatable),
            Method::DELETE => Call::delete(path),
            _ => Call::post(path, Policy::Unkeyed).keyed(Some(&self.fresh_key()))?,
        };
        for (name, value) in query {
            call = call.query(name, value);
        }
        if let Some(body) = body {
            call = call.json(body)?;
        }
        let answer = self.call(call).await?;
        if is_empty(&answer) { Ok(Value::Null) } else { Ok(answer.json()?) }
    }
}
