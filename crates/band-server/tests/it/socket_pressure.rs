//! A reader that doesn't read.

use serde_json::json;

use crate::live::{Phoenix, Populated};

/// Fills whatever lies between the platform and a client that doesn't read: some megabytes of buffers and
/// the socket's own queue.
const MANY: usize = 120;

#[tokio::test]
async fn a_slow_reader_is_cut_off_while_the_others_go_on() {
    let p = Populated::start().await;
    let topic = format!("chat_room:{}", p.room);
    let mut slow = Phoenix::open(&p.site, &p.ann).await;
    slow.join(&topic).await;
    let mut quick = Phoenix::open(&p.site, &p.ann).await;
    quick.join(&topic).await;
    let text = "x".repeat(500_000);
    let mut sent = Vec::new();
    for _ in 0..MANY {
        sent.push(p.site.say(&p.ann, &p.room, &p.helper, &text).await);
        let push = quick.event("message_created").await;
        assert_eq!(push[4]["id"], sent.last().unwrap().as_str());
    }
    // What the slow one still gets has no gap: it ends early, with the right code where there is room for it.
    let code = slow.closed().await;
    assert!(matches!(code, None | Some(1012)), "{code:?}");
    let got: Vec<String> = slow
        .kept()
        .iter()
        .filter(|frame| frame[3] == "message_created")
        .map(|frame| frame[4]["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(got.len() < MANY, "the slow reader got everything");
    assert_eq!(got, sent[..got.len()]);
    quick.heartbeat().await;
    let again = Phoenix::open(&p.site, &p.ann).await.join(&topic).await;
    assert_eq!(again, "1");
}

#[tokio::test]
async fn a_heartbeat_is_answered_under_a_flood_of_pushes() {
    let p = Populated::start().await;
    let topic = format!("chat_room:{}", p.room);
    let mut socket = Phoenix::open(&p.site, &p.ann).await;
    socket.join(&topic).await;
    for number in 0..50 {
        p.site.say(&p.ann, &p.room, &p.helper, &format!("{number} {}", "x".repeat(20_000))).await;
    }
    socket.send(&json!([null, "beat", "phoenix", "heartbeat", {}]).to_string()).await;
    socket.reply("beat").await;
}

#[tokio::test]
async fn a_message_too_long_for_an_agents_socket_closes_it_and_is_found_over_rest() {
    let p = Populated::start().await;
    let mut agent = Phoenix::open(&p.site, &p.helper).await;
    agent.join(&format!("chat_room:{}", p.room)).await;
    let mut person = Phoenix::open(&p.site, &p.ann).await;
    person.join(&format!("chat_room:{}", p.room)).await;
    // Each of these characters takes six bytes in JSON.
    let text = format!("a{}", "\u{1}".repeat(180_000));
    let id = p.site.say(&p.ann, &p.room, &p.helper, &text).await;
    assert_eq!(agent.closed().await, Some(1012));
    assert_eq!(person.event("message_created").await[4]["id"], id.as_str());
    let path = format!("/api/v1/agent/chats/{}/messages?status=all&sort_order=desc&limit=1", p.room);
    assert_eq!(p.site.get(&p.helper, &path).await.expect(200)["data"][0]["id"], id.as_str());
}
