//! Contact events: who asks to be a contact, who became one, who is none any more.
//!
//! | strategy | contact events |
//! |---|---|
//! | [`Disabled`](ContactEvents::Disabled) | nobody is asked |
//! | [`Callback`](ContactEvents::Callback) | a callback of the host decides, with [`ContactTools`] |
//! | [`HubRoom`](ContactEvents::HubRoom) | they are told in a room of the agent's own, made at every start, where its model decides |
//!
//! Besides, all rooms can be told of contacts that come and go. Handling goes on beside the rooms: however long a
//! callback takes, no room waits for it. An event counts as handled once its callback succeeded; requests that came
//! while nobody listened are found by listing them.

mod desk;
mod tools;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use band_core::agent::contacts::{Handling, Options};
use band_wire::event::Event;
use band_wire::{ChatId, ContactId};
use serde::Serialize;
use uuid::Uuid;

pub use band_wire::event::{ContactRecord, ContactRequest, ContactRequestUpdate};
pub use tools::ContactTools;

pub(crate) use desk::{ContactDesk, Order};
pub(crate) use tools::either;

use crate::adapter::{AdapterError, AdapterResult};
use crate::error::{Error, Result};

/// Something that happened to the agent's contacts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContactEvent {
    /// Someone asks the agent to be a contact.
    RequestReceived(ContactRequest),
    /// A request was settled, whoever sent it.
    RequestUpdated(ContactRequestUpdate),
    /// Someone became a contact.
    Added(ContactRecord),
    /// A contact is none any more.
    Removed(ContactId),
}

impl ContactEvent {
    fn read(event: Event) -> Option<Self> {
        Some(match event {
            Event::ContactRequestReceived(request) => Self::RequestReceived(request),
            Event::ContactRequestUpdated(update) => Self::RequestUpdated(update),
            Event::ContactAdded(contact) => Self::Added(contact),
            Event::ContactRemoved(contact) => Self::Removed(contact),
            _ => return None,
        })
    }
}

type Called = Pin<Box<dyn Future<Output = AdapterResult> + Send>>;

/// A callback for contact events. Cheap to clone.
#[derive(Clone)]
pub struct ContactCallback(Arc<dyn Fn(ContactEvent, ContactTools) -> Called + Send + Sync>);

impl ContactCallback {
    /// From an async closure.
    pub fn new<F, Fut, E>(callback: F) -> Self
    where
        F: Fn(ContactEvent, ContactTools) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<AdapterError>,
    {
        Self(Arc::new(move |event, tools| {
            let called = callback(event, tools);
            Box::pin(async move { called.await.map_err(Into::into) })
        }))
    }

    fn call(&self, event: ContactEvent, tools: ContactTools) -> Called {
        (self.0)(event, tools)
    }
}

/// Two are the same when they are clones of one.
impl PartialEq for ContactCallback {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for ContactCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContactCallback")
    }
}

/// What to do with contact events.
#[derive(Debug, Clone, Default)]
pub enum ContactEvents {
    /// Nothing: they are not even listened to.
    #[default]
    Disabled,
    /// A callback decides. It is called for one event at a time, in their order; what it fails with is logged, and
    /// the event counts as not handled.
    Callback(ContactCallback),
    /// They are told in a room that the agent makes for itself at every start. There its model has the tools for
    /// contacts, whatever its features say, and is not expected to reply.
    HubRoom {
        /// The task to make the room for: a UUID.
        task_id: Option<String>,
    },
}

impl ContactEvents {
    /// Has a callback decide.
    ///
    /// ```
    /// use band::contacts::{ContactEvent, ContactEvents};
    /// use band_wire::rest::ContactAction;
    ///
    /// let welcome_all = ContactEvents::callback(|event, tools| async move {
    ///     if let ContactEvent::RequestReceived(request) = event {
    ///         tools.respond_contact_request(ContactAction::Approve, None, Some(request.id)).await?;
    ///     }
    ///     Ok::<_, band::Error>(())
    /// });
    /// # let _ = welcome_all;
    /// ```
    pub fn callback<F, Fut, E>(callback: F) -> Self
    where
        F: Fn(ContactEvent, ContactTools) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<AdapterError>,
    {
        Self::Callback(ContactCallback::new(callback))
    }
}

/// Which of the strategies, for hosts that read it from a configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactEventStrategy {
    /// See [`ContactEvents::Disabled`].
    #[default]
    Disabled,
    /// See [`ContactEvents::Callback`].
    Callback,
    /// See [`ContactEvents::HubRoom`].
    HubRoom,
}

