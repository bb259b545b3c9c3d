//! What a model is told of contacts. Names and messages are strangers' words: they stay on one line, are cut,
//! and can't close the quotes they stand in.

use band_wire::event::{ContactRecord, ContactRequest, ContactRequestUpdate, Event};

use super::known::{Details, Side};
use crate::turn::one_line;

/// The longest name and handle that are shown, in characters.
const MAX_NAME: usize = 100;
/// The longest message that is shown, in characters; the platform takes as many.
const MAX_MESSAGE: usize = 500;

/// The text of an event in the hub room.
pub(super) fn of_event(event: &Event, details: Option<&Details>) -> String {
    match event {
        Event::ContactRequestReceived(request) => received(request),
        Event::ContactRequestUpdated(update) => updated(update, details),
        Event::ContactAdded(contact) => added(contact),
        Event::ContactRemoved(contact) => format!("[Contact Removed] Contact {contact} was removed."),
        _ => String::new(),
    }
}

/// What the rooms are told of a change, if it is one that they are told of.
pub(super) fn broadcast(event: &Event) -> Option<String> {
    match event {
        Event::ContactAdded(contact) => {
            let name = named(contact.name.as_deref(), UNKNOWN_CONTACT);
            Some(format!("[Contacts]: {} ({name}) is now a contact", handle(contact.handle.as_deref())))
        }
        Event::ContactRemoved(contact) => Some(format!("[Contacts]: Contact {contact} was removed")),
        _ => None,
    }
}

const UNKNOWN_CONTACT: &str = "Unknown contact";
const UNKNOWN_SENDER: &str = "Unknown sender";

fn received(request: &ContactRequest) -> String {
    let name = named(request.from_name.as_deref(), UNKNOWN_SENDER);
    let handle = handle(request.from_handle.as_deref());
    let mut text = format!("[Contact Request] {name} ({handle}) wants to connect.");
    if let Some(message) = &request.message {
        text.push_str("\nMessage: \"");
        text.push_str(&short(message, MAX_MESSAGE).replace('"', "'"));
        text.push('"');
    }
    text.push_str("\nRequest ID: ");
    text.push_str(&request.id.to_string());
    text
}

fn updated(update: &ContactRequestUpdate, details: Option<&Details>) -> String {
    let ContactRequestUpdate { id, status } = update;
    let status = one_line(status);
    let Some(Details { side, handle: known, name, .. }) = details else {
        return format!("[Contact Request Update] Request {id} status changed to: {status}");
    };
    let (way, unknown) = match side {
        Side::From => ("from", UNKNOWN_SENDER),
        Side::To => ("to", "Unknown recipient"),
    };
    let name = named(name.as_deref(), unknown);
    let handle = handle(known.as_deref());
    format!(
        "[Contact Request Update] Request {way} {name} ({handle}) status changed to: {status}\nRequest ID: {id}"
    )
}

fn added(contact: &ContactRecord) -> String {
    let name = named(contact.name.as_deref(), UNKNOWN_CONTACT);
    let handle = handle(contact.handle.as_deref());
    let (kind, id) = (one_line(&contact.kind), contact.id);
    format!("[Contact Added] {name} ({handle}) is now a contact.\nType: {kind}, ID: {id}")
}

/// With `@`, whether the platform sends it or not.
fn handle(handle: Option<&str>) -> String {
    match handle.map(|handle| handle.trim_start_matches('@')) {
        Some(handle) if !handle.is_empty() => format!("@{}", short(handle, MAX_NAME)),
        _ => "no handle".to_owned(),
    }
}

fn named(name: Option<&str>, unknown: &str) -> String {
    name.map(|name| short(name, MAX_NAME))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| unknown.to_owned())
}

fn short(text: &str, most: usize) -> String {
    let line = one_line(text);
    match line.char_indices().nth(most) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}
