use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use band_testkit::{PATIENCE, Person, Process};
use band_wire::phx::Topic;
use band_wire::rest::routes;
use tokio::process::Command;
use tokio::time::timeout;

use crate::stage::{Stage, variable};

/// The person of `band up`.
pub(crate) async fn person(stage: &Stage) -> Person {
    let lines = stage.run(&["env"]).await.done();
    person_of(&lines, &lines).await
}

/// The person whose key stands in `user`, at the address in `lines`.
pub(crate) async fn person_of(lines: &str, user: &str) -> Person {
    Person::sign_in(variable(lines, "BAND_REST_URL"), variable(user, "BAND_USER_KEY")).await.unwrap()
}

#[tokio::test]
async fn a_mention_is_answered() {
    let stage = Stage::new();
    let (mut up, _) = stage.up().await;
    let person = person(&stage).await;
    let rooms: Vec<band_wire::rest::MyChat> = person.api().all(routes::ME_CHATS).await.unwrap();
    assert_eq!(rooms.iter().map(|room| room.title.as_deref()).collect::<Vec<_>>(), [Some("Welcome")]);
    let room = rooms[0].id;
    let agent = person.agents().await.unwrap().remove(0);
    let mut watcher = person.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(room)).await.unwrap();
    person.say(room, agent.id, "@you/echo hello").await.unwrap();
    let wanted = |message: &band_wire::rest::Message| message.sender_id == agent.id.into();
    let answer = watcher.message("the answer", wanted).await.unwrap();
    assert!(answer.content.ends_with("echo: hello"), "{}", answer.content);

    up.signal("INT").await.unwrap();
    up.line("Agent stopped: Echo (graceful=true)", PATIENCE).await.unwrap();
    assert_eq!(up.ended(PATIENCE).await.unwrap().code(), Some(130));
}

#[tokio::test]
async fn a_second_run_finds_everything_again() {
    let stage = Stage::new();
    let (mut up, first_link) = stage.up().await;
    let before = stage.run(&["env"]).await.done();
    up.terminate().await.unwrap();
    assert_eq!(up.ended(PATIENCE).await.unwrap().code(), Some(143));
    let (_up, second_link) = stage.up().await;
    let after = stage.run(&["env"]).await.done();
    for name in ["BAND_USER_KEY", "BAND_AGENT_ID", "BAND_API_KEY"] {
        assert_eq!(variable(&before, name), variable(&after, name));
    }
    assert_ne!(first_link, second_link, "each link is new");
    let person = person(&stage).await;
    assert_eq!(person.agents().await.unwrap().len(), 1);
    let rooms: Vec<band_wire::rest::MyChat> = person.api().all(routes::ME_CHATS).await.unwrap();
    assert_eq!(rooms.len(), 1);
}

#[tokio::test]
async fn the_next_free_port_is_taken_and_named() {
    let stage = Stage::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (mut up, line) = stage.start(&["up", "--no-open", "--port", &port], "is taken").await;
    assert!(line.contains(&port), "{line}");
    let link = up.line("#token=", PATIENCE).await.unwrap();
    assert!(!link.contains(&format!(":{port}/")), "{link}");
}

#[tokio::test]
async fn its_words_are_plain_and_name_what_to_do_next() {
    let stage = Stage::new();
    let (mut up, _) = stage.up().await;
    up.line("Ctrl+C", PATIENCE).await.unwrap();
    let said = up.tail();
    assert!(!said.contains('\u{1b}'), "no colours: {said}");
    for word in ["@echo hello", "band agent add", "Ctrl+C", stage.data().to_str().unwrap()] {
        assert!(said.contains(word), "{word} in {said}");
    }
}

#[tokio::test]
async fn the_browser_is_led_to_the_link_without_its_token_in_the_process_list() {
    let stage = Stage::new();
    let tools = stage.home().join("tools");
    std::fs::create_dir(&tools).unwrap();
    let opener = tools.join("xdg-open");
    let seen = stage.home().join("seen");
    assert!(Command::new("mkfifo").arg(&seen).status().await.unwrap().success());
    let script = format!("#!/bin/sh\n{{ echo \"$@\"; cat \"$1\"; }} > {}\n", seen.display());
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();

    let mut command = stage.command(&["up", "--port", "0"]);
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("DISPLAY", ":0");
    let mut up = Process::start("up", &mut command).unwrap();
    let line = up.line("#token=", PATIENCE).await.unwrap();
    let link = line.split_whitespace().find(|word| word.contains("#token=")).unwrap();
    up.line("A browser is being opened.", PATIENCE).await.unwrap();
    let text = timeout(PATIENCE, tokio::fs::read_to_string(&seen)).await.unwrap().unwrap();
    let (words, page) = text.split_once('\n').unwrap();
    assert_eq!(words, stage.data().join("open.html").to_str().unwrap());
    assert!(page.contains(link), "{page}");
    up.signal("INT").await.unwrap();
    up.ended(PATIENCE).await.unwrap();
    assert!(!stage.data().join("open.html").exists());
}

#[tokio::test]
async fn lost_keys_are_made_anew_for_the_same_person_room_and_agent() {
    let stage = Stage::new();
    let (mut up, _) = stage.up().await;
    let before = stage.run(&["env"]).await.done();
    up.terminate().await.unwrap();
    up.ended(PATIENCE).await.unwrap();
    std::fs::remove_file(stage.data().join("demo.json")).unwrap();

    let (_up, _) = stage.up().await;
    let after = stage.run(&["env"]).await.done();
    assert_eq!(variable(&before, "BAND_AGENT_ID"), variable(&after, "BAND_AGENT_ID"));
    for name in ["BAND_USER_KEY", "BAND_API_KEY"] {
        assert_ne!(variable(&before, name), variable(&after, name));
    }
    let person = person(&stage).await;
    assert_eq!((person.details().handle.as_str(), person.agents().await.unwrap().len()), ("you", 1));
    let rooms: Vec<band_wire::rest::MyChat> = person.api().all(routes::ME_CHATS).await.unwrap();
    assert_eq!(rooms.len(), 1);
}
