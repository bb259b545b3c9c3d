//! Tells the people of an agent's rooms that it came or went.

use std::sync::Arc;

use band_core::platform::{Audience, Push};
use band_wire::AgentId;
use band_wire::event::{emit, name};
use band_wire::phx::Topic;

use super::{App, AppResult};
use crate::store::Scope;

impl App {
    /// Pushes `agent_connected` or `agent_disconnected` to people in each room of the agent. Nothing is
    /// stored.
    ///
    /// # Errors
    /// The store can't be asked; nobody is told.
    pub async fn announce_presence(&self, agent: AgentId, online: bool) -> AppResult<()> {
        let event = if online { name::AGENT_CONNECTED } else { name::AGENT_DISCONNECTED };
        let command = move |scope: &mut Scope<'_>| {
            let rooms = scope.view().agent_chat_ids(agent)?;
            let pushes = rooms.into_iter().filter_map(|chat_room_id| {
                let payload = emit::AgentConnection { id: agent, chat_room_id, connected: online };
                let payload = Arc::from(serde_json::to_string(&payload).ok()?);
                Some(Push {
                    topic: Topic::RoomParticipants(chat_room_id),
                    audience: Audience::Users,
                    event,
                    payload,
                })
            });
            let pushes = pushes.collect();
            scope.publish(pushes);
            AppResult::Ok(())
        };
        self.store().write(command).await
    }
}
