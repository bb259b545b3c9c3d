//! Ids in paths. What is no UUID names nothing, so it is answered like an id that nobody has.

use axum::extract::{FromRequestParts, Path};
use band_wire::id::Marker;
use band_wire::rest::TaskRef;
use band_wire::{ChatId, Id};
use http::request::Parts;

use super::problem::Problem;

/// The one id of a path.
#[derive(Debug)]
pub(crate) struct One<M>(pub(crate) Id<M>);

/// The two ids of a path.
#[derive(Debug)]
pub(crate) struct Two<M, N>(pub(crate) Id<M>, pub(crate) Id<N>);

impl<S: Send + Sync, M: Marker> FromRequestParts<S> for One<M> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Ok(Path(text)) = Path::<String>::from_request_parts(parts, state).await else {
            return Err(Problem::not_found());
        };
        Ok(Self(read(&text)?))
    }
}

impl<S: Send + Sync, M: Marker, N: Marker> FromRequestParts<S> for Two<M, N> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Ok(Path((first, second))) = Path::<(String, String)>::from_request_parts(parts, state).await
        else {
            return Err(Problem::not_found());
        };
        Ok(Self(read(&first)?, read(&second)?))
    }
}

/// A room and one of its tasks, by id or by number.
#[derive(Debug)]
pub(crate) struct OfBoard(pub(crate) ChatId, pub(crate) TaskRef);

impl<S: Send + Sync> FromRequestParts<S> for OfBoard {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Ok(Path((chat, task))) = Path::<(String, String)>::from_request_parts(parts, state).await else {
            return Err(Problem::not_found());
        };
        Ok(Self(read(&chat)?, task.parse().map_err(|_| Problem::not_found())?))
    }
}

fn read<M: Marker>(text: &str) -> Result<Id<M>, Problem> {
    text.parse().map_err(|_| Problem::not_found())
}
