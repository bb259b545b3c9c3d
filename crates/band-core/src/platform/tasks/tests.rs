use band_wire::rest::{CreateTask, SetBoard, TaskEventKind, TaskState, TaskStatus, UpdateTask};
use band_wire::{ParticipantId, TaskId};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::*;
use crate::platform::plan::{Plan, Write};
use crate::platform::test_site::{agent, at, bot, person, room, user};
use crate::platform::{Refusal, Room};

fn hall() -> Room {
    room([person(1, "Ann"), agent(2, "Echo", 1), agent(3, "Mate", 1)])
}

fn titled(subject: &str) -> CreateTask {
    CreateTask { subject: subject.to_owned(), detail: None, supersedes_id: None }
}

fn task(number: u32) -> TaskRow {
    let room = hall();
    let facts = Creating {
        room: &room,
        id: TaskId::new(Uuid::from_u128(number.into())),
        number,
        superseded: None,
        now: at(0),
    };
    create(facts, user(1), titled("Make tea")).unwrap().answer
}

fn change(task: &TaskRow, who: u128, request: UpdateTask) -> Result<Plan<TaskRow>, Refusal> {
    let room = hall();
    update(Updating { room: &room, task: Some(task.clone()), now: at(9) }, bot(who, 1), request)
}

fn status(status: TaskStatus) -> UpdateTask {
    UpdateTask { status: Some(status), ..UpdateTask::default() }
}

fn state(state: TaskState) -> UpdateTask {
    UpdateTask { state: Some(state), ..UpdateTask::default() }
}

fn lines<A>(plan: &Plan<A>) -> Vec<(TaskEventKind, Map<String, Value>)> {
    plan.writes
        .iter()
        .filter_map(|write| match write {
            Write::Board(BoardWrite::TaskHappened { line, .. }) => Some((line.event, line.payload.clone())),
            _ => None,
        })
        .collect()
}

#[test]
fn the_roll_up_is_that_of_the_table() {
    use TaskStatus::{Blocked, Completed, Failed, InProgress, InReview, Pending};
    for (parts, whole) in [
        (&[][..], Pending),
        (&[Pending, Pending], Pending),
        (&[Completed, Failed, Blocked], Failed),
        (&[InProgress, Blocked], Blocked),
        (&[InProgress, Completed], InProgress),
        (&[Completed, Completed], Completed),
        (&[Completed, InReview], InReview),
        (&[Pending, InReview], InReview),
        (&[Pending, Completed], InProgress),
    ] {
        assert_eq!(roll_up(parts.iter().copied()), whole, "{parts:?}");
    }
}

#[test]
fn the_table_of_states_holds() {
    use TaskState::{Active, Archived, Cancelled, Superseded};
    for (before, to, allowed) in [
        (Active, Active, true),
        (Active, Cancelled, true),
        (Active, Archived, true),
        (Archived, Active, true),
        (Archived, Archived, true),
        (Archived, Cancelled, false),
        (Cancelled, Active, false),
        (Cancelled, Archived, false),
        (Cancelled, Cancelled, true),
        (Superseded, Active, false),
        (Superseded, Cancelled, false),
        (Superseded, Archived, false),
    ] {
        let row = TaskRow { state: before, ..task(1) };
        let plan = change(&row, 2, state(to));
        assert_eq!(plan.is_ok(), allowed, "{before} to {to}");
        match plan {
            Ok(plan) => assert_eq!(plan.writes.is_empty(), before == to, "{before} to {to}"),
            Err(refusal) => assert!(refusal.details.unwrap().into_map().contains_key("/state")),
        }
        let worked = change(&row, 2, status(TaskStatus::InProgress));
        assert_eq!(worked.is_ok(), before == Active, "work on what is {before}");
    }
}

#[test]
fn the_first_report_joins_and_each_has_a_part_of_its_own() {
    let first = change(&task(1), 2, status(TaskStatus::InProgress)).unwrap();
    assert_eq!(
        lines(&first),
        [(
            TaskEventKind::StatusChanged,
            json!({"status": {"from": null, "to": "in_progress"}}).as_object().unwrap().clone()
        )]
    );
    let row = first.answer;
    assert_eq!((row.overall, row.started_at, row.completed_at), (TaskStatus::InProgress, Some(at(9)), None));
    let second = change(&row, 3, status(TaskStatus::Completed)).unwrap().answer;
    let assignees: Vec<&str> = second.assignments.iter().map(|part| part.assignee.name.as_str()).collect();
    assert_eq!((assignees, second.overall), (vec!["Echo", "Mate"], TaskStatus::InProgress));
    let done = change(&second, 2, status(TaskStatus::Completed)).unwrap().answer;
    assert_eq!((done.overall, done.completed_at), (TaskStatus::Completed, Some(at(9))));
    let again = change(&done, 2, status(TaskStatus::InReview)).unwrap().answer;
    assert_eq!((again.overall, again.completed_at), (TaskStatus::InReview, None));
}

#[test]
fn what_changes_nothing_is_neither_stored_nor_told() {
    let row = change(&task(1), 2, status(TaskStatus::Blocked)).unwrap().answer;
    let same = UpdateTask { subject: Some(row.subject.clone()), ..status(TaskStatus::Blocked) };
    let plan = change(&row, 2, same).unwrap();
    assert!(plan.writes.is_empty() && plan.pushes.is_empty());
    let form = UpdateTask { active_form: Some("Boiling".to_owned()), ..UpdateTask::default() };
    let plan = change(&row, 2, form).unwrap();
    assert_eq!((lines(&plan).len(), plan.pushes.len()), (0, 1), "a live sentence is no history");
}

