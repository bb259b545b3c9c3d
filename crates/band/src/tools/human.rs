//! The tools of a person: for servers and programs that work with a person's key.

mod messages;

use band_wire::rest::routes::{
    ME_AGENTS, ME_AGENTS_REGISTER, ME_CHATS, ME_CONTACT_REQUESTS, ME_CONTACT_REQUESTS_SENT, ME_CONTACTS,
    ME_CONTACTS_REMOVE, ME_CONTACTS_RESOLVE, ME_MEMORIES, ME_PEERS, ME_PROFILE,
};
use band_wire::text::has_visible;
use band_wire::tools::args::{
    AddMyChatParticipantArgs, ListMyChatMessagesArgs, ListUserMemoriesArgs, UpdateMyProfileArgs, given,
};
use band_wire::tools::{Format, Group, HumanCall, HumanTool, ToolDefinition};
use http::Method;
use serde_json::{Map, Value, json};

use super::memory::misfit;
use super::{ToolOutcome, WrongText, read_text};
use crate::adapter::{Capabilities, Capability};
use crate::error::Result;
use crate::rest::{Query, RestClient};

/// The tools of a person, bound to that person's key and to no room. Cheap to clone.
///
/// Results are the platform's answers as they are. What can't be done comes back as a text, like for agents.
#[derive(Debug, Clone)]
pub struct HumanTools {
    rest: RestClient,
    capabilities: Capabilities,
}

impl HumanTools {
    /// With a client that has a person's key. Of the tools for contacts and memories those are offered whose capability
    /// is chosen.
    pub fn new(rest: RestClient, capabilities: impl Into<Capabilities>) -> Self {
        Self { rest, capabilities: capabilities.into() }
    }

