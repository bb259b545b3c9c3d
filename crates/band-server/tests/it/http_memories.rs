//! Memories over HTTP, on both sides.

use serde_json::{Value, json};

use crate::live::{Answer, Party, Populated, text_of};

const OF_AGENTS: &str = "/api/v1/agent/memories";
const OF_PEOPLE: &str = "/api/v1/me/memories";

fn memory(content: &str, extra: &Value) -> Value {
    let mut memory = json!({
        "content": content, "system": "working", "type": "episodic", "segment": "agent", "thought": "to test",
    });
    memory.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    json!({ "memory": memory })
}

impl Populated {
    async fn stores(&self, who: &Party, content: &str, extra: Value) -> String {
        let made = self.site.post(who, OF_AGENTS, memory(content, &extra)).await.expect(201);
        text_of(&made["data"]["id"])
    }

    async fn acts(&self, who: &Party, side: &str, id: &str, act: &str) -> Answer {
        self.site.post(who, &format!("{side}/{id}/{act}"), json!({})).await
    }

    /// The contents that a list shows.
    async fn contents(&self, who: &Party, path: &str) -> Vec<String> {
        let list = self.site.get(who, path).await.expect(200);
        assert_eq!(list["meta"], list["metadata"], "{path}");
        list["data"].as_array().unwrap().iter().map(|memory| text_of(&memory["content"])).collect()
    }
}

#[tokio::test]
async fn a_memory_is_stored_found_and_put_away_by_its_agent() {
    let p = Populated::start().await;
    let metadata = json!({"tags": ["tea"], "mood": 3});
    let made = p.site.post(&p.helper, OF_AGENTS, memory("Water boils", &json!({"metadata": metadata}))).await;
    let made = made.expect(201)["data"].clone();
    assert_eq!((&made["scope"], &made["status"]), (&json!("agent"), &json!("active")));
    assert_eq!((&made["source_agent_id"], &made["metadata"]), (&json!(p.helper.id), &metadata));
    assert!(made["organization_id"].is_null() && made["subject_id"].is_null(), "{made}");
    let path = format!("{OF_AGENTS}/{}", text_of(&made["id"]));
    assert_eq!(p.site.get(&p.helper, &path).await.expect(200)["data"], made);

    assert_eq!(p.contents(&p.helper, OF_AGENTS).await, ["Water boils", "Ann likes green tea"]);
    for (query, found) in [
        ("content_query=TEA%20ann", vec!["Ann likes green tea"]),
        ("content_query=coffee", vec![]),
        ("system=long_term", vec!["Ann likes green tea"]),
        ("type=episodic&segment=agent", vec!["Water boils"]),
        ("scope=organization", vec![]),
        ("scope=all", vec!["Water boils", "Ann likes green tea"]),
    ] {
        assert_eq!(p.contents(&p.helper, &format!("{OF_AGENTS}?{query}")).await, found, "{query}");
    }
    let id = text_of(&made["id"]);
    let archived = p.acts(&p.helper, OF_AGENTS, &id, "archive").await.expect(200);
    assert_eq!(archived["data"]["status"], "archived");
    assert_eq!(p.contents(&p.helper, OF_AGENTS).await, ["Ann likes green tea"]);
    assert_eq!(p.contents(&p.helper, &format!("{OF_AGENTS}?status=archived")).await, ["Water boils"]);
    let superseded = p.acts(&p.helper, OF_AGENTS, &id, "supersede").await.expect(200);
    assert_eq!(superseded["data"]["status"], "superseded");
    assert_eq!(p.contents(&p.helper, &format!("{OF_AGENTS}?status=all")).await.len(), 2);
}

#[tokio::test]
async fn each_scope_has_its_readers() {
    let p = Populated::start().await;
    let private = p.memory.clone();
    let shared = p.stores(&p.helper, "The shop closes at six", json!({"scope": "organization"})).await;
    let about = p.stores(&p.helper, "Bob likes coffee", json!({"subject_id": p.bob.id})).await;
    for (who, id, status) in [
        (&p.rival, &private, 404),
        (&p.scout, &private, 404),
        (&p.rival, &shared, 200),
        (&p.rival, &about, 200),
    ] {
        let answer = p.site.get(who, &format!("{OF_AGENTS}/{id}")).await;
        assert_eq!(answer.status.as_u16(), status, "{id}: {}", answer.text());
        for act in ["supersede", "archive"] {
            let code = if status == 404 { (404, "not_found") } else { (403, "forbidden") };
            p.acts(who, OF_AGENTS, id, act).await.refused(code.0, code.1);
        }
    }
    let of_all = |query: &str| format!("{OF_AGENTS}?memory_scope=org{query}");
    assert_eq!(p.contents(&p.rival, &of_all("")).await, ["The shop closes at six"]);
    let subject = format!("&scope=subject&subject_id={}", p.bob.id);
    assert_eq!(p.contents(&p.rival, &of_all(&subject)).await, ["Bob likes coffee"]);
    p.site
        .get(&p.rival, &of_all("&scope=subject"))
        .await
        .invalid("/subject_id", "is needed for memories about a subject");
    assert_eq!(p.contents(&p.rival, OF_AGENTS).await, [""; 0]);

    for (who, found) in [
        (&p.ann, vec!["The shop closes at six", "Ann likes green tea"]),
        (&p.bob, vec!["Bob likes coffee", "The shop closes at six"]),
    ] {
        assert_eq!(p.contents(who, OF_PEOPLE).await, found);
    }
    let about_me = format!("{OF_PEOPLE}?scope=about_me");
    assert_eq!(p.contents(&p.bob, &about_me).await, ["Bob likes coffee"]);
    assert_eq!(p.contents(&p.bob, &format!("{OF_PEOPLE}?scope=organization")).await.len(), 1);
    assert_eq!(p.contents(&p.bob, &format!("{OF_PEOPLE}?scope=room")).await.len(), 0);
    let of_helper = format!("{OF_PEOPLE}?source_agent_id={}", p.helper.id);
    assert_eq!(p.contents(&p.ann, &of_helper).await.len(), 2);
}

