//! A site where every list has something in it.

use http::Method;
use serde_json::json;

use super::{As, Party, Site};

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
        Self { site, ann, bob, helper, scout, rival, room, other_room, done, waiting }
    }

    /// A path with the ids of Ann's room in the places of its parameters.
    pub(crate) fn fill(&self, path: &str) -> String {
        let id = if path.contains("/messages/") {
            &self.waiting
        } else if path.contains("/participants/") {
            &self.helper.id
        } else {
            &self.scout.id
        };
        path.replace("{chat_id}", &self.room).replace("{id}", id)
    }
}
