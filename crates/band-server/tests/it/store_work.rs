//! How the store works: groups, order, bounds, failures.

use std::collections::BTreeMap;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};

use band_core::platform::Refusal;
use band_server::app::AppError;
use band_server::bus::Nowhere;
use band_server::store::{DataDir, Store, StoreError};
use band_wire::rest::query::{MyMessagesQuery, Paging};
use band_wire::rest::{CreateChat, Role};
use tokio::task::JoinSet;

use crate::site::{Site, adding, message, payload};

fn store() -> (Store, tempfile::TempDir) {
    let temp = tempfile::tempdir().unwrap();
    let dir = DataDir::open(temp.path()).unwrap();
    (Store::open(&dir, Arc::new(Nowhere)).unwrap().0, temp)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pushes_leave_in_the_order_in_which_messages_are_stored() {
    let site = Arc::new(Site::new().await);
    let mut rooms = vec![site.room];
    for _ in 0..2 {
        let room = site.app.create_my_chat(site.ann, CreateChat::default(), None).await.unwrap().id;
        site.app.add_participant(site.ann, room, adding(site.echo, Role::Member), None).await.unwrap();
        rooms.push(room);
    }
    site.record.take();
    let mut tasks = JoinSet::new();
    for task in 0..12 {
        let (site, room) = (Arc::clone(&site), rooms[task % rooms.len()]);
        tasks.spawn(async move {
            for number in 0..25 {
                let text = format!("{task} {number}");
                site.app.send_message(site.ann, room, message(&text, &[site.echo]), None).await.unwrap();
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let mut pushed: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for push in site.record.take().iter().filter(|push| push.event == "message_created") {
        pushed
            .entry(push.topic.room().unwrap())
            .or_default()
            .push(payload(push)["id"].as_str().unwrap().to_owned());
    }
    for room in rooms {
        let query = MyMessagesQuery { paging: Paging::first(100), types: None, since: None, anchor: None };
        let page = site.app.my_messages(site.ann, room, query).await.unwrap();
        let mut stored: Vec<_> = page.data.iter().map(|message| message.id.to_string()).collect();
        stored.reverse();
        assert_eq!(stored.len(), 100);
        assert_eq!(pushed[&room], stored);
        assert!(page.data.is_sorted_by_key(|message| std::cmp::Reverse(message.inserted_at)));
    }
}

#[tokio::test]
async fn a_refused_command_takes_nothing_of_its_neighbours_with_it() {
    let (store, _temp) = store();
    let (hold, wait) = sync_channel::<()>(0);
    let first = store.write::<_, StoreError>(move |_| Ok(wait.recv().is_ok()));
    let link = |number: u8, fails: bool| {
        store.write::<(), AppError>(move |scope| {
            let whose = band_core::platform::Principal::User(user(scope)?);
            scope.add_key(&[number; 32], "test", whose)?;
            if fails { Err(Refusal::forbidden("no").into()) } else { Ok(()) }
        })
    };
    let release = async { hold.send(()).unwrap() };
    let (first, one, two, three, ()) =
        tokio::join!(first, link(1, false), link(2, true), link(3, false), release);
    assert!(first.unwrap());
    assert!(one.is_ok() && two.is_err() && three.is_ok());
    let found = store.read::<_, StoreError>(|view| Ok([1, 2, 3].map(|number| view.key(&[number; 32]))));
    let found = found.await.unwrap().map(|key| key.unwrap().is_some());
    assert_eq!(found, [true, false, true]);
}

/// The one user of a test, added when there is none.
fn user(scope: &mut band_server::store::Scope<'_>) -> Result<band_wire::UserId, AppError> {
    use band_core::platform::people::{NewUser, add};
    if let Some(user) = scope.view().users()?.first() {
        return Ok(user.id);
    }
    let new = NewUser { name: "Ann".to_owned(), email: None, is_admin: true };
    let id = band_wire::UserId::new(uuid::Uuid::from_u128(1));
    let plan = add(id, &new, scope.now(), |_| false)?;
    Ok(scope.carry_out(plan)?.id)
}

#[tokio::test]
async fn a_panicking_command_is_an_error_and_the_store_goes_on() {
    let (store, _temp) = store();
    let before = store.write::<_, AppError>(user).await.unwrap();
    let error = store
        .write::<(), AppError>(|scope| {
            let whose = band_core::platform::Principal::User(user(scope)?);
            scope.add_key(&[9; 32], "test", whose)?;
            panic!("on purpose")
        })
        .await
        .unwrap_err();
    assert!(matches!(error, AppError::Failed(StoreError::Panicked)));
    assert_eq!(error.status(), 500);
    assert!(!error.into_refusal().message.contains("purpose"), "callers see nothing of it");
    let read = store.read::<(), StoreError>(|_| panic!("on purpose")).await.unwrap_err();
    assert!(matches!(read, StoreError::Panicked));
    let key = store.read::<_, StoreError>(|view| view.key(&[9; 32])).await.unwrap();
    assert!(key.is_none(), "it was undone");
    assert_eq!(store.write::<_, AppError>(user).await.unwrap(), before);
}

#[tokio::test]
async fn a_full_queue_refuses_at_once_and_drains() {
    let (store, _temp) = store();
    let (hold, wait) = sync_channel::<()>(0);
    let (started, has_started) = tokio::sync::oneshot::channel();
    let mut tasks = JoinSet::new();
    let busy = store.clone();
    tasks.spawn(async move {
        let block = move |_: &mut band_server::store::Scope<'_>| {
            started.send(()).unwrap();
            Ok(wait.recv().is_ok())
        };
        busy.write::<_, StoreError>(block).await.map(|_| 0)
    });
    has_started.await.unwrap();
    let seen = Arc::new(Mutex::new(0_u32));
    for _ in 0..5_000 {
        let (store, seen) = (store.clone(), Arc::clone(&seen));
        tasks.spawn(async move {
            store
                .write::<_, StoreError>(move |_| {
                    let mut seen = seen.lock().unwrap();
                    *seen += 1;
                    Ok(*seen)
                })
                .await
        });
    }
    let mut refused = 0;
    while refused < 5_000 - 4_096 {
        let done = tasks.join_next().await.unwrap().unwrap();
        let error = done.expect_err("nothing can be done while the writer is held");
        assert!(matches!(error, StoreError::Overloaded { waiting: 4_096 }), "{error}");
        assert_eq!(AppError::from(error).status(), 503);
        refused += 1;
    }
    hold.send(()).unwrap();
    while let Some(done) = tasks.join_next().await {
        done.unwrap().unwrap();
    }
    assert_eq!(*seen.lock().unwrap(), 4_096);
}

#[tokio::test]
async fn a_caller_that_goes_away_does_not_undo_its_command() {
    let site = Site::new().await;
    let (hold, wait) = sync_channel::<()>(0);
    drop(hold);
    assert!(wait.recv().is_err());
    let send = site.send(site.ann, site.echo, "hi");
    // Polled once, the command is in the writer's queue; then its caller is gone.
    assert!(futures_util::FutureExt::now_or_never(send).is_none_or(|sent| sent.is_ok()));
    let next = site.say(site.mate, "after").await;
    assert_eq!(next.recipients.len(), 1);
    assert!(site.app.next_message(site.echo, site.room).await.unwrap().is_some());
}

#[tokio::test]
async fn what_was_written_is_read_at_once() {
    let site = Site::new().await;
    for number in 0..50 {
        let id = site.say(site.mate, &number.to_string()).await.id;
        let query = MyMessagesQuery { paging: Paging::first(1), types: None, since: None, anchor: None };
        let page = site.app.my_messages(site.ann, site.room, query).await.unwrap();
        assert_eq!(page.data.first().unwrap().id, id);
    }
}

#[tokio::test]
async fn a_locked_database_fails_its_group_whole_and_the_store_recovers() {
    let site = Site::new().await;
    let raw = rusqlite::Connection::open(site.dir.database()).unwrap();
    raw.execute_batch("BEGIN IMMEDIATE").unwrap();
    let before = site.counts();
    let (one, two) =
        tokio::join!(site.send(site.ann, site.echo, "one"), site.send(site.ann, site.echo, "two"));
    assert_eq!((crate::site::status(&one), crate::site::status(&two)), (503, 503));
    assert_eq!((site.counts(), site.record.take()), (before, vec![]));
    raw.execute_batch("ROLLBACK").unwrap();
    site.say(site.echo, "three").await;
    assert_eq!(site.record.take().len(), 1);
}
