use band_wire::rest::routes::{self, BASE};
use band_wire::rest::{ContactAction, TaskRef};
use serde_json::Value;

use super::facts;
use crate::samples::id;

/// Whether a path is one of the operation's.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<_>, Vec<_>) = (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len()
        && pattern.iter().zip(&path).all(|(wanted, got)| wanted.starts_with('{') || wanted == got)
}

#[test]
fn every_path_is_one_of_the_description() {
    let paths = [
        (routes::AGENT_ME.to_owned(), "GET"),
        (routes::AGENT_CHATS.to_owned(), "GET POST"),
        (routes::AGENT_PEERS.to_owned(), "GET"),
        (routes::agent_chat(id(1)), "GET PATCH"),
        (routes::agent_participants(id(1)), "GET POST"),
        (routes::agent_participant(id(1), id(2)), "DELETE"),
        (routes::agent_messages(id(1)), "GET POST"),
        (routes::agent_next(id(1)), "GET"),
        (routes::agent_mark(id(1), id(2), "processing"), "POST"),
        (routes::agent_mark(id(1), id(2), "processed"), "POST"),
        (routes::agent_mark(id(1), id(2), "failed"), "POST"),
        (routes::agent_events(id(1)), "POST"),
        (routes::agent_context(id(1)), "GET"),
        (routes::agent_activity(id(1)), "POST"),
        (routes::AGENT_CONTACTS.to_owned(), "GET"),
        (routes::AGENT_CONTACTS_ADD.to_owned(), "POST"),
        (routes::AGENT_CONTACTS_REMOVE.to_owned(), "POST"),
        (routes::AGENT_CONTACT_REQUESTS.to_owned(), "GET"),
        (routes::AGENT_CONTACT_REQUESTS_RESPOND.to_owned(), "POST"),
        (routes::ME_CONTACTS.to_owned(), "GET"),
        (routes::ME_CONTACTS_RESOLVE.to_owned(), "POST"),
        (routes::ME_CONTACTS_REMOVE.to_owned(), "POST"),
        (routes::ME_CONTACT_REQUESTS.to_owned(), "GET POST"),
        (routes::ME_CONTACT_REQUESTS_SENT.to_owned(), "GET"),
        (routes::me_contact_request(id(1)), "DELETE"),
        (routes::me_contact_answer(id(1), ContactAction::Approve), "POST"),
        (routes::me_contact_answer(id(1), ContactAction::Reject), "POST"),
        (routes::ME_PROFILE.to_owned(), "GET PUT"),
        (routes::ME_AGENTS.to_owned(), "GET"),
        (routes::ME_AGENTS_REGISTER.to_owned(), "POST"),
        (routes::me_agent(id(1)), "DELETE"),
        (routes::ME_PEERS.to_owned(), "GET"),
        (routes::ME_CHATS.to_owned(), "GET POST"),
        (routes::me_chat(id(1)), "GET"),
        (routes::me_messages(id(1)), "GET POST"),
        (routes::me_participants(id(1)), "GET POST"),
        (routes::me_participant(id(1), id(2)), "DELETE"),
        (routes::AGENT_MEMORIES.to_owned(), "GET POST"),
        (routes::agent_memory(id(1)), "GET"),
        (routes::agent_memory_act(id(1), "supersede"), "POST"),
        (routes::agent_memory_act(id(1), "archive"), "POST"),
        (routes::ME_MEMORIES.to_owned(), "GET"),
        (routes::me_memory(id(1)), "DELETE GET"),
        (routes::me_memory_act(id(1), "supersede"), "POST"),
        (routes::me_memory_act(id(1), "archive"), "POST"),
        (routes::me_memory_act(id(1), "restore"), "POST"),
        (routes::agent_tasks(id(1)), "GET POST"),
        (routes::agent_task(id(1), TaskRef::Number(3)), "GET POST"),
        (routes::agent_task_history(id(1), TaskRef::Id(id(2))), "GET"),
        (routes::agent_board(id(1)), "GET PUT"),
    ];
    let operations = facts("operations.json");
    for (path, methods) in paths {
        assert!(path.starts_with(BASE), "{path}");
        let of_path = operations.as_array().unwrap().iter().filter(|found| {
            let pattern = found["path"].as_str().unwrap();
            // A literal part wins over a parameter in the same place.
            matches(pattern, &path) && pattern.ends_with('}') == path.ends_with(|c: char| c.is_ascii_digit())
        });
        let found: Vec<&str> = of_path.filter_map(|found| found["method"].as_str()).collect();
        assert_eq!(found.join(" "), methods, "{path}");
    }
}

#[test]
fn every_named_operation_is_there_once() {
    let operations = facts("operations.json");
    let mut names: Vec<&Value> = operations.as_array().unwrap().iter().map(|found| &found["id"]).collect();
    let all = names.len();
    names.sort_by_key(ToString::to_string);
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn every_path_of_newer_clients_is_one_of_theirs() {
    let paths = [
        (routes::agent_files(id(1)), "PUT"),
        (routes::agent_file(id(1), id(2)), "GET"),
        (routes::AGENT_DELEGATION_TOKEN.to_owned(), "POST"),
        (routes::ME_AGENTS_BULK_DELETE.to_owned(), "POST"),
        (routes::ME_CHATS_BULK_DELETE.to_owned(), "POST"),
        (routes::me_bulk_deletion(id(1)), "GET"),
    ];
    let additions = facts("additions.json");
    let operations = additions["operations"].as_array().unwrap();
    assert_eq!(operations.len(), paths.len());
    for (path, method) in paths {
        let known =
            |found: &&Value| found["method"] == method && matches(found["path"].as_str().unwrap(), &path);
        assert!(operations.iter().any(|found| known(&found)), "{method} {path}");
    }
}
