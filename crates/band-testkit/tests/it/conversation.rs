//! An agent of ours and one of the Python SDK, in one room, talking to each other.

use band::{Agent, RawHistory, Turn, adapter_fn};
use band_testkit::PATIENCE;
use band_testkit::tap::Call;
use band_wire::ParticipantId;
use band_wire::phx::Topic;
use band_wire::rest::DeliveryStatus;

use crate::orders::House;

/// What ours asks the other one, one after another.
const QUESTIONS: [&str; 3] = ["one", "two", "three"];

#[tokio::test]
async fn agents_of_the_two_sdks_talk_to_each_other_in_one_room_and_every_message_is_settled() {
    let house = House::build().await;
    let other = house.person.register("Parrot", "Repeats what it is told.").await.unwrap();
    house.person.add(house.room, other.id).await.unwrap();
    let mut watcher = house.person.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(house.room)).await.unwrap();
    let _parrot = house.theirs(&other).await;

    let (parrot, ann) = (ParticipantId::from(other.id), ParticipantId::from(house.person.details().id));
    let adapter = adapter_fn(move |turn: Turn<RawHistory>| async move {
        // After the person: the first question; after each answer: the next one; in the end: the person.
        let heard = QUESTIONS.iter().position(|question| turn.text().ends_with(&format!("echo: {question}")));
        let next = heard.map_or(0, |at| at + 1);
        let (text, to) = QUESTIONS.get(next).map_or(("that was all", ann), |question| (*question, parrot));
        turn.tools.send_message(text, &[to.to_string()]).await
    });
    let ours = Agent::builder(adapter)
        .credentials(house.agent.id, house.agent.key.clone())
        .rest_url(house.tap.base_url())
        .build();
    let running = ours.unwrap().start().await.unwrap();
    house.person.say(house.room, house.agent.id, "talk to the parrot").await.unwrap();
    watcher.message("the last word", |message| message.content.ends_with("that was all")).await.unwrap();
    // Four messages are for ours, three for the other one.
    let settled = |calls: &[Call]| calls.iter().filter(|call| call.what.ends_with("/processed")).count() == 7;
    house.tap.until("seven marks", settled).await.unwrap();
    house.tap.quiet().await.unwrap();
    assert!(running.stop(Some(PATIENCE)).await.unwrap().graceful);

    let timeline = house.person.timeline(house.room).await.unwrap();
    let said: Vec<&str> =
        timeline.iter().map(|message| message.content.rsplit("]] ").next().unwrap()).collect();
    let talk = [
        "talk to the parrot",
        "one",
        "echo: one",
        "two",
        "echo: two",
        "three",
        "echo: three",
        "that was all",
    ];
    assert_eq!(said, talk);
    for message in &timeline {
        let statuses =
            [house.agent.id, other.id].into_iter().filter_map(|agent| message.delivery_status(agent));
        for status in statuses {
            assert_eq!(status, DeliveryStatus::Processed, "{}", message.content);
        }
    }
}
