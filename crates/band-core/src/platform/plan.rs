//! What a decision leads to.

use band_wire::rest::{
    Attachment, ChatStatus, ContactRequestStatus, DeliveryRecord, MemberStatus, Role, SenderType,
};
use band_wire::{AgentId, ChatId, ContactId, ContactRequestId, MessageId, ParticipantId, Stamp, UserId};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::deletions::DeletionRow;
use super::files::FileRow;
use super::memories::MemoryWrite;
use super::tasks::BoardWrite;
use super::{Chat, Push, TitleState};

/// All that follows from one accepted command. A store runs the writes in order, in one transaction, and
/// hands the pushes on after the commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan<A> {
    /// What is stored.
    pub writes: Vec<Write>,
    /// What sockets are told.
    pub pushes: Vec<Push>,
    /// What the caller is told.
    pub answer: A,
}

impl<A> Plan<A> {
    /// Nothing but an answer.
    pub const fn answer(answer: A) -> Self {
        Self { writes: Vec::new(), pushes: Vec::new(), answer }
    }
}

/// One change of the store.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// A new person.
    AddUser(User),
    /// A person's names.
    NameUser {
        /// Who.
        user: UserId,
        /// May be none.
        first_name: Option<String>,
        /// May be none.
        last_name: Option<String>,
        /// When.
        at: Stamp,
    },
    /// A new agent.
    AddAgent(AgentRow),
    /// An agent leaves: its name and slug become free, its keys invalid, its executions go.
    RemoveAgent {
        /// Which.
        agent: AgentId,
        /// When.
        at: Stamp,
    },
    /// A new room.
    AddChat(Chat),
    /// A room's title.
    SetTitle {
        /// The room.
        chat: ChatId,
        /// Never empty.
        title: String,
        /// Where it came from.
        state: TitleState,
        /// When.
        at: Stamp,
    },
    /// Someone comes into a room.
    AddMember {
        /// The room.
        chat: ChatId,
        /// A user or an agent.
        who: ParticipantId,
        /// Which of the two.
        kind: SenderType,
        /// What it may do.
        role: Role,
        /// The state of the membership.
        status: MemberStatus,
        /// When.
        at: Stamp,
    },
    /// An agent and a room are bound by an execution; one that is there stays.
    OpenExecution {
        /// Its id, if it is new.
        execution: Uuid,
        /// The agent.
        agent: AgentId,
        /// The room.
        chat: ChatId,
        /// When.
        at: Stamp,
    },
    /// An agent is stopped in a room, or goes on there.
    SetStopped {
        /// The agent.
        agent: AgentId,
        /// The room.
        chat: ChatId,
        /// Why it is stopped, such as `user_requested`; none when it goes on.
        stopped: Option<&'static str>,
        /// When.
        at: Stamp,
    },
    /// Someone's role in a room.
    SetRole {
        /// The room.
        chat: ChatId,
        /// A user or an agent.
        who: ParticipantId,
        /// What it may do from here on.
        role: Role,
        /// When.
        at: Stamp,
    },
    /// Someone leaves a room.
    RemoveMember {
        /// The room.
        chat: ChatId,
        /// A user or an agent.
        who: ParticipantId,
        /// When.
        at: Stamp,
    },
    /// A message or an event.
    AddMessage(Box<NewMessage>),
    /// Where a message stands for an agent. Of the attempts only the last one has changed.
    SetDelivery {
        /// The message.
        message: MessageId,
        /// The agent.
        agent: AgentId,
        /// The whole record.
        record: DeliveryRecord,
        /// When. The message has changed then.
        at: Stamp,
    },
    /// Someone asks to be someone's contact.
    AddContactRequest(ContactRequestRow),
    /// A request is over.
    SettleContactRequest {
        /// Which.
        request: ContactRequestId,
        /// What became of it.
        status: ContactRequestStatus,
        /// When.
        at: Stamp,
    },
    /// One side's record of a contact.
    AddContact(ContactRow),
    /// One side's record of a contact goes.
    RemoveContact(ContactId),
    /// A room is put away, or taken out again.
    SetChatStatus {
        /// The room.
        chat: ChatId,
        /// Where it stands from here on.
        status: ChatStatus,
        /// When.
        at: Stamp,
    },
    /// A room goes, with its tasks and files. Its messages stay in the database, for nobody to see.
    RemoveChat {
        /// The room.
        chat: ChatId,
        /// When.
        at: Stamp,
    },
    /// A file of a room. What it holds is on the disk already.
    AddFile(Box<FileRow>),
    /// A change of the memories.
    Memory(MemoryWrite),
    /// A change of a board.
    Board(BoardWrite),
    /// What became of a bulk deletion.
    AddDeletion(Box<DeletionRow>),
}

