//! Paths, written once for both halves.

use super::{ContactAction, TaskRef};
use crate::event::ControlMode;
use crate::{
    AgentId, ChatId, ContactRequestId, DeletionId, ExecutionId, FileId, MemoryId, MessageId, ParticipantId,
};

/// The prefix of every path.
pub const BASE: &str = "/api/v1";

/// `GET`: the agent itself.
pub const AGENT_ME: &str = "/api/v1/agent/me";
/// `GET`, `POST`: the agent's rooms.
pub const AGENT_CHATS: &str = "/api/v1/agent/chats";
/// `GET`: whom the agent may bring into a room.
pub const AGENT_PEERS: &str = "/api/v1/agent/peers";
/// `GET`: the agent's contacts.
pub const AGENT_CONTACTS: &str = "/api/v1/agent/contacts";
/// `POST`: asks someone to become the agent's contact.
pub const AGENT_CONTACTS_ADD: &str = "/api/v1/agent/contacts/add";
/// `POST`: ends a contact, for both sides.
pub const AGENT_CONTACTS_REMOVE: &str = "/api/v1/agent/contacts/remove";
/// `GET`: what the agent was asked, and what it asked.
pub const AGENT_CONTACT_REQUESTS: &str = "/api/v1/agent/contacts/requests";
/// `POST`: approves, rejects or cancels a request.
pub const AGENT_CONTACT_REQUESTS_RESPOND: &str = "/api/v1/agent/contacts/requests/respond";
/// `GET`: memories. `POST`: a new one.
pub const AGENT_MEMORIES: &str = "/api/v1/agent/memories";
/// `POST`: a token in the name of a person.
pub const AGENT_DELEGATION_TOKEN: &str = "/api/v1/agent/delegation/token";
/// `GET`, `PUT`: the person's profile.
pub const ME_PROFILE: &str = "/api/v1/me/profile";
/// `GET`: the person's agents.
pub const ME_AGENTS: &str = "/api/v1/me/agents";
/// `POST`: registration.
pub const ME_AGENTS_REGISTER: &str = "/api/v1/me/agents/register";
/// `GET`, `POST`: the person's rooms.
pub const ME_CHATS: &str = "/api/v1/me/chats";
/// `GET`: the person's contacts.
pub const ME_CONTACTS: &str = "/api/v1/me/contacts";
/// `POST`: whom a handle names.
pub const ME_CONTACTS_RESOLVE: &str = "/api/v1/me/contacts/resolve";
/// `POST`: ends a contact, for both sides.
pub const ME_CONTACTS_REMOVE: &str = "/api/v1/me/contacts/remove";
/// `GET`: what the person was asked. `POST`: asks someone.
pub const ME_CONTACT_REQUESTS: &str = "/api/v1/me/contacts/requests";
/// `GET`: what the person asked.
pub const ME_CONTACT_REQUESTS_SENT: &str = "/api/v1/me/contacts/requests/sent";
/// `GET`: the memories that the person may see.
pub const ME_MEMORIES: &str = "/api/v1/me/memories";
/// `POST`: deletes many rooms.
pub const ME_CHATS_BULK_DELETE: &str = "/api/v1/me/chats/bulk-delete";
/// `POST`: deletes many agents.
pub const ME_AGENTS_BULK_DELETE: &str = "/api/v1/me/agents/bulk-delete";
/// `GET`: whom the person may bring into a room.
pub const ME_PEERS: &str = "/api/v1/me/peers";

