//! Who hears of what.

use http::Method;
use serde_json::{Value, json};

use crate::live::{As, Party, Phoenix, Populated};

impl Populated {
    /// A socket that has joined the room's topics, with the join_ref of the messages.
    async fn listener(&self, who: &Party) -> (Phoenix, String) {
        let mut socket = Phoenix::open(&self.site, who).await;
        let join_ref = socket.join(&format!("chat_room:{}", self.room)).await;
        socket.join(&format!("room_participants:{}", self.room)).await;
        (socket, join_ref)
    }
}

fn events(frames: &[Value]) -> Vec<&str> {
    frames.iter().filter_map(|frame| frame[3].as_str()).collect()
}

#[tokio::test]
async fn a_mention_reaches_people_and_the_agent_with_their_own_join_refs() {
    let p = Populated::start().await;
    let (mut person, person_ref) = p.listener(&p.ann).await;
    let (mut agent, agent_ref) = p.listener(&p.helper).await;
    let id = p.site.say(&p.ann, &p.room, &p.helper, "hello").await;
    for (socket, join_ref) in [(&mut person, person_ref), (&mut agent, agent_ref)] {
        let push = socket.event("message_created").await;
        assert_eq!(push[0], json!(join_ref));
        assert_eq!(push[1], Value::Null);
        assert_eq!(push[2], json!(format!("chat_room:{}", p.room)));
        assert_eq!(push[4]["id"], id.as_str());
        assert_eq!(push[4]["content"], format!("@[[{}]] hello", p.helper.id));
    }
}

#[tokio::test]
async fn an_agent_hears_neither_of_others_mentions_nor_of_events_nor_of_itself() {
    let p = Populated::start().await;
    p.site.add(&p.ann, &p.room, &p.scout).await.expect(201);
    let (mut scout, _) = p.listener(&p.scout).await;
    let (mut helper, _) = p.listener(&p.helper).await;
    let (mut person, _) = p.listener(&p.ann).await;
    p.site.say(&p.ann, &p.room, &p.helper, "not for the scout").await;
    p.site.reply(&p.helper, &p.room, &p.ann, "an answer").await;
    let thought = json!({"event": {"content": "hm", "message_type": "thought"}});
    p.site.post(&p.helper, &format!("/api/v1/agent/chats/{}/events", p.room), thought).await.expect(201);
    let mark = format!("/api/v1/agent/chats/{}/messages/{}/processing", p.room, p.waiting);
    p.site.call(As::Key(&p.helper.key), Method::POST, &mark, None).await.expect(200);
    assert_eq!(person.event("message_updated").await[4]["id"], p.waiting.as_str());
    assert!(scout.settled().await.is_empty());
    assert_eq!(events(&helper.settled().await), ["message_created"]);
    // That an agent is online is told beside its requests, sooner or later.
    let heard: Vec<Value> =
        person.settled().await.into_iter().filter(|frame| frame[3] != "agent_connected").collect();
    assert_eq!(events(&heard), ["message_created", "message_created", "event_created"]);
}