#[test]
fn finishing_and_tidying_is_one_call_and_so_is_bringing_back_and_working() {
    let request = UpdateTask { state: Some(TaskState::Archived), ..status(TaskStatus::Completed) };
    let plan = change(&task(1), 2, request).unwrap();
    let kinds: Vec<_> = lines(&plan).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [TaskEventKind::StatusChanged, TaskEventKind::Archived]);
    let row = plan.answer;
    assert_eq!((row.state, row.overall), (TaskState::Archived, TaskStatus::Completed));
    let request = UpdateTask { state: Some(TaskState::Active), ..status(TaskStatus::InProgress) };
    let plan = change(&row, 2, request).unwrap();
    let kinds: Vec<_> = lines(&plan).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [TaskEventKind::Unarchived, TaskEventKind::StatusChanged]);
}

#[test]
fn edits_and_comments_are_lines_of_the_history() {
    let request = UpdateTask {
        subject: Some("Make coffee".to_owned()),
        detail: Some("Strong".to_owned()),
        comment: Some("why not".to_owned()),
        ..UpdateTask::default()
    };
    let plan = change(&task(1), 2, request).unwrap();
    let found = lines(&plan);
    let edited = json!({
        "subject": {"from": "Make tea", "to": "Make coffee"}, "detail": {"from": "", "to": "Strong"},
    });
    assert_eq!(found[0], (TaskEventKind::Edited, edited.as_object().unwrap().clone()));
    assert_eq!(found[1].1["text"], "why not");
    assert!(plan.answer.assignments.is_empty(), "who comments is not assigned");
}

#[test]
fn a_task_takes_the_place_of_an_active_one_alone() {
    let room = hall();
    let make = |superseded: Option<TaskRow>| {
        let facts =
            Creating { room: &room, id: TaskId::new(Uuid::from_u128(2)), number: 2, superseded, now: at(5) };
        create(facts, bot(2, 1), CreateTask { supersedes_id: Some("1".to_owned()), ..titled("Coffee") })
    };
    let plan = make(Some(task(1))).unwrap();
    let old = plan.writes.iter().find_map(|write| match write {
        Write::Board(BoardWrite::SetTask(row)) => Some(row.as_ref().clone()),
        _ => None,
    });
    let old = old.unwrap();
    assert_eq!((old.state, old.superseded_by), (TaskState::Superseded, Some(plan.answer.id)));
    let told: Vec<&str> = plan.pushes.iter().map(|push| push.event).collect();
    assert_eq!(told, ["task_created", "task_updated"]);
    for superseded in [None, Some(TaskRow { state: TaskState::Archived, ..task(1) })] {
        assert_eq!(make(superseded).unwrap_err().status, 422);
    }
}

#[test]
fn who_leaves_drops_what_they_had() {
    let row = change(&task(1), 2, status(TaskStatus::Blocked)).unwrap().answer;
    let plan = leave(vec![row, task(2)], &agent(2, "Echo", 1), at(9));
    assert_eq!(lines(&plan).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>(), [TaskEventKind::Dropped]);
    let after = plan.writes.iter().find_map(|write| match write {
        Write::Board(BoardWrite::SetTask(row)) => Some(row.overall),
        _ => None,
    });
    assert_eq!((after, plan.pushes.len()), (Some(TaskStatus::Pending), 1));
}

#[test]
fn strangers_find_no_board() {
    let room = hall();
    let facts = || Updating { room: &room, task: Some(task(1)), now: at(1) };
    assert_eq!(update(facts(), user(9), state(TaskState::Archived)).unwrap_err(), Refusal::not_found());
    let none = Updating { task: None, ..facts() };
    assert_eq!(update(none, user(1), state(TaskState::Archived)).unwrap_err(), Refusal::not_found());
    let goal = GoalFacts { room: &room, goal: None, now: at(1) };
    assert_eq!(set_goal(goal, bot(9, 1), SetBoard::default()).unwrap_err(), Refusal::not_found());
}

#[test]
fn a_goal_is_set_once_and_edited_after() {
    let room = hall();
    let set = |goal, title: Option<&str>, summary: Option<&str>| {
        let request =
            SetBoard { goal_title: title.map(str::to_owned), goal_summary: summary.map(str::to_owned) };
        set_goal(GoalFacts { room: &room, goal, now: at(3) }, bot(2, 1), request).unwrap()
    };
    let line = |plan: &Plan<GoalRow>| {
        plan.writes.iter().find_map(|write| match write {
            Write::Board(BoardWrite::GoalHappened { line, .. }) => {
                Some((line.event.as_str(), Value::Object(line.payload.clone())))
            }
            _ => None,
        })
    };
    let first = set(None, Some("Tea"), None);
    assert_eq!(line(&first), Some(("goal_set", json!({"goal_title": {"from": null, "to": "Tea"}}))));
    assert_eq!(first.pushes.first().unwrap().event, "board_updated");
    let second = set(Some(first.answer.clone()), Some("Tea"), Some("For all"));
    let edited = json!({"goal_summary": {"from": null, "to": "For all"}});
    assert_eq!(line(&second), Some(("goal_edited", edited)));
    let same = set(Some(second.answer), None, Some("For all"));
    assert!(same.writes.is_empty() && same.pushes.is_empty());
    let id: ParticipantId = first.answer.created_by.id;
    assert_eq!(id, agent(2, "Echo", 1).id);
}
