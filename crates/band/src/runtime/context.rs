//! What a room's first turn gets of its past.

use std::collections::BTreeMap;

use band_wire::rest::{DeliveryStatus, Message};
use band_wire::{AgentId, ChatId, MessageId};

use crate::error::Result;
use crate::rest::{ContextQuery, RestClient};

/// Pages read at most.
const PAGES: u32 = 50;
/// Items of a page.
const PAGE: u32 = 100;
/// Newest entries that are looked through for where a message stands: a push is new.
const GLANCE: u32 = 20;

/// A room's past, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Past {
    pub(crate) messages: Vec<Message>,
    /// Older entries were left out.
    pub(crate) truncated: bool,
}

impl Past {
    /// Where a message stands for this agent, if it is in here and says so.
    pub(super) fn status(&self, id: MessageId, agent: AgentId) -> Option<DeliveryStatus> {
        self.messages.iter().find(|message| message.id == id)?.delivery_status(agent)
    }

    /// Keeps what came before a message and the message itself, and of the former the newest `most`.
    fn keep(mut messages: Vec<Message>, trigger: MessageId, most: usize, truncated: bool) -> Self {
        let at = messages.iter().position(|message| message.id == trigger);
        let end = at.map_or(messages.len(), |at| at + 1);
        messages.truncate(end);
        let before = at.unwrap_or(messages.len());
        let surplus = before.saturating_sub(most);
        messages.drain(..surplus);
        Self { messages, truncated: truncated || surplus > 0 }
    }
}

/// Reads the newest `most` entries before a message. A platform that can't list them newest first is read
/// from its oldest entry on.
pub(crate) async fn read(rest: &RestClient, room: ChatId, trigger: MessageId, most: usize) -> Result<Past> {
    match newest_first(rest, room, trigger, most).await {
        Err(err) if matches!(err.status(), Some(400 | 422)) => oldest_first(rest, room, trigger, most).await,
        read => read,
    }
}

/// Where the newest messages stand for this agent, in one request. Nothing of a platform that can't list them first.
pub(super) async fn glance(
    rest: &RestClient,
    room: ChatId,
    agent: AgentId,
) -> Result<BTreeMap<MessageId, DeliveryStatus>> {
    let query = ContextQuery { cursor: None, limit: Some(GLANCE), newest_first: true };
    match rest.context(room, &query).await {
        Ok(page) => {
            let told = page.data.iter();
            Ok(told.filter_map(|message| Some((message.id, message.delivery_status(agent)?))).collect())
        }
        Err(err) if matches!(err.status(), Some(400 | 422)) => Ok(BTreeMap::new()),
        Err(err) => Err(err),
    }
}

async fn newest_first(rest: &RestClient, room: ChatId, trigger: MessageId, most: usize) -> Result<Past> {
    // The message itself comes first, as a rule.
    let limit = u32::try_from(most.saturating_add(1)).unwrap_or(PAGE).min(PAGE);
    let mut query = ContextQuery { cursor: None, limit: Some(limit), newest_first: true };
    let mut messages: Vec<Message> = Vec::new();
    let mut more = true;
    for _ in 0..PAGES {
        let page = rest.context(room, &query).await?;
        messages.extend(page.data);
        query.cursor = page.metadata.next_cursor;
        more = page.metadata.has_more && query.cursor.is_some();
        let at = messages.iter().position(|message| message.id == trigger);
        let before = messages.len().saturating_sub(at.map_or(0, |at| at + 1));
        if !more || before >= most {
            break;
        }
    }
    messages.reverse();
    Ok(Past::keep(messages, trigger, most, more))
}