    /// The tools that are offered, in the order in which they are advertised: the same that can be called.
    pub fn definitions(&self) -> impl Iterator<Item = &'static ToolDefinition> {
        let offered = HumanTool::ALL.iter().copied().filter(|tool| Self::offers(&self.capabilities, *tool));
        offered.map(HumanTool::definition)
    }

    /// All of them in a provider's form: one JSON array.
    pub fn shaped(&self, format: Format) -> Value {
        self.definitions().map(|tool| format.shape(tool)).collect()
    }

    /// Whether a tool is offered to whom these capabilities were chosen for.
    pub fn offers(capabilities: &Capabilities, tool: HumanTool) -> bool {
        match tool.group() {
            Group::Contacts => capabilities.contains(Capability::Contacts),
            Group::Memory => capabilities.contains(Capability::Memory),
            _ => true,
        }
    }

    /// Calls a tool by name. Wrong arguments come back as text, all problems at once. A tool that is not offered is none.
    pub async fn call(&self, name: &str, args: Value) -> ToolOutcome {
        let Some(tool) = HumanTool::of_name(name).filter(|tool| Self::offers(&self.capabilities, *tool))
        else {
            return ToolOutcome::unknown(name);
        };
        match tool.read(args) {
            Err(problems) => ToolOutcome::Invalid(problems.told(name)),
            Ok(call) => ToolOutcome::of(name, Box::pin(self.run(call)).await),
        }
    }

    /// The same for arguments as providers hand them over: a text that should be a JSON object.
    pub async fn call_text(&self, name: &str, args: &str) -> ToolOutcome {
        match read_text(name, args) {
            Ok(args) => self.call(name, args).await,
            Err(WrongText(text)) if self.definitions().any(|tool| tool.name == name) => {
                ToolOutcome::Invalid(text)
            }
            Err(_) => ToolOutcome::unknown(name),
        }
    }

    async fn run(&self, call: HumanCall) -> Result<Value> {
        match call {
            HumanCall::ListMyAgents(args) => self.list(ME_AGENTS, paged(args.page, args.page_size)).await,
            HumanCall::RegisterMyAgent(args) => {
                let body = json!({ "agent": { "name": args.name, "description": args.description } });
                self.post(ME_AGENTS_REGISTER, &body).await
            }
            HumanCall::ListMyChats(args) => self.list(ME_CHATS, paged(args.page, args.page_size)).await,
            HumanCall::CreateMyChatRoom(args) => {
                let chat = set([("task_id", given(args.task_id.as_deref()))]);
                self.post(ME_CHATS, &json!({ "chat": chat })).await
            }
            HumanCall::GetMyChatRoom(args) => {
                self.list(format!("{ME_CHATS}/{}", args.chat_id), Query::new()).await
            }
            HumanCall::ListMyChatMessages(args) => self.list_messages(args).await,
            HumanCall::SendMyChatMessage(args) => self.send_message(args).await,
            HumanCall::ListMyChatParticipants(args) => self.list_participants(&args).await,
            HumanCall::AddMyChatParticipant(args) => self.add_participant(args).await,
            HumanCall::RemoveMyChatParticipant(args) => {
                let path = format!("{ME_CHATS}/{}/participants/{}", args.chat_id, args.participant_id);
                self.delete(path).await?;
                Ok(format!("Removed participant: {}", args.participant_id).into())
            }
            HumanCall::GetMyProfile(_) => self.list(ME_PROFILE, Query::new()).await,
            HumanCall::UpdateMyProfile(args) => self.update_profile(&args).await,
            HumanCall::ListMyPeers(args) => {
                let mut query = paged(args.page, args.page_size);
                query.push(("not_in_chat", args.not_in_chat));
                query.push(("type", args.peer_type));
                self.list(ME_PEERS, query).await
            }
            other => self.run_contacts(other).await,
        }
    }

    async fn run_contacts(&self, call: HumanCall) -> Result<Value> {
        let answer = |id: &str, act: &str| format!("{ME_CONTACT_REQUESTS}/{id}/{act}");
        match call {
            HumanCall::ListMyContacts(args) => self.list(ME_CONTACTS, paged(args.page, args.page_size)).await,
            HumanCall::CreateContactRequest(args) => {
                let request = set([
                    ("recipient_handle", Some(args.recipient_handle.as_str())),
                    ("message", given(args.message.as_deref())),
                ]);
                self.post(ME_CONTACT_REQUESTS, &json!({ "contact_request": request })).await
            }
            HumanCall::ListReceivedContactRequests(args) => {
                self.list(ME_CONTACT_REQUESTS, paged(args.page, args.page_size)).await
            }
            HumanCall::ListSentContactRequests(args) => {
                let mut query = paged(args.page, args.page_size);
                query.push(("status", args.status.map(|status| status.to_string())));
                self.list(ME_CONTACT_REQUESTS_SENT, query).await
            }
            HumanCall::ApproveContactRequest(args) => {
                self.post(answer(&args.request_id, "approve"), &Value::Null).await
            }
            HumanCall::RejectContactRequest(args) => {
                self.post(answer(&args.request_id, "reject"), &Value::Null).await
            }
            HumanCall::CancelContactRequest(args) => {
                self.delete(format!("{ME_CONTACT_REQUESTS}/{}", args.request_id)).await
            }
            HumanCall::ResolveHandle(args) => {
                self.post(ME_CONTACTS_RESOLVE, &json!({ "handle": args.handle })).await
            }
            HumanCall::RemoveMyContact(args) => {
                let (contact, handle) = (given(args.contact_id.as_deref()), given(args.handle.as_deref()));
                self.post(ME_CONTACTS_REMOVE, &set([("contact_id", contact), ("handle", handle)])).await
            }
            other => self.run_memories(other).await,
        }
    }

    async fn run_memories(&self, call: HumanCall) -> Result<Value> {
        let one = |id: &str| format!("{ME_MEMORIES}/{id}");
        let act = |id: &str, act: &str| format!("{ME_MEMORIES}/{id}/{act}");
        match call {
            HumanCall::ListUserMemories(args) => self.list(ME_MEMORIES, memory_query(args)).await,
            HumanCall::GetUserMemory(args) => self.list(one(&args.memory_id), Query::new()).await,
            HumanCall::SupersedeUserMemory(args) => {
                self.post(act(&args.memory_id, "supersede"), &Value::Null).await
            }
            HumanCall::ArchiveUserMemory(args) => {
                self.post(act(&args.memory_id, "archive"), &Value::Null).await
            }
            HumanCall::RestoreUserMemory(args) => {
                self.post(act(&args.memory_id, "restore"), &Value::Null).await
            }
            HumanCall::DeleteUserMemory(args) => {
                self.delete(one(&args.memory_id)).await?;
                Ok(json!({ "deleted": true, "id": args.memory_id }))
            }
            // A tool that the catalogue knows and this does not: a test tries them all.
            other => Err(misfit(format_args!("{other:?} is not served"))),
        }
    }

    async fn list(&self, path: impl Into<String>, query: Query) -> Result<Value> {
        self.rest.for_person(Method::GET, path.into(), query, None).await
    }

    async fn post(&self, path: impl Into<String>, body: &Value) -> Result<Value> {
        let body = Some(body).filter(|body| !body.is_null());
        self.rest.for_person(Method::POST, path.into(), Query::new(), body).await
    }

    async fn delete(&self, path: String) -> Result<Value> {
        self.rest.for_person(Method::DELETE, path, Query::new(), None).await
    }

    async fn list_messages(&self, args: ListMyChatMessagesArgs) -> Result<Value> {
        let mut query = paged(args.page, args.page_size);
        query.push(("message_type", args.message_type));
        query.push(("since", args.since));
        self.list(format!("{ME_CHATS}/{}/messages", args.chat_id), query).await
    }

    async fn add_participant(&self, args: AddMyChatParticipantArgs) -> Result<Value> {
        let role = given(args.role.as_deref()).unwrap_or("member");
        let body = json!({ "participant": { "participant_id": args.participant_id, "role": role } });
        self.post(format!("{ME_CHATS}/{}/participants", args.chat_id), &body).await?;
        Ok(format!("Added participant: {}", args.participant_id).into())
    }

    async fn update_profile(&self, args: &UpdateMyProfileArgs) -> Result<Value> {
        let visible = |name: &'_ Option<String>| name.as_deref().is_some_and(has_visible);
        if !visible(&args.first_name) && !visible(&args.last_name) {
            return Err(misfit("At least one field (first_name or last_name) must be provided"));
        }
        let names = [("first_name", args.first_name.as_deref()), ("last_name", args.last_name.as_deref())];
        let body = json!({ "user": set(names) });
        self.rest.for_person(Method::PUT, ME_PROFILE.to_owned(), Query::new(), Some(&body)).await
    }
}

