//! `GET /me/profile` and `PUT /me/profile`.

use band_core::platform::{Principal, Refusal, people};
use band_wire::rest::{UpdateProfile, UserDetails};

use super::{App, AppResult};
use crate::store::{Scope, View};

impl App {
    /// The person.
    ///
    /// # Errors
    /// 403 for agents.
    pub async fn profile(&self, who: Principal) -> AppResult<UserDetails> {
        let user = who.user()?;
        let query = move |view: View<'_>| {
            let user = view.user(user)?.ok_or_else(Refusal::not_found)?;
            Ok(people::details(&user))
        };
        self.store().read(query).await
    }

    /// Changes the person's names.
    ///
    /// # Errors
    /// 403 for agents, 422 for a name that can't be one.
    pub async fn update_profile(&self, who: Principal, request: UpdateProfile) -> AppResult<UserDetails> {
        let user = who.user()?;
        let command = move |scope: &mut Scope<'_>| {
            let user = scope.view().user(user)?.ok_or_else(Refusal::not_found)?;
            let user = scope.carry_out(people::update(user, request, scope.now())?)?;
            Ok(people::details(&user))
        };
        self.store().write(command).await
    }
}
