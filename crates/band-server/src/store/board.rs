//! Runs the writes of task boards.

use band_core::platform::tasks::{Assignment, BoardWrite, GoalRow, Happened, TaskRow};
use band_wire::TaskId;
use band_wire::rest::{BoardEventKind, TaskEventKind};
use rusqlite::{Connection, params};
use serde::Serialize;

use super::StoreError;
use super::apply::execute;
use super::column::micros;

pub(super) fn run(connection: &Connection, write: &BoardWrite) -> Result<(), StoreError> {
    match write {
        BoardWrite::AddTask(task) => add_task(connection, task),
        BoardWrite::SetTask(task) => set_task(connection, task),
        BoardWrite::SetAssignment { task, assignment } => set_assignment(connection, *task, assignment),
        BoardWrite::RemoveAssignment { task, who } => {
            let sql = "DELETE FROM task_assignments WHERE task_id = ?1 AND assignee_id = ?2";
            execute(connection, sql, params![task.uuid(), who.uuid()])
        }
        BoardWrite::TaskHappened { task, line } => {
            let Happened { event, actor, at, payload } = line.as_ref();
            let event = TaskEventKind::as_str(*event);
            let sql =
                "INSERT INTO task_events (task_id, event, actor, at, payload) VALUES (?1, ?2, ?3, ?4, ?5)";
            let (task, at) = (task.uuid(), at.as_micros());
            execute(connection, sql, params![task, event, json(actor), at, json(payload)])
        }
        BoardWrite::SetGoal(goal) => set_goal(connection, goal),
        BoardWrite::GoalHappened { chat, line } => {
            let Happened { event, actor, at, payload } = line.as_ref();
            let event = BoardEventKind::as_str(*event);
            let sql =
                "INSERT INTO board_events (chat_id, event, actor, at, payload) VALUES (?1, ?2, ?3, ?4, ?5)";
            let (chat, at) = (chat.uuid(), at.as_micros());
            execute(connection, sql, params![chat, event, json(actor), at, json(payload)])
        }
    }
}

/// What is kept as JSON has string keys, so writing it can't fail.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "{}".to_owned())
}

fn add_task(connection: &Connection, task: &TaskRow) -> Result<(), StoreError> {
    let sql = "INSERT INTO tasks (id, chat_id, number, subject, detail, state, overall_status, created_by,
                   inserted_at, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    execute(
        connection,
        sql,
        params![
            task.id.uuid(),
            task.chat.uuid(),
            task.number,
            task.subject,
            task.detail,
            task.state.as_str(),
            task.overall.as_str(),
            json(&task.created_by),
            task.inserted_at.as_micros(),
            task.updated_at.as_micros(),
        ],
    )
}

fn set_task(connection: &Connection, task: &TaskRow) -> Result<(), StoreError> {
    let sql = "UPDATE tasks SET subject = ?2, detail = ?3, state = ?4, overall_status = ?5,
                   superseded_by_id = ?6, updated_at = ?7, started_at = ?8, completed_at = ?9 WHERE id = ?1";
    execute(
        connection,
        sql,
        params![
            task.id.uuid(),
            task.subject,
            task.detail,
            task.state.as_str(),
            task.overall.as_str(),
            task.superseded_by.map(TaskId::uuid),
            task.updated_at.as_micros(),
            micros(task.started_at),
            micros(task.completed_at),
        ],
    )
}

/// Who joins a task comes after those who are there.
fn set_assignment(connection: &Connection, task: TaskId, part: &Assignment) -> Result<(), StoreError> {
    let sql = "INSERT INTO task_assignments (task_id, assignee_id, place, assignee, status, active_form,
                   linked_native_id, updated_at)
               SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, ?4, ?5, ?6, ?7
               FROM task_assignments WHERE task_id = ?1
               ON CONFLICT (task_id, assignee_id) DO UPDATE SET status = excluded.status,
                   active_form = excluded.active_form, linked_native_id = excluded.linked_native_id,
                   updated_at = excluded.updated_at";
    let (who, status) = (part.assignee.id.uuid(), part.status.as_str());
    let Assignment { active_form, linked_native_id, .. } = part;
    let at = part.updated_at.as_micros();
    let params = params![task.uuid(), who, json(&part.assignee), status, active_form, linked_native_id, at];
    execute(connection, sql, params)
}

fn set_goal(connection: &Connection, goal: &GoalRow) -> Result<(), StoreError> {
    let sql = "INSERT INTO boards (chat_id, goal_title, goal_summary, created_by, updated_by, inserted_at,
                   updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
               ON CONFLICT (chat_id) DO UPDATE SET goal_title = excluded.goal_title,
                   goal_summary = excluded.goal_summary, updated_by = excluded.updated_by,
                   updated_at = excluded.updated_at";
    let (by, last) = (json(&goal.created_by), json(&goal.updated_by));
    let (from, to) = (goal.inserted_at.as_micros(), goal.updated_at.as_micros());
    execute(connection, sql, params![goal.chat.uuid(), goal.title, goal.summary, by, last, from, to])
}
