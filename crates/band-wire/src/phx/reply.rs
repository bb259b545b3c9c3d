//! Payloads of `phx_reply`.

use serde_json::{Map, Value, json};

/// What a reply says of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyStatus {
    /// `"ok"`.
    Ok,
    /// `"error"`, and every other status: an unknown one counts as refused.
    Error,
}

impl ReplyStatus {
    /// Reads status and reason of a reply's payload. The reason is there on errors alone; where the server
    /// names none it is `invalid topic`, as the released clients say.
    pub fn read(payload: &Map<String, Value>) -> Result<(), String> {
        if payload.get("status").and_then(Value::as_str) == Some("ok") {
            return Ok(());
        }
        let reason =
            payload.get("response").and_then(|response| response.get("reason")).and_then(Value::as_str);
        Err(reason.unwrap_or("invalid topic").to_owned())
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
