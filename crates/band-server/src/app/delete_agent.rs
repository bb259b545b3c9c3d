//! `DELETE /me/agents/{id}`.

use band_core::platform::Principal;
use band_core::platform::activity::Input;
use band_core::platform::agents::{self, Deleting};
use band_core::platform::tasks;
use band_wire::rest::DeletedAgent;
use band_wire::rest::query::DeleteAgentQuery;
use band_wire::{AgentId, UserId};

use super::activity::Desk;
use super::{App, AppResult};
use crate::store::Scope;

impl App {
    /// Deletes an agent: out of all rooms and contacts, its key invalid, its sockets closed, its name free again.
    ///
    /// # Errors
    /// 403 for agents and for another's agent, 404 for none, 422 with executions and without `force`.
    pub async fn delete_agent(
        &self,
        who: Principal,
        agent: AgentId,
        query: DeleteAgentQuery,
    ) -> AppResult<DeletedAgent> {
        let owner = who.user()?;
        let desk = self.desk().clone();
        let command = move |scope: &mut Scope<'_>| delete(scope, &desk, owner, (agent, query.force));
        self.store().write(command).await
    }
}

/// Deletes an agent within a command.
pub(super) fn delete(
    scope: &mut Scope<'_>,
    desk: &Desk,
    owner: UserId,
    (agent, force): (AgentId, bool),
) -> AppResult<DeletedAgent> {
    let row = scope.view().agent(agent)?;
    let mut rooms = Vec::new();
    if row.as_ref().is_some_and(|row| row.owner == owner) {
        for chat in scope.view().agent_chat_ids(agent)? {
            rooms.extend(scope.room(chat)?);
        }
    }
    let facts = Deleting {
        agent: row.as_ref(),
        rooms: &rooms,
        contacts: &scope.view().contact_records_of(agent.into())?,
        requests: &scope.view().open_requests_of(agent.into())?,
        executions: scope.view().count_executions(agent)?,
        force,
        now: scope.now(),
    };
    let plan = agents::delete(&facts, owner)?;
    for room in &rooms {
        let Some(member) = room.roster.get(agent.into()) else { continue };
        let parts = scope.view().tasks_of(room.chat.id, member.id)?;
        scope.carry_out(tasks::leave(parts, member, scope.now()))?;
    }
    let deleted = scope.carry_out(plan)?;
    let (desk, now) = (desk.clone(), desk.now());
    scope.after_commit(move || desk.handle(now, Input::Gone(agent)));
    Ok(deleted)
}
