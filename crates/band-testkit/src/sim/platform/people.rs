//! What people do on the simulated site. They do it at the platform itself: their own network is not under
//! test.

use band_core::platform::membership::{self, Candidate, Joining};
use band_core::platform::people::NewUser;
use band_core::platform::{Principal, Refusal, agents, people, rooms, send};
use band_wire::rest::{CreateChat, MentionInput, RegisterAgent, Role, SendMessage, SenderType};
use band_wire::{AgentId, ChatId, MessageId, UserId};

use super::Platform;

impl Platform {
    /// A new person.
    pub(crate) fn add_person(&mut self, name: &str) -> Result<UserId, Refusal> {
        let request = NewUser { name: name.to_owned(), email: None, is_admin: false };
        let (id, now) = (self.id(), self.stamp());
        let plan = people::add(id, &request, now, |_| false)?;
        Ok(self.commit(plan).id)
    }

    /// A new agent with its key.
    pub(crate) fn add_agent(&mut self, owner: UserId, name: &str) -> Result<(AgentId, String), Refusal> {
        let facts = agents::Registering { owner, id: self.id(), name_taken: false, now: self.stamp() };
        let description = format!("{name} answers what it is asked");
        let request = RegisterAgent { name: name.to_owned(), description };
        let plan = agents::register(&facts, request, |_| false)?;
        let id = self.commit(plan).id;
        let key = format!("band_a_{id}");
        self.keys.insert(key.clone(), Principal::Agent { id, owner });
        Ok((id, key))
    }

    /// A new room of a person.
    pub(crate) fn add_room(&mut self, owner: UserId, title: &str) -> Result<ChatId, Refusal> {
        let creator = self.candidate(Principal::User(owner)).ok_or_else(Refusal::not_found)?;
        let (id, execution, now) = (self.id(), self.uuid(), self.stamp());
        let facts = rooms::Facts { creator: &creator, id, execution, has_task: false, now };
        let plan = rooms::create(&facts, CreateChat { title: Some(title.to_owned()), task_id: None })?;
        Ok(self.commit(plan).id)
    }

    pub(super) fn candidate(&self, who: Principal) -> Option<Candidate> {
        match who {
            Principal::User(id) => {
                let user = self.store.user(id)?;
                Some(Candidate {
                    id: id.into(),
                    kind: SenderType::User,
                    name: user.full_name(),
                    handle: user.handle.clone(),
                    description: None,
                    owner: None,
                    shared_with_organization: false,
                    listed_in_directory: false,
                    tags: Vec::new(),
                })
            }
            Principal::Agent { id, owner } => {
                let (agent, person) = (self.store.agent(id)?, self.store.user(owner)?);
                Some(Candidate {
                    id: id.into(),
                    kind: SenderType::Agent,
                    name: agent.name.clone(),
                    handle: band_core::platform::handles::of_agent(&person.handle, &agent.slug),
                    description: agent.description.clone(),
                    owner: Some(owner),
                    shared_with_organization: false,
                    listed_in_directory: false,
                    tags: Vec::new(),
                })
            }
        }
    }

    /// Brings an agent of the person's own into a room.
    pub(crate) fn invite(&mut self, by: UserId, chat: ChatId, agent: AgentId) -> Result<(), Refusal> {
        let room = self.store.room(chat).ok_or_else(Refusal::not_found)?;
        let target = self.candidate(Principal::Agent { id: agent, owner: by });
        let (execution, now) = (self.uuid(), self.stamp());
        let (target, role) = (target.as_ref(), Role::Member);
        let facts = Joining { room: &room, target, is_contact: false, role, execution, now };
        let plan = membership::add(&facts, Principal::User(by))?;
        self.commit(plan);
        Ok(())
    }

    /// Takes an agent out of a room.
    pub(crate) fn dismiss(&mut self, by: UserId, chat: ChatId, agent: AgentId) -> Result<(), Refusal> {
        let room = self.store.room(chat).ok_or_else(Refusal::not_found)?;
        let plan = membership::remove(&room, Principal::User(by), agent.into(), self.stamp())?;
        self.commit(plan);
        self.work(band_core::platform::activity::Input::Stops { chat, agent });
        Ok(())
    }

    /// Says something that mentions agents.
    pub(crate) fn say(
        &mut self,
        by: UserId,
        chat: ChatId,
        content: &str,
        to: &[AgentId],
    ) -> Result<MessageId, Refusal> {
        let room = self.store.room(chat).ok_or_else(Refusal::not_found)?;
        let mentions =
            to.iter().map(|agent| MentionInput { id: Some(agent.to_string()), ..MentionInput::default() });
        let request = SendMessage {
            content: content.to_owned(),
            mentions: mentions.collect(),
            attachment_ids: Vec::new(),
        };
        let facts =
            send::Facts { room: &room, id: self.id(), files: &[], has_task: false, now: self.stamp() };
        let board = &self.board;
        let plan =
            send::send(&facts, Principal::User(by), &request, |agent| board.is_listening(agent, chat))?;
        Ok(self.commit(plan).id)
    }
}
