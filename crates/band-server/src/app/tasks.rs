//! The task board of a room, on both sides.

use band_core::platform::page::{Key, List, Scope as Bound, Span};
use band_core::platform::tasks::{self, Creating, GoalFacts, Happened, TaskRow, Updating};
use band_core::platform::{Principal, Refusal};
use band_wire::rest::query::{HistoryIncludeQuery, TaskHistoryQuery, TasksQuery};
use band_wire::rest::{
    Board, CreateTask, Cursored, Paged, SetBoard, Task, TaskEvent, TaskEventKind, TaskRef, TaskState,
    UpdateTask,
};
use band_wire::{ChatId, TaskId};
use uuid::Uuid;

use super::idempotency::Once;
use super::{App, AppError, AppResult};
use crate::store::{Scope, View};

/// Lines of a history that come with a task or a board.
const EMBEDDED: u64 = Task::EMBEDDED_EVENTS as u64;

impl App {
    /// The tasks of a room, by number.
    ///
    /// # Errors
    /// 404 for who can't read the room, 422 for a bad cursor.
    pub async fn tasks(
        &self,
        who: Principal,
        chat: ChatId,
        query: TasksQuery,
    ) -> AppResult<Paged<Task, Cursored>> {
        let TasksQuery { page, state } = query;
        let filter = match state {
            None => 0,
            Some(TaskState::Active) => 1,
            Some(TaskState::Cancelled) => 2,
            Some(TaskState::Superseded) => 3,
            Some(TaskState::Archived) => 4,
        };
        let span = Span::read(&page.into(), Bound { list: List::Tasks, order: 0, filter })?;
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let found = view.tasks(chat, state, &span.position, span.wanted())?;
            let place = |task: &TaskRow| (Key::Number(task.number.into()), task.id.uuid());
            let (found, metadata) = span.page(found, None, place);
            let data = found.into_iter().map(tasks::task_view).collect();
            Ok::<_, AppError>(Paged { data, metadata })
        };
        self.store().read(load).await
    }

    /// A new task.
    ///
    /// # Errors
    /// 404 for who takes no part in the room, 409 for a repeated key with another request, 422 by the rules of
    /// the board.
    pub async fn create_task(
        &self,
        who: Principal,
        chat: ChatId,
        request: CreateTask,
        idempotency_key: Option<String>,
    ) -> AppResult<Task> {
        let once = Once::read(who, format!("tasks:{chat}"), idempotency_key, &request)?;
        let create = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            room.member(who)?;
            let view = scope.view();
            let superseded = match tasks::superseded(&request)? {
                Some(task) => view.task(chat, task)?,
                None => None,
            };
            let facts = Creating {
                room: &room,
                id: TaskId::new(Uuid::now_v7()),
                number: view.next_task_number(chat)?,
                superseded,
                now: scope.now(),
            };
            Ok(tasks::task_view(scope.carry_out(tasks::create(facts, who, request)?)?))
        };
        self.once(once, |task: &Task| task.id.uuid(), create).await
    }

    /// One task, whatever its state.
    ///
    /// # Errors
    /// 404 for who can't read the room, and for no task of it.
    pub async fn task(
        &self,
        who: Principal,
        chat: ChatId,
        task: TaskRef,
        query: HistoryIncludeQuery,
    ) -> AppResult<Task> {
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let row = view.task(chat, task)?.ok_or_else(Refusal::not_found)?;
            let mut shown = tasks::task_view(row);
            if query.history {
                let lines = view.newest_of_task(shown.id, EMBEDDED + 1)?;
                let (history, truncated) = newest(lines);
                (shown.history, shown.history_truncated) = (Some(history), Some(truncated));
            }
            Ok::<_, AppError>(shown)
        };
        self.store().read(load).await
    }

    /// Changes a task, or the caller's part in it.
    ///
    /// # Errors
    /// 404 for who takes no part in the room, and for no task of it; 422 by the rules of the board.
    pub async fn update_task(
        &self,
        who: Principal,
        chat: ChatId,
        task: TaskRef,
        request: UpdateTask,
    ) -> AppResult<Task> {
        let command = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            let task = scope.view().task(chat, task)?;
            let facts = Updating { room: &room, task, now: scope.now() };
            Ok::<_, AppError>(tasks::task_view(scope.carry_out(tasks::update(facts, who, request)?)?))
        };
        self.store().write(command).await
    }

    /// What happened to a task, the oldest first.
    ///
    /// # Errors
    /// 404 for who can't read the room, and for no task of it; 422 for a bad cursor.
    pub async fn task_history(
        &self,
        who: Principal,
        chat: ChatId,
        task: TaskRef,
        query: TaskHistoryQuery,
    ) -> AppResult<Paged<TaskEvent, Cursored>> {
        let span = Span::read(&query.page.into(), Bound { list: List::TaskHistory, order: 0, filter: 0 })?;
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let task = view.task(chat, task)?.ok_or_else(Refusal::not_found)?;
            let found = view.task_history(task.id, &span.position, span.wanted())?;
            let place = |line: &(i64, Happened<TaskEventKind>)| (Key::Number(line.0), task.id.uuid());
            let (found, metadata) = span.page(found, None, place);
            let data = found.into_iter().map(|(_, line)| line.into()).collect();
            Ok::<_, AppError>(Paged { data, metadata })
        };
        self.store().read(load).await
    }

    /// The goal of a room; all null when there is none.
    ///
    /// # Errors
    /// 404 for who can't read the room.
    pub async fn goal(&self, who: Principal, chat: ChatId, query: HistoryIncludeQuery) -> AppResult<Board> {
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let mut board = tasks::goal_view(chat, view.goal(chat)?);
            if query.history {
                let (history, truncated) = newest(view.newest_of_goal(chat, EMBEDDED + 1)?);
                (board.history, board.history_truncated) = (Some(history), Some(truncated));
            }
            Ok::<_, AppError>(board)
        };
        self.store().read(load).await
    }

    /// Sets the goal of a room, or changes it.
    ///
    /// # Errors
    /// 404 for who takes no part in the room.
    pub async fn set_goal(&self, who: Principal, chat: ChatId, request: SetBoard) -> AppResult<Board> {
        let command = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            let facts = GoalFacts { room: &room, goal: scope.view().goal(chat)?, now: scope.now() };
            let goal = scope.carry_out(tasks::set_goal(facts, who, request)?)?;
            Ok::<_, AppError>(tasks::goal_view(chat, Some(goal)))
        };
        self.store().write(command).await
    }
}

/// The newest lines of a history, the oldest of them first, and whether there are older ones.
fn newest<K, T: From<Happened<K>>>(lines: Vec<(i64, Happened<K>)>) -> (Vec<T>, bool) {
    let truncated = lines.len() as u64 > EMBEDDED;
    let kept = lines.into_iter().take(Task::EMBEDDED_EVENTS).rev();
    (kept.map(|(_, line)| line.into()).collect(), truncated)
}

/// Whether someone may read the task that they name: by number in this room, by id in any.
pub(super) fn knows_task(
    view: View<'_>,
    who: Principal,
    chat: Option<ChatId>,
    task: TaskRef,
) -> AppResult<bool> {
    match (task, chat) {
        (task, Some(chat)) => Ok(view.task(chat, task)?.is_some()),
        (TaskRef::Id(id), None) => match view.room_of_task(id)? {
            Some(chat) => Ok(view.access(who, chat)?.may_read()),
            None => Ok(false),
        },
        (TaskRef::Number(_), None) => Ok(false),
    }
}
