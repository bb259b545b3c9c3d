//! The one error envelope of the REST API, and of a refused socket upgrade.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient;

/// `{"error":{…}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorEnvelope {
    /// What went wrong.
    pub error: ErrorBody,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// A stable token, see [`code`].
    pub code: String,
    /// For people; some clients compare a few of these texts.
    pub message: String,
    /// The id of the request, also in the `x-request-id` header. Null was seen on refused socket upgrades.
    #[serde(default)]
    pub request_id: Option<String>,
    /// JSON pointer → texts. Always there on a failed validation.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::details")]
    pub details: Option<BTreeMap<String, Vec<String>>>,
    /// Seconds to wait, rounded up, on refused upgrades with 429 or 503.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::seconds")]
    pub retry_after: Option<u64>,
}

/// The codes that clients depend on.
pub mod code {
    /// 401.
    pub const UNAUTHORIZED: &str = "unauthorized";
    /// 403, "execution is stopped" included.
    pub const FORBIDDEN: &str = "forbidden";
    /// 403: a quota.
    pub const LIMIT_REACHED: &str = "limit_reached";
    /// 403: a room keeps an owner.
    pub const CANNOT_REMOVE_SOLE_OWNER: &str = "cannot_remove_sole_owner";
    /// 404: missing, or not visible to the caller.
    pub const NOT_FOUND: &str = "not_found";
    /// 405.
    pub const METHOD_NOT_ALLOWED: &str = "method_not_allowed";
    /// 409.
    pub const CONFLICT: &str = "conflict";
    /// 408: the body did not arrive in time.
    pub const REQUEST_TIMEOUT: &str = "request_timeout";
    /// 413.
    pub const PAYLOAD_TOO_LARGE: &str = "payload_too_large";
    /// 415: the body is no JSON by its own account.
    pub const UNSUPPORTED_MEDIA_TYPE: &str = "unsupported_media_type";
    /// 422, in general.
    pub const VALIDATION_ERROR: &str = "validation_error";
    /// 422: a text message needs a mention.
    pub const MENTIONS_REQUIRED: &str = "mentions_required";
    /// 422: the sender mentions itself.
    pub const CANNOT_MENTION_SELF: &str = "cannot_mention_self";
    /// 422: one participant twice.
    pub const DUPLICATE_MENTIONS: &str = "duplicate_mentions";
    /// 422: not a participant of the room.
    pub const MENTIONED_PARTICIPANT_NOT_IN_ROOM: &str = "mentioned_participant_not_in_room";
    /// 422: neither `mention` nor `reference`.
    pub const INVALID_MENTION_KIND: &str = "invalid_mention_kind";
    /// 422: no participant has that handle.
    pub const HANDLE_NOT_FOUND: &str = "handle_not_found";
    /// 422: a mention has neither id nor handle.
    pub const MENTION_MISSING_IDENTIFIER: &str = "mention_missing_identifier";
    /// 422: an attachment is no file of the room.
    pub const UNKNOWN_ATTACHMENT: &str = "unknown_attachment";
    /// 422: a memory for an organization of someone who has none.
    pub const ORG_SCOPE_REQUIRES_ORGANIZATION: &str = "org_scope_requires_organization";
    /// 416: the file has no such bytes.
    pub const RANGE_NOT_SATISFIABLE: &str = "range_not_satisfiable";
    /// 422: parameters that do not go together.
    pub const INVALID_PARAMS: &str = "invalid_params";
    /// 422: the cursor was made under another filter.
    pub const CURSOR_FILTER_MISMATCH: &str = "cursor_filter_mismatch";
    /// 409: an idempotency key comes back with another body, or its answer can't be given again. The details
    /// name the stored resource under `id`.
    pub const IDEMPOTENCY_CONFLICT: &str = "idempotency_conflict";
    /// 409 on the socket upgrade: the agent is connected already.
    pub const CONNECTION_CONFLICT: &str = "connection_conflict";
    /// 400 on the socket upgrade.
    pub const INVALID_ON_CONFLICT: &str = "invalid_on_conflict";
    /// 503 on the socket upgrade: the connection could not be registered.
    pub const TRACKING_FAILED: &str = "tracking_failed";
    /// 429.
    pub const TOO_MANY_REQUESTS: &str = "too_many_requests";
    /// 503.
    pub const UNAVAILABLE: &str = "service_unavailable";
    /// 500.
    pub const INTERNAL: &str = "internal_error";
    /// 400: the request is no JSON, or under-specified.
    pub const BAD_REQUEST: &str = "bad_request";
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(extra: &[(&str, serde_json::Value)]) -> ErrorBody {
        let mut body = json!({"error": {"code": "c", "message": "m"}});
        for (key, value) in extra {
            body["error"][key] = value.clone();
        }
        serde_json::from_value::<ErrorEnvelope>(body).unwrap().error
    }

    #[test]
    fn a_refused_upgrade_has_no_request_id() {
        assert_eq!(read(&[("request_id", json!(null))]).request_id, None);
        assert_eq!(read(&[]).request_id, None);
    }

    #[test]
    fn seconds_are_read_as_number_and_as_text() {
        for (value, seconds) in [
            (json!(5), Some(5)),
            (json!("15"), Some(15)),
            (json!(-1), None),
            (json!(1.5), Some(2)),
            (json!("0.2"), Some(1)),
            (json!("soon"), None),
            (json!(null), None),
        ] {
            assert_eq!(read(&[("retry_after", value)]).retry_after, seconds);
        }
    }

    #[test]
    fn details_of_another_shape_do_not_cost_the_error() {
        assert_eq!(read(&[("details", json!("why"))]).details, None);
        let details = read(&[("details", json!({"/a": ["x", 1], "b": "y", "c": {"d": 2}}))]).details.unwrap();
        assert_eq!(details["/a"], ["x", "1"]);
        assert_eq!(details["b"], ["y"]);
        assert_eq!(details["c"], ["{\"d\":2}"]);
    }
}
