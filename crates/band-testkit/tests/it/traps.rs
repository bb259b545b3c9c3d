//! Traps that need the real platform; `docs/traps.md` lists all.

use std::sync::Arc;

use band::{Agent, Turn, adapter_fn};
use band_testkit::{PATIENCE, Platform};
use band_wire::ChatId;
use band_wire::event::ControlMode;
use band_wire::phx::Topic;
use band_wire::rest::DeliveryStatus;
use tokio::sync::{Mutex, Notify, mpsc};

/// More turns than any of these tests makes.
const TURNS: usize = 16;

#[tokio::test]
async fn trap_24_a_person_stops_an_agent_in_its_turn_and_lets_it_go_on() {
    let platform = Platform::start().await.unwrap();
    let person = platform.add_person("Ann").await.unwrap();
    let agent = person.register("Helper", "Waits until it may answer.").await.unwrap();
    let room: ChatId = person.room_with("Kitchen", &agent).await.unwrap();
    let mut watcher = person.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(room)).await.unwrap();
    let state = tempfile::tempdir().unwrap();
    let (began, turns) = mpsc::channel(TURNS);
    let (turns, go) = (Mutex::new(turns), Arc::new(Notify::new()));
    let may_answer = Arc::clone(&go);
    let adapter = adapter_fn(move |turn: Turn| {
        let (began, may_answer) = (began.clone(), Arc::clone(&may_answer));
        async move {
            began.try_send(()).unwrap();
            tokio::select! {
                () = may_answer.notified() => turn.reply("done").await.map(drop),
                () = turn.cancelled() => Err(band::Error::Cancelled),
            }
        }
    });
    let built = Agent::builder(adapter)
        .credentials(agent.id, agent.key.clone())
        .rest_url(platform.base_url())
        .build_with([("BAND_STATE_DIR", state.path().display().to_string())].into_iter().collect());
    let running = built.unwrap().start().await.unwrap();
    let message = person.say(room, agent.id, "answer this").await.unwrap();
    let turn = async || tokio::time::timeout(PATIENCE, turns.lock().await.recv()).await.unwrap().unwrap();
    // Twice: two stops do not use the message's one attempt up.
    for _ in 0..2 {
        turn().await;
        person.control(room, &agent, ControlMode::Stop).await.unwrap();
        person.control(room, &agent, ControlMode::Play).await.unwrap();
    }
    turn().await;
    go.notify_one();
    let wanted = |seen: &band_testkit::Seen| {
        let updated = seen.message().filter(|updated| updated.id == message)?;
        (updated.delivery_status(agent.id) == Some(DeliveryStatus::Processed)).then_some(())
    };
    watcher.until("the message to be processed", PATIENCE, wanted).await.unwrap();
    let told = person.timeline(room).await.unwrap();
    let answers = told.iter().filter(|told| told.content.ends_with("done")).count();
    assert_eq!((answers, told.iter().filter(|told| told.message_type == "error").count()), (1, 0));
    running.stop(Some(PATIENCE)).await.unwrap();
}
