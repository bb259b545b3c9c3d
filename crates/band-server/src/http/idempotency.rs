//! The `Idempotency-Key` header.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::HeaderName;
use http::request::Parts;

const NAME: HeaderName = HeaderName::from_static("idempotency-key");

/// The key under which a repeated request is the same request; none when the caller gives none. The
/// application says what a key may be.
#[derive(Debug)]
pub(crate) struct IdempotencyKey(pub(crate) Option<String>);

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let given = parts.headers.get(NAME);
        Ok(Self(given.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())))
    }
}
