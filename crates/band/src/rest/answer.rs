//! Reads what the platform answered.

use band_core::trial::{self, Fault};
use band_wire::rest::{Data, ErrorBody};
use bytes::Bytes;
use http::header::LOCATION;
use http::{HeaderMap, Response, StatusCode};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::config::shown;
use crate::error::ApiError;
use crate::retry_after;

/// How much of a body that nobody understands is kept for the error.
const EXCERPT: usize = 200;

/// A whole answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// The envelope with everything but the code and the message optional, as seen in the wild.
#[derive(Deserialize)]
struct Envelope {
    error: ErrorBody,
}

/// A success whose body says nothing that can be read.
#[derive(Debug)]
pub(super) struct Unreadable {
    /// With the status of the success.
    pub(super) error: Box<ApiError>,
    /// It is no JSON at all: not the platform's.
    pub(super) is_foreign: bool,
}

impl From<Unreadable> for crate::Error {
    fn from(unreadable: Unreadable) -> Self {
        (*unreadable.error).into()
    }
}

impl Answer {
    pub(super) fn new(response: Response<Bytes>) -> Self {
        let (head, body) = response.into_parts();
        Self { status: head.status, headers: head.headers, body }
    }

    /// How long the platform wants to be left alone.
    pub(super) fn retry_after(&self) -> Option<std::time::Duration> {
        if trial::has(Fault::RetryAfterIgnored) {
            return None;
        }
        retry_after::read(&self.headers, Timestamp::now())
    }

    /// The body of a success without the `data` around it.
    pub(super) fn data<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        self.json::<Data<T>>().map(|wrapped| wrapped.data)
    }

    /// The body of a success. A body that can't be read is an error with the status of the success: the
    /// platform has acted, unless something before it has answered in its place.
    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        serde_json::from_slice(&self.body).map_err(|err| {
            let mut error = ApiError::new(self.status.as_u16(), format!("unreadable answer: {err}"));
            error.request_id = self.request_id();
            Unreadable {
                error: Box::new(error),
                is_foreign: serde_json::from_slice::<IgnoredAny>(&self.body).is_err(),
            }
        })
    }

    /// The body of a success as it came.
    pub(super) fn bytes(self) -> Bytes {
        self.body
    }

    /// The refusal, whatever its body is.
    pub(super) fn refusal(&self) -> ApiError {
        let mut error = match serde_json::from_slice::<Envelope>(&self.body) {
            Ok(Envelope { error: body }) => {
                let mut error = ApiError::new(self.status.as_u16(), body.message);
                error.code = body.code;
                error.request_id = body.request_id;
                error.details = body.details.unwrap_or_default();
                error.retry_after = body.retry_after.map(std::time::Duration::from_secs);
                error
            }
            Err(_) => ApiError::new(self.status.as_u16(), self.excerpt()),
        };
        if self.status.is_redirection() {
            let to = self.headers.get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default();
            error.message = format!("it redirects to {}: set rest_url to the final address", shown(to));
        }
        error.request_id = error.request_id.or_else(|| self.request_id());
        error.retry_after = self.retry_after().or(error.retry_after);
        error
    }

    fn request_id(&self) -> Option<String> {
        Some(self.headers.get("x-request-id")?.to_str().ok()?.to_owned())
    }

    /// The start of a body that is no envelope, on one line.
    fn excerpt(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let mut words = text.split_whitespace();
        let mut excerpt = String::new();
        for word in words.by_ref() {
            if !excerpt.is_empty() {
                excerpt.push(' ');
            }
            excerpt.extend(word.chars().take(EXCERPT));
            if excerpt.len() >= EXCERPT {
                break;
            }
        }
        if excerpt.is_empty() {
            self.status.canonical_reason().unwrap_or_default().to_owned()
        } else {
            excerpt
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &'static str) -> Answer {
        let mut headers = HeaderMap::new();
        headers.insert("x-request-id", "from-header".parse().unwrap());
        Answer {
            status: StatusCode::from_u16(status).unwrap(),
            headers,
            body: Bytes::from_static(body.as_bytes()),
        }
    }

    #[test]
    fn the_envelope_becomes_the_error() {
        let body = r#"{"error":{"code":"validation_error","message":"bad","request_id":"r-1",
            "details":{"/processing_attempt":["no live attempt"]}}}"#;
        let error = answer(422, body).refusal();
        assert_eq!(
            error.to_string(),
            "status_code: 422, code: validation_error, message: bad, \
             /processing_attempt: no live attempt, request_id: r-1"
        );
    }

    #[test]
    fn a_body_that_is_no_envelope_still_gives_the_status() {
        for (body, message) in [
            ("<html>\n  bad gateway</html>", "<html> bad gateway</html>"),
            ("", "Bad Gateway"),
            (r#"{"error":"flat","message":"old"}"#, r#"{"error":"flat","message":"old"}"#),
        ] {
            let error = answer(502, body).refusal();
            assert_eq!((error.status_code, error.code.as_str()), (502, ""));
            assert_eq!(error.message, message);
            assert_eq!(error.request_id.as_deref(), Some("from-header"));
        }
    }

    #[test]
    fn a_success_that_can_not_be_read_keeps_its_status() {
        for (body, is_foreign) in
            [(r#"{"data":7}"#, false), ("<html>Maintenance</html>", true), ("", true), (r#"{"data""#, true)]
        {
            let unreadable = answer(201, body).data::<String>().unwrap_err();
            assert_eq!((unreadable.error.status_code, unreadable.is_foreign), (201, is_foreign), "{body}");
            assert!(unreadable.error.message.starts_with("unreadable answer: "), "{body}");
        }
    }
}
