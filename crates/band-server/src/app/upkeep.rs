//! What the platform does on its own: indicators lapse, what has expired is let go.

use std::time::Duration;

use band_wire::FileId;
use tokio_util::sync::CancellationToken;

use super::activity::Desk;
use super::idempotency::KEPT;
use crate::store::{Files, Scope, Store, StoreError, View};

/// How often what has expired is let go.
const SWEEP_EVERY: Duration = Duration::from_secs(600);

/// How long to wait when the store did not take the work.
const PAUSE: Duration = Duration::from_secs(1);

/// Ids that are looked up at a time.
const BATCH: usize = 500;

/// What files hold, as it lay there when the platform began.
pub(super) struct Kept {
    pub(super) files: Files,
    pub(super) lying: Vec<FileId>,
}

/// Works until it is cancelled.
pub(super) async fn run(store: Store, desk: Desk, kept: Kept, stop: CancellationToken) {
    let work = async {
        let Kept { files, lying } = kept;
        if let Err(error) = let_strays_go(&store, &files, &lying).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "what uploads left could not be removed"
            );
        }
        let mut sweep = tokio::time::interval(SWEEP_EVERY);
        loop {
            let done = tokio::select! {
                () = desk.due() => lapse(&store, &desk).await,
                _ = sweep.tick() => sweep_all(&store, &files).await,
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

/// Removes what lies there without a row: the process ended between the two.
async fn let_strays_go(store: &Store, files: &Files, lying: &[FileId]) -> Result<(), StoreError> {
    for batch in lying.chunks(BATCH) {
        let batch = batch.to_vec();
        let strays = store.read::<_, StoreError>(move |view: View<'_>| view.unknown_files(&batch)).await?;
        for file in strays {
            files.remove(file).await?;
        }
    }
    Ok(())
}

async fn sweep_all(store: &Store, files: &Files) -> Result<(), StoreError> {
    store.write(let_go).await?;
    loop {
        let lost = store.read::<_, StoreError>(|view: View<'_>| view.lost_files(BATCH as u64)).await?;
        if lost.is_empty() {
            return Ok(());
        }
        for file in &lost {
            files.remove(*file).await?;
        }
        store.write(move |scope: &mut Scope<'_>| scope.forget_files(&lost)).await?;
    }
}

fn let_go(scope: &mut Scope<'_>) -> Result<(), StoreError> {
    let oldest = scope.now().as_micros().saturating_sub(KEPT);
    scope.sweep(band_wire::Stamp::from_micros(oldest))
}
