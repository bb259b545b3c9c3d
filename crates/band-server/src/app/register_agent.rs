//! `POST /me/agents/register`.

use band_core::platform::agents::{self, Registering};
use band_core::platform::plan::AgentRow;
use band_core::platform::{Principal, Refusal};
use band_wire::rest::{IssuedAgent, IssuedCredentials, IssuedKey, RegisterAgent};
use band_wire::{AgentId, UserId};
use secrecy::ExposeSecret;
use uuid::Uuid;

use super::idempotency::{LOST, Once, conflict};
use super::{App, AppResult};
use crate::keys::{NewKey, Purpose};
use crate::store::Scope;

impl App {
    /// Registers an agent of the person. The key in the answer is shown this once: it is kept as a hash only,
    /// so a repeated request gets a new key in the place of the first, as long as that was never used.
    ///
    /// # Errors
    /// 403 for agents, 422 when the name is taken, 409 for a repeated key with another request, or when the
    /// agent's key is in use.
    pub async fn register_agent(
        &self,
        who: Principal,
        request: RegisterAgent,
        idempotency_key: Option<String>,
    ) -> AppResult<IssuedCredentials> {
        let owner = who.user()?;
        let once = Once::read(who, "agents".to_owned(), idempotency_key, &request)?;
        let key = self.new_key(Purpose::AgentKey)?;
        let command = move |scope: &mut Scope<'_>| {
            let owner = scope.view().user(owner)?.ok_or_else(Refusal::not_found)?.id;
            let Some(once) = once else { return register(scope, owner, request, &key) };
            if let Some(agent) = once.replay::<IssuedAgent>(scope)? {
                return reissue(scope, agent, &key);
            }
            let issued = register(scope, owner, request, &key)?;
            once.keep(scope, issued.agent.id.uuid(), &issued.agent)?;
            Ok(issued)
        };
        self.store().write(command).await
    }
}

/// Gives an agent whose key got lost another one.
fn reissue(scope: &mut Scope<'_>, agent: IssuedAgent, key: &NewKey) -> AppResult<IssuedCredentials> {
    if !scope.replace_unused_key(agent.id)? {
        return Err(conflict(LOST, agent.id.uuid()).into());
    }
    scope.add_key(&key.hash, &key.prefix, Principal::Agent { id: agent.id, owner: agent.owner_id })?;
    let credentials = IssuedKey { api_key: key.text.expose_secret().to_owned() };
    Ok(IssuedCredentials { agent, credentials })
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
