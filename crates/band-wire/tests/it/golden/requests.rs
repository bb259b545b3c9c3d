use band_wire::rest::{Body, CreateChat, ReportActivity, SendMessage};

use super::golden;
use crate::samples::requests::{
    add_contact, add_participant, create_chat, create_contact_request, create_event, fail_mark,
    register_agent, remove_contact, report_activity, resolve_handle, respond_contact, send_message,
    update_profile,
};

#[test]
fn rooms_and_participants() {
    golden!("create_chat_empty", Body(&CreateChat::default()));
    golden!("create_chat", Body(&create_chat()));
    golden!("add_participant", Body(&add_participant()));
}

#[test]
fn messages_and_events() {
    golden!("send_message", Body(&send_message()));
    let plain = SendMessage { attachment_ids: Vec::new(), ..send_message() };
    golden!("send_message_without_files", Body(&plain));
    golden!("create_event", Body(&create_event()));
    golden!("fail_mark", Body(&fail_mark()));
    golden!("report_activity_bare", Body(&ReportActivity { working: false, activity: None }));
    golden!("report_activity", Body(&report_activity()));
}

#[test]
fn people_and_agents() {
    golden!("register_agent", Body(&register_agent()));
    golden!("update_profile", Body(&update_profile()));
}

#[test]
fn contacts() {
    golden!("add_contact", Body(&add_contact()));
    golden!("remove_contact", Body(&remove_contact()));
    golden!("respond_contact", Body(&respond_contact()));
    golden!("create_contact_request", Body(&create_contact_request()));
    golden!("resolve_handle", Body(&resolve_handle()));
}
