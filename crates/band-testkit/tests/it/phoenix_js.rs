//! The official Phoenix client for JavaScript as a person's client.

use band_testkit::{PATIENCE, Process, peers};
use band_wire::phx::Topic;
use band_wire::rest::routes;
use serde_json::{Value, json};

use crate::stage::Stage;

/// The client, told to join these topics.
fn client(stage: &Stage, topics: &[Topic]) -> Process {
    let mut command = peers::node().unwrap();
    let topics: Vec<String> = topics.iter().map(ToString::to_string).collect();
    let socket = stage.person.api().ws_url();
    command
        .args(["--no-warnings", "--experimental-websocket"])
        .arg(peers::script("phoenix_watch.cjs"))
        .env("PEER_SOCKET", socket.trim_end_matches("/websocket"))
        .env("PEER_KEY", stage.person.api().key())
        .env("PEER_TOPICS", topics.join(" "));
    Process::start("the Phoenix client", &mut command).unwrap()
}

async fn joined(client: &mut Process, topic: Topic) -> Value {
    said(client, "joined", topic).await
}

/// What it said of a topic, whenever that was: the order between topics is not given.
async fn said(client: &mut Process, word: &str, topic: Topic) -> Value {
    let wanted = |line: &str| parse(line)[word] == topic.to_string();
    let line = client.anywhere(&format!("{topic} to be {word}"), PATIENCE, wanted).await.unwrap();
    parse(&line)
}

fn parse(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

/// The next printed value that is wanted.
async fn printed(client: &mut Process, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let line = client.matching(what, PATIENCE, |line| wanted(&parse(line))).await.unwrap();
    parse(&line)
}

async fn pushed(client: &mut Process, topic: Topic, event: &str) -> Value {
    let wanted = |value: &Value| value["topic"] == topic.to_string() && value["event"] == event;
    printed(client, &format!("{event} on {topic}"), wanted).await["payload"].take()
}

#[tokio::test]
async fn it_joins_a_room_and_receives_messages_events_and_participants() {
    let stage = Stage::set().await;
    let room = Topic::ChatRoom(stage.room);
    let members = Topic::RoomParticipants(stage.room);
    let mut client = client(&stage, &[room, members]);
    joined(&mut client, room).await;
    joined(&mut client, members).await;

    let message = stage.say("hello").await;
    let created = pushed(&mut client, room, "message_created").await;
    assert_eq!(created["id"], message.to_string());
    assert_eq!(created["content"], format!("@[[{}]] hello", stage.agent.id));
    assert_eq!(created["chat_room_id"], stage.room.to_string());

    let event = json!({"event": {"content": "thinking", "message_type": "thought"}});
    let agent = stage.person.api_of(&stage.agent).unwrap();
    let made: Value = agent.post(&routes::agent_events(stage.room), event).await.unwrap();
    let thought = pushed(&mut client, room, "event_created").await;
    assert_eq!(thought["id"], made["data"]["id"]);
    assert_eq!(thought["message_type"], "thought");
    assert_eq!(thought["sender_id"], stage.agent.id.to_string());

    let second = stage.person.register("Second", "Another pair of hands.").await.unwrap();
    stage.person.add(stage.room, second.id).await.unwrap();
    let added = pushed(&mut client, members, "participant_added").await;
    assert_eq!(added["id"], second.id.to_string());
    assert_eq!(added["type"], "Agent");
    stage.person.remove(stage.room, second.id).await.unwrap();
    let removed = pushed(&mut client, members, "participant_removed").await;
    assert_eq!((&removed["id"], &removed["name"]), (&added["id"], &added["name"]));
}

#[tokio::test]
async fn it_hears_of_delivery_and_of_an_agent_at_work() {
    let stage = Stage::set().await;
    let room = Topic::ChatRoom(stage.room);
    let activity = Topic::RoomActivity(stage.room);
    let mut client = client(&stage, &[activity, room]);
    let reply = joined(&mut client, activity).await;
    assert_eq!(reply["response"], json!({"working_agents": []}));
    joined(&mut client, room).await;

    let message = stage.say("work on it").await;
    let agent = stage.person.api_of(&stage.agent).unwrap();
    let _: Value =
        agent.post(&routes::agent_mark(stage.room, message, "processing"), json!({})).await.unwrap();
    let updated = pushed(&mut client, room, "message_updated").await;
    let status = &updated["metadata"]["delivery_status"][stage.agent.id.to_string()];
    assert_eq!(status["status"], "processing");

    for (working, event) in [(true, "agent_activity_started"), (false, "agent_activity_stopped")] {
        let _: Value =
            agent.post(&routes::agent_activity(stage.room), json!({"working": working})).await.unwrap();
        let told = pushed(&mut client, activity, event).await;
        assert_eq!(told["agent_id"], stage.agent.id.to_string());
        assert_eq!(told["working"], working);
    }
}

#[tokio::test]
async fn it_hears_of_a_new_room_on_the_persons_own_topic() {
    let stage = Stage::set().await;
    let rooms = Topic::UserRooms(stage.person.details().id);
    let mut client = client(&stage, &[rooms]);
    joined(&mut client, rooms).await;
    let room = stage.person.create_room("Attic").await.unwrap();
    let added = pushed(&mut client, rooms, "room_added").await;
    assert_eq!(added["id"], room.to_string());
    assert_eq!(added["title"], "Attic");
}

#[tokio::test]
async fn foreign_topics_are_refused_and_the_socket_stays() {
    let stage = Stage::set().await;
    let stranger = stage.served.add_person("Bob").await.unwrap();
    let hidden = stranger.create_room("Cellar").await.unwrap();
    let own = Topic::ChatRoom(stage.room);
    let foreign =
        [Topic::ChatRoom(hidden), Topic::UserRooms(stranger.details().id), Topic::AgentRooms(stage.agent.id)];
    let mut client = client(&stage, &[foreign[0], foreign[1], foreign[2], own]);
    for topic in foreign {
        let refused = said(&mut client, "refused", topic).await;
        assert_eq!(refused["response"], json!({"reason": "unauthorized"}));
    }
    joined(&mut client, own).await;
    stage.say("still open").await;
    pushed(&mut client, own, "message_created").await;
}

#[tokio::test]
async fn a_topic_that_was_left_is_quiet_and_the_leave_is_confirmed() {
    let stage = Stage::set().await;
    let room = Topic::ChatRoom(stage.room);
    let members = Topic::RoomParticipants(stage.room);
    let mut client = client(&stage, &[room, members]);
    joined(&mut client, members).await;
    client.signal("USR2").await.unwrap();
    said(&mut client, "leave_confirmed", room).await;

    stage.say("nobody hears this").await;
    let second = stage.person.register("Second", "Another pair of hands.").await.unwrap();
    stage.person.add(stage.room, second.id).await.unwrap();
    pushed(&mut client, members, "participant_added").await;
    assert!(client.lines_with("nobody hears this").is_empty(), "{}", client.tail());
}
