//! The id of a request: the caller's own where it is sane, else a new one.

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

/// The header that carries it, both ways.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const LONGEST: usize = 128;

/// Letters, digits and a few marks, so that it can stand in a header, a log line and a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestId(String);

impl RequestId {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let given = headers.get(X_REQUEST_ID).and_then(|value| value.to_str().ok());
        match given.filter(|text| is_sane(text)) {
            Some(text) => Self(text.to_owned()),
            None => Self(Uuid::now_v7().to_string()),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_sane(text: &str) -> bool {
    let mark = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(&byte);
    !text.is_empty() && text.len() <= LONGEST && text.bytes().all(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &'static str) -> RequestId {
        RequestId::of(&HeaderMap::from_iter([(X_REQUEST_ID, HeaderValue::from_static(text))]))
    }

    #[test]
    fn a_sane_id_of_the_caller_is_kept() {
        assert_eq!(of("trace-7/4.a").as_str(), "trace-7/4.a");
    }

    #[test]
    fn a_missing_empty_odd_or_long_one_is_replaced() {
        let long: &'static str = "x".repeat(LONGEST + 1).leak();
        for given in ["", "a b", "a\"b", "<x>", long] {
            assert!(of(given).as_str().parse::<Uuid>().is_ok(), "{given}");
        }
        assert!(RequestId::of(&HeaderMap::new()).as_str().parse::<Uuid>().is_ok());
    }
}
