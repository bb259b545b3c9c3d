//! New tasks, and what becomes of them.

use band_wire::event::name;
use band_wire::phx::Topic;
use band_wire::rest::{CreateTask, Issues, TaskEventKind, TaskRef, TaskState, TaskStatus, UpdateTask};
use band_wire::{ParticipantId, Stamp, TaskId};
use serde_json::{Map, Value, json};

use super::row::{Assignment, BoardWrite, Happened, TaskRow, task_view};
use super::{actor, roll_up};
use crate::platform::plan::{Plan, Write};
use crate::platform::{Audience, Member, Principal, Push, Refusal, Room, announce};

/// What is known when a task is made.
#[derive(Debug)]
pub struct Creating<'a> {
    /// The room.
    pub room: &'a Room,
    /// The id it will have.
    pub id: TaskId,
    /// The number it will have.
    pub number: u32,
    /// The task whose place it is to take, if one was named and there is one.
    pub superseded: Option<TaskRow>,
    /// Now.
    pub now: Stamp,
}

/// Reads which task is to be superseded.
///
/// # Errors
/// 422 when the text names no task.
pub fn superseded(request: &CreateTask) -> Result<Option<TaskRef>, Refusal> {
    let read = |text: &String| text.parse::<TaskRef>();
    request
        .supersedes_id
        .as_ref()
        .map(read)
        .transpose()
        .map_err(|err| Refusal::invalid(Issues::one("/supersedes_id", err.to_string())))
}

/// Plans a new task. Nobody is assigned.
///
/// # Errors
/// 404 for who takes no part in the room; 422 when the task to be superseded is none of the room, or not active.
pub fn create(facts: Creating<'_>, who: Principal, request: CreateTask) -> Result<Plan<TaskRow>, Refusal> {
    let Creating { room, id, number, superseded, now } = facts;
    let by = actor(room.member(who)?);
    let mut payload = Map::new();
    payload.insert("subject".to_owned(), json!(request.subject));
    payload.insert("detail".to_owned(), json!(request.detail.as_deref().unwrap_or_default()));
    let old = match (&request.supersedes_id, superseded) {
        (None, _) => None,
        (Some(_), None) => return Err(Refusal::invalid(Issues::one("/supersedes_id", "does not exist"))),
        (Some(_), Some(old)) if old.state != TaskState::Active => {
            return Err(Refusal::invalid(Issues::one("/supersedes_id", format!("is {}", old.state))));
        }
        (Some(_), Some(old)) => Some(old),
    };
    if let Some(old) = &old {
        payload.insert("supersedes_id".to_owned(), json!(old.id));
    }
    let row = TaskRow {
        id,
        chat: room.chat.id,
        number,
        subject: request.subject,
        detail: request.detail.unwrap_or_default(),
        state: TaskState::Active,
        overall: TaskStatus::Pending,
        assignments: Vec::new(),
        created_by: by.clone(),
        superseded_by: None,
        inserted_at: now,
        updated_at: now,
        started_at: None,
        completed_at: None,
    };
    let line = Happened { event: TaskEventKind::Created, actor: by.clone(), at: now, payload };
    let mut writes = vec![
        BoardWrite::AddTask(Box::new(row.clone())).into(),
        BoardWrite::TaskHappened { task: id, line: Box::new(line) }.into(),
    ];
    let mut pushes = vec![told(name::TASK_CREATED, &row)];
    if let Some(old) = old {
        let mut payload = moved("state", old.state.as_str(), TaskState::Superseded.as_str());
        payload.insert("superseded_by_id".to_owned(), json!(id));
        let old = TaskRow { state: TaskState::Superseded, superseded_by: Some(id), updated_at: now, ..old };
        let line = Happened { event: TaskEventKind::Superseded, actor: by, at: now, payload };
        writes.push(BoardWrite::SetTask(Box::new(old.clone())).into());
        writes.push(BoardWrite::TaskHappened { task: old.id, line: Box::new(line) }.into());
        pushes.push(told(name::TASK_UPDATED, &old));
    }
    Ok(Plan { writes, pushes, answer: row })
}

