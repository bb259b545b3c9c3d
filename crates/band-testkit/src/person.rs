//! Somebody who writes: the public Human API with a user's key.

use std::fmt;

use band_wire::event::ControlMode;
use band_wire::rest::{
    Data, IssuedCredentials, Message, MessageSent, MyAgent, MyChat, MyContact, MyContactRequest, Page, Paged,
    Participant, UserDetails, routes,
};
use band_wire::{AgentId, ChatId, ContactRequestId, MessageId, ParticipantId};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{Api, Result, Watcher};

/// A user with their key.
#[derive(Debug, Clone)]
pub struct Person {
    api: Api,
    details: UserDetails,
}

/// An agent just registered, with the key that is shown once.
#[derive(Clone)]
pub struct NewAgent {
    /// The agent.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: String,
}

impl fmt::Debug for NewAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewAgent").field("id", &self.id).field("name", &self.name).finish()
    }
}

impl Person {
    /// Signs in with a key at a running platform, such as `http://127.0.0.1:4000`.
    ///
    /// # Errors
    /// [`crate::Error::Refused`] when the key is not a user's.
    pub async fn sign_in(base_url: &str, key: &str) -> Result<Self> {
        let api = Api::new(base_url, key)?;
        let details: Data<UserDetails> = api.get(routes::ME_PROFILE).await?;
        Ok(Self { api, details: details.data })
    }

    /// Who this is.
    pub fn details(&self) -> &UserDetails {
        &self.details
    }

    /// Any request with the user's key.
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// The same platform with an agent's key.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] when no client can be made.
    pub fn api_of(&self, agent: &NewAgent) -> Result<Api> {
        Api::new(self.api.base_url(), &agent.key)
    }

    /// Registers an agent.
    ///
    /// # Errors
    /// As any request: [`crate::Error::Refused`], [`crate::Error::Http`], [`crate::Error::Shape`].
    pub async fn register(&self, name: &str, description: &str) -> Result<NewAgent> {
        let body = json!({"agent": {"name": name, "description": description}});
        let made: Data<IssuedCredentials> = self.api.post(routes::ME_AGENTS_REGISTER, body).await?;
        let IssuedCredentials { agent, credentials } = made.data;
        Ok(NewAgent { id: agent.id, name: agent.name, key: credentials.api_key })
    }

    /// The user's agents.
    ///
    /// # Errors
    /// As any request.
    pub async fn agents(&self) -> Result<Vec<MyAgent>> {
        self.api.all(routes::ME_AGENTS).await
    }

    /// Makes a room.
    ///
    /// # Errors
    /// As any request.
    pub async fn create_room(&self, title: &str) -> Result<ChatId> {
        let made: Data<MyChat> = self.api.post(routes::ME_CHATS, json!({"chat": {"title": title}})).await?;
        Ok(made.data.id)
    }

    /// Brings somebody into a room.
    ///
    /// # Errors
    /// As any request.
    pub async fn add(&self, room: ChatId, who: impl Into<ParticipantId>) -> Result<()> {
        let body = json!({"participant": {"participant_id": who.into()}});
        self.api.post::<Value>(&routes::me_participants(room), body).await.map(drop)
    }

    /// Takes somebody out of a room.
    ///
    /// # Errors
    /// As any request.
    pub async fn remove(&self, room: ChatId, who: impl Into<ParticipantId>) -> Result<()> {
        self.api.ask(Method::DELETE, &routes::me_participant(room, who.into()), None).await.map(drop)
    }

    /// Who is in a room.
    ///
    /// # Errors
    /// As any request.
    pub async fn participants(&self, room: ChatId) -> Result<Vec<Participant>> {
        self.api.all(&routes::me_participants(room)).await
    }

    /// A room with one agent in it.
    ///
    /// # Errors
    /// As any request.
    pub async fn room_with(&self, title: &str, agent: &NewAgent) -> Result<ChatId> {
        let room = self.create_room(title).await?;
        self.add(room, agent.id).await?;
        Ok(room)
    }

    /// Writes `text` to somebody and gives the message once it is stored.
    ///
    /// # Errors
    /// As any request.
    pub async fn say(&self, room: ChatId, to: impl Into<ParticipantId>, text: &str) -> Result<MessageId> {
        let body = json!({"message": {"content": text, "mentions": [{"id": to.into()}]}});
        let sent: Data<MessageSent> = self.api.post(&routes::me_messages(room), body).await?;
        Ok(sent.data.id)
    }

    /// Stops an agent in a room, lets it go on, or interrupts it.
    ///
    /// # Errors
    /// As any request.
    pub async fn control(&self, room: ChatId, agent: &NewAgent, mode: ControlMode) -> Result<()> {
        let path = routes::me_agent_control(room, agent.id, mode);
        self.api.post::<Value>(&path, json!({})).await.map(drop)
    }

    /// Asks somebody to be a contact, by handle.
    ///
    /// # Errors
    /// As any request.
    pub async fn ask_for_contact(&self, handle: &str, message: Option<&str>) -> Result<ContactRequestId> {
        let body = json!({"contact_request": {"recipient_handle": handle, "message": message}});
        let made: Data<MyContactRequest> = self.api.post(routes::ME_CONTACT_REQUESTS, body).await?;
        Ok(made.data.id)
    }

    /// The person's contacts, the newest hundred.
    ///
    /// # Errors
    /// As any request.
    pub async fn contacts(&self) -> Result<Vec<MyContact>> {
        let path = format!("{}?page_size=100", routes::ME_CONTACTS);
        let page: Paged<MyContact, Page> = self.api.get(&path).await?;
        Ok(page.data)
    }

    /// The whole timeline of a room, oldest first.
    ///
    /// # Errors
    /// As any request.
    pub async fn timeline(&self, room: ChatId) -> Result<Vec<Message>> {
        let mut messages: Vec<Message> = self.api.all(&routes::me_messages(room)).await?;
        messages.reverse();
        Ok(messages)
    }

    /// Opens the user's socket.
    ///
    /// # Errors
    /// [`crate::Error::Socket`] when the platform refuses it.
    pub async fn watch(&self) -> Result<Watcher> {
        Watcher::open(&self.api.ws_url(), self.api.key()).await
    }
}
