//! What became of a delivery mark.

use band_wire::rest::{MessageMark, code};

use super::answer::Answer;
use crate::error::{ApiError, Error, Result};

/// What became of a delivery mark. Only errors that end every call (no valid key) are errors of the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// It holds.
    Accepted(MessageMark),
    /// The agent's execution in the room is stopped; nothing was changed.
    Stopped,
    /// There is no live attempt that it could end.
    Rejected,
    /// The message is gone, or the room is.
    NotFound,
    /// Nobody knows. Saying it again is safe.
    Unconfirmed(ApiError),
}

/// Reads the answer to a mark.
pub(super) fn read(outcome: Result<Answer>) -> Result<Mark> {
    match outcome {
        Ok(answer) if answer.status == http::StatusCode::NO_CONTENT => Ok(Mark::Stopped),
        Ok(answer) if answer.status == http::StatusCode::OK => Ok(match answer.data::<MessageMark>() {
            Ok(mark) if mark.success => Mark::Accepted(mark),
            Ok(_) => Mark::Unconfirmed(ApiError::new(200, "the platform did not accept the mark")),
            Err(unreadable) => Mark::Unconfirmed(*unreadable.error),
        }),
        Ok(answer) => Ok(Mark::Unconfirmed(answer.refusal())),
        Err(Error::Api(api)) => Ok(refused(*api)),
        Err(Error::Connection(lost)) => Ok(Mark::Unconfirmed(ApiError::new(0, lost.to_string()))),
        Err(other) => Err(other),
    }
}

fn refused(api: ApiError) -> Mark {
    match api.status_code {
        404 if api.code == code::NOT_FOUND => Mark::NotFound,
        422 if api.code == code::VALIDATION_ERROR
            && api.details.get("/processing_attempt").is_some_and(|texts| !texts.is_empty()) =>
        {
            Mark::Rejected
        }
        _ => Mark::Unconfirmed(api),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_mark_is_told_apart_by_code_and_details() {
        let error = |status, code: &str, pointer: Option<&str>| {
            let mut error = ApiError::new(status, "");
            error.code = code.to_owned();
            error.details.extend(pointer.map(|pointer| (pointer.to_owned(), vec!["no".to_owned()])));
            error
        };
        for (api, expected) in [
            (error(404, "not_found", None), Some(Mark::NotFound)),
            (error(404, "", None), None),
            (error(422, "validation_error", Some("/processing_attempt")), Some(Mark::Rejected)),
            (error(422, "validation_error", Some("/error")), None),
            (error(422, "", Some("/processing_attempt")), None),
            (error(403, "forbidden", None), None),
            (error(503, "service_unavailable", None), None),
        ] {
            let expected = expected.unwrap_or_else(|| Mark::Unconfirmed(api.clone()));
            assert_eq!(read(Err(api.into())).unwrap(), expected);
        }
        assert!(matches!(read(Err(error(401, "unauthorized", None).into())), Err(Error::Unauthorized(_))));
    }
}