async fn oldest_first(rest: &RestClient, room: ChatId, trigger: MessageId, most: usize) -> Result<Past> {
    let mut query = ContextQuery { cursor: None, limit: Some(PAGE), newest_first: false };
    let mut messages: Vec<Message> = Vec::new();
    let mut dropped = false;
    for _ in 0..PAGES {
        let page = rest.context(room, &query).await?;
        messages.extend(page.data);
        query.cursor = page.metadata.next_cursor;
        let found = messages.iter().any(|message| message.id == trigger);
        if found || !page.metadata.has_more || query.cursor.is_none() {
            break;
        }
        let surplus = messages.len().saturating_sub(most);
        dropped |= messages.drain(..surplus).count() > 0;
    }
    Ok(Past::keep(messages, trigger, most, dropped))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use band_wire::Id;
    use bytes::Bytes;
    use http::{Request, Response};
    use serde_json::{Map, Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::rest::{Carried, RestConfig, Transport};

    fn message(n: u128) -> Message {
        Message {
            id: Id::new(Uuid::from_u128(n)),
            content: String::new(),
            message_type: "text".to_owned(),
            sender_id: Id::new(Uuid::nil()),
            sender_type: "User".to_owned(),
            sender_name: None,
            chat_room_id: None,
            metadata: Map::new(),
            attachments: Vec::new(),
            inserted_at: None,
            updated_at: None,
        }
    }

    /// Answers each request with this, and notes it.
    #[derive(Debug)]
    struct Answers(u16, Value, Mutex<Vec<String>>);

    impl Transport for Answers {
        fn carry(&self, request: Request<Bytes>) -> Carried<'_> {
            self.2.lock().unwrap().push(request.uri().to_string());
            let body = Bytes::from(self.1.to_string());
            let answer = Response::builder().status(self.0).body(body).unwrap();
            Box::pin(async move { Ok(answer) })
        }
    }

    async fn glanced(status: u16, body: Value) -> (BTreeMap<MessageId, DeliveryStatus>, Vec<String>) {
        let (room, agent) = (Id::new(Uuid::nil()), Id::new(Uuid::nil()));
        let answers = Arc::new(Answers(status, body, Mutex::default()));
        let mut config = RestConfig::new("http://127.0.0.1:1", "key".into());
        config.transport = Some(Arc::clone(&answers) as _);
        let rest = RestClient::new(config).unwrap();
        let told = glance(&rest, room, agent).await.unwrap();
        (told, answers.2.lock().unwrap().clone())
    }

    #[tokio::test]
    async fn where_messages_stand_is_one_small_request_and_nothing_where_it_can_not_be_told() {
        let mut done = message(7);
        done.metadata = json!({ "delivery_status": { Uuid::nil().to_string(): { "status": "processed" } } })
            .as_object()
            .unwrap()
            .clone();
        let more = json!({ "has_more": true, "limit": 20, "next_cursor": "x" });
        let (told, asked) = glanced(200, json!({ "data": [done, message(6)], "metadata": more })).await;
        assert_eq!(told, BTreeMap::from([(message(7).id, DeliveryStatus::Processed)]));
        let [asked] = asked.as_slice() else { panic!("{asked:?}") };
        assert!(asked.ends_with("/context?limit=20&sort_order=desc"), "{asked}");
        let refused = json!({ "error": { "code": "x", "message": "no", "request_id": "r" } });
        let (told, asked) = glanced(422, refused).await;
        assert_eq!((told.len(), asked.len()), (0, 1));
    }

    fn kept(trigger: u128, most: usize) -> (Vec<u128>, bool) {
        let past = Past::keep((1..=5).map(message).collect(), message(trigger).id, most, false);
        (past.messages.iter().map(|message| message.id.uuid().as_u128()).collect(), past.truncated)
    }

    #[test]
    fn the_newest_entries_before_the_message_are_kept_with_it() {
        assert_eq!(kept(4, 2), (vec![2, 3, 4], true));
        assert_eq!(kept(4, 3), (vec![1, 2, 3, 4], false));
        assert_eq!(kept(1, 9), (vec![1], false));
        assert_eq!(kept(9, 2), (vec![4, 5], true), "a message that is not there yet");
    }
}
