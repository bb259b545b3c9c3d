//! What the tools need of a platform: the real one, or one made up for a test.

use std::future::Future;
use std::pin::Pin;

use band_wire::rest::{
    CreateChat, CreateEvent, EventCreated, MessageSent, Page, Paged, Participant, Peer, Role, SendMessage,
};
use band_wire::{ChatId, MessageId, ParticipantId};

use super::ContactPort;
use super::files::{FilePort, SeenFiles};
use super::memory::MemoryPort;
use super::tasks::TaskPort;
use crate::error::{Error, Result};
use crate::rest::{Mark, RestClient};
use crate::sim::Chance;

/// A call in the making.
pub(crate) type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// The calls of one room.
pub(crate) trait RoomPort: ContactPort + MemoryPort + FilePort + TaskPort {
    /// Posts a message; a repeated key never makes a second one.
    fn send<'a>(&'a self, message: &'a SendMessage, key: &'a str) -> Answer<'a, MessageSent>;
    /// Posts an event.
    fn event<'a>(&'a self, event: &'a CreateEvent) -> Answer<'a, EventCreated>;
    /// Lists the participants.
    fn participants(&self) -> Answer<'_, Vec<Participant>>;
    /// Brings someone in.
    fn add_participant(&self, who: ParticipantId, role: Role) -> Answer<'_, Participant>;
    /// Takes someone out.
    fn remove_participant(&self, who: ParticipantId) -> Answer<'_, ()>;
    /// Lists a page of those who may be brought in.
    fn peers(&self, page: u64, page_size: u64) -> Answer<'_, Paged<Peer, Page>>;
    /// Opens a room.
    fn create_chat<'a>(&'a self, chat: &'a CreateChat) -> Answer<'a, ChatId>;
    /// Marks a message processing; whether that holds.
    fn claim(&self, message: MessageId) -> Answer<'_, bool>;
}

/// The platform behind the REST client.
#[derive(Debug)]
pub(crate) struct RestPort {
    pub(super) rest: RestClient,
    pub(super) room: ChatId,
    chance: Chance,
    pub(super) seen: SeenFiles,
}

impl RestPort {
    pub(crate) fn new(rest: RestClient, room: ChatId, chance: Chance) -> Self {
        Self { rest, room, chance, seen: SeenFiles::default() }
    }
}

impl RoomPort for RestPort {
    fn send<'a>(&'a self, message: &'a SendMessage, key: &'a str) -> Answer<'a, MessageSent> {
        Box::pin(self.rest.send_message(self.room, message, Some(key)))
    }

    /// The key is new each time: it only keeps a repeated request from making a second event.
    fn event<'a>(&'a self, event: &'a CreateEvent) -> Answer<'a, EventCreated> {
        Box::pin(async move {
            let key = self.chance.uuid().to_string();
            self.rest.send_event(self.room, event, Some(&key)).await
        })
    }

    fn participants(&self) -> Answer<'_, Vec<Participant>> {
        Box::pin(self.rest.participants(self.room))
    }

    fn add_participant(&self, who: ParticipantId, role: Role) -> Answer<'_, Participant> {
        Box::pin(self.rest.add_participant(self.room, who, role))
    }

    fn remove_participant(&self, who: ParticipantId) -> Answer<'_, ()> {
        Box::pin(async move { self.rest.remove_participant(self.room, who).await.map(|_| ()) })
    }

    fn peers(&self, page: u64, page_size: u64) -> Answer<'_, Paged<Peer, Page>> {
        Box::pin(self.rest.peers(Some(self.room), page, page_size))
    }

    /// The key is new each time, as for events.
    fn create_chat<'a>(&'a self, chat: &'a CreateChat) -> Answer<'a, ChatId> {
        Box::pin(async move {
            let key = self.chance.uuid().to_string();
            self.rest.create_chat(chat, Some(&key)).await.map(|chat| chat.id)
        })
    }

    fn claim(&self, message: MessageId) -> Answer<'_, bool> {
        Box::pin(async move {
            match self.rest.mark_processing(self.room, message).await? {
                Mark::Accepted(_) => Ok(true),
                Mark::Stopped => Err(Error::Stopped { room: self.room }),
                Mark::Rejected | Mark::NotFound => Ok(false),
                Mark::Unconfirmed(err) => Err(err.into()),
            }
        })
    }
}
