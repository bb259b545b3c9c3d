//! The task board of a room: numbered tasks and a goal.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::message::SenderType;
use super::strict::{FromBody, Issues, ObjectReader};
use crate::word::{Open, words};
use crate::{ChatId, ParticipantId, Stamp, TaskId};

words! {
    /// How far someone is with a task, and how far the task is.
    pub enum TaskStatus {
        /// Not begun.
        Pending = "pending",
        /// Being worked on.
        InProgress = "in_progress",
        /// Waiting for something else.
        Blocked = "blocked",
        /// Being looked at.
        InReview = "in_review",
        /// Given up.
        Failed = "failed",
        /// Done.
        Completed = "completed",
    }
}

words! {
    /// Where a task stands on the board.
    pub enum TaskState {
        /// Takes work.
        Active = "active",
        /// Called off.
        Cancelled = "cancelled",
        /// Another task took its place.
        Superseded = "superseded",
        /// Put away; the only state that leads back.
        Archived = "archived",
    }
}

words! {
    /// What happened to a task.
    pub enum TaskEventKind {
        /// It came to be.
        Created = "created",
        /// Its subject or detail changed.
        Edited = "edited",
        /// Someone's status changed.
        StatusChanged = "status_changed",
        /// Someone left a note.
        Commented = "commented",
        /// Someone's part in it ended.
        Dropped = "dropped",
        /// It was called off.
        Cancelled = "cancelled",
        /// Another task took its place.
        Superseded = "superseded",
        /// It was put away.
        Archived = "archived",
        /// It was brought back.
        Unarchived = "unarchived",
    }
}

words! {
    /// What happened to a goal.
    pub enum BoardEventKind {
        /// The first one.
        GoalSet = "goal_set",
        /// Each later change.
        GoalEdited = "goal_edited",
    }
}

/// Names a task of a room: its id, or its number on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskRef {
    /// By id.
    Id(TaskId),
    /// By number, from 1.
    Number(u32),
}

/// Why a text names no task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a task is named by its UUID or its number on the board")]
pub struct TaskRefError;

impl FromStr for TaskRef {
    type Err = TaskRefError;

    fn from_str(text: &str) -> Result<Self, TaskRefError> {
        if text.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(number) = text.parse()
        {
            return Ok(Self::Number(number));
        }
        Uuid::try_parse(text).map(|id| Self::Id(TaskId::new(id))).map_err(|_| TaskRefError)
    }
}

impl fmt::Display for TaskRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// Who did something, under the name of that moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskActor {
    /// A person or an agent.
    pub id: ParticipantId,
    /// Which of the two.
    #[serde(rename = "type")]
    pub kind: Open<SenderType>,
    /// Its name then.
    pub name: String,
    /// Its handle then, without `@`.
    #[serde(default)]
    pub handle: Option<String>,
}

/// One participant's part in a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskAssignment {
    /// Who.
    pub assignee: TaskActor,
    /// How far they are.
    pub status: Open<TaskStatus>,
    /// What they are doing now, in their words; may be empty.
    #[serde(default)]
    pub active_form: String,
    /// What the task is called in their own tools; may be empty.
    #[serde(default)]
    pub linked_native_id: String,
    /// When this last changed.
    pub updated_at: Stamp,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The task.
    pub id: TaskId,
    /// Its room.
    pub chat_room_id: ChatId,
    /// Its number on the board: from 1, never given twice.
    pub number: u32,
    /// What is to be done.
    pub subject: String,
    /// More about it; may be empty.
    #[serde(default)]
    pub detail: String,
    /// Where it stands on the board.
    pub state: Open<TaskState>,
    /// What all assignments come to.
    pub overall_status: Open<TaskStatus>,
    /// Who works on it, the first one first.
    #[serde(default)]
    pub assignments: Vec<TaskAssignment>,
    /// Who made it.
    pub created_by: TaskActor,
    /// The task that took its place.
    pub superseded_by_id: Option<TaskId>,
    /// When it was made.
    pub inserted_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
    /// When work on it began first.
    #[serde(default)]
    pub started_at: Option<Stamp>,
    /// When it was completed; null while it is not.
    #[serde(default)]
    pub completed_at: Option<Stamp>,
    /// With `include=history`: the newest 100 events, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<TaskEvent>>,
    /// With `include=history`: whether older events exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_truncated: Option<bool>,
}