/// `POST`: exchanges the token of a sign-in link for a session.
pub const AUTH_SIGN_IN: &str = "/api/v1/auth/sign-in";
/// `POST`: ends the session.
pub const AUTH_SIGN_OUT: &str = "/api/v1/auth/sign-out";
/// `POST`: a new person, with a key. For the machine the platform runs on.
pub const ADMIN_USERS: &str = "/api/v1/admin/users";
/// `POST`: a new agent, with a key. For the machine the platform runs on.
pub const ADMIN_AGENTS: &str = "/api/v1/admin/agents";
/// `POST`: a new sign-in link. For the machine the platform runs on.
pub const ADMIN_SIGN_IN_LINKS: &str = "/api/v1/admin/sign-in-links";
/// `GET`: the version of the API.
pub const VERSION: &str = "/api/version";
/// `GET`: whether the platform is up.
pub const HEALTH: &str = "/api/v1/health";

/// `GET`, `PATCH`: one room of the agent.
pub fn agent_chat(chat: ChatId) -> String {
    format!("{AGENT_CHATS}/{chat}")
}

/// `GET`, `POST`, on the agent's side.
pub fn agent_participants(chat: ChatId) -> String {
    format!("{AGENT_CHATS}/{chat}/participants")
}

/// `DELETE`, on the agent's side.
pub fn agent_participant(chat: ChatId, who: ParticipantId) -> String {
    format!("{AGENT_CHATS}/{chat}/participants/{who}")
}

/// `GET`, `POST`, on the agent's side.
pub fn agent_messages(chat: ChatId) -> String {
    format!("{AGENT_CHATS}/{chat}/messages")
}

/// `GET`: the oldest message that is not processed, or 204.
pub fn agent_next(chat: ChatId) -> String {
    format!("{AGENT_CHATS}/{chat}/messages/next")
}

/// `POST`: a delivery mark; `mark` is `processing`, `processed` or `failed`.
pub fn agent_mark(chat: ChatId, message: MessageId, mark: &str) -> String {
    format!("{AGENT_CHATS}/{chat}/messages/{message}/{mark}")
}

/// `POST`: an event.
pub fn agent_events(chat: ChatId) -> String {
    format!("{AGENT_CHATS}/{chat}/events")
}

/// `GET`: what the agent may know of the room's past.
pub fn agent_context(chat: ChatId) -> String {
    format!("{AGENT_CHATS}/{chat}/context")
}

/// `POST`: the working indicator.
pub fn agent_activity(chat: ChatId) -> String {
    format!("{AGENT_CHATS}/{chat}/activity")
}

/// `PUT`: a file. `GET`, of ours: the files that the agent may know of.
pub fn agent_files(chat: ChatId) -> String {
    format!("{AGENT_CHATS}/{chat}/files")
}

/// `GET`: what a file holds.
pub fn agent_file(chat: ChatId, file: FileId) -> String {
    format!("{AGENT_CHATS}/{chat}/files/{file}")
}

/// `GET`, `POST`: tasks.
pub fn agent_tasks(chat: ChatId) -> String {
    format!("{AGENT_CHATS}/{chat}/tasks")
}

/// `GET`, `POST`: one task.
pub fn agent_task(chat: ChatId, task: TaskRef) -> String {
    format!("{AGENT_CHATS}/{chat}/tasks/{task}")
}

/// `GET`: what happened to a task.
pub fn agent_task_history(chat: ChatId, task: TaskRef) -> String {
    format!("{AGENT_CHATS}/{chat}/tasks/{task}/history")
}

/// `GET`, `PUT`: the goal.
pub fn agent_board(chat: ChatId) -> String {
    format!("{AGENT_CHATS}/{chat}/board")
}

/// `GET`: one memory.
pub fn agent_memory(memory: MemoryId) -> String {
    format!("{AGENT_MEMORIES}/{memory}")
}

/// `POST`: `act` is `supersede` or `archive`.
pub fn agent_memory_act(memory: MemoryId, act: &str) -> String {
    format!("{AGENT_MEMORIES}/{memory}/{act}")
}

/// `GET`, `DELETE`: one memory.
pub fn me_memory(memory: MemoryId) -> String {
    format!("{ME_MEMORIES}/{memory}")
}

