//! `DELETE …/participants/{id}`, on both sides.

use band_core::platform::activity::Input;
use band_core::platform::{Principal, Refusal, membership, tasks};
use band_wire::rest::Participant;
use band_wire::{ChatId, ParticipantId};

use super::{App, AppResult};
use crate::store::Scope;

impl App {
    /// Takes someone out of a room.
    ///
    /// # Errors
    /// 403 and 404 by the rules of membership.
    pub async fn remove_participant(
        &self,
        who: Principal,
        chat: ChatId,
        target: ParticipantId,
    ) -> AppResult<Participant> {
        let desk = self.desk().clone();
        let now = desk.now();
        let command = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            let removed = membership::remove(&room, who, target, scope.now())?;
            if let Some(member) = room.roster.get(target) {
                let parts = scope.view().tasks_of(chat, target)?;
                scope.carry_out(tasks::leave(parts, member, scope.now()))?;
            }
            let removed = scope.carry_out(removed)?;
            scope.after_commit(move || desk.handle(now, Input::Stops { chat, agent: target.cast() }));
            Ok(removed)
        };
        self.store().write(command).await
    }
}
