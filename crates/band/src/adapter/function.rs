//! An adapter from a closure.

use std::fmt;
use std::future::Future;

use super::{AdapterError, AdapterResult, SimpleAdapter};
use crate::history::RawHistory;
use crate::turn::Turn;

/// An adapter made of one async closure. See [`adapter_fn`].
pub struct AdapterFn<F>(F);

/// Makes an adapter of an async closure; what it gives on success is not looked at.
///
/// ```
/// let shout = band::adapter_fn(|turn: band::Turn| async move { turn.reply(turn.text().to_uppercase()).await });
/// ```
pub fn adapter_fn<F, Fut, T, E>(on_message: F) -> AdapterFn<F>
where
    F: Fn(Turn) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send,
    E: Into<AdapterError>,
{
    AdapterFn(on_message)
}

impl<F, Fut, T, E> SimpleAdapter for AdapterFn<F>
where
    F: Fn(Turn) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + Send,
    E: Into<AdapterError>,
{
    type Converter = RawHistory;

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        match (self.0)(turn).await {
            Ok(_) => Ok(()),
            Err(err) => Err(err.into()),
        }
    }
}

impl<F> fmt::Debug for AdapterFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AdapterFn")
    }
}