/// `POST`: `act` is `supersede`, `archive` or `restore`.
pub fn me_memory_act(memory: MemoryId, act: &str) -> String {
    format!("{ME_MEMORIES}/{memory}/{act}")
}

/// `GET`: where a bulk deletion stands.
pub fn me_bulk_deletion(deletion: DeletionId) -> String {
    format!("{BASE}/me/bulk-deletions/{deletion}")
}

/// `POST`: `act` is `archive` or `unarchive`.
pub fn me_chat_act(chat: ChatId, act: &str) -> String {
    format!("{ME_CHATS}/{chat}/{act}")
}

/// `PUT`: a file. `GET`, of ours: the room's files.
pub fn me_files(chat: ChatId) -> String {
    format!("{ME_CHATS}/{chat}/files")
}

/// `GET`: what a file holds.
pub fn me_file(chat: ChatId, file: FileId) -> String {
    format!("{ME_CHATS}/{chat}/files/{file}")
}

/// `GET`, `POST`, of ours: tasks.
pub fn me_tasks(chat: ChatId) -> String {
    format!("{ME_CHATS}/{chat}/tasks")
}

/// `GET`, `POST`, of ours: one task.
pub fn me_task(chat: ChatId, task: TaskRef) -> String {
    format!("{ME_CHATS}/{chat}/tasks/{task}")
}

/// `GET`, of ours: what happened to a task.
pub fn me_task_history(chat: ChatId, task: TaskRef) -> String {
    format!("{ME_CHATS}/{chat}/tasks/{task}/history")
}

/// `GET`, `PUT`, of ours: the goal.
pub fn me_board(chat: ChatId) -> String {
    format!("{ME_CHATS}/{chat}/board")
}

/// `DELETE`: one agent of the person.
pub fn me_agent(agent: AgentId) -> String {
    format!("{ME_AGENTS}/{agent}")
}

/// `GET`: an agent's executions, for its owner.
pub fn me_executions(agent: AgentId) -> String {
    format!("{ME_AGENTS}/{agent}/executions")
}

/// `POST`: stops an agent in all its rooms, lets it go on, or interrupts it; `execution` is any of its own.
pub fn me_execution_control(agent: AgentId, execution: ExecutionId, mode: ControlMode) -> String {
    format!("{ME_AGENTS}/{agent}/executions/{execution}/{mode}")
}

/// `POST`: stops all agents of a room, lets them go on, or interrupts them.
pub fn me_room_control(chat: ChatId, mode: ControlMode) -> String {
    format!("{ME_CHATS}/{chat}/agents/{mode}")
}

/// `POST`: the same for one agent of the room.
pub fn me_agent_control(chat: ChatId, agent: AgentId, mode: ControlMode) -> String {
    format!("{ME_CHATS}/{chat}/agents/{agent}/{mode}")
}

/// `DELETE`: takes back a request that the person sent.
pub fn me_contact_request(request: ContactRequestId) -> String {
    format!("{ME_CONTACT_REQUESTS}/{request}")
}

/// `POST`: answers a request that the person received; `action` is `approve` or `reject`.
pub fn me_contact_answer(request: ContactRequestId, action: ContactAction) -> String {
    format!("{ME_CONTACT_REQUESTS}/{request}/{action}")
}

/// `GET`, `PATCH`, `DELETE`: one room of the person.
pub fn me_chat(chat: ChatId) -> String {
    format!("{ME_CHATS}/{chat}")
}

/// `GET`, `POST`, on the person's side.
pub fn me_messages(chat: ChatId) -> String {
    format!("{ME_CHATS}/{chat}/messages")
}

/// `GET`, `POST`, on the person's side.
pub fn me_participants(chat: ChatId) -> String {
    format!("{ME_CHATS}/{chat}/participants")
}

/// `DELETE`, on the person's side.
pub fn me_participant(chat: ChatId, who: ParticipantId) -> String {
    format!("{ME_CHATS}/{chat}/participants/{who}")
}
