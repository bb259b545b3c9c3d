//! A site where every list has something in it.

use http::Method;
use serde_json::json;

use super::{As, Party, Site, text_of};

/// Two people, three agents, two rooms, messages, events, marks.
pub(crate) struct Populated {
    pub(crate) site: Site,
    pub(crate) ann: Party,
    pub(crate) bob: Party,
    /// Ann's, in her room.
    pub(crate) helper: Party,
    /// Ann's, in no room.
    pub(crate) scout: Party,
    /// Bob's, in his room.
    pub(crate) rival: Party,
    /// Ann and her helper.
    pub(crate) room: String,
    /// Bob and his rival.
    pub(crate) other_room: String,
    /// From Ann to the helper, done.
    pub(crate) done: String,
    /// From Ann to the helper, not begun.
    pub(crate) waiting: String,
    /// The helper's execution in Ann's room.
    pub(crate) execution: String,
    /// A contact request from Bob to Ann; another one is from his rival to the helper.
    pub(crate) request: String,
    /// What the helper keeps to itself.
    pub(crate) memory: String,
    /// A file of Ann's room, `notes.txt`, uploaded by the helper.
    pub(crate) file: String,
    /// A bulk deletion of Ann's that found nothing.
    pub(crate) deletion: String,
}

impl Populated {
    pub(crate) async fn start() -> Self {
        let site = Site::start().await;
        let (ann, bob) = (site.user("Ann Lee").await, site.user("Bob").await);
        let (helper, scout) = (site.agent(&ann, "Helper").await, site.agent(&ann, "Scout").await);
        let rival = site.agent(&bob, "Rival").await;
        let room = site.room(&ann, &[&helper]).await;
        let other_room = site.room(&bob, &[&rival]).await;
        let done = site.say(&ann, &room, &helper, "first question").await;
        for mark in ["processing", "processed"] {
            let path = format!("/api/v1/agent/chats/{room}/messages/{done}/{mark}");
            site.call(As::Key(&helper.key), Method::POST, &path, None).await.expect(200);
        }
        site.reply(&helper, &room, &ann, "first answer").await;
        let event = json!({"event": {"content": "looks it up", "message_type": "thought"}});
        site.post(&helper, &format!("/api/v1/agent/chats/{room}/events"), event).await.expect(201);
        let waiting = site.say(&ann, &room, &helper, "second question").await;
        site.say(&bob, &other_room, &rival, "a secret").await;
        let path = format!("/api/v1/me/agents/{}/executions", helper.id);
        let execution = text_of(&site.get(&ann, &path).await.expect(200)["data"][0]["id"]);
        let ask = json!({"contact_request": {"recipient_handle": ann.handle}});
        let made = site.post(&bob, "/api/v1/me/contacts/requests", ask).await.expect(201);
        let request = text_of(&made["data"]["id"]);
        let ask = json!({"handle": helper.handle, "message": "hello"});
        site.post(&rival, "/api/v1/agent/contacts/add", ask).await.expect(201);
        for (asks, other, answers) in [(&scout, &bob, false), (&rival, &scout, true)] {
            let body = json!({"handle": other.handle});
            site.post(asks, "/api/v1/agent/contacts/add", body).await.expect(201);
            if answers {
                let body = json!({"action": "approve", "handle": asks.handle});
                site.post(other, "/api/v1/agent/contacts/requests/respond", body).await.expect(200);
            }
        }
        let memory = json!({"memory": {
            "content": "Ann likes green tea", "system": "long_term", "type": "semantic", "segment": "user",
            "thought": "she said so",
        }});
        let made = site.post(&helper, "/api/v1/agent/memories", memory).await.expect(201);
        let memory = text_of(&made["data"]["id"]);
        let task = json!({"subject": "Make tea"});
        site.post(&helper, &format!("/api/v1/agent/chats/{room}/tasks"), task).await.expect(201);
        let path = format!("/api/v1/agent/chats/{room}/tasks/1");
        site.post(&helper, &path, json!({"status": "in_progress"})).await.expect(200);
        let goal = Some(json!({"goal_title": "Tea for all"}));
        let path = format!("/api/v1/agent/chats/{room}/board");
        site.call(As::Key(&helper.key), Method::PUT, &path, goal).await.expect(200);
        let path = format!("/api/v1/agent/chats/{room}/files");
        let made = site.upload(&helper, &path, "notes.txt", b"hello").await.expect(201);
        let file = text_of(&made["data"]["id"]);
        let nothing = json!({"ids": ["x"]});
        let made = site.post(&ann, "/api/v1/me/chats/bulk-delete", nothing).await.expect(202);
        let deletion = text_of(&made["data"]["id"]);
        Self {
            site,
            ann,
            bob,
            helper,
            scout,
            rival,
            room,
            other_room,
            done,
            waiting,
            execution,
            request,
            memory,
            file,
            deletion,
        }
    }

    /// A path with the ids of Ann's room in the places of its parameters.
    pub(crate) fn fill(&self, path: &str) -> String {
        let id = if path.contains("/contacts/") {
            &self.request
        } else if path.contains("/memories/") {
            &self.memory
        } else if path.contains("/files/") {
            &self.file
        } else if path.contains("/tasks/") {
            "1"
        } else if path.contains("/bulk-deletions/") {
            &self.deletion
        } else if path.contains("/agents/{id}/") {
            &self.helper.id
        } else if path.contains("/messages/") {
            &self.waiting
        } else if path.contains("/participants/") {
            &self.helper.id
        } else {
            &self.scout.id
        };
        let path = path.replace("{chat_id}", &self.room).replace("{execution_id}", &self.execution);
        path.replace("{id}", id)
    }
}
