//! REST bodies, one file for each resource, and the one error envelope.
//!
//! Requests are read strictly ([`FromBody`]): an unknown field, a wrong type or a null is an issue under the
//! JSON pointer of its place, as the public API answers it. Responses serialize with every key that a
//! released client requires, and deserialize leniently: unknown fields are passed over.

mod activity;
mod agent;
mod chat;
mod error;
mod event;
mod message;
mod page;
mod participant;
mod peer;
mod profile;
pub mod query;
pub mod routes;
mod strict;

pub use activity::{ActivityKind, ActivityReport, ActivityState, ReportActivity};
pub use agent::{AgentMe, DeletedAgent, IssuedAgent, IssuedCredentials, IssuedKey, MyAgent, RegisterAgent};
pub use chat::{AgentChat, ChatKind, ChatStatus, CreateChat, MyChat};
pub use error::{ErrorBody, ErrorEnvelope, code};
pub use event::{CreateEvent, EventCreated, EventType};
pub use message::{
    AttemptRecord, DeliveryMap, DeliveryRecord, DeliveryStatus, FailMark, MentionInput, MentionKind,
    MentionRecord, Message, MessageMark, MessageSent, Recipient, SendMessage, SenderType,
};
pub use page::{Cursored, Data, Page, Paged};
pub use participant::{AddParticipant, MemberStatus, Participant, Role};
pub use peer::{Peer, PeerSource};
pub use profile::{UpdateProfile, UserDetails};
pub use strict::{FromBody, Issues, ObjectReader};
