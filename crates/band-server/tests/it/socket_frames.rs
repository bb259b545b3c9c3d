//! Frames, joins and leaves as clients see them. The rules themselves are tested with the hub.

use serde_json::json;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use crate::live::{Phoenix, Populated};

#[tokio::test]
async fn a_heartbeat_is_answered() {
    let p = Populated::start().await;
    let mut socket = Phoenix::open(&p.site, &p.helper).await;
    socket.send(r#"[null,"12","phoenix","heartbeat",{}]"#).await;
    let reply = socket.next().await;
    assert_eq!(reply, json!([null, "12", "phoenix", "phx_reply", {"status": "ok", "response": {}}]));
}

#[tokio::test]
async fn own_topics_and_rooms_are_joined_and_left() {
    let p = Populated::start().await;
    let mut agent = Phoenix::open(&p.site, &p.helper).await;
    for kind in ["agent_control", "agent_rooms", "agent_contacts"] {
        agent.join(&format!("{kind}:{}", p.helper.id)).await;
    }
    let mut person = Phoenix::open(&p.site, &p.ann).await;
    for kind in ["user_rooms", "user_contacts", "user_agents", "tasks"] {
        person.join(&format!("{kind}:{}", p.ann.id)).await;
    }
    for kind in ["chat_room", "room_participants", "room_tasks"] {
        let topic = format!("{kind}:{}", p.room);
        for socket in [&mut agent, &mut person] {
            let join_ref = socket.join(&topic).await;
            assert_eq!(socket.leave(&topic, &join_ref).await[4]["status"], "ok");
            let close = socket.event("phx_close").await;
            assert_eq!(close, json!([join_ref, join_ref, topic, "phx_close", {}]));
        }
    }
    let (_, reply) = person.try_join(&format!("room_activity:{}", p.room)).await;
    assert_eq!(reply["response"], json!({"working_agents": []}));
}

#[tokio::test]
async fn foreign_and_missing_rooms_and_topics_are_unauthorized_alike() {
    let p = Populated::start().await;
    let nowhere = "00000000-0000-4000-8000-000000000000";
    let unauthorized = json!({"status": "error", "response": {"reason": "unauthorized"}});
    let mut agent = Phoenix::open(&p.site, &p.helper).await;
    let mut person = Phoenix::open(&p.site, &p.ann).await;
    for kind in ["chat_room", "room_participants", "room_tasks", "room_activity"] {
        for room in [p.other_room.as_str(), nowhere] {
            for socket in [&mut agent, &mut person] {
                assert_eq!(socket.try_join(&format!("{kind}:{room}")).await.1, unauthorized, "{kind}");
            }
        }
    }
    for topic in [format!("agent_control:{}", p.scout.id), format!("user_rooms:{}", p.ann.id)] {
        assert_eq!(agent.try_join(&topic).await.1, unauthorized);
    }
    for topic in [format!("agent_rooms:{}", p.helper.id), format!("user_rooms:{}", p.bob.id)] {
        assert_eq!(person.try_join(&topic).await.1, unauthorized);
    }
    let unmatched = json!({"status": "error", "response": {"reason": "unmatched topic"}});
    assert_eq!(agent.try_join("lobby").await.1, unmatched);
}

#[tokio::test]
async fn a_malformed_frame_costs_that_socket_and_no_other() {
    let p = Populated::start().await;
    let mut other = Phoenix::open(&p.site, &p.ann).await;
    let big = format!(r#"["1","1","x","y",{{"z":"{}"}}]"#, "z".repeat(1024 * 1024));
    for (message, code) in [
        (Message::text("hello"), 1011),
        (Message::text("{}"), 1011),
        (Message::text(r#"["1","1","topic"]"#), 1011),
        (Message::text(r#"["1","1","","phx_join",{}]"#), 1011),
        (Message::text(r#"["1",{},"t","phx_join",{}]"#), 1011),
        (Message::binary(Bytes::from_static(b"\x00\x01\x01\x01\x01")), 1003),
        (Message::text(big), 1009),
    ] {
        let mut socket = Phoenix::open(&p.site, &p.rival).await;
        socket.send_raw(message).await;
        assert_eq!(socket.closed().await, Some(code));
    }
    other.heartbeat().await;
    Phoenix::open(&p.site, &p.rival).await.heartbeat().await;
}

#[tokio::test]
async fn odd_but_readable_frames_are_taken() {
    let p = Populated::start().await;
    let mut socket = Phoenix::open(&p.site, &p.helper).await;
    let topic = format!("agent_rooms:{}", p.helper.id);
    socket.send(&json!([7, 7, topic, "phx_join", "no object", "more"]).to_string()).await;
    let reply = socket.next().await;
    assert_eq!((&reply[0], &reply[1]), (&json!(7), &json!(7)));
    socket.send(&json!(["7", "8", topic, "shout", {}]).to_string()).await;
    socket.send(&json!([null, "9", topic, "shout", {}]).to_string()).await;
    assert_eq!(socket.settled().await, Vec::<serde_json::Value>::new());
    socket.send(&json!(["7", "10", "chat_room:x", "shout", {}]).to_string()).await;
    let reply = socket.reply("10").await;
    assert_eq!(reply[4]["response"]["reason"], "unmatched topic");
}

#[tokio::test]
async fn thousands_of_joins_are_answered_in_order() {
    let p = Populated::start().await;
    let mut socket = Phoenix::open(&p.site, &p.helper).await;
    let topic = format!("chat_room:{}", p.room);
    for number in 0..3000 {
        socket
            .send(&json!([number.to_string(), number.to_string(), topic, "phx_join", {}]).to_string())
            .await;
        if number % 10 == 9 {
            socket.reply(&number.to_string()).await;
        }
    }
    let replies: Vec<u64> = socket
        .kept()
        .iter()
        .filter(|frame| frame[3] == "phx_reply")
        .map(|frame| frame[1].as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(replies.len(), 2700);
    assert!(replies.is_sorted());
}

#[tokio::test]
async fn a_ping_is_answered() {
    let p = Populated::start().await;
    let mut socket = Phoenix::open(&p.site, &p.helper).await;
    socket.send_raw(Message::Ping(Bytes::from_static(b"x"))).await;
    socket.heartbeat().await;
    socket.close().await;
}
