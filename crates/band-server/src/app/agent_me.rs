//! `GET /agent/me`.

use std::collections::BTreeMap;

use band_core::platform::{Principal, Refusal, handles};
use band_wire::rest::{AgentMe, IDEMPOTENCY_KEYS};

use super::{App, AppResult};

/// What the platform may serve, and whether it does.
const FEATURES: [(&str, bool); 3] =
    [("ff_file_transfer", true), (IDEMPOTENCY_KEYS, true), ("ff_room_tasks", true)];

impl App {
    /// The agent itself.
    ///
    /// # Errors
    /// 403 for people.
    pub async fn agent_me(&self, who: Principal) -> AppResult<AgentMe> {
        let (id, owner) = who.agent()?;
        let query = move |view: crate::store::View<'_>| {
            let agent = view.agent(id)?.ok_or_else(Refusal::not_found)?;
            let owner = view.user(owner)?.ok_or_else(Refusal::not_found)?;
            Ok(AgentMe {
                id,
                handle: handles::of_agent(&owner.handle, &agent.slug),
                name: agent.name,
                description: agent.description,
                owner_uuid: owner.id,
                listed_in_directory: agent.listed_in_directory,
                tags: agent.tags,
                feature_flags: Some(BTreeMap::from(FEATURES.map(|(name, on)| (name.to_owned(), on)))),
                avatar_url: None,
                inserted_at: agent.inserted_at,
                updated_at: agent.updated_at,
            })
        };
        self.store().read(query).await
    }
}
