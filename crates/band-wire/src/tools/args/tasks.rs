//! Tasks of the room and its board.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Problems, ToolArgs};
use super::rules::{at_least_one, task_reference};
use crate::rest::TaskStatus;
use crate::word::words;

words! {
    /// Which of the room's tasks, by where they stand.
    pub enum TaskListState {
        /// Those that are under way or wait.
        Active = "active",
        /// Those that were given up.
        Cancelled = "cancelled",
        /// Those that newer ones replaced.
        Superseded = "superseded",
        /// Those that were put away.
        Archived = "archived",
        /// All of them.
        All = "all",
    }

    /// Where a task can be put.
    pub enum TaskState {
        /// Under way or waiting.
        Active = "active",
        /// Given up.
        Cancelled = "cancelled",
        /// Put away.
        Archived = "archived",
    }

    /// What is told with a task or the board.
    pub enum Include {
        /// What became of it so far.
        History = "history",
    }
}

/// List the tasks of this room's board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListTasksArgs {
    /// Only those that stand here; the active ones when left out.
    pub state: Option<TaskListState>,
    /// next_cursor of the page before.
    pub cursor: Option<String>,
    /// How many, 100 at most; 50 when left out.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

impl ToolArgs for ListTasksArgs {}

/// Put a task on this room's board. Nobody is assigned by that: whoever takes it up sets a status with
/// band_update_task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreateTaskArgs {
    /// What is to be done, in one line.
    pub subject: String,
    /// What whoever does it needs to know.
    pub detail: Option<String>,
    /// The id or number of a task that this one replaces.
    pub supersedes_id: Option<String>,
}

impl ToolArgs for CreateTaskArgs {
    fn rules(&self, problems: &mut Problems) {
        if let Some(reference) = super::rules::given(self.supersedes_id.as_deref()) {
            task_reference(problems, "supersedes_id", reference);
        }
    }
}

/// Read one task, with who works on it and how far they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetTaskArgs {
    /// The task's id, or its number on the board: 7 or #7.
    pub id: String,
    /// history, to learn what became of it so far.
    pub include: Option<Include>,
}

impl ToolArgs for GetTaskArgs {
    fn rules(&self, problems: &mut Problems) {
        task_reference(problems, "id", &self.id);
    }
}

/// Say how far you are with a task, comment on it, or change it. A first status makes you one of those who work on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UpdateTaskArgs {
    /// The task's id, or its number on the board: 7 or #7.
    pub id: String,
    /// How far you are.
    pub status: Option<TaskStatus>,
    /// What you do right now, in a few words.
    pub active_form: Option<String>,
    /// Something to note about it.
    pub comment: Option<String>,
    /// A new subject.
    pub subject: Option<String>,
    /// New details.
    pub detail: Option<String>,
    /// cancelled to give it up, archived to put it away, active to bring it back.
    pub state: Option<TaskState>,
}

impl ToolArgs for UpdateTaskArgs {
    fn rules(&self, problems: &mut Problems) {
        task_reference(problems, "id", &self.id);
        let fields = [
            ("status", self.status.is_some()),
            ("active_form", self.active_form.is_some()),
            ("comment", self.comment.is_some()),
            ("subject", self.subject.is_some()),
            ("detail", self.detail.is_some()),
            ("state", self.state.is_some()),
        ];
        at_least_one(problems, &fields);
    }
}

/// Read what became of a task, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetTaskHistoryArgs {
    /// The task's id, or its number on the board: 7 or #7.
    pub id: String,
    /// next_cursor of the page before.
    pub cursor: Option<String>,
    /// How many entries, 100 at most; 50 when left out.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

impl ToolArgs for GetTaskHistoryArgs {
    fn rules(&self, problems: &mut Problems) {
        task_reference(problems, "id", &self.id);
    }
}

/// Read this room's board: the goal that everyone here works towards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetBoardArgs {
    /// history, to learn how the goal has changed.
    pub include: Option<Include>,
}

impl ToolArgs for GetBoardArgs {}

/// Set this room's goal: its title, its summary, or both. What you leave out stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetBoardArgs {
    /// The goal in one line.
    pub goal_title: Option<String>,
    /// The goal in a few sentences.
    pub goal_summary: Option<String>,
}

impl ToolArgs for SetBoardArgs {
    fn rules(&self, problems: &mut Problems) {
        let fields =
            [("goal_title", self.goal_title.is_some()), ("goal_summary", self.goal_summary.is_some())];
        at_least_one(problems, &fields);
    }
}
