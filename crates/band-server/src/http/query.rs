//! Query strings, read strictly.

use axum::extract::FromRequestParts;
use band_wire::rest::query::{FromQuery, QueryReader};
use http::request::Parts;

use super::problem::Problem;

/// A query string that was read by its rules.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Sync, T: FromQuery> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(T::from_query(QueryReader::new(pairs(query)))?))
    }
}

/// The decoded pairs of a query string.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (String, String)> + '_ {
    form_urlencoded::parse(query.as_bytes()).map(|(name, value)| (name.into_owned(), value.into_owned()))
}
