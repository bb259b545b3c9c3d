//! The tasks and the board of a room that is made up.

use band_wire::rest::{
    Board, BoardEvent, BoardEventKind, CreateTask, Cursored, Paged, SenderType, SetBoard, Task, TaskActor,
    TaskAssignment, TaskEvent, TaskEventKind, TaskRef, TaskState, TaskStatus, UpdateTask,
};
use band_wire::tools::args::{Include, ListTasksArgs, TaskListState};
use band_wire::{Id, Stamp};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::fake_tools::{EPOCH, Said, answered, locked, not_found, unprocessable};
use crate::tools::{Answer, TaskPort};

/// Tasks with what became of them, and the board with how it came about.
#[derive(Debug, Default)]
pub(super) struct FakeTasks {
    pub(super) tasks: Vec<(Task, Vec<TaskEvent>)>,
    pub(super) board: Option<Board>,
    changes: Vec<BoardEvent>,
}

fn now() -> Stamp {
    Stamp::from_micros(EPOCH)
}

fn actor() -> TaskActor {
    TaskActor {
        id: Said::agent().into(),
        kind: SenderType::Agent.into(),
        name: "Echo".to_owned(),
        handle: Some("ada/echo".to_owned()),
    }
}

fn event(kind: TaskEventKind, payload: Value) -> TaskEvent {
    let payload = if let Value::Object(payload) = payload { payload } else { Map::new() };
    TaskEvent { event: kind.into(), actor: actor(), at: now(), payload }
}

impl FakeTasks {
    fn find(&mut self, task: TaskRef) -> Option<&mut (Task, Vec<TaskEvent>)> {
        self.tasks.iter_mut().find(|(known, _)| match task {
            TaskRef::Id(id) => known.id == id,
            TaskRef::Number(number) => known.number == number,
        })
    }

    fn create(&mut self, task: &CreateTask) -> Option<Task> {
        let number = u32::try_from(self.tasks.len()).unwrap_or(u32::MAX).saturating_add(1);
        let id = Id::new(Uuid::new_v4());
        if let Some(old) = &task.supersedes_id {
            let (old, events) = self.find(old.parse().ok()?)?;
            old.state = TaskState::Superseded.into();
            old.superseded_by_id = Some(id);
            events.push(event(TaskEventKind::Superseded, json!({ "by": id })));
        }
        let new = Task {
            id,
            chat_room_id: Id::new(Uuid::from_u128(3)),
            number,
            subject: task.subject.clone(),
            detail: task.detail.clone().unwrap_or_default(),
            state: TaskState::Active.into(),
            overall_status: TaskStatus::Pending.into(),
            assignments: Vec::new(),
            created_by: actor(),
            superseded_by_id: None,
            inserted_at: now(),
            updated_at: now(),
            started_at: None,
            completed_at: None,
            history: None,
            history_truncated: None,
        };
        self.tasks.push((new.clone(), vec![event(TaskEventKind::Created, json!({}))]));
        Some(new)
    }

    fn update(&mut self, task: TaskRef, update: &UpdateTask) -> Option<Task> {
        let (task, events) = self.find(task)?;
        for (field, new) in [(&mut task.subject, &update.subject), (&mut task.detail, &update.detail)] {
            if let Some(new) = new {
                field.clone_from(new);
                events.push(event(TaskEventKind::Edited, json!({})));
            }
        }
        if let Some(comment) = &update.comment {
            events.push(event(TaskEventKind::Commented, json!({ "comment": comment })));
        }
        if let Some(status) = update.status {
            task.assignments.retain(|one| one.assignee.id != actor().id);
            task.assignments.push(TaskAssignment {
                assignee: actor(),
                status: status.into(),
                active_form: update.active_form.clone().unwrap_or_default(),
                linked_native_id: String::new(),
                updated_at: now(),
            });
            task.overall_status = status.into();
            events.push(event(TaskEventKind::StatusChanged, json!({ "to": status })));
        }
        if let Some(state) = update.state {
            task.state = state.into();
            let kind = match state {
                TaskState::Active => TaskEventKind::Unarchived,
                TaskState::Cancelled => TaskEventKind::Cancelled,
                TaskState::Superseded => TaskEventKind::Superseded,
                TaskState::Archived => TaskEventKind::Archived,
            };
            events.push(event(kind, json!({})));
        }
        Some(task.clone())
    }