fn paged(page: Option<i64>, page_size: Option<i64>) -> Query {
    vec![("page", page.map(|page| page.to_string())), ("page_size", page_size.map(|size| size.to_string()))]
}

/// The old way of paging goes with the old name: one page, of as many as are asked for.
fn memory_query(args: ListUserMemoriesArgs) -> Query {
    vec![
        ("chat_room_id", args.chat_room_id),
        ("scope", args.scope),
        ("system", args.system),
        ("type", args.memory_type),
        ("segment", args.segment),
        ("content_query", args.content_query),
        ("page_size", args.page_size.map(|size| size.to_string())),
        ("status", args.status),
    ]
}

/// An object of what is there.
fn set<const N: usize>(fields: [(&str, Option<&str>); N]) -> Value {
    let there = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
    Value::Object(there.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use bytes::Bytes;
    use http::{Request, Response};
    use secrecy::SecretString;

    use super::*;
    use crate::rest::{Carried, RestConfig, Transport};

    /// Notes every request and answers all alike.
    #[derive(Debug, Default)]
    struct Notes(Mutex<Vec<String>>);

    impl Transport for Notes {
        fn carry(&self, request: Request<Bytes>) -> Carried<'_> {
            let body = String::from_utf8_lossy(request.body()).into_owned();
            let line = format!("{} {} {body}", request.method(), request.uri().path_and_query().unwrap());
            self.0.lock().unwrap().push(line.trim().to_owned());
            let person = json!({ "id": "00000000-0000-0000-0000-000000000007", "type": "User", "role": "member",
                "status": "active", "name": "Ada Lovelace", "handle": "ada" });
            let body = if request.uri().path().ends_with("/participants") {
                json!({ "data": [person] })
            } else {
                json!({ "data": "fine" })
            };
            Box::pin(async move { Ok(Response::new(body.to_string().into())) })
        }
    }

    fn tools() -> (HumanTools, Arc<Notes>) {
        let notes = Arc::new(Notes::default());
        let config = RestConfig::new("http://127.0.0.1:9", SecretString::from("band_u_x"));
        let rest = RestClient::new(config.transport(Arc::clone(&notes) as Arc<dyn Transport>)).unwrap();
        (HumanTools::new(rest, Capability::Contacts | Capability::Memory), notes)
    }

    #[tokio::test]
    async fn every_tool_of_a_person_makes_the_published_call() {
        let facts: Value = serde_json::from_str(include_str!("../../../band-wire/facts/tools.json")).unwrap();
        let (tools, notes) = tools();
        assert_eq!(tools.definitions().count(), 28);
        for fact in facts["tools"].as_array().unwrap().iter().filter(|fact| fact["surface"] == "human") {
            let name = fact["name"].as_str().unwrap();
            let args: Map<String, Value> = fact["params"]
                .as_array()
                .unwrap()
                .iter()
                .map(|field| {
                    let name = field["name"].as_str().unwrap();
                    let value = match (name, field["type"].as_str().unwrap()) {
                        ("since", _) => json!("2026-01-31T12:00:00Z"),
                        ("recipients", _) => json!("ada"),
                        ("status", _) if field["enum"].is_array() => json!("all"),
                        (_, "integer") => json!(2),
                        _ => json!(name),
                    };
                    (name.to_owned(), value)
                })
                .collect();
            notes.0.lock().unwrap().clear();
            let outcome = tools.call(name, Value::Object(args)).await;
            assert!(outcome.is_ok(), "{name}: {outcome:?}");
            let made: Vec<String> = notes.0.lock().unwrap().clone();
            let published: Vec<String> = fact["rest"]
                .as_array()
                .unwrap()
                .iter()
                .map(|call| call.as_str().unwrap().replace(['{', '}'], ""))
                .collect();
            let paths: Vec<String> = made
                .iter()
                .map(|line| line.split([' ', '?']).take(2).collect::<Vec<_>>().join(" "))
                .collect();
            assert_eq!(paths, published, "{name}");
        }
    }

    #[tokio::test]
    async fn bodies_and_queries_hold_what_was_given_and_nothing_else() {
        let (tools, notes) = tools();
        let table = [
            ("band_list_my_agents", json!({ "page": null }), "GET /api/v1/me/agents"),
            (
                "band_list_my_peers",
                json!({ "peer_type": "Agent", "page": 2 }),
                "GET /api/v1/me/peers?page=2&type=Agent",
            ),
            ("band_create_my_chat_room", json!({ "task_id": "" }), r#"POST /api/v1/me/chats {"chat":{}}"#),
            (
                "band_list_user_memories",
                json!({ "memory_type": "semantic" }),
                "GET /api/v1/me/memories?type=semantic",
            ),
            (
                "band_remove_my_contact",
                json!({ "handle": "@bob" }),
                r#"POST /api/v1/me/contacts/remove {"handle":"@bob"}"#,
            ),
            (
                "band_update_my_profile",
                json!({ "last_name": "L" }),
                r#"PUT /api/v1/me/profile {"user":{"last_name":"L"}}"#,
            ),
            (
                "band_approve_contact_request",
                json!({ "request_id": "r" }),
                "POST /api/v1/me/contacts/requests/r/approve",
            ),
        ];
        for (name, args, line) in table {
            notes.0.lock().unwrap().clear();
            assert!(tools.call(name, args).await.is_ok(), "{name}");
            assert_eq!(*notes.0.lock().unwrap(), [line]);
        }
    }

    #[tokio::test]
    async fn recipients_are_found_by_name_first_name_or_handle() {
        let (tools, notes) = tools();
        for who in ["ada lovelace", "Ada", "@ADA", "ada, Ada Lovelace"] {
            notes.0.lock().unwrap().clear();
            let args = json!({ "chat_id": "c", "content": "hi", "recipients": who });
            assert!(tools.call("band_send_my_chat_message", args).await.is_ok(), "{who}");
            let sent = notes.0.lock().unwrap()[1].clone();
            let mentions =
                r#""mentions":[{"id":"00000000-0000-0000-0000-000000000007","name":"Ada Lovelace"}]"#;
            assert!(sent.contains(mentions), "{sent}");
        }
        for (who, told) in [
            (" , ", "recipients cannot be empty"),
            ("bob, eve", "Not found: bob, eve. Available: Ada Lovelace"),
        ] {
            let args = json!({ "chat_id": "c", "content": "hi", "recipients": who });
            let text = tools.call("band_send_my_chat_message", args).await.to_model_text();
            assert_eq!(text, format!("Error executing band_send_my_chat_message: {told}"));
        }
    }

    #[tokio::test]
    async fn what_is_not_offered_or_does_not_fit_is_not_called() {
        let (tools, notes) = tools();
        let few = HumanTools::new(tools.rest.clone(), Capabilities::none());
        assert_eq!(few.definitions().count(), 13);
        assert_eq!(
            few.call("band_list_my_contacts", json!({})).await.to_model_text(),
            "Unknown tool: band_list_my_contacts"
        );
        assert_eq!(
            tools.call("band_send_message", json!({})).await.to_model_text(),
            "Unknown tool: band_send_message"
        );
        for (name, args) in [
            ("band_get_my_chat_room", json!({ "chat_id": "../agents" })),
            ("band_remove_my_contact", json!({ "handle": "" })),
            ("band_list_my_chat_messages", json!({ "chat_id": "c", "since": "yesterday" })),
            ("band_send_my_chat_message", json!({ "chat_id": "c", "content": " ", "recipients": "ada" })),
        ] {
            let outcome = tools.call(name, args).await;
            assert!(matches!(outcome, ToolOutcome::Invalid(_)), "{name}: {outcome:?}");
        }
        let nothing = tools.call("band_update_my_profile", json!({})).await;
        assert!(matches!(nothing, ToolOutcome::Failed(_)), "{nothing:?}");
        assert!(notes.0.lock().unwrap().is_empty());
    }
}
