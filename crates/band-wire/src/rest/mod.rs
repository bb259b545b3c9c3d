//! REST bodies, one file for each resource, and the one error envelope.
//!
//! Requests are read strictly ([`FromBody`]): an unknown field, a wrong type or a null is an issue under the
//! JSON pointer of its place, as the public API answers it. Responses serialize with every key that a
//! released client requires, and deserialize leniently: unknown fields are passed over.

mod activity;
mod admin;
mod agent;
mod chat;
mod contact;
mod delegation;
mod deletion;
mod delivery;
mod error;
mod event;
mod execution;
mod file;
mod lenient;
mod memory;
mod mention;
mod message;
mod page;
mod participant;
mod peer;
mod profile;
pub mod query;
pub mod routes;
mod send;
mod strict;
mod task;

pub use activity::{ActivityKind, ActivityReport, ActivityState, ReportActivity};
pub use admin::{CreateAgent, CreateSignInLink, CreateUser, CreatedUser, SignIn, SignInLink};
pub use agent::{
    AgentMe, DeletedAgent, IDEMPOTENCY_KEYS, IssuedAgent, IssuedCredentials, IssuedKey, MyAgent,
    RegisterAgent,
};
pub use chat::{AgentChat, ChatKind, ChatStatus, CreateChat, Membership, MyChat, MyMembership, RenameChat};
pub use contact::{
    AddContact, AgentContact, ContactAction, ContactParty, ContactRemoval, ContactRequestState,
    ContactRequestStatus, ContactRequests, ContactRequestsPage, ContactUser, CreateContactRequest,
    DirectionTotal, ListedContactRequests, MAX_CONTACT_MESSAGE, MyContact, MyContactRequest,
    ReceivedContactRequest, RemoveContact, ResolveHandle, ResolvedEntity, RespondContact, SentContactRequest,
};
pub use delegation::ExchangeDelegation;
pub use deletion::{
    BulkDeleteAgents, BulkDeleteChats, BulkDeletion, DeletedResource, DeletionError, DeletionErrorCode,
    DeletionItem, DeletionItemStatus, DeletionStatus,
};
pub use delivery::{AttemptRecord, DeliveryMap, DeliveryRecord, DeliveryStatus, FailMark, MessageMark};
pub use error::{ErrorBody, ErrorEnvelope, code};
pub use event::{CreateEvent, EventCreated, EventType};
pub use execution::{ControlSent, ControlledExecution, Execution, ExecutionStatus};
pub use file::{Attachment, FILE_NAME, FILE_SHA256};
pub use memory::{
    Memory, MemoryScope, MemorySegment, MemoryStatus, MemorySystem, MemoryType, MyMemory, StoreMemory,
};
pub use mention::{MentionInput, MentionKind, MentionRecord};
pub use message::{Message, SenderType};
pub use page::{AgentsPage, AvailableFilter, ContextPage, Cursored, Data, Page, Paged, SortableField};
pub use participant::{AddParticipant, MemberStatus, Participant, Role};
pub use peer::{Peer, PeerSource};
pub use profile::{UpdateProfile, UserDetails};
pub use send::{MessageSent, Recipient, SendMessage};
pub use strict::{Body, FromBody, Issues, ObjectReader};
pub use task::{
    Board, BoardEvent, BoardEventKind, CreateTask, SetBoard, Task, TaskActor, TaskAssignment, TaskEvent,
    TaskEventKind, TaskRef, TaskRefError, TaskState, TaskStatus, UpdateTask,
};