    fn set(&mut self, set: &SetBoard) -> Board {
        let kind = if self.board.is_some() { BoardEventKind::GoalEdited } else { BoardEventKind::GoalSet };
        let mut board = self.board.clone().unwrap_or_else(|| Board { created_by: Some(actor()), ..empty() });
        if set.goal_title.is_some() {
            board.goal_title.clone_from(&set.goal_title);
        }
        if set.goal_summary.is_some() {
            board.goal_summary.clone_from(&set.goal_summary);
        }
        board.updated_by = Some(actor());
        (board.inserted_at, board.updated_at) = (board.inserted_at.or(Some(now())), Some(now()));
        self.changes.push(BoardEvent { event: kind.into(), actor: actor(), at: now(), payload: Map::new() });
        self.board = Some(board.clone());
        board
    }
}

fn empty() -> Board {
    Board {
        chat_room_id: Id::new(Uuid::from_u128(3)),
        goal_title: None,
        goal_summary: None,
        created_by: None,
        updated_by: None,
        inserted_at: None,
        updated_at: None,
        history: None,
        history_truncated: None,
    }
}

/// All fit on one page.
impl TaskPort for Said {
    fn tasks<'a>(&'a self, query: &'a ListTasksArgs) -> Answer<'a, Paged<Task, Cursored>> {
        let wanted = query.state.unwrap_or(TaskListState::Active);
        let fits = |task: &&Task| wanted == TaskListState::All || task.state.as_str() == wanted.as_str();
        let known = locked(&self.tasks);
        let data = known.tasks.iter().map(|(task, _)| task).filter(fits).cloned().collect();
        answered(Paged { data, metadata: Cursored::default() })
    }

    fn create_task<'a>(&'a self, task: &'a CreateTask) -> Answer<'a, Task> {
        let refused = self.refused();
        refused.unwrap_or_else(|| locked(&self.tasks).create(task).map_or_else(unprocessable, answered))
    }

    fn task(&self, task: TaskRef, include: Option<Include>) -> Answer<'_, Task> {
        let found = locked(&self.tasks).find(task).cloned();
        found.map_or_else(not_found, |(mut task, events)| {
            if include.is_some() {
                (task.history, task.history_truncated) = (Some(events), Some(false));
            }
            answered(task)
        })
    }

    fn update_task<'a>(&'a self, task: TaskRef, update: &'a UpdateTask) -> Answer<'a, Task> {
        let refused = self.refused();
        refused.unwrap_or_else(|| locked(&self.tasks).update(task, update).map_or_else(not_found, answered))
    }

    fn task_history<'a>(
        &'a self,
        task: TaskRef,
        _: Option<&'a str>,
        _: Option<i64>,
    ) -> Answer<'a, Paged<TaskEvent, Cursored>> {
        let found = locked(&self.tasks).find(task).map(|(_, events)| events.clone());
        found.map_or_else(not_found, |data| answered(Paged { data, metadata: Cursored::default() }))
    }

    fn board(&self, include: Option<Include>) -> Answer<'_, Board> {
        let known = locked(&self.tasks);
        let mut board = known.board.clone().unwrap_or_else(empty);
        if include.is_some() {
            (board.history, board.history_truncated) = (Some(known.changes.clone()), Some(false));
        }
        answered(board)
    }

    fn set_board<'a>(&'a self, board: &'a SetBoard) -> Answer<'a, Board> {
        let refused = self.refused();
        refused.unwrap_or_else(|| answered(locked(&self.tasks).set(board)))
    }
}
