//! What owners do with rooms: renaming, putting away, deleting, many at once.

use serde_json::json;

use crate::live::{As, Party, Phoenix, Populated, text_of};

impl Populated {
    fn chat(&self, side: &str) -> String {
        format!("/api/v1/{side}/chats/{}", self.room)
    }

    /// A room that an agent owns.
    async fn room_of(&self, agent: &Party) -> String {
        let made = self.site.post(agent, "/api/v1/agent/chats", json!({"chat": {}})).await.expect(201);
        text_of(&made["data"]["id"])
    }
}

#[tokio::test]
async fn a_room_is_renamed_by_its_owners_alone_and_keeps_the_name() {
    let p = Populated::start().await;
    let title = |title: &str| json!({"chat": {"title": title}});
    let mut ann = Phoenix::open(&p.site, &p.ann).await;
    ann.join(&format!("user_rooms:{}", p.ann.id)).await;
    let renamed = p.site.patch(&p.ann, &p.chat("me"), title(" Den ")).await.expect(200);
    assert_eq!((&renamed["data"]["title"], &renamed["data"]["status"]), (&json!("Den"), &json!("active")));
    assert_eq!(ann.event("room_updated").await[4]["title"], "Den");
    let again = p.site.patch(&p.ann, &p.chat("me"), title("Den")).await.expect(200);
    assert_eq!(again["data"]["updated_at"], renamed["data"]["updated_at"]);
    p.site.patch(&p.helper, &p.chat("agent"), title("Mine")).await.refused(403, "forbidden");
    p.site.patch(&p.rival, &p.chat("agent"), title("Mine")).await.refused(404, "not_found");
    p.site.patch(&p.bob, &p.chat("me"), title("Mine")).await.refused(404, "not_found");
    p.site.patch(&p.ann, &p.chat("me"), title(" ")).await.invalid("/chat/title", "can't be blank");
    p.site
        .patch(&p.ann, &p.chat("me"), json!({"chat": {}}))
        .await
        .invalid("/chat/title", "Missing field: title");
    let own = p.room_of(&p.helper).await;
    let path = format!("/api/v1/agent/chats/{own}");
    let renamed = p.site.patch(&p.helper, &path, title("Lab")).await.expect(200);
    assert_eq!(renamed["data"]["title"], "Lab");
    let seen = format!("/api/v1/me/chats/{own}");
    p.site.patch(&p.ann, &seen, title("Ours")).await.refused(403, "forbidden");
}

#[tokio::test]
async fn a_room_that_was_put_away_is_listed_apart_and_comes_back() {
    let p = Populated::start().await;
    let act =
        async |who: &Party, act: &str| p.site.post(who, &format!("{}/{act}", p.chat("me")), json!({})).await;
    assert_eq!(act(&p.ann, "archive").await.expect(200)["data"]["status"], "archived");
    let listed = async |status: &str| {
        let list = p.site.get(&p.ann, &format!("/api/v1/me/chats?status={status}")).await.expect(200);
        list["data"].as_array().unwrap().len()
    };
    assert_eq!((listed("archived").await, listed("active").await), (1, 0));
    p.site.say(&p.ann, &p.room, &p.helper, "still here").await;
    assert_eq!(act(&p.ann, "unarchive").await.expect(200)["data"]["status"], "active");
    act(&p.bob, "archive").await.refused(404, "not_found");
    p.site.add(&p.ann, &p.room, &p.bob).await.expect(201);
    act(&p.bob, "archive").await.refused(403, "forbidden");
}

#[tokio::test]
async fn a_deleted_room_is_gone_everywhere_and_everyone_hears_of_it() {
    let p = Populated::start().await;
    let mut ann = Phoenix::open(&p.site, &p.ann).await;
    let mut helper = Phoenix::open(&p.site, &p.helper).await;
    for socket in [&mut ann, &mut helper] {
        socket.join(&format!("room_participants:{}", p.room)).await;
    }
    ann.join(&format!("user_rooms:{}", p.ann.id)).await;
    helper.join(&format!("agent_rooms:{}", p.helper.id)).await;
    let task = p.site.get(&p.helper, &format!("{}/tasks/1", p.chat("agent"))).await.expect(200);
    p.site.delete(&p.bob, &p.chat("me")).await.refused(404, "not_found");
    let gone = p.site.delete(&p.ann, &p.chat("me")).await.expect(200);
    assert_eq!(gone["data"]["id"], json!(p.room));
    for socket in [&mut ann, &mut helper] {
        assert_eq!(socket.event("room_removed").await[4]["id"], json!(p.room));
        assert_eq!(socket.event("room_deleted").await[4], json!({"id": p.room}));
    }
    for rest in ["", "/messages", "/participants", "/tasks", "/board", "/files"] {
        p.site.get(&p.ann, &format!("{}{rest}", p.chat("me"))).await.refused(404, "not_found");
        p.site.get(&p.helper, &format!("{}{rest}", p.chat("agent"))).await.refused(404, "not_found");
    }
    p.site.get(&p.helper, &format!("{}/messages/next", p.chat("agent"))).await.refused(404, "not_found");
    for (who, path) in [(&p.ann, "/api/v1/me/chats?include=agent_rooms"), (&p.helper, "/api/v1/agent/chats")]
    {
        assert_eq!(p.site.get(who, path).await.expect(200)["data"], json!([]), "{path}");
    }
    let chat = json!({"chat": {"task_id": task["data"]["id"]}});
    p.site.post(&p.ann, "/api/v1/me/chats", chat).await.invalid("/chat/task_id", "does not exist");
    let executions = format!("/api/v1/me/agents/{}/executions", p.helper.id);
    assert_eq!(p.site.get(&p.ann, &executions).await.expect(200)["data"], json!([]));
    let (_, reply) = helper.try_join(&format!("chat_room:{}", p.room)).await;
    assert_eq!(reply["response"]["reason"], "unauthorized");
    p.site.delete(&p.ann, &p.chat("me")).await.refused(404, "not_found");
}

