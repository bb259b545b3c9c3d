//! What is released when an agent is over.

use std::sync::Arc;

use band::{CleanupPhase, Cleanups, Error};

use crate::platform::{Platform, room};
use crate::scene::{Book, Puppet, builder_of};

type Scene = (band::Agent, Arc<Book>);

/// An agent with two callbacks that note their names, and fail when the book says so.
fn with_callbacks(platform: &Platform) -> Scene {
    let book = Arc::new(Book::default());
    let agent = builder_of(platform, Puppet(Arc::clone(&book))).build().unwrap();
    for name in ["first", "second"] {
        let book = Arc::clone(&book);
        let callback = move || {
            let book = Arc::clone(&book);
            async move {
                book.note(name.to_owned());
                book.fail(name)
            }
        };
        agent.add_cleanup(name, callback).unwrap();
    }
    (agent, book)
}

#[tokio::test]
async fn callbacks_run_last_and_in_reverse_and_the_adapter_is_used_up_then() {
    let platform = Platform::start(&[1]).await;
    let (agent, book) = with_callbacks(&platform);
    let running = agent.start().await.unwrap();
    let late = agent.add_cleanup("late", || async { Ok::<(), String>(()) }).unwrap_err();
    assert_eq!(late.to_string(), "Register cleanup before starting the host");
    running.stop(None).await.unwrap();
    let cleanup = format!("cleanup {}", room(1));
    assert_eq!(book.notes()[1..], [cleanup.as_str(), "cleanup all", "second", "first"]);
    let err = agent.start().await.unwrap_err();
    let text = "Adapter resources are disposed; build fresh resources, tool closures, adapter and host";
    assert!(matches!(err, Error::Config(_)));
    assert_eq!(err.to_string(), text);
}

#[tokio::test]
async fn callbacks_wait_for_the_rooms_and_only_what_failed_runs_again() {
    let platform = Platform::start(&[1, 2]).await;
    let (agent, book) = with_callbacks(&platform);
    book.failing.lock().unwrap().extend(["on_cleanup", "second"]);
    let running = agent.start().await.unwrap();
    let incomplete = running.stop(None).await.unwrap_err();
    assert_eq!(incomplete.failures.len(), 1);
    assert!(incomplete.failures[0].room.is_some());
    assert!(book.notes().contains(&"cleanup all".to_owned()), "one room does not skip the adapter");
    assert!(!book.notes().contains(&"second".to_owned()), "callbacks wait for that room");
    let before = book.notes().len();
    let incomplete = incomplete.running.stop(None).await.unwrap_err();
    assert_eq!(incomplete.failures[0].phase, CleanupPhase::Callbacks);
    assert_eq!(
        incomplete.to_string(),
        "Agent cleanup remains incomplete: Adapter cleanup failed; retry stop() or shutdown() on the same host: \
         second failed (Adapter cleanup registration 2: second)"
    );
    let retried = &book.notes()[before..];
    assert!(retried[0].starts_with("cleanup "), "{retried:?}");
    assert_eq!(retried[1..], ["second", "first"]);
    let before = book.notes().len();
    incomplete.running.stop(None).await.unwrap();
    assert_eq!(book.notes()[before..], ["second"]);
}

#[tokio::test]
async fn any_failed_start_runs_them_and_uses_the_adapter_up() {
    let platform = Platform::start(&[]).await;
    platform.refuse("me", 401);
    let (agent, book) = with_callbacks(&platform);
    assert_eq!(agent.start().await.unwrap_err().status(), Some(401));
    assert_eq!(
        book.notes(),
        ["second", "first"],
        "the adapter was not started, so it has nothing to clean up"
    );
    assert!(agent.start().await.unwrap_err().to_string().starts_with("Adapter resources are disposed"));
}

#[tokio::test]
async fn an_adapter_with_callbacks_serves_one_agent_at_a_time() {
    let platform = Platform::start(&[]).await;
    let cleanups = Cleanups::default();
    cleanups.add("pool", || async { Ok::<(), String>(()) }).unwrap();
    let build = || {
        let owner = Owner { puppet: Puppet(Arc::default()), cleanups: cleanups.clone() };
        builder_of(&platform, owner).build().unwrap()
    };
    let (one, other) = (build(), build());
    let running = one.start().await.unwrap();
    let err = other.start().await.unwrap_err().to_string();
    let text = "Adapter is already in use by another host; use that host or build a separate adapter";
    assert_eq!(err, text);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_callback_cannot_stop_the_agent_that_waits_for_it() {
    let platform = Platform::start(&[]).await;
    let book = Arc::new(Book::default());
    let agent = builder_of(&platform, Puppet(Arc::clone(&book))).build().unwrap();
    let inside = agent.clone();
    let noted = Arc::clone(&book);
    let callback = move || {
        let (inside, noted) = (inside.clone(), Arc::clone(&noted));
        async move {
            let err = inside.stop(None).await.unwrap_err();
            noted.note(err.to_string());
            Ok::<(), String>(())
        }
    };
    agent.add_cleanup("stops", callback).unwrap();
    agent.start().await.unwrap().stop(None).await.unwrap();
    assert_eq!(
        book.notes().last().unwrap(),
        "Return from the cleanup callback; request host shutdown from outside this cleanup attempt"
    );
}

/// A puppet that brings its own callbacks.
struct Owner {
    puppet: Puppet,
    cleanups: Cleanups,
}

impl band::FrameworkAdapter for Owner {
    async fn on_event(&self, input: band::AgentInput) -> band::AdapterResult {
        band::FrameworkAdapter::on_event(&self.puppet, input).await
    }

    fn cleanups(&self) -> Option<&Cleanups> {
        Some(&self.cleanups)
    }
}
