//! The goal of a room.

use band_wire::Stamp;
use band_wire::event::name;
use band_wire::phx::Topic;
use band_wire::rest::{BoardEventKind, SetBoard};
use serde_json::{Map, json};

use super::actor;
use super::row::{BoardWrite, GoalRow, Happened, goal_view};
use crate::platform::plan::Plan;
use crate::platform::{Audience, Principal, Refusal, Room, announce};

/// What is known when a goal is set.
#[derive(Debug)]
pub struct GoalFacts<'a> {
    /// The room.
    pub room: &'a Room,
    /// The goal, if there is one.
    pub goal: Option<GoalRow>,
    /// Now.
    pub now: Stamp,
}

/// Plans a goal, or a change of it. What is not given stays.
///
/// # Errors
/// 404 for who takes no part in the room.
pub fn set_goal(facts: GoalFacts<'_>, who: Principal, request: SetBoard) -> Result<Plan<GoalRow>, Refusal> {
    let GoalFacts { room, goal, now } = facts;
    let by = actor(room.member(who)?);
    let event = if goal.is_some() { BoardEventKind::GoalEdited } else { BoardEventKind::GoalSet };
    let is_new = goal.is_none();
    let mut goal = goal.unwrap_or_else(|| GoalRow {
        chat: room.chat.id,
        title: None,
        summary: None,
        created_by: by.clone(),
        updated_by: by.clone(),
        inserted_at: now,
        updated_at: now,
    });
    let mut payload = Map::new();
    for (field, own, new) in [
        ("goal_title", &mut goal.title, request.goal_title),
        ("goal_summary", &mut goal.summary, request.goal_summary),
    ] {
        let Some(new) = new.filter(|new| own.as_ref() != Some(new)) else { continue };
        payload.insert(field.to_owned(), json!({"from": own.as_deref(), "to": new}));
        *own = Some(new);
    }
    if payload.is_empty() && !is_new {
        return Ok(Plan::answer(goal));
    }
    goal.updated_by = by.clone();
    goal.updated_at = now;
    let line = Happened { event, actor: by, at: now, payload };
    let writes = vec![
        BoardWrite::SetGoal(Box::new(goal.clone())).into(),
        BoardWrite::GoalHappened { chat: goal.chat, line: Box::new(line) }.into(),
    ];
    let board = goal_view(goal.chat, Some(goal.clone()));
    let push = announce::push(Topic::RoomTasks(goal.chat), Audience::Everyone, name::BOARD_UPDATED, &board);
    Ok(Plan { writes, pushes: vec![push], answer: goal })
}
