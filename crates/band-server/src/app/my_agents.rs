//! `GET /me/agents`.

use band_core::platform::page::{Key, List, Scope, Span};
use band_core::platform::plan::AgentRow;
use band_core::platform::{Principal, agents};
use band_wire::rest::query::{AgentSort, MyAgentsQuery};
use band_wire::rest::{AgentsPage, Cursored, MyAgent, Paged};
use band_wire::{AgentId, UserId};
use uuid::Uuid;

use super::agent_messages::number;
use super::{App, AppError, AppResult};
use crate::store::{AgentFilter, View};

impl App {
    /// The person's agents.
    ///
    /// # Errors
    /// 403 for agents, 422 for a bad cursor.
    pub async fn my_agents(
        &self,
        who: Principal,
        query: MyAgentsQuery,
    ) -> AppResult<Paged<MyAgent, AgentsPage>> {
        let owner = who.user()?;
        let MyAgentsQuery { paging, name, is_external, listed_in_directory, sort, order } = query;
        let kind = match sort {
            AgentSort::Name => 0,
            AgentSort::Inserted => 2,
            AgentSort::Updated => 4,
        };
        let scope = Scope { list: List::MyAgents, order: kind + number(order), filter: 0 };
        let span = Span::read(&paging, scope)?;
        let filter = AgentFilter { name, listed: listed_in_directory, external: is_external };
        let load = move |view: View<'_>| {
            let total = if span.counts() { Some(view.count_agents(owner, &filter)?) } else { None };
            let found = view.agents(owner, &filter, (sort, order), &span.position, span.wanted())?;
            Ok(span.page(found, total, |row| key(row, sort)))
        };
        let (rows, page): (Vec<AgentRow>, Cursored) = self.store().read::<_, AppError>(load).await?;
        Ok(Paged { data: rows.iter().map(agents::my_agent).collect(), metadata: page.into() })
    }

    /// Whether a person owns an agent.
    ///
    /// # Errors
    /// The store can't be asked.
    pub async fn owns(&self, user: UserId, agent: AgentId) -> AppResult<bool> {
        let query =
            move |view: View<'_>| AppResult::Ok(view.agent(agent)?.is_some_and(|agent| agent.owner == user));
        self.store().read(query).await
    }
}

fn key(row: &AgentRow, sort: AgentSort) -> (Key, Uuid) {
    let key = match sort {
        AgentSort::Name => Key::Text(row.name.clone()),
        AgentSort::Inserted => Key::Number(row.inserted_at.as_micros()),
        AgentSort::Updated => Key::Number(row.updated_at.as_micros()),
    };
    (key, row.id.uuid())
}
