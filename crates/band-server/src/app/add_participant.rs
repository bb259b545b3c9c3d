//! `POST …/participants`, on both sides.

use band_core::platform::membership::{self, Joining};
use band_core::platform::{Principal, Refusal};
use band_wire::ChatId;
use band_wire::rest::{AddParticipant, Participant};
use uuid::Uuid;

use super::idempotency::Once;
use super::{App, AppResult};
use crate::store::Scope;

impl App {
    /// Brings someone into a room.
    ///
    /// # Errors
    /// 403, 404 and 409 by the rules of membership.
    pub async fn add_participant(
        &self,
        who: Principal,
        chat: ChatId,
        request: AddParticipant,
        idempotency_key: Option<String>,
    ) -> AppResult<Participant> {
        let once = Once::read(who, format!("participants:{chat}"), idempotency_key, &request)?;
        let create = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            room.member(who)?;
            let target = scope.view().candidate(request.participant_id)?;
            let is_contact = scope.view().contact(who.participant(), request.participant_id)?.is_some();
            let facts = Joining {
                room: &room,
                target: target.as_ref(),
                is_contact,
                role: request.role,
                execution: Uuid::now_v7(),
                now: scope.now(),
            };
            Ok(scope.carry_out(membership::add(&facts, who)?)?)
        };
        self.once(once, |added: &Participant| added.id.uuid(), create).await
    }
}
