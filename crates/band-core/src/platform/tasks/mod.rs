//! The task board: numbered tasks, who works on them, and the room's goal.
//!
//! | state | work on it | cancel | archive | `active` | superseded by a new task |
//! | --- | --- | --- | --- | --- | --- |
//! | active | yes | cancelled | archived | – | superseded |
//! | archived | 422 | 422 | – | active | 422 |
//! | cancelled | 422 | – | 422 | 422 | 422 |
//! | superseded | 422 | 422 | 422 | 422 | 422 |
//!
//! What everyone's part comes to, the first row that fits:
//!
//! | assignments | task |
//! | --- | --- |
//! | none, or all pending | pending |
//! | one failed | failed |
//! | one blocked | blocked |
//! | one in progress | in progress |
//! | all completed | completed |
//! | one in review | in review |
//! | some completed, some pending | in progress |

mod board;
mod change;
mod row;

pub use board::{GoalFacts, set_goal};
pub use change::{Creating, Updating, create, leave, superseded, update};
pub use row::{Assignment, BoardWrite, GoalRow, Happened, TaskRow, goal_view, task_view};

use band_wire::rest::{TaskActor, TaskStatus};

use super::Member;

/// What all assignments come to.
pub fn roll_up(statuses: impl IntoIterator<Item = TaskStatus>) -> TaskStatus {
    use TaskStatus::{Blocked, Completed, Failed, InProgress, InReview, Pending};
    let statuses: Vec<TaskStatus> = statuses.into_iter().collect();
    let any = |wanted| statuses.contains(&wanted);
    let all = |wanted: TaskStatus| statuses.iter().all(|status| *status == wanted);
    if all(Pending) {
        return Pending;
    }
    if let Some(first) = [Failed, Blocked, InProgress].into_iter().find(|status| any(*status)) {
        return first;
    }
    match (all(Completed), any(InReview)) {
        (true, _) => Completed,
        (false, true) => InReview,
        (false, false) => InProgress,
    }
}

/// A participant, under the name of this moment.
pub fn actor(member: &Member) -> TaskActor {
    TaskActor {
        id: member.id,
        kind: member.kind.into(),
        name: member.name.clone(),
        handle: Some(member.handle.clone()),
    }
}

#[cfg(test)]
mod tests;
