use band_testkit::{Api, Person};
use band_wire::rest::{AgentMe, Data, routes};
use serde_json::Value;

use crate::stage::{Ended, Stage, variable};

#[tokio::test]
async fn people_and_agents_are_added_with_and_without_a_server() {
    let stage = Stage::new();
    let before = stage.run(&["user", "add", "Ann Lee"]).await.done();
    let (_serve, address) = stage.serve().await;
    let after = stage.run(&["user", "add", "Bob"]).await.done();
    assert!(!before.contains("BAND_REST_URL"), "nothing to reach yet: {before}");
    assert_eq!(variable(&after, "BAND_REST_URL"), address);
    for (lines, handle) in [(&before, "ann-lee"), (&after, "bob")] {
        let person = Person::sign_in(&address, variable(lines, "BAND_USER_KEY")).await.unwrap();
        assert_eq!(person.details().handle, handle);
    }

    let text = "Knows the garden well.";
    let anns = stage.run(&["agent", "add", "Gardener", "--description", text]).await.done();
    let bobs = stage
        .run(&["agent", "add", "Gardener", "--description", text, "--owner", "@bob", "-o", "json"])
        .await
        .done();
    let bobs: Value = serde_json::from_str(&bobs).unwrap();
    for (key, handle) in [
        (variable(&anns, "BAND_API_KEY"), "ann-lee/gardener"),
        (bobs["BAND_API_KEY"].as_str().unwrap(), "bob/gardener"),
    ] {
        let me: Data<AgentMe> = Api::new(&address, key).unwrap().get(routes::AGENT_ME).await.unwrap();
        assert_eq!((me.data.handle.as_str(), me.data.description.as_deref()), (handle, Some(text)));
    }
}

#[tokio::test]
async fn what_the_platform_refuses_is_told_in_its_words_and_nothing_is_printed() {
    let stage = Stage::new();
    stage.run(&["user", "add", "Ann"]).await.done();
    let short = ["agent", "add", "Gardener", "--description", "short"];
    let without = stage.run(&short).await.failed(2);
    let (_serve, _) = stage.serve().await;
    let with = stage.run(&short).await.failed(2);
    assert_eq!(without, with, "one rule, one text");
    assert!(with.contains("description") && with.contains("at least 10"), "{with}");
    let line = stage
        .run(&["agent", "add", "Gardener", "--description", "Knows the garden.", "--owner", "zoe"])
        .await;
    assert!(line.err.contains("zoe"), "{}", line.err);
    assert_ne!(line.code, Some(0));
    stage.run(&["user", "add", " "]).await.failed(2);
}

#[tokio::test]
async fn a_link_is_printed_for_a_server_that_runs() {
    let stage = Stage::new();
    stage.run(&["user", "add", "Ann"]).await.done();
    let line = stage.run(&["user", "link"]).await.failed(1);
    assert!(line.contains("band up"), "{line}");
    let (_serve, address) = stage.serve().await;
    let first = stage.run(&["user", "link", "ann"]).await.done();
    let second = stage.run(&["user", "link"]).await.done();
    assert!(first.starts_with(&format!("{address}/#token=")), "{first}");
    assert_ne!(first, second);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_key_that_could_not_be_printed_is_no_success() {
    let stage = Stage::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let child =
        stage.command(&["user", "add", "Ann"]).stdout(full).stderr(std::process::Stdio::piped()).spawn();
    let line = Ended::of(child.unwrap().wait_with_output().await.unwrap()).failed(1);
    assert!(line.contains("standard output"), "{line}");
}

#[tokio::test]
async fn a_damaged_database_is_named_with_its_directory() {
    let stage = Stage::new();
    stage.run(&["user", "add", "Ann"]).await.done();
    std::fs::write(stage.data().join("band.db"), [b'x'; 8192]).unwrap();
    let line = stage.run(&["user", "add", "Bob"]).await.failed(1);
    assert!(line.contains(stage.data().to_str().unwrap()) && line.contains("backup"), "{line}");
}
