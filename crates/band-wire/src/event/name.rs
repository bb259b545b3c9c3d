//! Names of events.

/// A text message: `chat_room`.
pub const MESSAGE_CREATED: &str = "message_created";
/// A message or its delivery state changed; people alone: `chat_room`.
pub const MESSAGE_UPDATED: &str = "message_updated";
/// A message is gone; people alone: `chat_room`.
pub const MESSAGE_DELETED: &str = "message_deleted";
/// An event of an agent; people alone: `chat_room`.
pub const EVENT_CREATED: &str = "event_created";
/// The subscriber became a participant: `agent_rooms`, `user_rooms`.
pub const ROOM_ADDED: &str = "room_added";
/// The subscriber is a participant no more: `agent_rooms`, `user_rooms`.
pub const ROOM_REMOVED: &str = "room_removed";
/// The room's title or roster changed: `user_rooms`.
pub const ROOM_UPDATED: &str = "room_updated";
/// The room is gone, its last event: `room_participants`.
pub const ROOM_DELETED: &str = "room_deleted";
/// The room has another title; people alone: `room_participants`.
pub const ROOM_TITLE_CHANGED: &str = "room_title_changed";
/// Someone joined: `room_participants`.
pub const PARTICIPANT_ADDED: &str = "participant_added";
/// Someone left: `room_participants`.
pub const PARTICIPANT_REMOVED: &str = "participant_removed";
/// An agent of the room came online; people alone: `room_participants`.
pub const AGENT_CONNECTED: &str = "agent_connected";
/// An agent of the room went offline; people alone: `room_participants`.
pub const AGENT_DISCONNECTED: &str = "agent_disconnected";
/// Someone asks to be a contact: `agent_contacts`, `user_contacts`.
pub const CONTACT_REQUEST_RECEIVED: &str = "contact_request_received";
/// A contact request was settled: `agent_contacts`, `user_contacts`.
pub const CONTACT_REQUEST_UPDATED: &str = "contact_request_updated";
/// A contact came to be: `agent_contacts`, `user_contacts`.
pub const CONTACT_ADDED: &str = "contact_added";
/// A contact is gone: `agent_contacts`, `user_contacts`.
pub const CONTACT_REMOVED: &str = "contact_removed";
/// Another connection took this one's place: `agent_control`.
pub const SUPERSEDE: &str = "supersede";
/// Stop, play or interrupt: `agent_control`.
pub const AGENT_CONTROL: &str = "agent.control";
/// An agent is at work: `room_activity`.
pub const AGENT_ACTIVITY_STARTED: &str = "agent_activity_started";
/// An agent is at work no more: `room_activity`.
pub const AGENT_ACTIVITY_STOPPED: &str = "agent_activity_stopped";
/// The person has a new agent: `user_agents`.
pub const AGENT_CREATED: &str = "agent_created";
/// One of the person's agents changed: `user_agents`.
pub const AGENT_UPDATED: &str = "agent_updated";
/// One of the person's agents is gone: `user_agents`.
pub const AGENT_DELETED: &str = "agent_deleted";
/// A task is new: `room_tasks`.
pub const TASK_CREATED: &str = "task_created";
/// A task changed: `room_tasks`.
pub const TASK_UPDATED: &str = "task_updated";
/// The room's goal changed: `room_tasks`.
pub const BOARD_UPDATED: &str = "board_updated";
