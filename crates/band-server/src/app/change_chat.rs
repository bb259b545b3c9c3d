//! Renaming rooms, putting them away, deleting them.

use band_core::platform::activity::Input;
use band_core::platform::{Chat, Principal, Refusal, Room, disposal, rename};
use band_wire::ChatId;
use band_wire::rest::{AgentChat, ChatStatus, MyChat, RenameChat};

use super::activity::Desk;
use super::{App, AppError, AppResult, shape};
use crate::store::{ChatRow, Scope};

impl App {
    /// An owning agent gives its room another title.
    ///
    /// # Errors
    /// 403 for people and for agents that don't own the room, 404 outside it.
    pub async fn rename_agent_chat(
        &self,
        who: Principal,
        chat: ChatId,
        request: RenameChat,
    ) -> AppResult<AgentChat> {
        who.agent()?;
        let command = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            let renamed = rename::rename(&room, who, request.title, scope.now())?;
            Ok::<_, AppError>(shape::agent_chat(scope.carry_out(renamed)?))
        };
        self.store().write(command).await
    }

    /// An owning person gives their room another title.
    ///
    /// # Errors
    /// 403 for agents and for people who don't own the room, 404 outside it.
    pub async fn rename_my_chat(
        &self,
        who: Principal,
        chat: ChatId,
        request: RenameChat,
    ) -> AppResult<MyChat> {
        who.user()?;
        let command = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            let renamed = rename::rename(&room, who, request.title, scope.now())?;
            scope.carry_out(renamed)?;
            shown(scope, chat)
        };
        self.store().write(command).await
    }

    /// Puts a room away, or takes it out again.
    ///
    /// # Errors
    /// 403 for agents and for people who may not, 404 outside the room.
    pub async fn set_chat_status(
        &self,
        who: Principal,
        chat: ChatId,
        status: ChatStatus,
    ) -> AppResult<MyChat> {
        let command = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            scope.carry_out(disposal::set_status(&room, who, status, scope.now())?)?;
            shown(scope, chat)
        };
        self.store().write(command).await
    }

    /// Deletes a room.
    ///
    /// # Errors
    /// 403 for agents and for people who may not, 404 outside the room.
    pub async fn delete_chat(&self, who: Principal, chat: ChatId) -> AppResult<MyChat> {
        let desk = self.desk().clone();
        let command = move |scope: &mut Scope<'_>| {
            let before = shown(scope, chat)?;
            delete(scope, &desk, who, chat)?;
            Ok::<_, AppError>(before)
        };
        self.store().write(command).await
    }
}

/// Deletes a room within a command. Nobody works in it any more.
pub(super) fn delete(scope: &mut Scope<'_>, desk: &Desk, who: Principal, chat: ChatId) -> AppResult<Chat> {
    let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
    let gone = scope.carry_out(disposal::delete(&room, who, scope.now())?)?;
    for agent in agents(&room) {
        let (desk, now) = (desk.clone(), desk.now());
        scope.after_commit(move || desk.handle(now, Input::Stops { chat, agent }));
    }
    Ok(gone)
}

fn agents(room: &Room) -> Vec<band_wire::AgentId> {
    room.roster.iter().filter_map(band_core::platform::Member::agent).collect()
}

/// The room as a person sees it now.
fn shown(scope: &Scope<'_>, chat: ChatId) -> AppResult<MyChat> {
    let row: ChatRow = scope.view().chat(chat)?.ok_or_else(Refusal::not_found)?;
    Ok(shape::my_chat(row))
}