/// What is known when a task is updated.
#[derive(Debug)]
pub struct Updating<'a> {
    /// The room.
    pub room: &'a Room,
    /// The task, if there is one.
    pub task: Option<TaskRow>,
    /// Now.
    pub now: Stamp,
}

/// Plans an update: work first, then the state; a task that is brought back is brought back first.
///
/// # Errors
/// 404 for who takes no part in the room, and for no task of it; 422 for work on a task that isn't active, and
/// for a state that it can't get into.
pub fn update(facts: Updating<'_>, who: Principal, request: UpdateTask) -> Result<Plan<TaskRow>, Refusal> {
    let Updating { room, task, now } = facts;
    let member = room.member(who)?;
    let task = task.ok_or_else(Refusal::not_found)?;
    let mut change = Change { task, member, now, writes: Vec::new() };
    let UpdateTask { state, .. } = request;
    if state == Some(TaskState::Active) {
        change.state(TaskState::Active)?;
    }
    change.work(request)?;
    if let Some(state) = state.filter(|state| *state != TaskState::Active) {
        change.state(state)?;
    }
    Ok(change.finish())
}

/// Plans the end of someone's parts in a room's tasks, because they leave it.
pub fn leave(tasks: Vec<TaskRow>, member: &Member, now: Stamp) -> Plan<()> {
    let mut plan = Plan::answer(());
    for task in tasks {
        if task.assignment(member.id).is_none() {
            continue;
        }
        let mut change = Change { task, member, now, writes: Vec::new() };
        change.drop_out(member.id);
        let Plan { writes, pushes, .. } = change.finish();
        plan.writes.extend(writes);
        plan.pushes.extend(pushes);
    }
    plan
}

/// A task on its way from one state to the next.
struct Change<'a> {
    task: TaskRow,
    member: &'a Member,
    now: Stamp,
    writes: Vec<Write>,
}

