//! A model of your own: a function from the conversation and the tools to the next step.

use std::future::Future;

use crate::engine::{Model, ModelAdapter, ModelRequest, Step};
use crate::provider::ProviderFailure;

/// A function as a model, made by [`Generic`].
pub struct FnModel<F> {
    next: F,
}

impl<F> std::fmt::Debug for FnModel<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FnModel").finish_non_exhaustive()
    }
}

/// The adapter for a model that no other adapter knows. A final text without a call is relayed to whoever wrote the
/// message, unless the turn has replied or declined.
///
/// ```
/// use band_adapters::generic::Generic;
/// use band_adapters::{ModelRequest, Step};
///
/// let adapter = Generic::new(|request: ModelRequest| async move {
///     Ok(Step::say(format!("There are {} tools.", request.tools.len())))
/// });
/// # let _ = adapter;
/// ```
pub type Generic<F> = ModelAdapter<FnModel<F>>;

impl<F, Fut> Generic<F>
where
    F: Fn(ModelRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Step, ProviderFailure>> + Send + 'static,
{
    /// With this function. What it returns is dropped midway when the turn is cancelled.
    pub fn new(next: F) -> Self {
        Self::of(FnModel { next })
    }
}

impl<F, Fut> Model for FnModel<F>
where
    F: Fn(ModelRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Step, ProviderFailure>> + Send + 'static,
{
    fn name(&self) -> &'static str {
        "Generic"
    }

    fn shows_thoughts(&self) -> bool {
        true
    }

    fn next(&self, request: ModelRequest) -> impl Future<Output = Result<Step, ProviderFailure>> + Send {
        (self.next)(request)
    }
}
