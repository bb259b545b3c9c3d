//! What a preprocessor may ask about the room.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use band_core::room::{Member, Roster, participants_update};
use band_wire::{AgentId, ChatId, MessageId};

use crate::adapter::Identity;
use crate::config::SessionConfig;
use crate::error::Result;
use crate::history::RawHistory;
use crate::rest::RestClient;

/// The room that a message came from, as a [`Preprocessor`](super::Preprocessor) sees it. Looking changes
/// nothing: what the next turn is owed stays owed.
#[derive(Clone)]
pub struct RoomContext {
    pub(crate) room: ChatId,
    pub(crate) identity: Arc<Identity>,
    pub(crate) rest: RestClient,
    pub(crate) session: Arc<SessionConfig>,
    pub(crate) roster: Arc<Mutex<Roster>>,
    pub(crate) hub_room: Option<ChatId>,
    pub(crate) is_bootstrapped: bool,
}

impl RoomContext {
    /// The room. Frameworks that speak of threads call it the thread.
    pub const fn room(&self) -> ChatId {
        self.room
    }

    /// The agent's id.
    pub fn agent_id(&self) -> AgentId {
        self.identity.id
    }

    /// Who the agent is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The room for contact requests, where there is one.
    pub const fn hub_room(&self) -> Option<ChatId> {
        self.hub_room
    }

    /// How the agent behaves in its rooms.
    pub fn session(&self) -> &SessionConfig {
        &self.session
    }

    /// A client of the Agent API, for what is not here.
    pub fn rest_client(&self) -> RestClient {
        self.rest.clone()
    }

    /// Who is in the room, as far as is known without asking.
    pub fn participants(&self) -> Arc<Vec<Member>> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner).members()
    }

    /// The room's participants as a model is told of them.
    pub fn participants_message(&self) -> String {
        participants_update(&self.participants())
    }

    /// Whether the adapter has had a message of this session, and with it the room's past.
    pub const fn is_bootstrapped(&self) -> bool {
        self.is_bootstrapped
    }

    /// Reads the room's past anew: what came before this message, the newest `max_context_messages` of it.
    ///
    /// # Errors
    /// The platform refused or could not be reached.
    pub async fn history_before(&self, message: MessageId) -> Result<RawHistory> {
        let most = usize::try_from(self.session.max_context_messages).unwrap_or(usize::MAX);
        let past = crate::runtime::read_past(&self.rest, self.room, message, most).await?;
        Ok(RawHistory::before(message, past.messages, past.truncated, self.identity.id, &self.participants()))
    }
}

impl fmt::Debug for RoomContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomContext")
            .field("room", &self.room)
            .field("is_bootstrapped", &self.is_bootstrapped)
            .finish_non_exhaustive()
    }
}
