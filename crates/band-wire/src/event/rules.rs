//! The rules, as tables. Their order is the order of the issues.

use serde_json::{Map, Value};

use super::{name, normalise};

/// What a payload must be.
#[derive(Clone, Copy)]
pub(super) enum Rules {
    /// Any JSON passes unchanged.
    Open,
    /// An object with these fields, normalised by `fix` once it has passed.
    Object {
        /// In the order of the issues.
        fields: &'static [Field],
        /// Runs on a payload without issues.
        fix: fn(&mut Map<String, Value>),
    },
}

/// One field of an object. Fields without a rule are not looked at.
pub(super) struct Field {
    /// The key.
    pub(super) key: &'static str,
    /// Whether the key may be absent.
    pub(super) required: bool,
    /// Whether null passes.
    pub(super) nullable: bool,
    /// What its value must be.
    pub(super) shape: Shape,
}

/// What a value must be.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// Any string, the empty one too.
    Text,
    /// A boolean.
    Flag,
    /// One of these strings.
    Word(&'static [&'static str]),
    /// An object with these fields.
    Object(&'static [Field]),
    /// An array of whatever.
    List,
    /// An array of objects with these fields.
    ListOf(&'static [Field]),
}

const fn required(key: &'static str, shape: Shape) -> Field {
    Field { key, required: true, nullable: false, shape }
}

/// The key must be there, its value may be null.
const fn keyed(key: &'static str, shape: Shape) -> Field {
    Field { key, required: true, nullable: true, shape }
}

/// May be absent or null.
const fn open(key: &'static str, shape: Shape) -> Field {
    Field { key, required: false, nullable: true, shape }
}

/// May be absent, not null.
const fn optional(key: &'static str, shape: Shape) -> Field {
    Field { key, required: false, nullable: false, shape }
}

const MENTION: &[Field] = &[
    required("id", Shape::Text),
    open("username", Shape::Text),
    open("handle", Shape::Text),
    open("name", Shape::Text),
];

const MESSAGE: &[Field] = &[
    required("id", Shape::Text),
    required("content", Shape::Text),
    required("message_type", Shape::Text),
    required("sender_type", Shape::Text),
    required("sender_id", Shape::Text),
    required("inserted_at", Shape::Text),
    required("updated_at", Shape::Text),
    open("sender_name", Shape::Text),
    open("metadata", Shape::Object(&[open("mentions", Shape::ListOf(MENTION))])),
    open("attachments", Shape::List),
];

const ROOM: &[Field] = &[
    required("id", Shape::Text),
    required("inserted_at", Shape::Text),
    required("updated_at", Shape::Text),
    open("title", Shape::Text),
    open("task_id", Shape::Text),
];

const PARTICIPANT: &[Field] = &[
    required("id", Shape::Text),
    required("type", Shape::Text),
    required("name", Shape::Text),
    optional("handle", Shape::Text),
    open("description", Shape::Text),
    open("is_remote", Shape::Flag),
    open("is_external", Shape::Flag),
];

const CONTACT_REQUEST: &[Field] = &[
    required("id", Shape::Text),
    required("status", Shape::Text),
    required("inserted_at", Shape::Text),
    open("from_handle", Shape::Text),
    open("from_name", Shape::Text),
    open("message", Shape::Text),
];

const CONTACT: &[Field] = &[
    required("id", Shape::Text),
    required("type", Shape::Text),
    required("inserted_at", Shape::Text),
    keyed("handle", Shape::Text),
    keyed("name", Shape::Text),
    optional("description", Shape::Text),
    optional("listed_in_directory", Shape::Flag),
    optional("tags", Shape::List),
    open("is_remote", Shape::Flag),
    open("is_external", Shape::Flag),
];

const SUPERSEDE: &[Field] = &[
    required("reason", Shape::Text),
    required("message", Shape::Text),
    open("target_socket_id", Shape::Text),
    keyed("correlation_id", Shape::Text),
];

const CONTROL: &[Field] = &[
    required("mode", Shape::Word(&["interrupt", "stop", "play"])),
    required("scope", Shape::Word(&["agent", "room"])),
    required("agent_id", Shape::Text),
    required("correlation_id", Shape::Text),
    keyed("execution_id", Shape::Text),
    keyed("room_id", Shape::Text),
    optional("reason", Shape::Text),
    optional("type", Shape::Text),
];

const ID: &[Field] = &[required("id", Shape::Text)];
const ID_AND_STATUS: &[Field] = &[required("id", Shape::Text), required("status", Shape::Text)];

/// The rules of an event; none for a name that they do not know.
pub(super) fn of(event: &str) -> Option<Rules> {
    let (fields, fix): (_, fn(&mut Map<String, Value>)) = match event {
        name::MESSAGE_CREATED | name::MESSAGE_UPDATED => (MESSAGE, normalise::message),
        name::ROOM_ADDED | name::ROOM_REMOVED => (ROOM, normalise::nothing),
        name::ROOM_DELETED | name::CONTACT_REMOVED => (ID, normalise::nothing),
        name::PARTICIPANT_ADDED | name::PARTICIPANT_REMOVED => (PARTICIPANT, normalise::aliases),
        name::CONTACT_REQUEST_RECEIVED => (CONTACT_REQUEST, normalise::contact_request),
        name::CONTACT_REQUEST_UPDATED => (ID_AND_STATUS, normalise::nothing),
        name::CONTACT_ADDED => (CONTACT, normalise::aliases),
        name::SUPERSEDE => (SUPERSEDE, normalise::supersede),
        name::AGENT_CONTROL => (CONTROL, normalise::nothing),
        name::EVENT_CREATED => return Some(Rules::Open),
        _ => return None,
    };
    Some(Rules::Object { fields, fix })
}
