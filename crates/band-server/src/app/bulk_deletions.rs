//! Deleting many rooms or agents at once.

use band_core::platform::deletions::{self, DeletionRow};
use band_core::platform::plan::{Plan, Write};
use band_core::platform::{Principal, Refusal};
use band_wire::rest::{BulkDeleteAgents, BulkDeleteChats, BulkDeletion, DeletedResource, DeletionItem};
use band_wire::{AgentId, ChatId, DeletionId, UserId};
use uuid::Uuid;

use super::change_chat;
use super::delete_agent;
use super::{App, AppError, AppResult};
use crate::store::{Scope, View};

impl App {
    /// Deletes many rooms: each that the person may delete.
    ///
    /// # Errors
    /// 403 for agents.
    pub async fn delete_chats(&self, who: Principal, request: BulkDeleteChats) -> AppResult<BulkDeletion> {
        let user = who.user()?;
        let desk = self.desk().clone();
        let command = move |scope: &mut Scope<'_>| {
            let each = |scope: &mut Scope<'_>, id: &str| {
                let chat: ChatId = id.parse().map_err(|_| Refusal::not_found())?;
                change_chat::delete(scope, &desk, who, chat).map(drop)
            };
            run(scope, (user, DeletedResource::Chat, false), request.ids, each)
        };
        self.store().write(command).await
    }

    /// Deletes many agents of the person.
    ///
    /// # Errors
    /// 403 for agents.
    pub async fn delete_agents(&self, who: Principal, request: BulkDeleteAgents) -> AppResult<BulkDeletion> {
        let user = who.user()?;
        let desk = self.desk().clone();
        let BulkDeleteAgents { ids, force } = request;
        let command = move |scope: &mut Scope<'_>| {
            let each = |scope: &mut Scope<'_>, id: &str| {
                let agent: AgentId = id.parse().map_err(|_| Refusal::not_found())?;
                delete_agent::delete(scope, &desk, user, (agent, force)).map(drop)
            };
            run(scope, (user, DeletedResource::Agent, force), ids, each)
        };
        self.store().write(command).await
    }

    /// Where a bulk deletion of the person stands.
    ///
    /// # Errors
    /// 403 for agents, 404 for another's.
    pub async fn bulk_deletion(&self, who: Principal, deletion: DeletionId) -> AppResult<BulkDeletion> {
        let user = who.user()?;
        let load = move |view: View<'_>| {
            let row = view.deletion(user, deletion)?.ok_or_else(Refusal::not_found)?;
            Ok::<_, AppError>(deletions::view(row))
        };
        self.store().read(load).await
    }
}

/// Tries each item. What is refused is a result; a failure of the store ends all of it, and nothing is deleted.
fn run(
    scope: &mut Scope<'_>,
    (user, resource, force): (UserId, DeletedResource, bool),
    ids: Vec<String>,
    each: impl Fn(&mut Scope<'_>, &str) -> AppResult<()>,
) -> AppResult<BulkDeletion> {
    let mut results: Vec<DeletionItem> = Vec::with_capacity(ids.len());
    for id in ids {
        let outcome = match each(scope, &id) {
            Ok(()) => Ok(()),
            Err(AppError::Refused(refusal)) => Err(refusal),
            Err(failed @ AppError::Failed(_)) => return Err(failed),
        };
        results.push(deletions::item(id, outcome));
    }
    let id = DeletionId::new(Uuid::now_v7());
    let row = DeletionRow { id, user, resource, force, results, at: scope.now() };
    let writes = vec![Write::AddDeletion(Box::new(row.clone()))];
    Ok(deletions::view(scope.carry_out(Plan { writes, pushes: Vec::new(), answer: row })?))
}
