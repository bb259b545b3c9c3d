//! Task boards.

use std::collections::BTreeMap;

use band_core::platform::page::{Key, Position};
use band_core::platform::tasks::{Assignment, GoalRow, Happened, TaskRow};
use band_wire::rest::{BoardEventKind, TaskActor, TaskEventKind, TaskRef, TaskState, TaskStatus};
use band_wire::{ChatId, ParticipantId, TaskId};
use rusqlite::{Row, params};
use serde::de::DeserializeOwned;

use super::View;
use super::chat::hex_list;
use crate::store::{StoreError, column};

const TASK: &str = "t.id, t.chat_id, t.number, t.subject, t.detail, t.state, t.overall_status, t.created_by,
    t.superseded_by_id, t.inserted_at, t.updated_at, t.started_at, t.completed_at FROM tasks t";

/// A line of a history with its place.
type Line<K> = (i64, Happened<K>);

impl View<'_> {
    /// A task of a room.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn task(self, chat: ChatId, task: TaskRef) -> Result<Option<TaskRow>, StoreError> {
        let found = match task {
            TaskRef::Id(id) => {
                let sql = format!("SELECT {TASK} WHERE t.id = ?1 AND t.chat_id = ?2");
                self.list(&sql, params![id.uuid(), chat.uuid()], read)?
            }
            TaskRef::Number(number) => {
                let sql = format!("SELECT {TASK} WHERE t.chat_id = ?1 AND t.number = ?2");
                self.list(&sql, params![chat.uuid(), number], read)?
            }
        };
        Ok(self.with_assignments(found)?.into_iter().next())
    }

    /// The room of a task.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn room_of_task(self, task: TaskId) -> Result<Option<ChatId>, StoreError> {
        let sql = "SELECT chat_id FROM tasks WHERE id = ?1";
        self.first(sql, params![task.uuid()], |row| column::id(row, 0))
    }

    /// The tasks of a room in a state, by number: some, from a place on.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn tasks(
        self,
        chat: ChatId,
        state: Option<TaskState>,
        position: &Position,
        limit: u64,
    ) -> Result<Vec<TaskRow>, StoreError> {
        let after = after(position);
        let found = match state {
            Some(state) => {
                let sql = format!(
                    "SELECT {TASK} WHERE t.chat_id = ?1 AND t.state = ?2 AND t.number > ?3
                     ORDER BY t.number LIMIT ?4"
                );
                self.list(&sql, params![chat.uuid(), state.as_str(), after, limit], read)?
            }
            None => {
                let sql = format!(
                    "SELECT {TASK} WHERE t.chat_id = ?1 AND t.number > ?2 ORDER BY t.number LIMIT ?3"
                );
                self.list(&sql, params![chat.uuid(), after, limit], read)?
            }
        };
        self.with_assignments(found)
    }

    /// The active tasks of a room in which someone has a part.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn tasks_of(self, chat: ChatId, who: ParticipantId) -> Result<Vec<TaskRow>, StoreError> {
        let sql = format!(
            "SELECT {TASK} WHERE t.chat_id = ?1 AND t.state = 'active' AND EXISTS (
                 SELECT 1 FROM task_assignments s WHERE s.task_id = t.id AND s.assignee_id = ?2)
             ORDER BY t.number"
        );
        let found = self.list(&sql, params![chat.uuid(), who.uuid()], read)?;
        self.with_assignments(found)
    }

    /// The number of a room's next task.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn next_task_number(self, chat: ChatId) -> Result<u32, StoreError> {
        let sql = "SELECT number + 1 FROM tasks WHERE chat_id = ?1 ORDER BY number DESC LIMIT 1";
        Ok(self.first(sql, params![chat.uuid()], |row| row.get(0))?.unwrap_or(1))
    }

    /// The history of a task, the oldest line first: some, from a place on.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn task_history(
        self,
        task: TaskId,
        position: &Position,
        limit: u64,
    ) -> Result<Vec<Line<TaskEventKind>>, StoreError> {
        let sql = "SELECT seq, event, actor, at, payload FROM task_events
            WHERE task_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
        let read = |row: &Row<'_>| read_line(row, TaskEventKind::parse);
        self.list(sql, params![task.uuid(), after(position), limit], read)
    }

    /// The newest lines of a task's history, the newest first.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn newest_of_task(self, task: TaskId, limit: u64) -> Result<Vec<Line<TaskEventKind>>, StoreError> {
        let sql = "SELECT seq, event, actor, at, payload FROM task_events
            WHERE task_id = ?1 ORDER BY seq DESC LIMIT ?2";
        self.list(sql, params![task.uuid(), limit], |row| read_line(row, TaskEventKind::parse))
    }

    /// The goal of a room.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn goal(self, chat: ChatId) -> Result<Option<GoalRow>, StoreError> {
        let sql = "SELECT chat_id, goal_title, goal_summary, created_by, updated_by, inserted_at, updated_at
            FROM boards WHERE chat_id = ?1";
        self.first(sql, params![chat.uuid()], |row| {
            Ok(GoalRow {
                chat: column::id(row, 0)?,
                title: row.get(1)?,
                summary: row.get(2)?,
                created_by: json(row, 3)?,
                updated_by: json(row, 4)?,
                inserted_at: column::stamp(row, 5)?,
                updated_at: column::stamp(row, 6)?,
            })
        })
    }

    /// The newest lines of a goal's history, the newest first.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn newest_of_goal(self, chat: ChatId, limit: u64) -> Result<Vec<Line<BoardEventKind>>, StoreError> {
        let sql = "SELECT seq, event, actor, at, payload FROM board_events
            WHERE chat_id = ?1 ORDER BY seq DESC LIMIT ?2";
        self.list(sql, params![chat.uuid(), limit], |row| read_line(row, BoardEventKind::parse))
    }

    /// Puts everyone's parts into tasks. One look-up.
    fn with_assignments(self, mut tasks: Vec<TaskRow>) -> Result<Vec<TaskRow>, StoreError> {
        if tasks.is_empty() {
            return Ok(tasks);
        }
        let ids: Vec<TaskId> = tasks.iter().map(|task| task.id).collect();
        let mut found = self.assignments_of(&ids)?;
        for task in &mut tasks {
            task.assignments = found.remove(&task.id).unwrap_or_default();
        }
        Ok(tasks)
    }

    pub(super) fn assignments_of(
        self,
        tasks: &[TaskId],
    ) -> Result<BTreeMap<TaskId, Vec<Assignment>>, StoreError> {
        let sql = "SELECT task_id, assignee, status, active_form, linked_native_id, updated_at
            FROM task_assignments WHERE task_id IN (SELECT unhex(value) FROM json_each(?1))
            ORDER BY task_id, place";
        let mut found: BTreeMap<TaskId, Vec<Assignment>> = BTreeMap::new();
        for (task, part) in self.list(sql, params![hex_list(tasks)], read_assignment)? {
            found.entry(task).or_default().push(part);
        }
        Ok(found)
    }
}