impl Change<'_> {
    fn happened(&mut self, event: TaskEventKind, payload: Map<String, Value>) {
        let line = Happened { event, actor: actor(self.member), at: self.now, payload };
        self.writes.push(BoardWrite::TaskHappened { task: self.task.id, line: Box::new(line) }.into());
    }

    fn state(&mut self, to: TaskState) -> Result<(), Refusal> {
        use TaskState::{Active, Archived, Cancelled};
        let from = self.task.state;
        let event = match (from, to) {
            (from, to) if from == to => return Ok(()),
            (Active, Cancelled) => TaskEventKind::Cancelled,
            (Active, Archived) => TaskEventKind::Archived,
            (Archived, Active) => TaskEventKind::Unarchived,
            _ => {
                let text = format!("a task that is {from} can't become {to}");
                return Err(Refusal::invalid(Issues::one("/state", text)));
            }
        };
        self.task.state = to;
        self.happened(event, moved("state", from.as_str(), to.as_str()));
        Ok(())
    }

    fn work(&mut self, request: UpdateTask) -> Result<(), Refusal> {
        let UpdateTask { status, active_form, linked_native_id, comment, subject, detail, state: _ } =
            request;
        let given = [
            ("status", status.is_some()),
            ("active_form", active_form.is_some()),
            ("linked_native_id", linked_native_id.is_some()),
            ("comment", comment.is_some()),
            ("subject", subject.is_some()),
            ("detail", detail.is_some()),
        ];
        if self.task.state != TaskState::Active {
            let mut issues = Issues::new();
            for (field, _) in given.iter().filter(|(_, given)| *given) {
                issues.add(format!("/{field}"), format!("the task is {}, not active", self.task.state));
            }
            if !issues.is_empty() {
                return Err(Refusal::invalid(issues));
            }
            return Ok(());
        }
        self.edit(subject, detail);
        self.report(status, active_form, linked_native_id);
        if let Some(text) = comment {
            self.happened(TaskEventKind::Commented, Map::from_iter([("text".to_owned(), json!(text))]));
        }
        Ok(())
    }

    fn edit(&mut self, subject: Option<String>, detail: Option<String>) {
        let mut payload = Map::new();
        for (field, own, new) in
            [("subject", &mut self.task.subject, subject), ("detail", &mut self.task.detail, detail)]
        {
            let Some(new) = new.filter(|new| new != own) else { continue };
            payload.extend(moved(field, own.as_str(), new.as_str()));
            *own = new;
        }
        if !payload.is_empty() {
            self.happened(TaskEventKind::Edited, payload);
        }
    }

    /// The caller's own part. The first report makes them an assignee.
    fn report(
        &mut self,
        status: Option<TaskStatus>,
        active_form: Option<String>,
        linked_native_id: Option<String>,
    ) {
        if status.is_none() && active_form.is_none() && linked_native_id.is_none() {
            return;
        }
        let before = self.task.assignment(self.member.id).cloned();
        let mut part = before.clone().unwrap_or_else(|| Assignment {
            assignee: actor(self.member),
            status: TaskStatus::Pending,
            active_form: String::new(),
            linked_native_id: String::new(),
            updated_at: self.now,
        });
        part.status = status.unwrap_or(part.status);
        part.active_form = active_form.unwrap_or(part.active_form);
        part.linked_native_id = linked_native_id.unwrap_or(part.linked_native_id);
        if before.as_ref() == Some(&part) {
            return;
        }
        part.updated_at = self.now;
        let from = before.as_ref().map(|before| before.status);
        let native = before.map_or(String::new(), |before| before.linked_native_id);
        if from != Some(part.status) || native != part.linked_native_id {
            let change = json!({"from": from, "to": part.status});
            let mut payload = Map::from_iter([("status".to_owned(), change)]);
            if native != part.linked_native_id {
                payload.insert("linked_native_id".to_owned(), json!(part.linked_native_id));
            }
            self.happened(TaskEventKind::StatusChanged, payload);
        }
        let task = self.task.id;
        match self.task.assignments.iter_mut().find(|known| known.assignee.id == part.assignee.id) {
            Some(known) => known.clone_from(&part),
            None => self.task.assignments.push(part.clone()),
        }
        self.writes.push(BoardWrite::SetAssignment { task, assignment: Box::new(part) }.into());
    }

    fn drop_out(&mut self, who: ParticipantId) {
        self.task.assignments.retain(|part| part.assignee.id != who);
        self.writes.push(BoardWrite::RemoveAssignment { task: self.task.id, who }.into());
        let payload = Map::from_iter([("reason".to_owned(), json!("left the room"))]);
        self.happened(TaskEventKind::Dropped, payload);
    }

    /// What all of it comes to. Without a change nothing is stored and nobody is told.
    fn finish(self) -> Plan<TaskRow> {
        let Self { mut task, now, mut writes, .. } = self;
        if writes.is_empty() {
            return Plan::answer(task);
        }
        let overall = roll_up(task.assignments.iter().map(|part| part.status));
        if overall != TaskStatus::Pending {
            task.started_at.get_or_insert(now);
        }
        task.completed_at = match overall {
            TaskStatus::Completed => task.completed_at.or(Some(now)),
            _ => None,
        };
        task.overall = overall;
        task.updated_at = now;
        writes.push(BoardWrite::SetTask(Box::new(task.clone())).into());
        Plan { writes, pushes: vec![told(name::TASK_UPDATED, &task)], answer: task }
    }
}

/// `{field: {from, to}}`.
fn moved(field: &str, from: &str, to: &str) -> Map<String, Value> {
    Map::from_iter([(field.to_owned(), json!({"from": from, "to": to}))])
}

fn told(event: &'static str, task: &TaskRow) -> Push {
    announce::push(Topic::RoomTasks(task.chat), Audience::Everyone, event, &task_view(task.clone()))
}