#[tokio::test]
async fn the_owner_of_an_owning_agent_deletes_its_room() {
    let p = Populated::start().await;
    let own = p.room_of(&p.helper).await;
    p.site.delete(&p.ann, &format!("/api/v1/me/chats/{own}")).await.expect(200);
    let rooms = p.site.get(&p.helper, "/api/v1/agent/chats").await.expect(200);
    assert_eq!(rooms["metadata"]["total_count"], 1);
}

#[tokio::test]
async fn many_rooms_are_deleted_at_once_each_with_its_result() {
    let p = Populated::start().await;
    let second = p.site.room(&p.ann, &[]).await;
    let shared = p.site.room(&p.bob, &[&p.rival]).await;
    p.site.add(&p.bob, &shared, &p.ann).await.expect(201);
    let ids = json!({"ids": [second, "x", p.other_room, shared, p.room]});
    let answer =
        p.site.call(As::Key(&p.ann.key), http::Method::POST, "/api/v1/me/chats/bulk-delete", Some(ids)).await;
    let location = answer.header("location").unwrap().to_owned();
    let job = answer.expect(202)["data"].clone();
    assert_eq!(location, format!("/api/v1/me/bulk-deletions/{}", text_of(&job["id"])));
    let outcomes: Vec<_> = job["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (text_of(&item["status"]), item["error"]["code"].as_str().map(str::to_owned)))
        .collect();
    let failed = |code: &str| ("failed".to_owned(), Some(code.to_owned()));
    let done = ("succeeded".to_owned(), None);
    assert_eq!(outcomes, [done.clone(), failed("not_found"), failed("not_found"), failed("forbidden"), done]);
    assert_eq!((&job["total"], &job["succeeded"], &job["failed"]), (&json!(5), &json!(2), &json!(3)));
    assert_eq!(p.site.get(&p.ann, &location).await.expect(200)["data"], job);
    p.site.get(&p.bob, &location).await.refused(404, "not_found");
    let twice = json!({"ids": ["x", "x"]});
    p.site
        .post(&p.ann, "/api/v1/me/chats/bulk-delete", twice)
        .await
        .invalid("/ids/1", "Array items must be unique");
}

#[tokio::test]
async fn many_agents_are_deleted_at_once_with_their_history_only_by_force() {
    let p = Populated::start().await;
    let path = "/api/v1/me/agents/bulk-delete";
    let ids = json!({"ids": [p.helper.id, p.scout.id, p.rival.id]});
    let job = p.site.post(&p.ann, path, ids).await.expect(202);
    let codes: Vec<_> =
        job["data"]["results"].as_array().unwrap().iter().map(|item| item["error"]["code"].clone()).collect();
    assert_eq!(codes, [json!("execution_history_exists"), json!(null), json!("forbidden")]);
    p.site.get(&p.scout, "/api/v1/agent/me").await.refused(401, "unauthorized");
    let ids = json!({"ids": [p.helper.id], "force": true});
    let job = p.site.post(&p.ann, path, ids).await.expect(202);
    assert_eq!((&job["data"]["succeeded"], &job["data"]["force"]), (&json!(1), &json!(true)));
    p.site.get(&p.helper, "/api/v1/agent/me").await.refused(401, "unauthorized");
}

#[tokio::test]
async fn there_is_nothing_to_be_delegated_to() {
    let p = Populated::start().await;
    let path = "/api/v1/agent/delegation/token";
    let audience = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d";
    let body = |message: &str| json!({"audience": audience, "message_id": message});
    p.site.post(&p.helper, path, body(&p.waiting)).await.refused(403, "forbidden");
    p.site.post(&p.rival, path, body(&p.waiting)).await.refused(404, "not_found");
    p.site.post(&p.helper, path, json!({})).await.invalid("/audience", "Missing field: audience");
}