const fn after(position: &Position) -> i64 {
    match position {
        Position::After(Key::Number(number), _) => *number,
        Position::Start | Position::Skip(_) | Position::After(Key::Text(_), _) => 0,
    }
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    column::parsed(row, column, |text| serde_json::from_str(text).ok())
}

fn read(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    Ok(TaskRow {
        id: column::id(row, 0)?,
        chat: column::id(row, 1)?,
        number: row.get(2)?,
        subject: row.get(3)?,
        detail: row.get(4)?,
        state: column::parsed(row, 5, TaskState::parse)?,
        overall: column::parsed(row, 6, TaskStatus::parse)?,
        assignments: Vec::new(),
        created_by: json(row, 7)?,
        superseded_by: column::opt_id(row, 8)?,
        inserted_at: column::stamp(row, 9)?,
        updated_at: column::stamp(row, 10)?,
        started_at: column::opt_stamp(row, 11)?,
        completed_at: column::opt_stamp(row, 12)?,
    })
}

fn read_assignment(row: &Row<'_>) -> rusqlite::Result<(TaskId, Assignment)> {
    let part = Assignment {
        assignee: json::<TaskActor>(row, 1)?,
        status: column::parsed(row, 2, TaskStatus::parse)?,
        active_form: row.get(3)?,
        linked_native_id: row.get(4)?,
        updated_at: column::stamp(row, 5)?,
    };
    Ok((column::id(row, 0)?, part))
}

fn read_line<K>(row: &Row<'_>, parse: impl FnOnce(&str) -> Option<K>) -> rusqlite::Result<Line<K>> {
    let line = Happened {
        event: column::parsed(row, 1, parse)?,
        actor: json(row, 2)?,
        at: column::stamp(row, 3)?,
        payload: json(row, 4)?,
    };
    Ok((row.get(0)?, line))
}
