//! What the simulated platform has stored: plain maps that the real plans are run on.

use std::collections::BTreeMap;

use band_core::platform::plan::{AgentRow, ContactRequestRow, NewMessage, User, Write};
use band_core::platform::{Chat, Execution, Member, Room, Roster, handles, with_deliveries};
use band_wire::rest::{
    self, ContactRequestStatus, DeliveryMap, DeliveryRecord, DeliveryStatus, MemberStatus, Role, SenderType,
};
use band_wire::{AgentId, ChatId, ContactRequestId, MessageId, ParticipantId, Stamp, UserId};
use uuid::Uuid;

/// A membership as it is stored.
#[derive(Debug, Clone, Copy)]
struct Seat {
    kind: SenderType,
    role: Role,
    status: MemberStatus,
    at: Stamp,
}

/// A message on its way to an agent.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    /// Whether the message mentions the agent; only those are served.
    is_mention: bool,
    /// None: nobody has acknowledged it.
    pub(crate) record: Option<DeliveryRecord>,
}

impl Delivery {
    pub(crate) fn status(&self) -> Option<DeliveryStatus> {
        self.record.as_ref().map(|record| record.status)
    }
}

/// An answer that is kept for its idempotency key.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) request: String,
    pub(crate) resource: Uuid,
    pub(crate) answer: String,
    pub(crate) at: Stamp,
}

/// The whole store. What is in it survives a crash of the platform.
#[derive(Debug, Default)]
pub(crate) struct Store {
    users: BTreeMap<UserId, User>,
    agents: BTreeMap<AgentId, AgentRow>,
    chats: BTreeMap<ChatId, Chat>,
    seats: BTreeMap<ChatId, BTreeMap<ParticipantId, Seat>>,
    messages: BTreeMap<ChatId, BTreeMap<i64, rest::Message>>,
    places: BTreeMap<MessageId, (ChatId, i64)>,
    deliveries: BTreeMap<(AgentId, ChatId), BTreeMap<i64, Delivery>>,
    executions: BTreeMap<(AgentId, ChatId), Execution>,
    /// By caller, route and key.
    pub(crate) kept: BTreeMap<(ParticipantId, String, String), Kept>,
    pub(crate) requests: BTreeMap<ContactRequestId, ContactRequestRow>,
    last: i64,
}

impl Store {
    /// A room with everyone in it.
    pub(crate) fn room(&self, chat: ChatId) -> Option<Room> {
        let stored = self.chats.get(&chat)?.clone();
        let seats = self.seats.get(&chat)?;
        let roster: Roster = seats.iter().filter_map(|(id, seat)| self.member(chat, *id, *seat)).collect();
        Some(Room { chat: stored, roster })
    }

    fn member(&self, chat: ChatId, id: ParticipantId, seat: Seat) -> Option<Member> {
        let (name, handle, description, owner) = match seat.kind {
            SenderType::User => {
                let user = self.users.get(&id.cast())?;
                (user.full_name(), user.handle.clone(), None, None)
            }
            SenderType::Agent => {
                let agent = self.agents.get(&id.cast())?;
                let owner = self.users.get(&agent.owner)?;
                let handle = handles::of_agent(&owner.handle, &agent.slug);
                (agent.name.clone(), handle, agent.description.clone(), Some(agent.owner))
            }
        };
        let Seat { kind, role, status, at } = seat;
        let execution = self.executions.get(&(id.cast(), chat)).copied();
        Some(Member { id, kind, role, status, name, handle, description, owner, execution, joined_at: at })
    }

    pub(crate) fn user(&self, user: UserId) -> Option<&User> {
        self.users.get(&user)
    }

    pub(crate) fn agent(&self, agent: AgentId) -> Option<&AgentRow> {
        self.agents.get(&agent)
    }

    /// The agent's rooms, the newest first.
    pub(crate) fn rooms_of(&self, agent: AgentId) -> Vec<&Chat> {
        let who: ParticipantId = agent.into();
        let inside = self.seats.iter().filter(|(_, seats)| seats.contains_key(&who));
        let mut chats: Vec<&Chat> = inside.filter_map(|(chat, _)| self.chats.get(chat)).collect();
        chats.sort_by_key(|chat| std::cmp::Reverse((chat.inserted_at, chat.id)));
        chats
    }

    pub(crate) fn is_member(&self, chat: ChatId, who: ParticipantId) -> bool {
        self.seats.get(&chat).is_some_and(|seats| seats.contains_key(&who))
    }

    /// Whether the agent must be silent in a room.
    pub(crate) fn is_stopped(&self, agent: AgentId, chat: ChatId) -> bool {
        self.executions.get(&(agent, chat)).is_some_and(|execution| execution.stopped)
    }

    /// A message of a room with its place, without delivery records.
    pub(crate) fn message(&self, chat: ChatId, id: MessageId) -> Option<(i64, &rest::Message)> {
        let (room, seq) = *self.places.get(&id)?;
        let message = self.messages.get(&room).filter(|_| room == chat)?.get(&seq)?;
        Some((seq, message))
    }

    /// A room's timeline, oldest first.
    pub(crate) fn timeline(&self, chat: ChatId) -> impl DoubleEndedIterator<Item = (i64, &rest::Message)> {
        self.messages.get(&chat).into_iter().flatten().map(|(seq, message)| (*seq, message))
    }

    /// What mentions the agent in a room, oldest first.
    pub(crate) fn mentions(
        &self,
        agent: AgentId,
        chat: ChatId,
    ) -> impl DoubleEndedIterator<Item = (i64, &Delivery)> {
        let all = self.deliveries.get(&(agent, chat)).into_iter().flatten();
        all.filter(|(_, delivery)| delivery.is_mention).map(|(seq, delivery)| (*seq, delivery))
    }

