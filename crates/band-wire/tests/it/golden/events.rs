use band_wire::event::emit;

use super::golden;
use crate::samples::events::{
    activity, agent, agent_contact, contact, contact_request, message, room, stop, supersede,
};
use crate::samples::{at, id};

#[test]
fn messages() {
    golden!("event_message", message());
    golden!("event_message_deleted", emit::MessageDeleted { id: id(3), chat_room_id: id(4) });
}

#[test]
fn rooms() {
    golden!("event_room", room());
    golden!("event_room_removed", emit::RoomRemoved { room: room(), removed_at: at(2) });
    golden!("event_room_deleted", emit::RoomDeleted { id: id(4) });
    let title = "Hall".to_owned();
    golden!("event_room_title_changed", emit::RoomTitleChanged { id: id(4), title });
}

#[test]
fn participants() {
    golden!("event_participant_user", emit::Participant::user(id(1), None, None));
    golden!("event_participant_agent", agent());
}

#[test]
fn contacts() {
    golden!("event_contact_request", contact_request());
    let status = "approved".to_owned();
    golden!("event_contact_request_updated", emit::ContactRequestUpdate { id: id(5), status });
    golden!("event_contact", contact());
    golden!("event_contact_agent", agent_contact());
    golden!("event_contact_removed", emit::ContactRemoved { id: id(6) });
}

#[test]
fn control() {
    golden!("event_supersede", supersede());
    golden!("event_agent_control", stop());
}

#[test]
fn what_people_alone_get() {
    golden!("event_agent_activity", activity());
    golden!("reply_working_agents", emit::WorkingAgents::new([activity()]));
    golden!("event_agent_deleted", emit::AgentDeleted { id: id(2) });
    let connection = emit::AgentConnection { id: id(2), chat_room_id: id(4), connected: true };
    golden!("event_agent_connection", connection);
}
