//! The working indicator: `POST /agent/chats/{chat_id}/activity`, its lapse, and who works right now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use band_core::platform::activity::{Activity, Input};
use band_core::platform::{Execution, Principal, Push, Refusal};
use band_core::{Machine, Moment};
use band_wire::ChatId;
use band_wire::rest::{ActivityState, ReportActivity, code};
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::{App, AppResult};
use crate::store::Scope;

impl App {
    /// Notes that an agent works, or works no more. The note lapses after ten seconds. Nobody works where they
    /// are stopped.
    ///
    /// # Errors
    /// 403 for people, 404 where the agent has no execution.
    pub async fn report_activity(
        &self,
        who: Principal,
        chat: ChatId,
        request: ReportActivity,
    ) -> AppResult<ActivityState> {
        let (agent, _) = who.agent()?;
        let desk = self.desk().clone();
        let now = desk.now();
        let command = move |scope: &mut Scope<'_>| {
            let none = || Refusal::new(404, code::NOT_FOUND, "No active execution");
            let room = scope.room(chat)?.ok_or_else(none)?;
            let member = room.member(who).map_err(|_| none())?;
            let Execution { id: execution, stopped } = member.execution.ok_or_else(none)?;
            let input = if request.working && !stopped {
                Input::Works { chat, agent, execution, at: request.activity }
            } else {
                Input::Stops { chat, agent }
            };
            scope.after_commit(move || desk.handle(now, input));
            AppResult::Ok(())
        };
        self.store().write(command).await?;
        Ok(ActivityState { working: self.desk().machine().is_working(chat, agent) })
    }

    /// Who works in a room right now: the reply to those who begin to watch it.
    ///
    /// # Errors
    /// None so far.
    #[expect(clippy::unused_async, reason = "use cases are asynchronous, whatever stands behind them")]
    pub async fn working(&self, chat: ChatId) -> AppResult<Map<String, Value>> {
        let working = self.desk().machine().working(chat);
        match serde_json::to_value(working) {
            Ok(Value::Object(reply)) => Ok(reply),
            _ => Ok(Map::new()),
        }
    }
}

/// The machine of the indicator with its clock. Kept in memory: after a restart nobody works until they say
/// so again.
#[derive(Clone)]
pub(super) struct Desk(Arc<Shared>);

struct Shared {
    machine: Mutex<Activity>,
    changed: Notify,
    origin: Instant,
}

impl Desk {
    pub(super) fn new() -> Self {
        let machine = Mutex::new(Activity::new());
        Self(Arc::new(Shared { machine, changed: Notify::new(), origin: Instant::now() }))
    }

    fn machine(&self) -> MutexGuard<'_, Activity> {
        self.0.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time on the desk's clock. Asked for outside the writer: the clock is the runtime's.
    pub(super) fn now(&self) -> Moment {
        Moment::at(self.0.origin.elapsed())
    }

    /// Gives the machine an input, and the caller the pushes that follow. Called after the commit of what the
    /// input tells of: what was not stored changes nothing here.
    pub(super) fn handle(&self, now: Moment, input: Input) -> Vec<Push> {
        let mut machine = self.machine();
        machine.handle(now, input);
        self.0.changed.notify_one();
        std::iter::from_fn(|| machine.poll()).collect()
    }

    /// Lets lapse what is due, and gives the caller the pushes that follow.
    pub(super) fn expire(&self, now: Moment) -> Vec<Push> {
        let mut machine = self.machine();
        machine.expire(now);
        std::iter::from_fn(|| machine.poll()).collect()
    }

    /// Resolves when something is due.
    pub(super) async fn due(&self) {
        loop {
            let deadline = self.machine().deadline();
            let changed = self.0.changed.notified();
            match deadline {
                None => changed.await,
                Some(deadline) => {
                    let at = self.0.origin + deadline.at.since_origin();
                    tokio::select! {
                        () = tokio::time::sleep_until(at) => return,
                        () = changed => {}
                    }
                }
            }
        }
    }
}
