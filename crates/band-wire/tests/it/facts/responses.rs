use band_wire::rest::{
    ActivityState, AgentChat, AgentContact, AgentMe, ContactRequestStatus, ContextPage, Cursored, Data,
    DeliveryStatus, EventCreated, Message, MessageMark, MessageSent, Page, Paged, Participant, Peer, routes,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::operation;
use super::schema::Schemas;
use crate::samples::{agent_api, human_api, keeping, shared};

/// Every answer so far: method, path, status, body.
fn answers() -> Vec<(&'static str, &'static str, u16, Value)> {
    vec![
        ("GET", routes::AGENT_ME, 200, data(agent_api::me())),
        ("GET", routes::AGENT_PEERS, 200, paged(agent_api::peer())),
        ("GET", routes::AGENT_CHATS, 200, paged(agent_api::listed_chat())),
        ("POST", routes::AGENT_CHATS, 201, data(agent_api::chat())),
        ("GET", "/api/v1/agent/chats/{id}", 200, data(agent_api::chat())),
        ("GET", "/api/v1/agent/chats/{chat_id}/participants", 200, data([agent_api::participant()])),
        ("POST", "/api/v1/agent/chats/{chat_id}/participants", 201, data(agent_api::participant())),
        ("DELETE", "/api/v1/agent/chats/{chat_id}/participants/{id}", 200, data(agent_api::participant())),
        ("GET", "/api/v1/agent/chats/{chat_id}/messages", 200, agent_messages()),
        ("POST", "/api/v1/agent/chats/{chat_id}/messages", 201, data(agent_api::message_sent())),
        ("GET", "/api/v1/agent/chats/{chat_id}/messages/next", 200, data(shared::message())),
        (
            "POST",
            "/api/v1/agent/chats/{chat_id}/messages/{id}/processing",
            200,
            data(agent_api::mark(DeliveryStatus::Processing)),
        ),
        (
            "POST",
            "/api/v1/agent/chats/{chat_id}/messages/{id}/processed",
            200,
            data(agent_api::mark(DeliveryStatus::Processed)),
        ),
        (
            "POST",
            "/api/v1/agent/chats/{chat_id}/messages/{id}/failed",
            200,
            data(agent_api::mark(DeliveryStatus::Failed)),
        ),
        ("POST", "/api/v1/agent/chats/{chat_id}/events", 201, data(agent_api::event_created())),
        ("GET", "/api/v1/agent/chats/{chat_id}/context", 200, context()),
        ("POST", "/api/v1/agent/chats/{chat_id}/activity", 200, data(agent_api::activity())),
        ("GET", routes::ME_PROFILE, 200, data(human_api::profile())),
        ("PUT", routes::ME_PROFILE, 200, data(human_api::nameless_profile())),
        (
            "GET",
            routes::ME_AGENTS,
            200,
            json(Paged { data: vec![human_api::agent()], metadata: shared::agents_page() }),
        ),
        ("POST", routes::ME_AGENTS_REGISTER, 201, data(human_api::credentials())),
        ("DELETE", "/api/v1/me/agents/{id}", 200, data(human_api::deleted_agent())),
        ("GET", routes::ME_PEERS, 200, paged(agent_api::peer())),
        ("GET", routes::ME_CHATS, 200, cursored(human_api::listed_chat())),
        ("POST", routes::ME_CHATS, 201, data(human_api::chat())),
        ("GET", "/api/v1/me/chats/{id}", 200, data(human_api::chat())),
        ("GET", "/api/v1/me/chats/{chat_id}/messages", 200, cursored(shared::bare_message())),
        ("POST", "/api/v1/me/chats/{chat_id}/messages", 201, data(agent_api::message_sent())),
        ("GET", "/api/v1/me/chats/{chat_id}/participants", 200, cursored(human_api::participant())),
        ("POST", "/api/v1/me/chats/{chat_id}/participants", 201, data(agent_api::participant())),
        ("DELETE", "/api/v1/me/chats/{chat_id}/participants/{id}", 200, data(agent_api::participant())),
        ("GET", routes::AGENT_ME, 401, json(shared::validation_error())),
        ("POST", "/api/v1/agent/chats/{chat_id}/messages", 422, json(shared::validation_error())),
    ]
}

fn of_contacts() -> Vec<(&'static str, &'static str, u16, Value)> {
    vec![
        ("GET", routes::AGENT_CONTACTS, 200, paged(agent_api::contact())),
        (
            "POST",
            routes::AGENT_CONTACTS_ADD,
            201,
            data(agent_api::contact_state(ContactRequestStatus::Pending)),
        ),
        ("POST", routes::AGENT_CONTACTS_REMOVE, 200, data(agent_api::contact_removal())),
        ("GET", routes::AGENT_CONTACT_REQUESTS, 200, json(agent_api::contact_requests())),
        (
            "POST",
            routes::AGENT_CONTACT_REQUESTS_RESPOND,
            200,
            data(agent_api::contact_state(ContactRequestStatus::Rejected)),
        ),
        ("GET", routes::ME_CONTACTS, 200, paged(human_api::contact())),
        ("POST", routes::ME_CONTACTS_RESOLVE, 200, data(human_api::resolved())),
        ("POST", routes::ME_CONTACTS_REMOVE, 200, data(agent_api::contact_removal())),
        ("GET", routes::ME_CONTACT_REQUESTS, 200, paged(human_api::contact_request())),
        ("GET", routes::ME_CONTACT_REQUESTS_SENT, 200, paged(human_api::contact_request())),
        ("POST", routes::ME_CONTACT_REQUESTS, 201, data(human_api::contact_request())),
        (
            "POST",
            "/api/v1/me/contacts/requests/{id}/approve",
            200,
            data(agent_api::contact_state(ContactRequestStatus::Approved)),
        ),
        (
            "POST",
            "/api/v1/me/contacts/requests/{id}/reject",
            200,
            data(agent_api::contact_state(ContactRequestStatus::Rejected)),
        ),
        (
            "DELETE",
            "/api/v1/me/contacts/requests/{id}",
            200,
            data(agent_api::contact_state(ContactRequestStatus::Cancelled)),
        ),
    ]
}

fn of_keeping() -> Vec<(&'static str, &'static str, u16, Value)> {
    let memories = |item| json(ContextPage::from(Paged { data: vec![item], metadata: shared::full_page() }));
    vec![
        ("PATCH", "/api/v1/agent/chats/{id}", 200, data(agent_api::chat())),
        ("GET", routes::AGENT_MEMORIES, 200, memories(json(keeping::memory()))),
        ("POST", routes::AGENT_MEMORIES, 201, data(keeping::memory())),
        ("GET", "/api/v1/agent/memories/{id}", 200, data(keeping::memory())),
        ("POST", "/api/v1/agent/memories/{id}/supersede", 200, data(keeping::memory())),
        ("POST", "/api/v1/agent/memories/{id}/archive", 200, data(keeping::memory())),
        ("GET", routes::ME_MEMORIES, 200, memories(json(keeping::my_memory()))),
        ("GET", "/api/v1/me/memories/{id}", 200, data(keeping::my_memory())),
        ("POST", "/api/v1/me/memories/{id}/supersede", 200, data(keeping::my_memory())),
        ("POST", "/api/v1/me/memories/{id}/archive", 200, data(keeping::my_memory())),
        ("POST", "/api/v1/me/memories/{id}/restore", 200, data(keeping::my_memory())),
        ("GET", "/api/v1/agent/chats/{chat_id}/tasks", 200, cursored(keeping::task_with_history())),
        ("POST", "/api/v1/agent/chats/{chat_id}/tasks", 201, data(keeping::task())),
        ("GET", "/api/v1/agent/chats/{chat_id}/tasks/{id}", 200, data(keeping::task_with_history())),
        ("POST", "/api/v1/agent/chats/{chat_id}/tasks/{id}", 200, data(keeping::task())),
        ("GET", "/api/v1/agent/chats/{chat_id}/tasks/{id}/history", 200, cursored(keeping::task_event())),
        ("GET", "/api/v1/agent/chats/{chat_id}/board", 200, data(keeping::bare_board())),
        ("PUT", "/api/v1/agent/chats/{chat_id}/board", 200, data(keeping::board())),
    ]
}

fn json<T: Serialize>(value: T) -> Value {
    serde_json::to_value(value).unwrap()
}

fn data<T: Serialize>(data: T) -> Value {
    json(Data { data })
}

fn paged<T: Serialize>(item: T) -> Value {
    json(Paged::<T, Page> { data: vec![item], metadata: shared::page() })
}

fn cursored<T: Serialize>(item: T) -> Value {
    json(Paged::<T, Cursored> { data: vec![item], metadata: shared::full_page() })
}

fn agent_messages() -> Value {
    let metadata = Cursored { status_filter: Some("pending".to_owned()), ..shared::full_page() };
    json(Paged { data: vec![shared::message()], metadata })
}

fn context() -> Value {
    json(ContextPage::from(Paged { data: vec![shared::message()], metadata: shared::full_page() }))
}

#[test]
fn every_answer_fits_its_schema() {
    let mut schemas = Schemas::load();
    for (method, path, status, body) in answers().into_iter().chain(of_contacts()).chain(of_keeping()) {
        let schema = operation(method, path)["answers"][status.to_string()].clone();
        let at = format!("{method} {path} {status}");
        assert!(!schema.is_null(), "{at} is no answer of the operation");
        schemas.check(&body, &schema, &at);
    }
    assert_eq!(schemas.problems, [""; 0]);
}

/// Whether a body can be read.
type Reads = fn(&Value) -> Result<(), serde_json::Error>;

fn reads<T: DeserializeOwned>(body: &Value) -> Result<(), serde_json::Error> {
    T::deserialize(body).map(drop)
}

/// What an agent reads, and with which types.
fn read_by_agents() -> Vec<(&'static str, &'static str, u16, Reads)> {
    vec![
        ("GET", routes::AGENT_ME, 200, reads::<Data<AgentMe>>),
        ("GET", routes::AGENT_PEERS, 200, reads::<Paged<Peer, Page>>),
        ("GET", routes::AGENT_CHATS, 200, reads::<Paged<AgentChat, Page>>),
        ("POST", routes::AGENT_CHATS, 201, reads::<Data<AgentChat>>),
        ("GET", "/api/v1/agent/chats/{chat_id}/participants", 200, reads::<Data<Vec<Participant>>>),
        ("POST", "/api/v1/agent/chats/{chat_id}/participants", 201, reads::<Data<Participant>>),
        ("GET", "/api/v1/agent/chats/{chat_id}/messages", 200, reads::<Paged<Message, Cursored>>),
        ("POST", "/api/v1/agent/chats/{chat_id}/messages", 201, reads::<Data<MessageSent>>),
        ("GET", "/api/v1/agent/chats/{chat_id}/messages/next", 200, reads::<Data<Message>>),
        ("POST", "/api/v1/agent/chats/{chat_id}/messages/{id}/processing", 200, reads::<Data<MessageMark>>),
        ("POST", "/api/v1/agent/chats/{chat_id}/events", 201, reads::<Data<EventCreated>>),
        ("GET", "/api/v1/agent/chats/{chat_id}/context", 200, reads::<Paged<Message, Cursored>>),
        ("POST", "/api/v1/agent/chats/{chat_id}/activity", 200, reads::<Data<ActivityState>>),
        ("GET", routes::AGENT_CONTACTS, 200, reads::<Paged<AgentContact, Page>>),
    ]
}

#[test]
fn what_an_agent_reads_may_lack_any_optional_field_or_have_null_in_it() {
    let schemas = Schemas::load();
    let bodies: Vec<_> = answers().into_iter().chain(of_contacts()).collect();
    let (mut tried, mut problems) = (0, Vec::new());
    for (method, path, status, read) in read_by_agents() {
        let at = format!("{method} {path} {status}");
        let wanted =
            |known: &&(&str, &str, u16, Value)| (known.0, known.1, known.2) == (method, path, status);
        let (.., body) = bodies.iter().find(wanted).unwrap_or_else(|| panic!("{at} has no sample"));
        read(body).unwrap();
        let schema = operation(method, path)["answers"][status.to_string()].clone();
        // An answer without its envelope is none.
        let optional = schemas.optional(body, &schema, "").into_iter();
        for pointer in optional.filter(|pointer| !["/data", "/metadata"].contains(&pointer.as_str())) {
            let mut changed = body.clone();
            *changed.pointer_mut(&pointer).unwrap() = Value::Null;
            problems.extend(read(&changed).err().map(|err| format!("{at}: null in {pointer}: {err}")));
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            changed.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
            problems.extend(read(&changed).err().map(|err| format!("{at}: no {pointer}: {err}")));
            tried += 1;
        }
    }
    assert_eq!(problems, [""; 0]);
    assert!(tried > 60, "{tried} fields");
}

#[test]
fn every_property_of_the_answers_is_served() {
    let mut schemas = Schemas::load();
    for (method, path, status, body) in answers().into_iter().chain(of_contacts()).chain(of_keeping()) {
        let schema = operation(method, path)["answers"][status.to_string()].clone();
        schemas.check(&body, &schema, "");
    }
    assert_eq!(schemas.unseen(), [""; 0]);
}

#[test]
fn the_last_page_has_its_null_cursor() {
    let mut schemas = Schemas::load();
    let page = json(Paged { data: vec![shared::message()], metadata: shared::last_page() });
    let schema = operation("GET", "/api/v1/me/chats/{chat_id}/messages")["answers"]["200"].clone();
    schemas.check(&page, &schema, "page");
    assert_eq!(schemas.problems, [""; 0]);
}
