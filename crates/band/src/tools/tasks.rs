//! The tools for the room's tasks and its board: offered where the adapter chose them.

use band_wire::rest::{
    Board, CreateTask, Cursored, Paged, SetBoard, Task, TaskEvent, TaskRef, TaskState, UpdateTask,
};
use band_wire::tools::args::{
    CreateTaskArgs, GetTaskHistoryArgs, Include, ListTasksArgs, SetBoardArgs, UpdateTaskArgs,
    bare_task_reference, given,
};
use serde_json::Value;

use super::dispatch::told;
use super::memory::misfit;
use super::port::{Answer, RestPort};
use super::{RoomTools, ToolError};
use crate::error::Result;

/// The calls about a room's tasks and its board.
pub(crate) trait TaskPort: Send + Sync {
    /// Lists a page of them.
    fn tasks<'a>(&'a self, query: &'a ListTasksArgs) -> Answer<'a, Paged<Task, Cursored>>;
    /// Adds one.
    fn create_task<'a>(&'a self, task: &'a CreateTask) -> Answer<'a, Task>;
    /// Reads one.
    fn task(&self, task: TaskRef, include: Option<Include>) -> Answer<'_, Task>;
    /// Changes one.
    fn update_task<'a>(&'a self, task: TaskRef, update: &'a UpdateTask) -> Answer<'a, Task>;
    /// Lists a page of what became of one.
    fn task_history<'a>(
        &'a self,
        task: TaskRef,
        cursor: Option<&'a str>,
        limit: Option<i64>,
    ) -> Answer<'a, Paged<TaskEvent, Cursored>>;
    /// Reads the board.
    fn board(&self, include: Option<Include>) -> Answer<'_, Board>;
    /// Sets the goal.
    fn set_board<'a>(&'a self, board: &'a SetBoard) -> Answer<'a, Board>;
}

impl TaskPort for RestPort {
    fn tasks<'a>(&'a self, query: &'a ListTasksArgs) -> Answer<'a, Paged<Task, Cursored>> {
        Box::pin(self.rest.tasks(self.room, query))
    }

    fn create_task<'a>(&'a self, task: &'a CreateTask) -> Answer<'a, Task> {
        Box::pin(self.rest.create_task(self.room, task))
    }

    fn task(&self, task: TaskRef, include: Option<Include>) -> Answer<'_, Task> {
        Box::pin(self.rest.task(self.room, task, include))
    }

    fn update_task<'a>(&'a self, task: TaskRef, update: &'a UpdateTask) -> Answer<'a, Task> {
        Box::pin(self.rest.update_task(self.room, task, update))
    }

    fn task_history<'a>(
        &'a self,
        task: TaskRef,
        cursor: Option<&'a str>,
        limit: Option<i64>,
    ) -> Answer<'a, Paged<TaskEvent, Cursored>> {
        Box::pin(self.rest.task_history(self.room, task, cursor, limit))
    }

    fn board(&self, include: Option<Include>) -> Answer<'_, Board> {
        Box::pin(self.rest.board(self.room, include))
    }

    fn set_board<'a>(&'a self, board: &'a SetBoard) -> Answer<'a, Board> {
        Box::pin(self.rest.set_board(self.room, board))
    }
}

/// Tasks and the board of the room.
impl RoomTools {
    /// One page of the room's tasks, by number.
    ///
    /// # Errors
    /// The platform refused or could not be reached; so for all of them.
    pub async fn list_tasks(&self, query: &ListTasksArgs) -> Result<Paged<Task, Cursored>> {
        self.shared.port.tasks(query).await
    }

    /// Puts a task on the board. Nobody is assigned by that. Counts as work done.
    ///
    /// # Errors
    /// The task that it replaces is none, or the turn was asked to end.
    pub async fn create_task(&self, task: &CreateTask) -> Result<Task> {
        self.act(|| self.shared.port.create_task(task)).await
    }

    /// One task, by id or number, with what became of it so far if that is asked for.
    ///
    /// # Errors
    /// There is none.
    pub async fn get_task(&self, task: TaskRef, with_history: bool) -> Result<Task> {
        self.shared.port.task(task, with_history.then_some(Include::History)).await
    }

    /// Says how far the agent is with a task, comments on it, or changes it. Counts as work done.
    ///
    /// # Errors
    /// There is none, or the turn was asked to end.
    pub async fn update_task(&self, task: TaskRef, update: &UpdateTask) -> Result<Task> {
        if *update == UpdateTask::default() {
            return Err(ToolError::Argument(UPDATE_NOTHING.to_owned()).into());
        }
        self.act(|| self.shared.port.update_task(task, update)).await
    }

    /// One page of what became of a task, oldest first.
    ///
    /// # Errors
    /// There is none.
    pub async fn get_task_history(
        &self,
        task: TaskRef,
        cursor: Option<&str>,
        limit: Option<i64>,
    ) -> Result<Paged<TaskEvent, Cursored>> {
        self.shared.port.task_history(task, cursor, limit).await
    }

    /// The board, with how it came about if that is asked for.
    ///
    /// # Errors
    /// The platform refused or could not be reached.
    pub async fn get_board(&self, with_history: bool) -> Result<Board> {
        self.shared.port.board(with_history.then_some(Include::History)).await
    }

    /// Sets the room's goal. What is left out stays. Counts as work done.
    ///
    /// # Errors
    /// Nothing is given, or the turn was asked to end.
    pub async fn set_board(&self, board: &SetBoard) -> Result<Board> {
        if *board == SetBoard::default() {
            return Err(ToolError::Argument(SET_NOTHING.to_owned()).into());
        }
        self.act(|| self.shared.port.set_board(board)).await
    }

    pub(super) async fn do_create_task(&self, args: CreateTaskArgs) -> Result<Value> {
        let supersedes_id = given(args.supersedes_id.as_deref());
        let supersedes_id = supersedes_id.map(|reference| bare_task_reference(reference).to_owned());
        let task = CreateTask { subject: args.subject, detail: args.detail, supersedes_id };
        told(self.create_task(&task).await)
    }

    pub(super) async fn do_update_task(&self, args: UpdateTaskArgs) -> Result<Value> {
        let task = task_ref(&args.id)?;
        let state = args.state.map(|state| match state {
            band_wire::tools::args::TaskState::Active => TaskState::Active,
            band_wire::tools::args::TaskState::Cancelled => TaskState::Cancelled,
            band_wire::tools::args::TaskState::Archived => TaskState::Archived,
        });
        let update = UpdateTask {
            status: args.status,
            active_form: args.active_form,
            linked_native_id: None,
            comment: args.comment,
            subject: args.subject,
            detail: args.detail,
            state,
        };
        told(self.update_task(task, &update).await)
    }

    pub(super) async fn do_get_task_history(&self, args: GetTaskHistoryArgs) -> Result<Value> {
        told(self.get_task_history(task_ref(&args.id)?, args.cursor.as_deref(), args.limit).await)
    }

    pub(super) async fn do_set_board(&self, args: SetBoardArgs) -> Result<Value> {
        let board = SetBoard { goal_title: args.goal_title, goal_summary: args.goal_summary };
        told(self.set_board(&board).await)
    }
}

const UPDATE_NOTHING: &str =
    "At least one of status, active_form, comment, subject, detail, or state must be set";
const SET_NOTHING: &str = "At least one of goal_title or goal_summary must be set";

pub(super) fn task_ref(text: &str) -> Result<TaskRef> {
    bare_task_reference(text).parse().map_err(misfit)
}
