//! Why a use case did not do what was asked.

use band_core::platform::Refusal;
use band_wire::rest::code;

use crate::store::StoreError;

/// A refusal by the rules, or a failure of the machinery. Nothing was stored either way.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppError {
    /// The rules say no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store could not do it.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

impl AppError {
    /// The HTTP status: the refusal's own, 503 for what may work a little later, else 500.
    pub fn status(&self) -> u16 {
        match self {
            Self::Refused(refusal) => refusal.status,
            Self::Failed(failed) if failed.is_transient() => 503,
            Self::Failed(_) => 500,
        }
    }

    /// The same as a refusal, fit for a caller to see: of a failure it tells no more than whether to try again.
    pub fn into_refusal(self) -> Refusal {
        match self {
            Self::Refused(refusal) => refusal,
            Self::Failed(failed) if failed.is_transient() => Refusal::new(
                503,
                code::UNAVAILABLE,
                "The platform can't do this right now, try again shortly",
            ),
            Self::Failed(_) => Refusal::new(500, code::INTERNAL, "Something went wrong on the platform"),
        }
    }
}

/// The result of a use case.
pub type AppResult<T> = Result<T, AppError>;
