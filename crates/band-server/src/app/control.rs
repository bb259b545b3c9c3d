//! Stop, play and interrupt, and the executions that they are about.

use std::collections::BTreeSet;

use band_core::Moment;
use band_core::platform::activity::Input;
use band_core::platform::control::{self, Everywhere, ExecutionRow, Signal};
use band_core::platform::{Principal, Refusal};
use band_wire::event::ControlMode;
use band_wire::rest::{ControlSent, Execution};
use band_wire::{AgentId, ChatId, Stamp};
use uuid::Uuid;

use super::activity::Desk;
use super::{App, AppResult};
use crate::store::{Scope, View};

impl App {
    /// `POST /me/chats/{chat_id}/agents/…` and `…/agents/{id}/…`: all agents of a room, or one of them.
    ///
    /// # Errors
    /// 403 for agents, 404 for whoever may not.
    pub async fn control_room(
        &self,
        who: Principal,
        chat: ChatId,
        only: Option<AgentId>,
        mode: ControlMode,
    ) -> AppResult<ControlSent> {
        let desk = self.desk().clone();
        let at = desk.now();
        let command = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            let plan = control::in_room(&room, who, only, signal(mode, scope.now()))?;
            let sent = scope.carry_out(plan)?;
            quieten(scope, desk, at, &sent);
            AppResult::Ok(sent)
        };
        self.store().write(command).await
    }

    /// `POST /me/agents/{id}/executions/{execution_id}/…`: an agent in all its rooms.
    ///
    /// # Errors
    /// 403 for agents and for another's agent, 404 for no agent and for no execution of it.
    pub async fn control_agent(
        &self,
        who: Principal,
        agent: AgentId,
        execution: Uuid,
        mode: ControlMode,
    ) -> AppResult<ControlSent> {
        let user = who.user()?;
        let desk = self.desk().clone();
        let at = desk.now();
        let command = move |scope: &mut Scope<'_>| {
            let row = scope.view().agent(agent)?;
            let executions = scope.view().executions(agent)?;
            let facts = Everywhere { agent: row.as_ref(), execution, executions: &executions };
            let sent = scope.carry_out(control::everywhere(&facts, user, signal(mode, scope.now()))?)?;
            quieten(scope, desk, at, &sent);
            AppResult::Ok(sent)
        };
        self.store().write(command).await
    }

    /// `GET /me/agents/{id}/executions`: where an agent is bound to rooms, and how it stands there.
    ///
    /// # Errors
    /// 403 for agents and for another's agent, 404 for none.
    pub async fn executions(&self, who: Principal, agent: AgentId) -> AppResult<Vec<Execution>> {
        let user = who.user()?;
        let query = move |view: View<'_>| {
            control::owned(view.agent(agent)?.as_ref(), user)?;
            AppResult::Ok(view.executions(agent)?.into_iter().map(ExecutionRow::view).collect())
        };
        self.store().read(query).await
    }
}

fn signal(mode: ControlMode, now: Stamp) -> Signal {
    Signal { mode, id: Uuid::now_v7(), now }
}

/// Whoever is stopped works no more.
fn quieten(scope: &mut Scope<'_>, desk: Desk, at: Moment, sent: &ControlSent) {
    if sent.mode != ControlMode::Stop {
        return;
    }
    let stopped: BTreeSet<_> =
        sent.executions.iter().map(|execution| (execution.chat_room_id, execution.agent_id)).collect();
    scope.after_commit(move || {
        let inputs = stopped.into_iter().map(|(chat, agent)| Input::Stops { chat, agent });
        inputs.flat_map(|input| desk.handle(at, input)).collect()
    });
}