/// A line of a task's history. Lines are only ever added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskEvent {
    /// What happened.
    pub event: Open<TaskEventKind>,
    /// Who did it.
    pub actor: TaskActor,
    /// When.
    pub at: Stamp,
    /// What changed: `{field: {from, to}}`; of comments `{text}`.
    #[serde(default)]
    pub payload: Map<String, Value>,
}

/// The board of a room: its goal. Without one all but the room is null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// The room.
    pub chat_room_id: ChatId,
    /// The goal in a line.
    pub goal_title: Option<String>,
    /// The goal in a paragraph.
    pub goal_summary: Option<String>,
    /// Who set it first.
    pub created_by: Option<TaskActor>,
    /// Who changed it last.
    pub updated_by: Option<TaskActor>,
    /// When it was set first.
    pub inserted_at: Option<Stamp>,
    /// When it changed last.
    pub updated_at: Option<Stamp>,
    /// With `include=history`: the newest 100 events, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<BoardEvent>>,
    /// With `include=history`: whether older events exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_truncated: Option<bool>,
}

/// A line of a goal's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardEvent {
    /// What happened.
    pub event: Open<BoardEventKind>,
    /// Who did it.
    pub actor: TaskActor,
    /// When.
    pub at: Stamp,
    /// What changed: `{field: {from, to}}`.
    #[serde(default)]
    pub payload: Map<String, Value>,
}

/// Body of `POST …/tasks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CreateTask {
    /// What is to be done, one line: 1 to [`Task::MAX_SUBJECT`] characters after trimming.
    pub subject: String,
    /// More about it, at most [`Task::MAX_TEXT`] bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The active task whose place it takes: a UUID or a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes_id: Option<String>,
}

impl Task {
    /// The longest subject, and the longest goal in a line, in characters.
    pub const MAX_SUBJECT: usize = 500;
    /// The longest detail, comment and summary, in bytes.
    pub const MAX_TEXT: usize = 65_536;
    /// Events that come with a task or a board.
    pub const EMBEDDED_EVENTS: usize = 100;
}

impl FromBody for CreateTask {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let subject = fields.string("subject");
        let subject = line(&mut fields, "subject", subject);
        let detail = text(&mut fields, "detail", Task::MAX_TEXT);
        let supersedes_id = fields.opt_string("supersedes_id");
        fields.finish()?;
        Ok(Self { subject: subject.unwrap_or_default(), detail, supersedes_id })
    }
}

/// Body of `POST …/tasks/{id}`: at least one field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UpdateTask {
    /// How far the caller is. The first one makes the caller an assignee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskStatus>,
    /// What the caller is doing now, at most [`Task::MAX_SUBJECT`] characters; may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// What the task is called in the caller's own tools, at most [`Task::MAX_SUBJECT`] characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked_native_id: Option<String>,
    /// A note for the others, not blank, at most [`Task::MAX_TEXT`] bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Another subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Another detail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Cancels, archives, or brings an archived task back (`active`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<TaskState>,
}

impl FromBody for UpdateTask {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let empty = fields.is_empty();
        let status = fields.opt_string("status");
        let status = fields.parse("status", status, TaskStatus::parse);
        let state = fields.opt_string("state");
        let settable = |text: &str| TaskState::parse(text).filter(|state| *state != TaskState::Superseded);
        let state = fields.parse("state", state, settable);
        let active_form = short(&mut fields, "active_form");
        let linked_native_id = short(&mut fields, "linked_native_id");
        let comment = text(&mut fields, "comment", Task::MAX_TEXT);
        if comment.as_ref().is_some_and(|comment| comment.trim().is_empty()) {
            fields.issue("comment", "can't be blank");
        }
        let subject = fields.opt_string("subject");
        let subject = line(&mut fields, "subject", subject);
        let detail = text(&mut fields, "detail", Task::MAX_TEXT);
        fields.finish()?;
        if empty {
            return Err(Issues::one("/", "at least one field is required"));
        }
        Ok(Self { status, active_form, linked_native_id, comment, subject, detail, state })
    }
}

