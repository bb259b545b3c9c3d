use band_wire::rest::MyChat;

use super::golden;
use crate::samples::human_api::{
    agent, chat, contact, contact_request, control_sent, credentials, deleted_agent, execution, listed_chat,
    nameless_profile, participant, profile, resolved,
};

#[test]
fn people() {
    golden!("user_details", both profile());
    golden!("user_details_nameless", both nameless_profile());
}

#[test]
fn agents() {
    golden!("my_agent", both agent());
    golden!("issued_credentials", credentials());
    golden!("deleted_agent", both deleted_agent());
}

#[test]
fn contacts() {
    golden!("my_contact", both contact());
    golden!("my_contact_request", both contact_request());
    golden!("resolved_entity", both resolved());
}

#[test]
fn executions() {
    golden!("execution", both execution());
    golden!("control_sent", both control_sent());
}

#[test]
fn rooms() {
    golden!("my_chat", both chat());
    golden!("my_chat_listed", both listed_chat());
    golden!("my_chat_without_last_message", both MyChat { last_message: Some(None), ..chat() });
    golden!("participant_of_people", both participant());
}
