use band_wire::rest::{ContactRequestStatus, DeliveryStatus, Participant};

use super::golden;
use crate::samples::agent_api::{
    activity, chat, contact, contact_removal, contact_requests, contact_state, event_created, listed_chat,
    mark, me, message_sent, participant, peer,
};

#[test]
fn identity() {
    golden!("agent_me", both me());
}

#[test]
fn rooms() {
    golden!("agent_chat", both chat());
    golden!("agent_chat_listed", both listed_chat());
}

#[test]
fn participants_and_peers() {
    golden!("participant", both participant());
    golden!("participant_listed", both Participant { online: Some(true), ..participant() });
    golden!("peer", both peer());
}

#[test]
fn contacts() {
    golden!("agent_contact", both contact());
    golden!("contact_state", both contact_state(ContactRequestStatus::Pending));
    golden!("contact_removal", both contact_removal());
    golden!("contact_requests", both contact_requests());
}

#[test]
fn answers() {
    golden!("message_sent", both message_sent());
    golden!("message_mark", both mark(DeliveryStatus::Processed));
    golden!("event_created_answer", both event_created());
    golden!("activity_state", both activity());
}