/// How an agent handles contact events.
///
/// ```
/// use band::contacts::{ContactEventConfig, ContactEvents};
///
/// let config = ContactEventConfig::from(ContactEvents::HubRoom { task_id: None }).broadcast_changes(true);
/// assert!(config.check().is_ok() && config.broadcast_changes);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ContactEventConfig {
    /// What to do with contact events. Default: nothing.
    pub strategy: ContactEventStrategy,
    /// The task that the hub room is made for: a UUID. Default: none.
    pub hub_task_id: Option<String>,
    /// The callback of the strategy of that name.
    #[serde(skip)]
    pub on_event: Option<ContactCallback>,
    /// Whether all rooms are told of contacts that come and go, with their next turn. Default: no.
    pub broadcast_changes: bool,
}

impl From<ContactEvents> for ContactEventConfig {
    fn from(events: ContactEvents) -> Self {
        match events {
            ContactEvents::Disabled => Self::default(),
            ContactEvents::Callback(callback) => {
                let strategy = ContactEventStrategy::Callback;
                Self { strategy, on_event: Some(callback), ..Self::default() }
            }
            ContactEvents::HubRoom { task_id } => {
                let strategy = ContactEventStrategy::HubRoom;
                Self { strategy, hub_task_id: task_id, ..Self::default() }
            }
        }
    }
}

impl ContactEventConfig {
    /// Sets `broadcast_changes`.
    #[must_use]
    pub const fn broadcast_changes(mut self, on: bool) -> Self {
        self.broadcast_changes = on;
        self
    }

    /// Checks that the parts go together.
    ///
    /// # Errors
    /// The strategy needs a callback and has none, or the task id is no UUID.
    pub fn check(&self) -> Result<()> {
        if self.strategy == ContactEventStrategy::Callback && self.on_event.is_none() {
            return Err(Error::Config("CALLBACK strategy requires on_event callback".to_owned()));
        }
        match &self.hub_task_id {
            Some(id) if Uuid::try_parse(id).is_err() => {
                Err(Error::Config(format!("hub_task_id must be a UUID, got '{id}'")))
            }
            _ => Ok(()),
        }
    }

    pub(crate) const fn options(&self) -> Options {
        let handling = match self.strategy {
            ContactEventStrategy::Disabled => Handling::Disabled,
            ContactEventStrategy::Callback => Handling::Callback,
            ContactEventStrategy::HubRoom => Handling::HubRoom,
        };
        Options { handling, broadcast: self.broadcast_changes }
    }
}

/// Which room is the hub, once there is one. All clones know.
#[derive(Debug, Clone, Default)]
pub(crate) struct HubRoom(Arc<Mutex<Option<ChatId>>>);

impl HubRoom {
    pub(crate) fn get(&self) -> Option<ChatId> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, room: ChatId) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(config: &ContactEventConfig) -> String {
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn what_does_not_go_together_is_told_in_the_known_words() {
        let strategy = ContactEventStrategy::Callback;
        let without = ContactEventConfig { strategy, ..ContactEventConfig::default() };
        assert_eq!(problem(&without), "CALLBACK strategy requires on_event callback");
        for id in ["", "7", "not-a-uuid"] {
            let config = ContactEventConfig::from(ContactEvents::HubRoom { task_id: Some(id.to_owned()) });
            assert_eq!(problem(&config), format!("hub_task_id must be a UUID, got '{id}'"));
        }
        for id in [
            "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d",
            "{0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d}",
            "0190a8d45f3e7c2a9b1d2f3e4a5b6c7d",
        ] {
            let config = ContactEventConfig::from(ContactEvents::HubRoom { task_id: Some(id.to_owned()) });
            assert!(config.check().is_ok(), "{id}");
        }
    }

    #[test]
    fn contacts_are_listened_to_when_someone_wants_to_know() {
        let callback = || ContactEvents::callback(|_, _| async { Ok::<_, Error>(()) });
        let table = [
            (ContactEvents::Disabled, false, false),
            (ContactEvents::Disabled, true, true),
            (callback(), false, true),
            (ContactEvents::HubRoom { task_id: None }, false, true),
        ];
        for (events, broadcast, listens) in table {
            let config = ContactEventConfig::from(events).broadcast_changes(broadcast);
            assert_eq!(config.options().listens(), listens, "{config:?}");
        }
    }
}
