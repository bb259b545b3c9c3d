use std::fmt::Debug;

use band_wire::ParticipantId;
use band_wire::rest::{
    ActivityKind, ActivityReport, AddContact, AddParticipant, Body, BulkDeleteAgents, CreateChat,
    CreateContactRequest, CreateEvent, CreateTask, EventType, FailMark, FromBody, MentionInput,
    RegisterAgent, RemoveContact, RenameChat, ReportActivity, ResolveHandle, RespondContact, Role,
    SendMessage, SetBoard, StoreMemory, UpdateProfile, UpdateTask,
};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::any_json::{any_json, object_with};

const KEYS: &[&str] = &[
    "content",
    "mentions",
    "attachment_ids",
    "message_type",
    "metadata",
    "title",
    "task_id",
    "participant_id",
    "role",
    "name",
    "description",
    "first_name",
    "last_name",
    "error",
    "working",
    "activity",
    "kind",
    "id",
    "handle",
    "recipient_handle",
    "message",
    "contact_id",
    "request_id",
    "action",
    "system",
    "type",
    "segment",
    "thought",
    "scope",
    "subject_id",
    "subject",
    "detail",
    "status",
    "state",
    "comment",
    "goal_title",
    "ids",
    "force",
];

/// A body that fits survives being sent; one that does not has issues, each under a pointer.
fn law<T: FromBody + Serialize + PartialEq + Debug>(body: Value) -> Result<(), TestCaseError> {
    match T::from_body(body) {
        Ok(read) => {
            sent(&read)?;
        }
        Err(issues) => {
            let map = issues.into_map();
            prop_assert!(!map.is_empty());
            prop_assert!(map.iter().all(|(pointer, texts)| pointer.starts_with('/') && !texts.is_empty()));
        }
    }
    Ok(())
}

fn all_laws(body: &Value) -> Result<(), TestCaseError> {
    law::<CreateChat>(body.clone())?;
    law::<SendMessage>(body.clone())?;
    law::<CreateEvent>(body.clone())?;
    law::<AddParticipant>(body.clone())?;
    law::<RegisterAgent>(body.clone())?;
    law::<UpdateProfile>(body.clone())?;
    law::<ReportActivity>(body.clone())?;
    law::<AddContact>(body.clone())?;
    law::<RemoveContact>(body.clone())?;
    law::<RespondContact>(body.clone())?;
    law::<CreateContactRequest>(body.clone())?;
    law::<ResolveHandle>(body.clone())?;
    law::<RenameChat>(body.clone())?;
    law::<StoreMemory>(body.clone())?;
    law::<CreateTask>(body.clone())?;
    law::<UpdateTask>(body.clone())?;
    law::<SetBoard>(body.clone())?;
    law::<BulkDeleteAgents>(body.clone())?;
    law::<FailMark>(body.clone())
}

/// The fields under the wrapper of each body, and at the root.
fn wrapped(fields: &Map<String, Value>) -> [Value; 8] {
    [
        json!({ "chat": fields }),
        json!({ "message": fields }),
        json!({ "event": fields }),
        json!({ "participant": fields }),
        json!({ "agent": fields }),
        json!({ "user": fields }),
        json!({ "memory": fields }),
        json!(fields),
    ]
}

proptest! {
    #[test]
    fn any_json_is_a_body_or_has_issues(body in any_json()) {
        all_laws(&body)?;
    }

    #[test]
    fn a_body_that_is_almost_right_is_a_body_or_has_issues(fields in object_with(KEYS)) {
        for body in wrapped(&fields) {
            all_laws(&body)?;
        }
    }

    #[test]
    fn what_a_client_sends_is_read_back(
        text in "[a-z]{12,40}", uuid in any::<u128>(), number in 0_usize..6, flag in any::<bool>(),
    ) {
        let id = Uuid::from_u128(uuid).to_string();
        let some = flag.then(|| text.clone());
        sent(&CreateChat { title: some.clone(), task_id: flag.then(|| id.clone()) })?;
        let mention = MentionInput { id: flag.then(|| id.clone()), handle: some.clone(), name: some.clone(), kind: some.clone() };
        sent(&SendMessage { content: text.clone(), mentions: vec![mention; number], attachment_ids: vec![id; number] })?;
        let metadata = flag.then(|| Map::from_iter([(text.clone(), json!(number))]));
        sent(&CreateEvent { content: text.clone(), message_type: EventType::ALL[number], metadata })?;
        sent(&AddParticipant { participant_id: ParticipantId::new(Uuid::from_u128(uuid)), role: Role::ALL[number % 3] })?;
        sent(&RegisterAgent { name: text.clone(), description: text.clone() })?;
        sent(&UpdateProfile { first_name: some.clone(), last_name: some })?;
        let activity = flag.then(|| ActivityReport { kind: ActivityKind::ToolCall, name: Some(text.clone()) });
        sent(&ReportActivity { working: flag, activity })?;
        sent(&FailMark { error: text })?;
    }
}

fn sent<T: FromBody + Serialize + PartialEq + Debug>(body: &T) -> Result<(), TestCaseError> {
    let json = serde_json::to_value(Body(body)).map_err(|err| TestCaseError::fail(err.to_string()))?;
    let read = T::from_body(json);
    prop_assert_eq!(read.as_ref(), Ok(body));
    Ok(())
}
