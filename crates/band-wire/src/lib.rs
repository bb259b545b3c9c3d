//! Every byte that crosses a wire: ids, REST bodies, Phoenix frames, events, errors.
//!
//! The crate has no async code and does no I/O. The SDK and the platform both build on it, so a shape is
//! written once. Sources: the public Band API description (REST), the Phoenix Channels V2 serializer
//! (frames), and the observed behaviour of the released Band clients (events).

pub mod event;
pub mod id;
pub mod phx;
pub mod rest;
mod stamp;
pub mod text;
pub mod tools;
pub mod word;

pub use id::{
    AgentId, ChatId, ContactId, ContactRequestId, DeletionId, ExecutionId, FileId, Id, MemoryId, MessageId,
    ParticipantId, RequestId, TaskId, UserId,
};
pub use stamp::Stamp;
pub use word::Open;
