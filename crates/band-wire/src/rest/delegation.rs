//! Tokens in the name of a person who mentioned an agent.

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::strict::{FromBody, Issues, ObjectReader};
use crate::MessageId;

/// Body of `POST /agent/delegation/token`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExchangeDelegation {
    /// The connector that the token is for.
    pub audience: Uuid,
    /// The message whose originator is to be acted for.
    pub message_id: MessageId,
}

impl FromBody for ExchangeDelegation {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let audience = fields.string("audience");
        let audience = fields.uuid("audience", audience);
        let message = fields.string("message_id");
        let message_id = fields.parse_id("message_id", message);
        fields.finish()?;
        let (Some(audience), Some(message_id)) = (audience, message_id) else { return Err(Issues::new()) };
        Ok(Self { audience, message_id })
    }
}
