use band_testkit::Person;
use serde_json::Value;
use tokio::process::Command;

use crate::stage::Stage;

#[tokio::test]
async fn its_lines_evaluate_in_a_shell_and_lead_to_the_platform() {
    let stage = Stage::new();
    let (_up, _) = stage.up().await;
    let lines = stage.run(&["env"]).await.done();
    let script = format!(
        "{lines}\nprintf '%s\\n' \"$BAND_REST_URL\" \"$BAND_WS_URL\" \"$BAND_USER_KEY\" \"$BAND_AGENT_ID\" \"$BAND_API_KEY\""
    );
    let shell = Command::new("sh").args(["-eu", "-c", &script]).output().await.unwrap();
    let values: Vec<String> = String::from_utf8(shell.stdout).unwrap().lines().map(str::to_owned).collect();
    let [rest, ws, user_key, agent_id, agent_key] = values.try_into().unwrap();

    assert_eq!(ws, rest.replace("http", "ws") + "/api/v1/socket/websocket");
    let person = Person::sign_in(&rest, &user_key).await.unwrap();
    let agents = person.agents().await.unwrap();
    assert_eq!(agents.iter().map(|agent| agent.id.to_string()).collect::<Vec<_>>(), [agent_id]);
    assert!(agent_key.starts_with("band_a_"), "an agent's key");
}

#[tokio::test]
async fn json_says_the_same() {
    let stage = Stage::new();
    let (_up, _) = stage.up().await;
    let lines = stage.run(&["env"]).await.done();
    let json: Value = serde_json::from_str(&stage.run(&["env", "-o", "json"]).await.done()).unwrap();
    for (name, value) in json.as_object().unwrap() {
        assert_eq!(crate::stage::variable(&lines, name), value.as_str().unwrap());
    }
    assert_eq!(json.as_object().unwrap().len(), 5);
}

#[tokio::test]
async fn without_kept_keys_it_names_the_commands_that_make_them() {
    let stage = Stage::new();
    let (_serve, address) = stage.serve().await;
    let ended = stage.run(&["env"]).await;
    assert!(ended.err.contains("band user add") && ended.err.contains("band agent add"), "{}", ended.err);
    let lines = ended.done();
    assert_eq!(crate::stage::variable(&lines, "BAND_REST_URL"), address);
    assert!(!lines.contains("KEY"), "{lines}");
}

#[tokio::test]
async fn without_a_server_it_says_how_to_start_one() {
    let stage = Stage::new();
    let line = stage.run(&["env"]).await.failed(1);
    assert!(line.contains("band up") && line.contains(stage.data().to_str().unwrap()), "{line}");
    assert!(!stage.data().exists(), "asking makes no directory");
}
