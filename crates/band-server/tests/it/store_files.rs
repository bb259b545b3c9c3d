//! The data folder: what survives, what is refused.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use band_server::app::App;
use band_server::bus::Nowhere;
use band_server::store::{DataDir, StoreError};
use rusqlite::Connection;

use crate::site::Site;

#[tokio::test]
async fn what_was_answered_is_there_after_the_process_forgot_to_close() {
    let site = Site::new().await;
    let mut sent = Vec::new();
    for number in 0..20 {
        sent.push(site.say(site.echo, &number.to_string()).await.id);
    }
    site.app.mark_processing(site.echo, site.room, sent[0]).await.unwrap();
    // A copy of the files as they are now is what a killed process leaves behind.
    let copy = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(site.dir.path()).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    let dir = DataDir::open(copy.path()).unwrap();
    let app = App::open(&dir, Arc::new(Nowhere)).await.unwrap();
    for id in sent {
        assert_eq!(app.next_message(site.echo, site.room).await.unwrap().unwrap().id, id);
        app.mark_processing(site.echo, site.room, id).await.unwrap();
        app.mark_processed(site.echo, site.room, id).await.unwrap();
    }
    assert_eq!(app.authenticate(&site.keys["Echo"]).await.unwrap(), Some(site.echo), "keys still work");
    app.close().await;
}

#[tokio::test]
async fn a_closed_platform_takes_no_work_and_opens_again() {
    let site = Site::new().await;
    let id = site.say(site.echo, "hi").await.id;
    site.app.close().await;
    assert_eq!(crate::site::status(&site.send(site.ann, site.echo, "late").await), 503);
    assert_eq!(crate::site::status(&site.app.next_message(site.echo, site.room).await), 503);
    let app = App::open(&site.dir, Arc::new(Nowhere)).await.unwrap();
    assert_eq!(app.next_message(site.echo, site.room).await.unwrap().unwrap().id, id);
}

#[tokio::test]
async fn the_files_are_private() {
    let site = Site::new().await;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(site.dir.path()), 0o700);
    let mut seen = 0;
    for file in std::fs::read_dir(site.dir.path()).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
        seen += 1;
    }
    assert_eq!(seen, 4, "database, log, index of the log, secret");
}

async fn reopened(site: Site, change: impl FnOnce(&Connection)) -> Result<App, StoreError> {
    site.app.close().await;
    change(&Connection::open(site.dir.database()).unwrap());
    App::open(&site.dir, Arc::new(Nowhere)).await
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let site = Site::new().await;
    let error = reopened(site, |raw| {
        raw.execute("INSERT INTO migrations VALUES (99, x'00', 0)", []).unwrap();
    });
    let error = error.await.unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    assert!(error.to_string().contains("use a newer version of band"), "{error}");
}

#[tokio::test]
async fn a_changed_history_of_migrations_is_refused() {
    let site = Site::new().await;
    let error = reopened(site, |raw| {
        raw.execute("UPDATE migrations SET hash = zeroblob(32)", []).unwrap();
    });
    assert!(matches!(error.await.unwrap_err(), StoreError::Foreign { version: 1, .. }));
}

#[tokio::test]
async fn a_lost_or_foreign_secret_is_refused() {
    let site = Site::new().await;
    site.app.close().await;
    let secret = std::fs::read(site.dir.secret()).unwrap();
    std::fs::remove_file(site.dir.secret()).unwrap();
    let error = App::open(&site.dir, Arc::new(Nowhere)).await.unwrap_err();
    assert!(matches!(error, StoreError::SecretMissing { .. }), "{error}");
    std::fs::write(site.dir.secret(), [0; 32]).unwrap();
    let error = App::open(&site.dir, Arc::new(Nowhere)).await.unwrap_err();
    assert!(matches!(error, StoreError::SecretWrong { .. }), "{error}");
    std::fs::write(site.dir.secret(), secret).unwrap();
    App::open(&site.dir, Arc::new(Nowhere)).await.unwrap();
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let dir = DataDir::open(temp.path()).unwrap();
    App::open(&dir, Arc::new(Nowhere)).await.unwrap().close().await;
    std::fs::write(dir.database(), "not a database, but long enough to look like one".repeat(50)).unwrap();
    let error = App::open(&dir, Arc::new(Nowhere)).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
}
