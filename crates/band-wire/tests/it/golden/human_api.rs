use band_wire::rest::MyChat;

use super::golden;
use crate::samples::human_api::{
    agent, chat, credentials, deleted_agent, listed_chat, nameless_profile, participant, profile,
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
fn rooms() {
    golden!("my_chat", both chat());
    golden!("my_chat_listed", both listed_chat());
    golden!("my_chat_without_last_message", both MyChat { last_message: Some(None), ..chat() });
    golden!("participant_of_people", both participant());
}
