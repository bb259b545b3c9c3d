//! Tasks and goals as they are stored.

use band_wire::rest::{
    Board, BoardEvent, BoardEventKind, Task, TaskActor, TaskAssignment, TaskEvent, TaskEventKind, TaskState,
    TaskStatus,
};
use band_wire::{ChatId, ParticipantId, Stamp, TaskId};
use serde_json::{Map, Value};

use crate::platform::plan::Write;

/// A task with everyone's part in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// The task.
    pub id: TaskId,
    /// Its room.
    pub chat: ChatId,
    /// Its number on the board.
    pub number: u32,
    /// What is to be done.
    pub subject: String,
    /// More about it; may be empty.
    pub detail: String,
    /// Where it stands on the board.
    pub state: TaskState,
    /// What all assignments come to.
    pub overall: TaskStatus,
    /// Who works on it, the first one first.
    pub assignments: Vec<Assignment>,
    /// Who made it.
    pub created_by: TaskActor,
    /// The task that took its place.
    pub superseded_by: Option<TaskId>,
    /// When it was made.
    pub inserted_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
    /// When work on it began first.
    pub started_at: Option<Stamp>,
    /// When it was completed; none while it is not.
    pub completed_at: Option<Stamp>,
}

impl TaskRow {
    /// Someone's part in it.
    pub fn assignment(&self, who: ParticipantId) -> Option<&Assignment> {
        self.assignments.iter().find(|assignment| assignment.assignee.id == who)
    }
}

/// One participant's part in a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Who.
    pub assignee: TaskActor,
    /// How far they are.
    pub status: TaskStatus,
    /// What they are doing now; may be empty.
    pub active_form: String,
    /// What the task is called in their own tools; may be empty.
    pub linked_native_id: String,
    /// When this last changed.
    pub updated_at: Stamp,
}

/// The goal of a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoalRow {
    /// The room.
    pub chat: ChatId,
    /// In a line.
    pub title: Option<String>,
    /// In a paragraph.
    pub summary: Option<String>,
    /// Who set it first.
    pub created_by: TaskActor,
    /// Who changed it last.
    pub updated_by: TaskActor,
    /// When it was set first.
    pub inserted_at: Stamp,
    /// When it changed last.
    pub updated_at: Stamp,
}

/// Something that happened, for a history. `K` is what can happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened<K> {
    /// What.
    pub event: K,
    /// Who did it.
    pub actor: TaskActor,
    /// When.
    pub at: Stamp,
    /// What changed.
    pub payload: Map<String, Value>,
}

/// A change of a stored board. Histories only ever grow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardWrite {
    /// A new task, without assignments.
    AddTask(Box<TaskRow>),
    /// All that a task has of its own; its assignments stay.
    SetTask(Box<TaskRow>),
    /// Someone's part, new or changed.
    SetAssignment {
        /// Of which task.
        task: TaskId,
        /// The part.
        assignment: Box<Assignment>,
    },
    /// Someone's part ends.
    RemoveAssignment {
        /// Of which task.
        task: TaskId,
        /// Whose.
        who: ParticipantId,
    },
    /// A line of a task's history.
    TaskHappened {
        /// Of which task.
        task: TaskId,
        /// The line.
        line: Box<Happened<TaskEventKind>>,
    },
    /// The room's goal, new or changed.
    SetGoal(Box<GoalRow>),
    /// A line of the goal's history.
    GoalHappened {
        /// Of which room.
        chat: ChatId,
        /// The line.
        line: Box<Happened<BoardEventKind>>,
    },
}

impl From<BoardWrite> for Write {
    fn from(write: BoardWrite) -> Self {
        Self::Board(write)
    }
}

impl From<Happened<TaskEventKind>> for TaskEvent {
    fn from(line: Happened<TaskEventKind>) -> Self {
        Self { event: line.event.into(), actor: line.actor, at: line.at, payload: line.payload }
    }
}

impl From<Happened<BoardEventKind>> for BoardEvent {
    fn from(line: Happened<BoardEventKind>) -> Self {
        Self { event: line.event.into(), actor: line.actor, at: line.at, payload: line.payload }
    }
}

/// A task as the API shows it, without its history.
pub fn task_view(row: TaskRow) -> Task {
    let assignments = row.assignments.into_iter().map(|part| TaskAssignment {
        assignee: part.assignee,
        status: part.status.into(),
        active_form: part.active_form,
        linked_native_id: part.linked_native_id,
        updated_at: part.updated_at,
    });
    Task {
        id: row.id,
        chat_room_id: row.chat,
        number: row.number,
        subject: row.subject,
        detail: row.detail,
        state: row.state.into(),
        overall_status: row.overall.into(),
        assignments: assignments.collect(),
        created_by: row.created_by,
        superseded_by_id: row.superseded_by,
        inserted_at: row.inserted_at,
        updated_at: row.updated_at,
        started_at: row.started_at,
        completed_at: row.completed_at,
        history: None,
        history_truncated: None,
    }
}

/// A room's board as the API shows it, without its history.
pub fn goal_view(chat: ChatId, goal: Option<GoalRow>) -> Board {
    let empty = Board {
        chat_room_id: chat,
        goal_title: None,
        goal_summary: None,
        created_by: None,
        updated_by: None,
        inserted_at: None,
        updated_at: None,
        history: None,
        history_truncated: None,
    };
    let Some(goal) = goal else { return empty };
    Board {
        goal_title: goal.title,
        goal_summary: goal.summary,
        created_by: Some(goal.created_by),
        updated_by: Some(goal.updated_by),
        inserted_at: Some(goal.inserted_at),
        updated_at: Some(goal.updated_at),
        ..empty
    }
}
