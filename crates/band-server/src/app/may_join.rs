//! Who may join which topic of a socket.

use band_core::platform::Principal;
use band_wire::phx::Topic;

use super::{App, AppResult};

impl App {
    /// Whether a caller may join a topic: their own topics, and those of rooms that they may read.
    ///
    /// # Errors
    /// The store can't be asked: that tells nothing about the topic.
    pub async fn may_join(&self, who: Principal, topic: Topic) -> AppResult<bool> {
        if let Some(chat) = topic.room() {
            return self.store().read(move |view| AppResult::Ok(view.access(who, chat)?.may_read())).await;
        }
        Ok(match (who, topic) {
            (
                Principal::Agent { id, .. },
                Topic::AgentControl(agent) | Topic::AgentRooms(agent) | Topic::AgentContacts(agent),
            ) => id == agent,
            (
                Principal::User(id),
                Topic::UserRooms(user)
                | Topic::UserContacts(user)
                | Topic::UserAgents(user)
                | Topic::Tasks(user),
            ) => id == user,
            _ => false,
        })
    }
}
