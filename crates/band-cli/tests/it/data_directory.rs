use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use band_testkit::PATIENCE;

use crate::stage::{Ended, Stage};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn it_is_where_the_flag_or_the_environment_says() {
    let stage = Stage::new();
    let add = ["user", "add", "Ann"];
    let here = stage.home().join("flag");
    let mut by_flag = stage.command(&add);
    by_flag.arg("--data").arg(&here);
    let mut by_variable = stage.command(&add);
    let mut by_convention = stage.bare(&add);
    by_convention.env("XDG_DATA_HOME", stage.home().join("xdg"));
    let mut by_home = stage.bare(&add);
    for (command, place) in [
        (&mut by_flag, here.clone()),
        (&mut by_variable, stage.data()),
        (&mut by_convention, stage.home().join("xdg/band")),
        (&mut by_home, stage.home().join(".local/share/band")),
    ] {
        Ended::of(command.output().await.unwrap()).done();
        assert!(place.join("band.db").is_file(), "{}", place.display());
        assert_eq!(mode(&place), 0o700);
    }
}

#[tokio::test]
async fn without_a_home_it_has_to_be_given() {
    let mut command = Stage::new().bare(&["user", "add", "Ann"]);
    command.env_remove("HOME");
    let line = Ended::of(command.output().await.unwrap()).failed(2);
    assert!(line.contains("--data"), "{line}");
}

#[tokio::test]
async fn a_second_server_on_it_names_the_first_and_ends_with_three() {
    let stage = Stage::new();
    let (_first, address) = stage.serve().await;
    for words in [&["serve", "--listen", "127.0.0.1:0"][..], &["up", "--no-open"]] {
        let line = stage.run(words).await.failed(3);
        assert!(line.contains(&address) && line.contains(stage.data().to_str().unwrap()), "{line}");
    }
}

#[tokio::test]
async fn a_killed_server_leaves_it_free() {
    let stage = Stage::new();
    let (mut first, _) = stage.serve().await;
    first.kill().await.unwrap();
    let line = stage.run(&["env"]).await.failed(1);
    assert!(line.contains("no server runs"), "{line}");
    let (second, _) = stage.serve().await;
    second.terminate().await.unwrap();
}

#[tokio::test]
async fn what_lies_in_it_is_for_its_owner_alone() {
    let stage = Stage::new();
    let (mut up, _) = stage.up().await;
    for name in ["band.db", "secret.key", "server.lock", "server.json", "demo.json"] {
        assert_eq!(mode(&stage.data().join(name)), 0o600, "{name}");
    }
    up.signal("INT").await.unwrap();
    assert_eq!(up.ended(PATIENCE).await.unwrap().code(), Some(130));
    assert!(!stage.data().join("server.json").exists());
}

#[tokio::test]
async fn keys_whose_database_is_gone_are_told_and_made_anew() {
    let stage = Stage::new();
    let (mut up, _) = stage.up().await;
    let before = stage.run(&["env"]).await.done();
    up.terminate().await.unwrap();
    up.ended(PATIENCE).await.unwrap();
    for entry in std::fs::read_dir(stage.data()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap() != "demo.json" {
            std::fs::remove_file(path).unwrap();
        }
    }
    let (up, _) = stage.up().await;
    let told = up.lines_with("demo.json");
    assert!(told.iter().any(|line| line.contains("the database they are for is gone")), "{}", up.tail());
    assert_ne!(stage.run(&["env"]).await.done(), before);
}

#[tokio::test]
async fn one_that_can_not_be_used_is_told_with_the_way_out() {
    let stage = Stage::new();
    let file = stage.home().join("file");
    std::fs::write(&file, "x").unwrap();
    for words in [&["serve", "--listen", "127.0.0.1:0"][..], &["up", "--no-open", "--port", "0"]] {
        let mut command = stage.bare(words);
        let line = Ended::of(command.arg("--data").arg(&file).output().await.unwrap()).failed(1);
        assert!(line.contains(file.to_str().unwrap()) && line.contains("give another with --data"), "{line}");
    }
}