/// A request to become a contact, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactRequestRow {
    /// The request.
    pub id: ContactRequestId,
    /// Who asks.
    pub requester: ParticipantId,
    /// A user or an agent.
    pub requester_kind: SenderType,
    /// Who is asked.
    pub recipient: ParticipantId,
    /// A user or an agent.
    pub recipient_kind: SenderType,
    /// What the requester writes.
    pub message: Option<String>,
    /// Where it stands.
    pub status: ContactRequestStatus,
    /// When it was made.
    pub inserted_at: Stamp,
    /// When it was settled.
    pub responded_at: Option<Stamp>,
}

/// One side's record of a contact, as stored. The other side has a record of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContactRow {
    /// The record.
    pub id: ContactId,
    /// Whose record it is.
    pub owner: ParticipantId,
    /// A user or an agent.
    pub owner_kind: SenderType,
    /// The contact.
    pub contact: ParticipantId,
    /// A user or an agent.
    pub contact_kind: SenderType,
    /// When it came to be.
    pub inserted_at: Stamp,
}

/// A person as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The person.
    pub id: UserId,
    /// Unique, without `@`.
    pub handle: String,
    /// Where mail would go.
    pub email: String,
    /// May be none.
    pub first_name: Option<String>,
    /// May be none.
    pub last_name: Option<String>,
    /// Whether they administer the site.
    pub is_admin: bool,
    /// When they were added.
    pub inserted_at: Stamp,
    /// When they last changed.
    pub updated_at: Stamp,
}

impl User {
    /// First and last name, or the handle where both are missing.
    pub fn full_name(&self) -> String {
        full_name(self.first_name.as_deref(), self.last_name.as_deref(), &self.handle)
    }
}

/// First and last name, or the handle where both are missing.
pub fn full_name(first: Option<&str>, last: Option<&str>, handle: &str) -> String {
    let parts = [first, last].into_iter().flatten().map(str::trim).filter(|part| !part.is_empty());
    let name = parts.collect::<Vec<_>>().join(" ");
    if name.is_empty() { handle.to_owned() } else { name }
}

/// An agent as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRow {
    /// The agent.
    pub id: AgentId,
    /// Who owns it.
    pub owner: UserId,
    /// The second half of its handle; unique among the owner's agents.
    pub slug: String,
    /// Unique among the owner's agents.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// Whether the owner's organization may discover it.
    pub shared_with_organization: bool,
    /// Whether the public directory lists it.
    pub listed_in_directory: bool,
    /// Free labels.
    pub tags: Vec<String>,
    /// When it was registered.
    pub inserted_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
}

/// A message or an event that is new.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// The message.
    pub id: MessageId,
    /// Its room.
    pub chat: ChatId,
    /// A user or an agent.
    pub sender: ParticipantId,
    /// Which of the two.
    pub sender_kind: SenderType,
    /// The sender's name as of now.
    pub sender_name: String,
    /// `text`, or an event's type.
    pub message_type: &'static str,
    /// With tokens.
    pub content: String,
    /// What is kept with it: mentions and status, or what an event's sender supplied.
    pub metadata: Map<String, Value>,
    /// The files it carries.
    pub files: Vec<Attachment>,
    /// When it was stored.
    pub at: Stamp,
    /// The agents it is for.
    pub deliveries: Vec<NewDelivery>,
}

/// A message on its way to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDelivery {
    /// The agent.
    pub agent: AgentId,
    /// Now, if it has a live subscription.
    pub delivered_at: Option<Stamp>,
}
