//! `POST /agent/delegation/token`.

use band_core::platform::{Principal, Refusal};
use band_wire::rest::ExchangeDelegation;

use super::{App, AppError, AppResult};
use crate::store::View;

impl App {
    /// Refuses: there are no connectors here that an agent could reach in a person's name.
    ///
    /// # Errors
    /// Always: 403 for people; 404 when the message did not reach the agent; 403 when it did.
    pub async fn exchange_delegation(&self, who: Principal, request: ExchangeDelegation) -> AppResult<()> {
        let (agent, _) = who.agent()?;
        let check = move |view: View<'_>| {
            if view.reached(agent, request.message_id)? {
                Err(AppError::from(Refusal::forbidden("This platform has no connectors to act through")))
            } else {
                Err(Refusal::not_found().into())
            }
        };
        self.store().read(check).await
    }
}
