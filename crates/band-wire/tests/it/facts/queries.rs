use std::collections::BTreeSet;

use band_wire::rest::query::{
    AgentChatsQuery, AgentContactRequestsQuery, AgentMemoriesQuery, AgentMessagesQuery, AgentPeersQuery,
    ContactsQuery, ContextQuery, DeleteAgentQuery, FromQuery, HistoryIncludeQuery, MyAgentsQuery,
    MyChatQuery, MyChatsQuery, MyMemoriesQuery, MyMessagesQuery, MyParticipantsQuery, MyPeersQuery, NoQuery,
    QueryReader, SentContactRequestsQuery, TaskHistoryQuery, TasksQuery,
};
use band_wire::rest::routes;
use serde_json::Value;

use super::{facts, operation};

/// Parameters of ours that no description has.
const OURS: &[(&str, &str)] = &[("/api/v1/agent/chats/{chat_id}/context", "sort_order")];

/// What the description and its additions say of the parameters of an operation.
fn told(method: &str, path: &str) -> BTreeSet<String> {
    let operation = operation(method, path);
    let parameters = operation["parameters"].as_array().unwrap().iter();
    let described =
        parameters.filter(|parameter| parameter["in"] == "query").map(|parameter| &parameter["name"]);
    let additions = facts("additions.json");
    let short = |path: &str| path.trim_start_matches("/api/v1").replace("{chat_id}", "{id}");
    let rows = additions["query_parameters"].as_array().unwrap().iter();
    let added = rows
        .filter(|row| row["method"] == method && row["path"] == short(path))
        .flat_map(|row| row["names"].as_array().unwrap());
    described.chain(added).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Whether the query knows the parameter, whatever it makes of its value.
fn knows<Q: FromQuery>(name: &str) -> bool {
    let unexpected = format!("Unexpected field: {name}");
    match Q::from_query(QueryReader::new([(name.to_owned(), "?".to_owned())])) {
        Ok(_) => true,
        Err(err) => {
            !err.issues.into_map().get(&format!("/{name}")).is_some_and(|texts| texts.contains(&unexpected))
        }
    }
}

fn law<Q: FromQuery>(method: &str, path: &str, all: &BTreeSet<String>) {
    let mut told = told(method, path);
    told.extend(OURS.iter().filter(|(of, _)| *of == path).map(|(_, name)| (*name).to_owned()));
    let known: BTreeSet<String> = all.iter().filter(|name| knows::<Q>(name)).cloned().collect();
    assert_eq!(known, told, "{method} {path}");
}

#[test]
fn every_operation_knows_its_parameters_and_no_others() {
    let operations = facts("operations.json");
    let mut all: BTreeSet<String> = operations
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|operation| {
            told(operation["method"].as_str().unwrap(), operation["path"].as_str().unwrap())
        })
        .collect();
    all.insert("sort_order".to_owned());
    all.insert("unheard_of".to_owned());
    law::<NoQuery>("GET", routes::AGENT_ME, &all);
    law::<AgentPeersQuery>("GET", routes::AGENT_PEERS, &all);
    law::<AgentChatsQuery>("GET", routes::AGENT_CHATS, &all);
    law::<AgentMessagesQuery>("GET", "/api/v1/agent/chats/{chat_id}/messages", &all);
    law::<ContextQuery>("GET", "/api/v1/agent/chats/{chat_id}/context", &all);
    law::<NoQuery>("GET", "/api/v1/agent/chats/{chat_id}/participants", &all);
    law::<ContactsQuery>("GET", routes::AGENT_CONTACTS, &all);
    law::<AgentContactRequestsQuery>("GET", routes::AGENT_CONTACT_REQUESTS, &all);
    law::<ContactsQuery>("GET", routes::ME_CONTACTS, &all);
    law::<ContactsQuery>("GET", routes::ME_CONTACT_REQUESTS, &all);
    law::<SentContactRequestsQuery>("GET", routes::ME_CONTACT_REQUESTS_SENT, &all);
    law::<NoQuery>("GET", routes::ME_PROFILE, &all);
    law::<MyAgentsQuery>("GET", routes::ME_AGENTS, &all);
    law::<DeleteAgentQuery>("DELETE", "/api/v1/me/agents/{id}", &all);
    law::<MyPeersQuery>("GET", routes::ME_PEERS, &all);
    law::<MyChatsQuery>("GET", routes::ME_CHATS, &all);
    law::<MyChatQuery>("GET", "/api/v1/me/chats/{id}", &all);
    law::<MyMessagesQuery>("GET", "/api/v1/me/chats/{chat_id}/messages", &all);
    law::<AgentMemoriesQuery>("GET", routes::AGENT_MEMORIES, &all);
    law::<MyMemoriesQuery>("GET", routes::ME_MEMORIES, &all);
    law::<TasksQuery>("GET", "/api/v1/agent/chats/{chat_id}/tasks", &all);
    law::<HistoryIncludeQuery>("GET", "/api/v1/agent/chats/{chat_id}/tasks/{id}", &all);
    law::<TaskHistoryQuery>("GET", "/api/v1/agent/chats/{chat_id}/tasks/{id}/history", &all);
    law::<HistoryIncludeQuery>("GET", "/api/v1/agent/chats/{chat_id}/board", &all);
    law::<MyParticipantsQuery>("GET", "/api/v1/me/chats/{chat_id}/participants", &all);
}
