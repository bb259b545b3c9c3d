//! `POST /me/agents/register`.

use band_core::platform::agents::{self, Registering};
use band_core::platform::plan::AgentRow;
use band_core::platform::{Principal, Refusal};
use band_wire::rest::{IssuedAgent, IssuedCredentials, IssuedKey, RegisterAgent};
use band_wire::{AgentId, UserId};
use secrecy::ExposeSecret;
use uuid::Uuid;

use super::{App, AppResult};
use crate::keys::{NewKey, Purpose};
use crate::store::Scope;

impl App {
    /// Registers an agent of the person. The key in the answer is shown this once.
    ///
    /// # Errors
    /// 403 for agents, 422 when the name is taken.
    pub async fn register_agent(
        &self,
        who: Principal,
        request: RegisterAgent,
    ) -> AppResult<IssuedCredentials> {
        let owner = who.user()?;
        let key = self.new_key(Purpose::AgentKey)?;
        let command = move |scope: &mut Scope<'_>| {
            let owner = scope.view().user(owner)?.ok_or_else(Refusal::not_found)?.id;
            register(scope, owner, request, &key)
        };
        self.store().write(command).await
    }
}

/// Registers an agent and keeps the hash of its key.
pub(super) fn register(
    scope: &mut Scope<'_>,
    owner: UserId,
    request: RegisterAgent,
    key: &NewKey,
) -> AppResult<IssuedCredentials> {
    let facts = Registering {
        owner,
        id: AgentId::new(Uuid::now_v7()),
        name_taken: scope.view().has_agent_named(owner, &request.name)?,
        now: scope.now(),
    };
    let slugs = scope.view().slugs(owner)?;
    let plan = agents::register(&facts, request, |slug| slugs.iter().any(|taken| taken == slug))?;
    let row = scope.carry_out(plan)?;
    scope.add_key(&key.hash, &key.prefix, Principal::Agent { id: row.id, owner })?;
    Ok(issued(row, key))
}

fn issued(row: AgentRow, key: &NewKey) -> IssuedCredentials {
    let agent = IssuedAgent {
        id: row.id,
        name: row.name,
        description: row.description,
        owner_id: row.owner,
        inserted_at: row.inserted_at,
        avatar_url: None,
    };
    let credentials = IssuedKey { api_key: key.text.expose_secret().to_owned() };
    IssuedCredentials { agent, credentials }
}
