//! The Python SDK's contacts and controls, unmodified, against our platform.

use band_testkit::{PATIENCE, Person, Process, Watcher};
use band_wire::event::ControlMode;
use band_wire::phx::Topic;
use band_wire::rest::DeliveryStatus;
use serde_json::Value;

use crate::stage::Stage;

/// The script's agent, started and ready.
async fn agent(stage: &Stage, contacts: &str) -> Process {
    let mut process = stage.python_script("contact_agent.py", &[("PEER_CONTACTS", contacts)]);
    process.line("Agent started: Helper (band-sdk 6.0.1)", PATIENCE).await.unwrap();
    process
}

/// What the script printed under a word; the log has it in the middle of its lines.
async fn told(agent: &mut Process, word: &str) -> Value {
    let line = loop {
        let line = agent.line(&format!("{word} "), PATIENCE).await.unwrap();
        if line.starts_with(word) {
            break line;
        }
    };
    let (_, json) = line.split_once(' ').unwrap();
    serde_json::from_str(json).unwrap_or_else(|err| panic!("{line}: {err}"))
}

async fn watches_contacts(who: &Person) -> Watcher {
    let mut watcher = who.watch().await.unwrap();
    watcher.join(Topic::UserContacts(who.details().id)).await.unwrap();
    watcher
}

async fn event(watcher: &mut Watcher, name: &str) {
    watcher.until(name, PATIENCE, |seen| (seen.event == name).then_some(())).await.unwrap();
}

#[tokio::test]
async fn its_callback_uses_every_contact_tool() {
    let stage = Stage::set().await;
    let bob = stage.served.add_person("Bob").await.unwrap();
    stage.served.add_person("Cy").await.unwrap();
    let mut bobs = watches_contacts(&bob).await;
    let mut agent = agent(&stage, "callback").await;
    let request = bob.ask_for_contact("ann/helper", Some("hi")).await.unwrap();

    let received = told(&mut agent, "event").await;
    assert_eq!(received["type"], "ContactRequestReceivedEvent");
    assert_eq!(
        (&received["payload"]["from_handle"], &received["payload"]["message"]),
        (&"bob".into(), &"hi".into())
    );
    let answered = told(&mut agent, "answered").await;
    assert_eq!((&answered["id"], &answered["status"]), (&request.to_string().into(), &"approved".into()));
    let contacts = told(&mut agent, "contacts").await;
    assert_eq!(
        (&contacts["contacts"][0]["handle"], &contacts["metadata"]["total_count"]),
        (&"bob".into(), &1.into())
    );
    assert_eq!(told(&mut agent, "asked").await["status"], "pending");
    let requests = told(&mut agent, "requests").await;
    assert_eq!(requests["sent"][0]["to_handle"], "cy");
    assert_eq!(told(&mut agent, "cancelled").await["status"], "cancelled");
    assert_eq!(told(&mut agent, "removed").await["status"], "removed");
    for name in ["contact_request_updated", "contact_added", "contact_removed"] {
        event(&mut bobs, name).await;
    }
}

#[tokio::test]
async fn its_hub_room_answers_a_request() {
    let stage = Stage::set().await;
    let bob = stage.served.add_person("Bob").await.unwrap();
    let mut bobs = watches_contacts(&bob).await;
    let mut agent = agent(&stage, "hub_room").await;
    let request = bob.ask_for_contact("ann/helper", Some("hi")).await.unwrap();
    let turn = told(&mut agent, "turn").await;
    let text =
        format!("[Contact Request] Bob (@bob) wants to connect.\nMessage: \"hi\"\nRequest ID: {request}");
    assert_eq!((&turn["content"], &turn["hub"]), (&text.into(), &true.into()));
    let answered = told(&mut agent, "answered").await;
    assert_eq!(answered["status"], "approved", "{answered}");
    assert_eq!(told(&mut agent, "requests").await["data"]["received"], Value::Array(Vec::new()));
    assert_eq!(told(&mut agent, "contacts").await["data"][0]["handle"], "bob");
    event(&mut bobs, "contact_added").await;
}

#[tokio::test]
async fn it_is_interrupted_and_the_message_counts_as_processed() {
    let stage = Stage::set().await;
    let mut watcher = stage.watch().await;
    let mut agent = agent(&stage, "disabled").await;
    let message = stage.say("sleep").await;
    told(&mut agent, "turn").await;
    stage.person.control(stage.room, &stage.agent, ControlMode::Interrupt).await.unwrap();
    assert_eq!(told(&mut agent, "interrupted").await, "interrupt");
    stage.processed(&mut watcher, message).await;
    stage.say("go on").await;
    stage.answer(&mut watcher, "done").await;
}

#[tokio::test]
async fn it_is_stopped_stays_silent_and_replays_the_message_when_it_may_play_again() {
    let stage = Stage::set().await;
    let mut watcher = stage.watch().await;
    let mut agent = agent(&stage, "disabled").await;
    let message = stage.say("sleep").await;
    told(&mut agent, "turn").await;
    stage.person.control(stage.room, &stage.agent, ControlMode::Stop).await.unwrap();
    assert_eq!(told(&mut agent, "interrupted").await, "stop");
    stage.say("while it is stopped").await;
    assert_eq!(stage.said_by_the_agent().await, Vec::<String>::new());
    stage.person.control(stage.room, &stage.agent, ControlMode::Play).await.unwrap();
    // Where it hears of the play before it comes to the push of the second message, it takes the second one first.
    while !told(&mut agent, "turn").await["content"].as_str().unwrap().ends_with("sleep") {}
    stage.person.control(stage.room, &stage.agent, ControlMode::Interrupt).await.unwrap();
    let settled = stage.processed(&mut watcher, message).await;
    assert_eq!(settled.delivery_status(stage.agent.id), Some(DeliveryStatus::Processed));
    // After an interrupt it leaves what it was to catch up with to its next look, or to the next push.
    stage.say("go on").await;
    stage.answer(&mut watcher, "done").await;
}
