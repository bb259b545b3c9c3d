//! Work that may block its thread, on a runtime that must not notice.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

/// A future that is polled apart from the runtime's other tasks.
struct Apart<T>(Pin<Box<dyn Future<Output = T> + Send>>);

impl<T> Future for Apart<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        // The thread's other tasks move on to another thread first.
        block_in_place(|| self.0.as_mut().poll(cx))
    }
}

/// Runs work so that it may block its thread, where the runtime has more than one; there is nowhere to move to
/// otherwise.
pub(crate) async fn apart<T: Send>(may_block: bool, work: impl Future<Output = T> + Send + 'static) -> T {
    let threads = Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
    if may_block && threads { Apart(Box::pin(work)).await } else { work.await }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use tokio::task::JoinSet;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn work_that_blocks_its_thread_leaves_the_others_running() {
        let (release, blocked) = sync_channel::<()>(0);
        let mut tasks = JoinSet::new();
        tasks.spawn(apart(true, async move { blocked.recv() }));
        // There is one thread: this is polled only if the other one has left it.
        for _ in 0..10 {
            tasks.spawn(async { Ok(()) });
        }
        for _ in 0..10 {
            assert_eq!(tasks.join_next().await.unwrap().unwrap(), Ok(()));
        }
        release.send(()).unwrap();
        assert_eq!(tasks.join_next().await.unwrap().unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn with_one_thread_it_is_polled_like_anything_else() {
        assert_eq!(apart(true, async { 7 }).await, 7);
    }
}
