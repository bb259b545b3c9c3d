//! The calls about a room's tasks and its board.

use band_wire::ChatId;
use band_wire::rest::{
    Board, Body, CreateTask, Cursored, Paged, SetBoard, Task, TaskEvent, TaskRef, UpdateTask, routes,
};
use band_wire::tools::args::{Include, ListTasksArgs, given};

use super::client::{Call, RestClient};
use super::retry::Policy;
use crate::error::Result;

impl RestClient {
    /// One page of a room's tasks, by number.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats); 404 where the platform serves no tasks. So for all calls that follow.
    pub async fn tasks(&self, chat: ChatId, query: &ListTasksArgs) -> Result<Paged<Task, Cursored>> {
        let call = Call::get(routes::agent_tasks(chat))
            .query("state", query.state)
            .query("cursor", given(query.cursor.as_deref()))
            .query("limit", query.limit);
        Ok(self.call(call).await?.json()?)
    }

    /// Puts a task on the board.
    ///
    /// # Errors
    /// 422 for what does not fit.
    pub async fn create_task(&self, chat: ChatId, task: &CreateTask) -> Result<Task> {
        let call = Call::post(routes::agent_tasks(chat), Policy::Unkeyed).keyed(Some(&self.fresh_key()))?;
        Ok(self.call(call.json(&Body(task))?).await?.data()?)
    }

    /// One task, with its history if that is asked for.
    ///
    /// # Errors
    /// 404 when there is none in this room.
    pub async fn task(&self, chat: ChatId, task: TaskRef, include: Option<Include>) -> Result<Task> {
        let call = Call::get(routes::agent_task(chat, task)).query("include", include);
        Ok(self.call(call).await?.data()?)
    }

    /// Says how far the agent is with a task, comments on it, or changes it.
    ///
    /// # Errors
    /// 404 when there is none, 422 for what does not fit.
    pub async fn update_task(&self, chat: ChatId, task: TaskRef, update: &UpdateTask) -> Result<Task> {
        let call =
            Call::post(routes::agent_task(chat, task), Policy::Unkeyed).keyed(Some(&self.fresh_key()))?;
        Ok(self.call(call.json(&Body(update))?).await?.data()?)
    }

    /// One page of what became of a task, oldest first.
    ///
    /// # Errors
    /// 404 when there is none, 422 for a cursor that can't be read.
    pub async fn task_history(
        &self,
        chat: ChatId,
        task: TaskRef,
        cursor: Option<&str>,
        limit: Option<i64>,
    ) -> Result<Paged<TaskEvent, Cursored>> {
        let call = Call::get(routes::agent_task_history(chat, task))
            .query("cursor", given(cursor))
            .query("limit", limit);
        Ok(self.call(call).await?.json()?)
    }

    /// The board, with its history if that is asked for.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats).
    pub async fn board(&self, chat: ChatId, include: Option<Include>) -> Result<Board> {
        let call = Call::get(routes::agent_board(chat)).query("include", include);
        Ok(self.call(call).await?.data()?)
    }

    /// Sets the room's goal.
    ///
    /// # Errors
    /// 422 for what does not fit.
    pub async fn set_board(&self, chat: ChatId, board: &SetBoard) -> Result<Board> {
        let call = Call::put(routes::agent_board(chat), Policy::Repeatable).json(&Body(board))?;
        Ok(self.call(call).await?.data()?)
    }
}