#[tokio::test]
async fn pushes_of_a_topic_come_in_commit_order_to_everyone() {
    let p = Populated::start().await;
    let (mut first, _) = p.listener(&p.ann).await;
    let (mut second, _) = p.listener(&p.helper).await;
    let texts: Vec<String> = (0..40).map(|number| format!("number {number}")).collect();
    let sends = texts.iter().map(|text| p.site.say(&p.ann, &p.room, &p.helper, text));
    futures_util::future::join_all(sends).await;
    let path = format!("/api/v1/me/chats/{}/messages?after={}&limit=100", p.room, p.waiting);
    let stored = p.site.get(&p.ann, &path).await.expect(200);
    let stored: Vec<&Value> = stored["data"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(stored.len(), 40);
    for socket in [&mut first, &mut second] {
        for id in &stored {
            assert_eq!(&&socket.event("message_created").await[4]["id"], id);
        }
    }
}

#[tokio::test]
async fn a_removed_member_hears_nothing_more_and_a_readded_one_hears_again_without_a_join() {
    let p = Populated::start().await;
    p.site.add(&p.ann, &p.room, &p.scout).await.expect(201);
    let (mut scout, join_ref) = p.listener(&p.scout).await;
    let (mut person, _) = p.listener(&p.ann).await;
    scout.join(&format!("agent_rooms:{}", p.scout.id)).await;
    p.site.remove(&p.ann, &p.room, &p.scout).await.expect(200);
    assert_eq!(scout.event("room_removed").await[4]["id"], p.room.as_str());
    let left = person.event("participant_removed").await;
    assert_eq!((&left[4]["id"], &left[4]["name"]), (&json!(p.scout.id), &json!("Scout")));
    p.site.say(&p.ann, &p.room, &p.helper, "while it is away").await;
    p.site.add(&p.ann, &p.room, &p.scout).await.expect(201);
    assert_eq!(scout.event("room_added").await[4]["id"], p.room.as_str());
    assert_eq!(person.event("participant_added").await[4]["id"], p.scout.id.as_str());
    let id = p.site.say(&p.ann, &p.room, &p.scout, "welcome back").await;
    let push = scout.event("message_created").await;
    assert_eq!((&push[0], &push[4]["id"]), (&json!(join_ref), &json!(id)));
    let rest = scout.settled().await;
    assert!(!events(&rest).contains(&"phx_close"), "{rest:?}");
}

#[tokio::test]
async fn a_message_is_readable_when_its_push_arrives() {
    let p = Populated::start().await;
    let (mut agent, _) = p.listener(&p.helper).await;
    let say = p.site.say(&p.ann, &p.room, &p.helper, "quick");
    let claim = async {
        let id = agent.event("message_created").await[4]["id"].as_str().unwrap().to_owned();
        let mark = format!("/api/v1/agent/chats/{}/messages/{id}/processing", p.room);
        p.site.call(As::Key(&p.helper.key), Method::POST, &mark, None).await.expect(200)
    };
    let (_, mark) = tokio::join!(say, claim);
    assert_eq!(mark["data"]["attempt_number"], 1);
}

#[tokio::test]
async fn people_see_who_is_working() {
    let p = Populated::start().await;
    let (mut person, _) = p.listener(&p.ann).await;
    let topic = format!("room_activity:{}", p.room);
    person.join(&topic).await;
    let path = format!("/api/v1/agent/chats/{}/activity", p.room);
    p.site.post(&p.helper, &path, json!({"working": true})).await.expect(200);
    let push = person.event("agent_activity_started").await;
    assert_eq!((&push[2], &push[4]["agent_id"]), (&json!(topic), &json!(p.helper.id)));
    let mut late = Phoenix::open(&p.site, &p.ann).await;
    let (_, reply) = late.try_join(&topic).await;
    assert_eq!(reply["response"]["working_agents"][0]["agent_id"], p.helper.id.as_str());
    p.site.post(&p.helper, &path, json!({"working": false})).await.expect(200);
    person.event("agent_activity_stopped").await;
}

#[tokio::test]
async fn presence_follows_the_socket() {
    let p = Populated::start().await;
    let path = format!("/api/v1/me/chats/{}/participants?participant_type=Agent", p.room);
    let online = async || p.site.get(&p.ann, &path).await.expect(200)["data"][0]["online"].clone();
    assert_eq!(online().await, false);
    let mut agent = Phoenix::open(&p.site, &p.helper).await;
    agent.heartbeat().await;
    assert_eq!(online().await, true);
}

#[tokio::test]
async fn people_see_agents_come_and_go() {
    let p = Populated::start().await;
    let (mut person, _) = p.listener(&p.ann).await;
    let (agent, _) = p.listener(&p.helper).await;
    let came = person.event("agent_connected").await;
    assert_eq!(came[2], json!(format!("room_participants:{}", p.room)));
    assert_eq!(came[4], json!({"id": p.helper.id, "chat_room_id": p.room, "connected": true}));
    agent.close().await;
    assert_eq!(person.event("agent_disconnected").await[4]["connected"], false);
}
