//! Events: what people may see of an agent's work.

use band_wire::rest::{CreateEvent, EventCreated, EventType, Issues, TaskRef};
use serde_json::{Map, Value};

use super::plan::{NewMessage, Plan, Write};
use super::send::{Facts, visible};
use super::{Principal, Refusal, announce, control};

/// What an agent may call for attention with.
const ATTENTION_KINDS: [&str; 4] = ["question", "assumption", "failure", "review"];

/// Plans an event.
///
/// # Errors
/// 404 when the agent is no participant; 403 while it is stopped; 422 when nothing is visible, or a call for attention does not say
/// what it wants.
pub fn post(facts: &Facts<'_>, who: Principal, request: CreateEvent) -> Result<Plan<EventCreated>, Refusal> {
    let sender = facts.room.member(who)?;
    control::may_post(sender)?;
    visible(&request.content, "/event/content")?;
    let metadata = request.metadata.unwrap_or_default();
    if request.message_type == EventType::Attention {
        attention(&metadata, facts.has_task)?;
    }
    let message = NewMessage {
        id: facts.id,
        chat: facts.room.chat.id,
        sender: sender.id,
        sender_kind: sender.kind,
        sender_name: sender.name.clone(),
        message_type: request.message_type.as_str(),
        content: request.content,
        metadata,
        files: Vec::new(),
        at: facts.now,
        deliveries: Vec::new(),
    };
    let pushes = vec![announce::message_created(&message)];
    let answer = EventCreated { id: message.id, message_type: request.message_type.into(), success: true };
    Ok(Plan { writes: vec![Write::AddMessage(Box::new(message))], pushes, answer })
}

/// The task that a call for attention names, if it is named as tasks are.
pub fn named_task(event: &CreateEvent) -> Option<TaskRef> {
    let named = event.metadata.as_ref()?.get("task_id")?.as_str()?.parse().ok();
    named.filter(|_| event.message_type == EventType::Attention)
}

fn attention(metadata: &Map<String, Value>, has_task: bool) -> Result<(), Refusal> {
    let mut issues = Issues::new();
    match metadata.get("kind") {
        Some(Value::String(kind)) if ATTENTION_KINDS.contains(&kind.as_str()) => {}
        None => issues.add("/event/metadata/kind", "Missing field: kind"),
        Some(_) => issues.add("/event/metadata/kind", "Invalid value for enum"),
    }
    if metadata.get("task_id").is_some_and(|task| !task.is_null()) && !has_task {
        issues.add("/event/metadata/task_id", "does not exist");
    }
    if issues.is_empty() { Ok(()) } else { Err(Refusal::invalid(issues)) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::platform::Audience;
    use crate::platform::test_site::{agent, at, bot, message_id, person, room};

    fn event(message_type: EventType, metadata: &Value) -> CreateEvent {
        CreateEvent { content: "did it".to_owned(), message_type, metadata: metadata.as_object().cloned() }
    }

    #[test]
    fn an_event_is_stored_as_it_came_and_only_people_hear_of_it() {
        let room = room([person(1, "Ann"), agent(2, "Echo", 1)]);
        let facts = Facts { room: &room, id: message_id(1), files: &[], has_task: false, now: at(1) };
        let metadata = json!({"function": {"name": "x", "arguments": "{}"}, "id": null});
        let plan = post(&facts, bot(2, 1), event(EventType::ToolCall, &metadata)).unwrap();
        let [Write::AddMessage(message)] = plan.writes.as_slice() else { panic!() };
        assert_eq!(Value::Object(message.metadata.clone()), metadata);
        let push = plan.pushes.first().unwrap();
        assert_eq!((push.event, &push.audience), ("event_created", &Audience::Users));
        let payload: Value = serde_json::from_str(&push.payload).unwrap();
        assert_eq!(payload["metadata"], metadata);
    }

    #[test]
    fn a_call_for_attention_says_what_it_wants() {
        let room = room([agent(2, "Echo", 1)]);
        let facts = Facts { room: &room, id: message_id(1), files: &[], has_task: false, now: at(1) };
        let table = [
            (json!({"kind": "question"}), None),
            (json!({"kind": "review", "task_id": null, "blocking": true}), None),
            (json!({}), Some("/event/metadata/kind")),
            (json!({"kind": "gossip"}), Some("/event/metadata/kind")),
            (json!({"kind": 7}), Some("/event/metadata/kind")),
            (json!({"kind": "question", "task_id": "1"}), Some("/event/metadata/task_id")),
        ];
        for (metadata, pointer) in table {
            let result = post(&facts, bot(2, 1), event(EventType::Attention, &metadata));
            let found = result.err().and_then(|refusal| refusal.details);
            let found = found.and_then(|issues| issues.into_map().into_keys().next());
            assert_eq!(found.as_deref(), pointer, "{metadata}");
        }
        let known = Facts { has_task: true, ..facts };
        let about = event(EventType::Attention, &json!({"kind": "question", "task_id": "1"}));
        assert_eq!(named_task(&about), Some(TaskRef::Number(1)));
        assert!(post(&known, bot(2, 1), about).is_ok());
    }

    #[test]
    fn an_invisible_event_and_a_stranger_are_refused() {
        let room = room([agent(2, "Echo", 1)]);
        let facts = Facts { room: &room, id: message_id(1), files: &[], has_task: false, now: at(1) };
        let blank = CreateEvent { content: "\u{feff}".to_owned(), ..event(EventType::Thought, &json!({})) };
        assert_eq!(post(&facts, bot(2, 1), blank).unwrap_err().status, 422);
        let stranger = post(&facts, bot(3, 1), event(EventType::Thought, &json!({})));
        assert_eq!(stranger.unwrap_err().status, 404);
    }
}
