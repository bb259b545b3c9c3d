//! `band agent run` with models: by options, and several agents by a file.

use band_testkit::{ModelServer, ModelStep, PATIENCE, Process};
use band_wire::phx::Topic;

use crate::agent::variables_of;
use crate::end_to_end::person_of;
use crate::stage::{Stage, variable};

#[tokio::test]
async fn a_model_its_instructions_and_tools_are_chosen_by_options() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let user = stage.run(&["user", "add", "Ann"]).await.done();
    let lines = stage.run(&["agent", "add", "Gardener", "--description", "Knows the garden."]).await.done();
    let model =
        ModelServer::start([ModelStep::send("It grows.", &["ann"]), ModelStep::silence()]).await.unwrap();
    let brief = stage.home().join("brief.md");
    std::fs::write(&brief, "Speak like a gardener.").unwrap();
    let base_url = format!("base_url={}", model.openai_url());
    let mut command =
        stage.command(&["agent", "run", "--adapter", "openai", "--model", "m", "--set", &base_url]);
    command.args(["--tools", "contacts", "--instructions"]).arg(&brief).envs(variables_of(&lines));
    let mut agent = Process::start("agent", &mut command).unwrap();
    agent.line("Agent started: Gardener", PATIENCE).await.unwrap();
    let person = person_of(&lines, &user).await;
    let gardener = person.agents().await.unwrap().remove(0);
    let room = person.create_room("Garden").await.unwrap();
    person.add(room, gardener.id).await.unwrap();
    let mut watcher = person.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(room)).await.unwrap();
    person.say(room, gardener.id, "how is it?").await.unwrap();
    watcher.message("the answer", |message| message.content.ends_with("It grows.")).await.unwrap();
    let asked = model.bodies().remove(0);
    assert_eq!(asked["model"], "m");
    let asked = asked.to_string();
    assert!(asked.contains("Speak like a gardener.") && asked.contains("band_list_contacts"), "{asked}");
    assert!(model.refusals().is_empty());
}

#[tokio::test]
async fn all_agents_of_a_file_run_in_one_process() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let user = stage.run(&["user", "add", "Ann"]).await.done();
    let mut file = String::new();
    let mut keys = Vec::new();
    let mut models = Vec::new();
    let mut platform = String::new();
    for (name, provider, at) in [("Rose", "anthropic", ""), ("Tulip", "gemini", ""), ("Oak", "openai", "/v1")]
    {
        let lines = stage.run(&["agent", "add", name, "--description", "Grows in the garden."]).await.done();
        let says = format!("I am {name}.");
        let model =
            ModelServer::start([ModelStep::send(&says, &["ann"]), ModelStep::silence()]).await.unwrap();
        file.push_str(&format!(
            "[[agent]]\nname = \"{name}\"\nagent_id = \"{}\"\napi_key_env = \"KEY_OF_{name}\"\nadapter = \"{provider}\"\n\
             model = \"m\"\ninstructions = \"Be {name}.\"\nsettings = {{ base_url = \"{}{at}\" }}\n\n",
            variable(&lines, "BAND_AGENT_ID"),
            model.url(),
        ));
        keys.push((format!("KEY_OF_{name}"), variable(&lines, "BAND_API_KEY").to_owned()));
        models.push(model);
        platform = lines;
    }
    let path = stage.home().join("band.toml");
    std::fs::write(&path, file).unwrap();
    let mut command = stage.command(&["agent", "run", "--file"]);
    command.arg(&path).envs(keys.clone()).env("BAND_REST_URL", variable(&platform, "BAND_REST_URL"));
    let mut agents = Process::start("agents", &mut command).unwrap();
    for _ in 0..3 {
        agents.line("Agent started: ", PATIENCE).await.unwrap();
    }
    let person = person_of(&platform, &user).await;
    let room = person.create_room("Garden").await.unwrap();
    let mut watcher = person.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(room)).await.unwrap();
    for agent in person.agents().await.unwrap() {
        person.add(room, agent.id).await.unwrap();
        person.say(room, agent.id, "who are you?").await.unwrap();
        let wanted = format!("I am {}.", agent.name);
        watcher.message(&wanted, |message| message.content.ends_with(&wanted)).await.unwrap();
    }
    agents.signal("TERM").await.unwrap();
    assert_eq!(agents.ended(PATIENCE).await.unwrap().code(), Some(143));
    for (_, key) in keys {
        assert!(!agents.tail().contains(&key), "no key in the log");
    }
    assert!(models.iter().all(|model| model.refusals().is_empty() && model.steps_left() == 0));
}

#[tokio::test]
async fn what_a_file_says_wrong_is_named_and_nothing_starts() {
    let stage = Stage::new();
    let path = stage.home().join("band.toml");
    std::fs::write(&path, "[[agent]]\nadaptor = \"echo\"\n").unwrap();
    let line = stage.run(&["agent", "run", "--file", path.to_str().unwrap()]).await.failed(2);
    assert!(line.contains("band.toml") && line.contains("Did you mean 'adapter'?"), "{line}");
    let line = stage.run(&["agent", "run", "--file", path.to_str().unwrap(), "--model", "m"]).await.failed(2);
    assert!(line.contains("--file"), "{line}");
}