#[tokio::test]
async fn people_restore_and_delete_what_is_theirs_and_nothing_else() {
    let p = Populated::start().await;
    let about = p.stores(&p.rival, "Ann is kind", json!({"subject_id": p.ann.id})).await;
    let shown = p.site.get(&p.ann, &format!("{OF_PEOPLE}/{about}")).await.expect(200);
    let shown = &shown["data"];
    assert_eq!((&shown["subject_name"], &shown["subject_type"]), (&json!("Ann Lee"), &json!("user")));
    assert_eq!((&shown["source_agent_name"], &shown["scope"]), (&json!("Rival"), &json!("subject")));
    assert!(shown["organization_id"].is_string() && shown["chat_room_id"].is_null(), "{shown}");
    assert!(shown["updated_at"].is_string());

    p.acts(&p.ann, OF_PEOPLE, &about, "restore").await.invalid("/status", "is not archived");
    for (act, status) in [("archive", "archived"), ("restore", "active"), ("supersede", "superseded")] {
        let acted = p.acts(&p.ann, OF_PEOPLE, &about, act).await.expect(200);
        assert_eq!(acted["data"]["status"], status);
    }
    let shared = p.stores(&p.rival, "Shops close", json!({"scope": "organization"})).await;
    for (id, code) in [(&about, (404, "not_found")), (&shared, (403, "forbidden"))] {
        p.site.delete(&p.bob, &format!("{OF_PEOPLE}/{id}")).await.refused(code.0, code.1);
        p.acts(&p.bob, OF_PEOPLE, id, "archive").await.refused(code.0, code.1);
    }
    for id in [&about, &p.memory] {
        let path = format!("{OF_PEOPLE}/{id}");
        p.site.delete(&p.ann, &path).await.expect_empty(204);
        p.site.delete(&p.ann, &path).await.refused(404, "not_found");
        p.site.get(&p.helper, &format!("{OF_AGENTS}/{id}")).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn what_is_no_memory_is_refused() {
    let p = Populated::start().await;
    let stored = async |extra: Value| p.site.post(&p.helper, OF_AGENTS, memory("x", &extra)).await;
    let text = "iconic is not valid for system working; expected one of: episodic, semantic, procedural";
    stored(json!({"type": "iconic"})).await.invalid("/memory/type", text);
    stored(json!({"scope": "subject"})).await.invalid("/memory/subject_id", "can't be blank");
    stored(json!({"content": " "})).await.invalid("/memory/content", "can't be blank");
    stored(json!({"thought": null})).await.invalid("/memory/thought", "null value where string expected");
    stored(json!({"mood": 1})).await.invalid("/memory/mood", "Unexpected field: mood");
    let nobody = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d";
    stored(json!({"subject_id": nobody})).await.invalid("/memory/subject_id", "does not exist");
    for (query, pointer) in
        [("status=gone", "/status"), ("scope=mine", "/scope"), ("memory_scope=x", "/memory_scope")]
    {
        p.site
            .get(&p.helper, &format!("{OF_AGENTS}?{query}"))
            .await
            .invalid(pointer, "Invalid value for enum");
    }
}

#[tokio::test]
async fn memories_are_paged_the_newest_first() {
    let p = Populated::start().await;
    for number in 1..=4 {
        p.stores(&p.helper, &format!("m{number}"), json!({})).await;
    }
    let mut found = Vec::new();
    let mut path = format!("{OF_AGENTS}?limit=2");
    loop {
        let page = p.site.get(&p.helper, &path).await.expect(200);
        found.extend(page["data"].as_array().unwrap().iter().map(|memory| text_of(&memory["content"])));
        let Some(cursor) = page["metadata"]["next_cursor"].as_str() else { break };
        path = format!("{OF_AGENTS}?limit=2&cursor={cursor}");
    }
    assert_eq!(found, ["m4", "m3", "m2", "m1", "Ann likes green tea"]);
    let answer = p.site.get(&p.helper, &format!("{OF_AGENTS}?page=2&page_size=2")).await;
    assert!(answer.header("deprecation").is_some() && answer.header("sunset").is_some());
    let page = answer.expect(200);
    assert_eq!((&page["metadata"]["total_count"], &page["metadata"]["total_pages"]), (&json!(5), &json!(3)));
    let most = p.site.get(&p.helper, &format!("{OF_AGENTS}?page_size=99")).await.expect(200);
    assert_eq!(most["metadata"]["page_size"], 50);
    p.site.get(&p.helper, &format!("{OF_AGENTS}?page=1&limit=2")).await.refused(422, "invalid_params");
    let cursor = "cursor=0a&memory_scope=org";
    p.site.get(&p.helper, &format!("{OF_AGENTS}?{cursor}")).await.refused(422, "validation_error");
}

#[tokio::test]
async fn a_deleted_agent_takes_what_it_kept_to_itself_along() {
    let p = Populated::start().await;
    let shared = p.stores(&p.helper, "Shops close", json!({"scope": "organization"})).await;
    p.site.delete(&p.ann, &format!("/api/v1/me/agents/{}?force=true", p.helper.id)).await.expect(200);
    p.site.get(&p.ann, &format!("{OF_PEOPLE}/{}", p.memory)).await.refused(404, "not_found");
    let left = p.site.get(&p.ann, &format!("{OF_PEOPLE}/{shared}")).await.expect(200);
    assert!(left["data"]["source_agent_id"].is_null() && left["data"]["source_agent_name"].is_null());
}
