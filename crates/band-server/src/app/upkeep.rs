//! What the platform does on its own: indicators lapse, what has expired is let go.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::activity::Desk;
use super::idempotency::KEPT;
use crate::store::{Scope, Store, StoreError};

/// How often what has expired is let go.
const SWEEP_EVERY: Duration = Duration::from_secs(600);

/// How long to wait when the store did not take the work.
const PAUSE: Duration = Duration::from_secs(1);

/// Works until it is cancelled.
pub(super) async fn run(store: Store, desk: Desk, stop: CancellationToken) {
    let work = async {
        let mut sweep = tokio::time::interval(SWEEP_EVERY);
        loop {
            let done = tokio::select! {
                () = desk.due() => lapse(&store, &desk).await,
                _ = sweep.tick() => store.write(let_go).await,
            };
            if let Err(error) = done {
                tracing::warn!(error = &error as &dyn std::error::Error, "upkeep was put off");
                tokio::time::sleep(PAUSE).await;
            }
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = work => {}
    }
}

async fn lapse(store: &Store, desk: &Desk) -> Result<(), StoreError> {
    let (desk, now) = (desk.clone(), desk.now());
    let command = move |scope: &mut Scope<'_>| {
        scope.after_commit(move || desk.expire(now));
        Ok(())
    };
    store.write(command).await
}

fn let_go(scope: &mut Scope<'_>) -> Result<(), StoreError> {
    let oldest = scope.now().as_micros().saturating_sub(KEPT);
    scope.sweep(band_wire::Stamp::from_micros(oldest))
}
