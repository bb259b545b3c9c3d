//! Payloads of `phx_reply`.

use serde_json::{Map, Value, json};

/// The reason of a refusal that names none, in the released clients' words.
const NO_REASON: &str = "invalid topic";

/// What a reply says of its request.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Status `ok`, with the response.
    Ok(Map<String, Value>),
    /// Any other status, with the reason.
    Refused(String),
}

impl Reply {
    /// Reads a reply's payload. Whatever is not `ok` is a refusal; one that names no reason gets
    /// `invalid topic`.
    pub fn read(mut payload: Map<String, Value>) -> Self {
        let response = match payload.remove("response") {
            Some(Value::Object(response)) => response,
            _ => Map::new(),
        };
        if payload.get("status").and_then(Value::as_str) == Some("ok") {
            return Self::Ok(response);
        }
        let reason = response.get("reason").and_then(Value::as_str).unwrap_or(NO_REASON);
        Self::Refused(reason.to_owned())
    }
}

/// `{"status":"ok","response":…}`.
pub fn reply_ok(response: Value) -> Map<String, Value> {
    status_map("ok", response)
}

/// `{"status":"error","response":{"reason":…}}`.
pub fn reply_error(reason: &str) -> Map<String, Value> {
    status_map("error", json!({ "reason": reason }))
}

fn status_map(status: &str, response: Value) -> Map<String, Value> {
    Map::from_iter([("status".to_owned(), Value::from(status)), ("response".to_owned(), response)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(payload: Value) -> Reply {
        let Value::Object(payload) = payload else { panic!("no object") };
        Reply::read(payload)
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Reply::read(reply_ok(json!({}))), Reply::Ok(Map::new()));
        assert_eq!(Reply::read(reply_error("unauthorized")), Reply::Refused("unauthorized".to_owned()));
    }

    #[test]
    fn an_unknown_status_is_a_refusal() {
        let refused = Reply::Refused(NO_REASON.to_owned());
        assert_eq!(read(json!({"status": "maybe", "response": {}})), refused);
        assert_eq!(read(json!({"status": "error", "response": {"reason": 7}})), refused);
        assert_eq!(read(json!({"status": "error"})), refused);
        assert_eq!(read(json!({})), refused);
    }
}
