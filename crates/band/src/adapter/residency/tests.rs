use std::sync::atomic::AtomicBool;

use band_wire::Id;
use uuid::Uuid;

use super::*;
use crate::adapter::AdapterErrorKind;

/// Counts its openings; fails to release when it is told to.
#[derive(Default)]
struct Process {
    log: Mutex<Vec<String>>,
    stuck: AtomicBool,
    hangs: AtomicBool,
}

impl Process {
    fn note(&self, text: String) {
        self.log.lock().unwrap().push(text);
    }
}

impl Resource for Arc<Process> {
    type Handle = usize;

    async fn open(&self, _: ChatId, resume: bool) -> Result<usize, AdapterError> {
        self.note(format!("open, resume {resume}"));
        if self.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        Ok(self.log.lock().unwrap().len())
    }

    async fn release(&self, _: ChatId, _: usize, cause: ReleaseCause) -> AdapterResult {
        self.note(format!("release {cause:?}"));
        if self.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        if self.stuck.load(Ordering::Relaxed) { Err("stuck".into()) } else { Ok(()) }
    }

    fn erase(&self, _: ChatId) {
        self.note("erase".to_owned());
    }
}

fn scene(idle_after: Option<u64>) -> (Residency<Arc<Process>>, Arc<Process>, ChatId) {
    let process = Arc::new(Process::default());
    let residency = Residency::new(Arc::clone(&process), idle_after.map(Duration::from_secs));
    (residency, process, Id::new(Uuid::nil()))
}

fn log(process: &Process) -> Vec<String> {
    process.log.lock().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn an_idle_resource_is_suspended_and_resumed_as_what_it_was() {
    let (residency, process, room) = scene(Some(60));
    let lease = residency.acquire(room).await.unwrap();
    lease.quiescent(true);
    drop(lease);
    let busy = residency.acquire(room).await.unwrap();
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(log(&process), ["open, resume false"], "someone works with it");
    busy.quiescent(true);
    drop(busy);
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(log(&process), ["open, resume false", "release Idle"]);
    residency.acquire(room).await.unwrap();
    assert_eq!(log(&process).last().unwrap(), "open, resume true");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_room_cancels_its_work_after_ten_seconds_and_forgets_it() {
    let (residency, process, room) = scene(None);
    let lease = residency.acquire(room).await.unwrap();
    let began = Instant::now();
    let (disposed, refused, ()) = tokio::join!(
        residency.dispose(room),
        async {
            tokio::task::yield_now().await;
            residency.acquire(room).await.unwrap_err()
        },
        async {
            lease.cancelled().await;
            assert_eq!(began.elapsed(), Duration::from_secs(10));
            drop(lease);
        }
    );
    disposed.unwrap();
    assert_eq!(refused.kind(), AdapterErrorKind::NotAccepted);
    assert_eq!(log(&process), ["open, resume false", "release Final", "erase"]);
}

#[tokio::test(start_paused = true)]
async fn a_release_that_fails_is_tried_again_by_the_next_disposal() {
    let (residency, process, room) = scene(None);
    drop(residency.acquire(room).await.unwrap());
    process.stuck.store(true, Ordering::Relaxed);
    residency.dispose(room).await.unwrap_err();
    process.stuck.store(false, Ordering::Relaxed);
    residency.dispose(room).await.unwrap();
    assert_eq!(log(&process), ["open, resume false", "release Final", "release Final", "erase"]);
}

#[tokio::test(start_paused = true)]
async fn work_may_ask_for_the_end_of_its_own_room() {
    let (residency, process, room) = scene(None);
    let lease = residency.acquire(room).await.unwrap();
    lease.dispose_room().await;
    drop(lease);
    residency.dispose(room).await.unwrap();
    assert_eq!(log(&process), ["open, resume false", "release Final", "erase"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_broken_starts_afresh_and_its_work_is_cancelled() {
    let (residency, process, room) = scene(None);
    let lease = residency.acquire(room).await.unwrap();
    residency.recover(room);
    lease.cancelled().await;
    drop(lease);
    residency.acquire(room).await.unwrap();
    assert_eq!(log(&process), ["open, resume false", "release Recovery", "open, resume false"]);
}

#[tokio::test(start_paused = true)]
async fn what_comes_late_brings_no_room_back_that_is_over() {
    let (residency, _, room) = scene(Some(60));
    let lease = residency.acquire(room).await.unwrap();
    lease.quiescent(true);
    let (disposed, ()) = tokio::join!(residency.dispose(room), async {
        lease.cancelled().await;
        lease.quiescent(true);
        drop(lease);
    });
    disposed.unwrap();
    residency.recover(room);
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert_eq!(residency.inner.rooms().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_opening_that_hangs_ends_with_its_room_or_with_its_owner() {
    let (residency, process, room) = scene(None);
    process.hangs.store(true, Ordering::Relaxed);
    residency.acquire(room).await.unwrap_err();
    residency.dispose(room).await.unwrap();
    assert_eq!(
        Arc::strong_count(&process),
        2,
        "the opening is over: only the residency has it, and this test"
    );
    residency.acquire(Id::new(Uuid::from_u128(1))).await.unwrap_err();
    drop(residency);
    tokio::task::yield_now().await;
    assert_eq!(Arc::strong_count(&process), 1);
}

#[tokio::test(start_paused = true)]
async fn a_release_that_hangs_ends_with_its_owner() {
    let (residency, process, room) = scene(None);
    drop(residency.acquire(room).await.unwrap());
    process.hangs.store(true, Ordering::Relaxed);
    let dropped = tokio::time::timeout(Duration::from_secs(20), residency.dispose(room)).await;
    assert!(dropped.is_err());
    drop(residency);
    tokio::task::yield_now().await;
    assert_eq!(Arc::strong_count(&process), 1);
}

#[tokio::test(start_paused = true)]
async fn a_release_that_hangs_is_left_and_tried_again() {
    let (residency, process, room) = scene(None);
    drop(residency.acquire(room).await.unwrap());
    process.hangs.store(true, Ordering::Relaxed);
    let failed = tokio::time::timeout(Duration::from_secs(31), residency.dispose(room)).await.unwrap();
    assert!(failed.unwrap_err().to_string().contains("could not be released"));
    // What gave it up is gone; the handle is not.
    process.hangs.store(false, Ordering::Relaxed);
    residency.dispose(room).await.unwrap();
}