/// Body of `PUT …/board`: at least one field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SetBoard {
    /// The goal in a line: 1 to [`Task::MAX_SUBJECT`] characters after trimming.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_title: Option<String>,
    /// The goal in a paragraph, at most [`Task::MAX_TEXT`] bytes; may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_summary: Option<String>,
}

impl FromBody for SetBoard {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let empty = fields.is_empty();
        let goal_title = fields.opt_string("goal_title");
        let goal_title = line(&mut fields, "goal_title", goal_title);
        let goal_summary = text(&mut fields, "goal_summary", Task::MAX_TEXT);
        fields.finish()?;
        if empty {
            return Err(Issues::one("/", "at least one of goal_title and goal_summary is required"));
        }
        Ok(Self { goal_title, goal_summary })
    }
}

/// One line that is not blank, trimmed.
fn line(fields: &mut ObjectReader, field: &str, text: Option<String>) -> Option<String> {
    let text = text?.trim().to_owned();
    if text.is_empty() {
        fields.issue(field, "can't be blank");
    } else if text.contains(['\n', '\r', '\0']) {
        fields.issue(field, "must not contain line breaks");
    } else if text.chars().count() > Task::MAX_SUBJECT {
        fields.issue(field, format!("should be at most {} character(s)", Task::MAX_SUBJECT));
    }
    Some(text)
}

fn short(fields: &mut ObjectReader, field: &str) -> Option<String> {
    let text = fields.opt_string(field)?;
    if text.chars().count() > Task::MAX_SUBJECT {
        fields.issue(field, format!("should be at most {} character(s)", Task::MAX_SUBJECT));
    }
    Some(text)
}

fn text(fields: &mut ObjectReader, field: &str, most: usize) -> Option<String> {
    let text = fields.opt_string(field)?;
    if text.len() > most {
        fields.issue(field, format!("should be at most {most} byte(s)"));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_task_is_named_by_its_id_or_its_number() {
        let id = "00000000-0000-0000-0000-000000000001";
        assert_eq!(id.parse(), Ok(TaskRef::Id(TaskId::new(Uuid::from_u128(1)))));
        assert_eq!("3".parse(), Ok(TaskRef::Number(3)));
        for text in ["#3", "", " 3", "-1", "3.0", "99999999999", "three"] {
            assert_eq!(text.parse::<TaskRef>(), Err(TaskRefError), "{text}");
        }
    }

    #[test]
    fn an_update_needs_one_field_and_never_supersedes() {
        let issues =
            |body: Value| UpdateTask::from_body(body).unwrap_err().into_map().into_keys().collect::<Vec<_>>();
        assert_eq!(issues(json!({})), ["/"]);
        assert_eq!(
            issues(json!({"state": "superseded", "status": "done", "comment": " ", "subject": null, "x": 1})),
            ["/comment", "/state", "/status", "/subject", "/x"]
        );
        let update = UpdateTask::from_body(json!({"status": "completed", "state": "archived"})).unwrap();
        assert_eq!((update.status, update.state), (Some(TaskStatus::Completed), Some(TaskState::Archived)));
        assert_eq!(UpdateTask::from_body(json!({"active_form": ""})).unwrap().active_form.unwrap(), "");
    }

    #[test]
    fn subjects_and_goals_are_one_line() {
        let long = "x".repeat(Task::MAX_SUBJECT + 1);
        for text in ["", "  ", "a\nb", &long] {
            assert!(CreateTask::from_body(json!({ "subject": text })).is_err(), "{text}");
            assert!(SetBoard::from_body(json!({ "goal_title": text })).is_err(), "{text}");
        }
        assert_eq!(CreateTask::from_body(json!({"subject": " tea "})).unwrap().subject, "tea");
        assert!(SetBoard::from_body(json!({})).is_err());
        assert_eq!(SetBoard::from_body(json!({"goal_summary": ""})).unwrap().goal_summary.unwrap(), "");
    }
}