    /// Where a message stands, for all agents.
    pub(crate) fn records(&self, chat: ChatId, seq: i64) -> DeliveryMap {
        let of_room = self.deliveries.iter().filter(|((_, room), _)| *room == chat);
        let here = of_room.filter_map(|((agent, _), all)| Some((*agent, all.get(&seq)?)));
        here.filter_map(|(agent, delivery)| Some((agent, delivery.record.clone()?))).collect()
    }

    /// A message as the API shows it.
    pub(crate) fn complete(&self, chat: ChatId, seq: i64) -> Option<rest::Message> {
        let message = self.messages.get(&chat)?.get(&seq)?.clone();
        Some(with_deliveries(message, &self.records(chat, seq)))
    }

    /// Runs one write of a plan.
    pub(crate) fn apply(&mut self, write: Write) {
        match write {
            Write::AddUser(user) => {
                self.users.insert(user.id, user);
            }
            Write::NameUser { user, first_name, last_name, at } => {
                if let Some(stored) = self.users.get_mut(&user) {
                    (stored.first_name, stored.last_name, stored.updated_at) = (first_name, last_name, at);
                }
            }
            Write::AddAgent(agent) => {
                self.agents.insert(agent.id, agent);
            }
            Write::RemoveAgent { agent, .. } => {
                self.agents.remove(&agent);
                self.executions.retain(|(who, _), _| *who != agent);
            }
            Write::AddChat(chat) => {
                self.seats.entry(chat.id).or_default();
                self.chats.insert(chat.id, chat);
            }
            Write::SetTitle { chat, title, state, at } => {
                if let Some(chat) = self.chats.get_mut(&chat) {
                    (chat.title, chat.title_state, chat.updated_at) = (title, state, at);
                }
            }
            Write::AddMember { chat, who, kind, role, status, at } => {
                self.seats.entry(chat).or_default().insert(who, Seat { kind, role, status, at });
                self.touch(chat, at);
            }
            Write::OpenExecution { execution, agent, chat, .. } => {
                let new = Execution { id: execution, stopped: false };
                self.executions.entry((agent, chat)).or_insert(new);
            }
            Write::SetStopped { agent, chat, stopped, .. } => {
                if let Some(execution) = self.executions.get_mut(&(agent, chat)) {
                    execution.stopped = stopped.is_some();
                }
            }
            Write::SetRole { chat, who, role, at } => {
                if let Some(seat) = self.seats.get_mut(&chat).and_then(|seats| seats.get_mut(&who)) {
                    seat.role = role;
                }
                self.touch(chat, at);
            }
            Write::RemoveMember { chat, who, at } => {
                if let Some(seats) = self.seats.get_mut(&chat) {
                    seats.remove(&who);
                }
                self.touch(chat, at);
            }
            Write::AddMessage(message) => self.add_message(*message),
            Write::AddContactRequest(row) => {
                self.requests.insert(row.id, row);
            }
            Write::SettleContactRequest { request, status, at } => self.settle_request(request, status, at),
            // Nobody asks who knows whom; nobody has memories, files or tasks here, and no room goes.
            Write::AddContact { .. }
            | Write::RemoveContact { .. }
            | Write::SetChatStatus { .. }
            | Write::RemoveChat { .. }
            | Write::AddFile(_)
            | Write::Memory(_)
            | Write::Board(_)
            | Write::AddDeletion(_) => {}
            Write::SetDelivery { message, agent, record, at } => {
                self.set_delivery(message, agent, record, at);
            }
        }
    }

    fn settle_request(&mut self, request: ContactRequestId, status: ContactRequestStatus, at: Stamp) {
        if let Some(row) = self.requests.get_mut(&request) {
            (row.status, row.responded_at) = (status, Some(at));
        }
    }

    fn touch(&mut self, chat: ChatId, at: Stamp) {
        if let Some(chat) = self.chats.get_mut(&chat) {
            chat.updated_at = at;
        }
    }

    fn add_message(&mut self, message: NewMessage) {
        self.last += 1;
        let seq = self.last;
        for delivery in &message.deliveries {
            let record = delivery.delivered_at.map(band_core::platform::delivery::delivered);
            let of_room = self.deliveries.entry((delivery.agent, message.chat)).or_default();
            of_room.insert(seq, Delivery { is_mention: true, record });
        }
        self.places.insert(message.id, (message.chat, seq));
        let stored = rest::Message {
            id: message.id,
            content: message.content,
            message_type: message.message_type.to_owned(),
            sender_id: message.sender,
            sender_type: message.sender_kind.as_str().to_owned(),
            sender_name: Some(message.sender_name),
            chat_room_id: Some(message.chat),
            metadata: message.metadata,
            attachments: Vec::new(),
            inserted_at: Some(message.at),
            updated_at: Some(message.at),
        };
        self.messages.entry(message.chat).or_default().insert(seq, stored);
    }

    fn set_delivery(&mut self, message: MessageId, agent: AgentId, record: DeliveryRecord, at: Stamp) {
        let Some((chat, seq)) = self.places.get(&message).copied() else { return };
        if let Some(message) = self.messages.get_mut(&chat).and_then(|all| all.get_mut(&seq)) {
            message.updated_at = Some(at);
        }
        let of_room = self.deliveries.entry((agent, chat)).or_default();
        let known = of_room.get(&seq).is_some_and(|delivery| delivery.is_mention);
        of_room.insert(seq, Delivery { is_mention: known, record: Some(record) });
    }
}
