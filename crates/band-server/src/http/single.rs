//! Headers that decide who calls and what for. Two of a kind could be read either way, by this platform and by
//! a proxy in front of it.

use http::{HeaderMap, HeaderName, header};

use super::problem::Problem;

const SINGLE: [HeaderName; 4] = [
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("idempotency-key"),
    header::ORIGIN,
    header::AUTHORIZATION,
];

/// Goes on when none of them is there twice.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Problem> {
    let twice = |name: &&HeaderName| headers.get_all(*name).iter().nth(1).is_some();
    match SINGLE.iter().find(twice) {
        None => Ok(()),
        Some(name) => Err(Problem::bad_request(format!("The header {name} may be sent once"))),
    }
}
