use band_wire::rest::Participant;
use serde::Serialize;
use serde_json::json;

use super::facts;
use crate::samples::{agent_api, human_api, keeping, shared};

/// What nobody is served yet: avatars, delegation, what goes with the task board.
const NOT_SERVED: &[&str] = &[
    "AgentContact.avatar_url",
    "ChatParticipant.avatar_url",
    "ChatParticipantDetails.avatar_url",
    "ContactRequest.avatar_url",
    "ContactUser.avatar_url",
    "MeChatRoom.agents",
    "MeChatRoom.description",
    "MeChatRoom.task_counts",
    "MeChatRoom.work_status",
    "MeChatRoomListItem.membership",
    "MeChatRoomListItem.my_role",
    "MeChatRoomListItem.my_status",
    "MeChatRoomListItem.via_agent_ids",
    "Peer.avatar_url",
    "ReceivedContactRequest.from_avatar_url",
    "SentContactRequest.from_avatar_url",
];

fn missing(object: &str, sample: impl Serialize) -> Vec<String> {
    let facts = facts("additions.json");
    let sample = json!(sample);
    let fields = facts["response_fields"][object].as_array().unwrap();
    let names = fields.iter().filter_map(|field| field["name"].as_str());
    let absent = names.filter(|name| sample.get(name).is_none()).map(|name| format!("{object}.{name}"));
    absent.filter(|name| !NOT_SERVED.contains(&name.as_str())).collect()
}

#[test]
fn what_newer_clients_know_is_served() {
    let found = [
        missing("AgentContact", agent_api::contact()),
        missing("Contact", human_api::contact()),
        missing("ContactUser", human_api::contact().user),
        missing("ReceivedContactRequest", &agent_api::contact_requests().data.received[0]),
        missing("SentContactRequest", &agent_api::contact_requests().data.sent[0]),
        missing("AgentMe", agent_api::me()),
        missing("AgentChatRoomListItem", agent_api::listed_chat()),
        missing("ChatMessage", shared::bare_message()),
        missing("ChatParticipant", Participant { online: Some(true), ..agent_api::participant() }),
        missing("ChatParticipantDetails", human_api::participant()),
        missing("MeChatRoom", human_api::chat()),
        missing("MeChatRoomListItem", human_api::listed_chat()),
        missing("MyAgent", human_api::agent()),
        missing("MyAgentCredentials.agent", human_api::credentials().agent),
        missing("Peer", agent_api::peer()),
        missing("Task", keeping::task()),
        missing("UserMemory", keeping::my_memory()),
    ];
    assert_eq!(found.concat(), [""; 0]);
}

#[test]
fn what_newer_clients_require_is_never_among_the_unserved() {
    let facts = facts("additions.json");
    for (object, fields) in facts["response_fields"].as_object().unwrap() {
        for field in fields.as_array().unwrap().iter().filter(|field| field["required"] == true) {
            let name = format!("{object}.{}", field["name"].as_str().unwrap());
            assert!(!NOT_SERVED.contains(&name.as_str()), "{name}");
        }
    }
}

#[test]
fn the_list_of_the_unserved_names_real_fields() {
    let facts = facts("additions.json");
    for name in NOT_SERVED {
        let (object, field) = name.split_once('.').unwrap();
        let fields = facts["response_fields"][object].as_array().unwrap();
        assert!(fields.iter().any(|found| found["name"] == field), "{name}");
    }
}

/// Holds the keys of a new object against the facts.
fn same_keys(object: &str, sample: impl Serialize) {
    let facts = facts("additions.json");
    let fields = facts["objects"][object].as_array().unwrap();
    let mut told: Vec<&str> = fields.iter().filter_map(|field| field["name"].as_str()).collect();
    told.sort_unstable();
    let sample = json!(sample);
    let mut ours: Vec<&str> = sample.as_object().unwrap().keys().map(String::as_str).collect();
    ours.sort_unstable();
    assert_eq!(ours, told, "{object}");
}

#[test]
fn new_objects_have_the_keys_that_newer_clients_read() {
    same_keys("Attachment", keeping::attachment());
    same_keys("BulkDeletionJob", keeping::deletion());
    for item in keeping::deletion().results {
        same_keys("BulkDeletionItem", item);
    }
}
