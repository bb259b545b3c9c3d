//! Calling a tool by its name, with arguments that a model wrote.

use band_wire::text::cut_middle;
use band_wire::tools::{AgentCall, MAX_PROBLEM_TEXT, Problems};
use serde::Serialize;
use serde_json::{Value, json};

use super::memory::{memory_id, misfit};
use super::set::Offered;
use super::tasks::task_ref;
use super::{RoomTools, ToolOutcome};
use crate::error::Result;

impl RoomTools {
    /// Calls a tool by name. Wrong arguments come back as text for the model, all problems at once. A tool that is not
    /// offered here is none.
    pub async fn call(&self, name: &str, args: Value) -> ToolOutcome {
        match self.tool_set().find(name) {
            None => ToolOutcome::unknown(name),
            Some(Offered::Own(tool)) => tool.clone().call(self, args).await,
            Some(Offered::Band(tool)) => match tool.read(args) {
                Err(problems) => ToolOutcome::Invalid(problems.told(name)),
                Ok(call) => ToolOutcome::of(name, Box::pin(self.run(call)).await),
            },
        }
    }

    /// The same for arguments as providers hand them over: a text that should be a JSON object. No text at all counts
    /// as none. What is no JSON comes back to the model, its start and end.
    pub async fn call_text(&self, name: &str, args: &str) -> ToolOutcome {
        match read_text(name, args) {
            Ok(args) => self.call(name, args).await,
            Err(WrongText(text)) if self.tool_set().allows(name) => ToolOutcome::Invalid(text),
            Err(_) => ToolOutcome::unknown(name),
        }
    }

    async fn run(&self, call: AgentCall) -> Result<Value> {
        match call {
            AgentCall::SendMessage(args) => self.do_send_message(args).await,
            AgentCall::SendEvent(args) => self.do_send_event(args).await,
            AgentCall::NoReply(args) => {
                self.no_reply(args.reason.as_deref());
                Ok(json!({ "status": "no_reply" }))
            }
            AgentCall::AddParticipant(args) => {
                told(self.add_participant(&args.identifier, args.role.into()).await)
            }
            AgentCall::RemoveParticipant(args) => told(self.remove_participant(&args.identifier).await),
            AgentCall::LookupPeers(args) => {
                told(self.lookup_peers(number(args.page), number(args.page_size)).await)
            }
            AgentCall::GetParticipants(_) => told(self.get_participants().await),
            AgentCall::CreateChatroom(args) => told(self.create_chatroom(args.task_id.as_deref()).await),
            AgentCall::ListContacts(args) => {
                told(self.list_contacts(number(args.page), number(args.page_size)).await)
            }
            AgentCall::AddContact(args) => {
                told(self.add_contact(&args.handle, args.message.as_deref()).await)
            }
            AgentCall::RemoveContact(args) => self.do_remove_contact(args).await,
            AgentCall::ListContactRequests(args) => self.do_list_contact_requests(args).await,
            AgentCall::RespondContactRequest(args) => self.do_respond_contact_request(args).await,
            AgentCall::ListMemories(args) => told(self.list_memories(&args).await),
            AgentCall::StoreMemory(args) => self.do_store_memory(args).await,
            AgentCall::GetMemory(args) => told(self.get_memory(memory_id(&args.memory_id)?).await),
            AgentCall::SupersedeMemory(args) => {
                told(self.supersede_memory(memory_id(&args.memory_id)?).await)
            }
            AgentCall::ArchiveMemory(args) => told(self.archive_memory(memory_id(&args.memory_id)?).await),
            AgentCall::ListRoomFiles(args) => told(self.list_room_files(args.cursor.as_deref()).await),
            AgentCall::ReadRoomFile(args) => self.do_read_room_file(&args.file_id).await,
            AgentCall::SendRoomFile(args) => self.do_send_room_file(args).await,
            other => self.run_board(other).await,
        }
    }

    async fn run_board(&self, call: AgentCall) -> Result<Value> {
        match call {
            AgentCall::ListTasks(args) => told(self.list_tasks(&args).await),
            AgentCall::CreateTask(args) => self.do_create_task(args).await,
            AgentCall::GetTask(args) => {
                told(self.get_task(task_ref(&args.id)?, args.include.is_some()).await)
            }
            AgentCall::UpdateTask(args) => self.do_update_task(args).await,
            AgentCall::GetTaskHistory(args) => self.do_get_task_history(args).await,
            AgentCall::GetBoard(args) => told(self.get_board(args.include.is_some()).await),
            AgentCall::SetBoard(args) => self.do_set_board(args).await,
            // A tool that the catalogue knows and this does not: a table below tries them all.
            other => Err(misfit(format_args!("{other:?} is not served"))),
        }
    }
}

/// A page or a count; negative ones were refused before.
pub(super) fn number(given: i64) -> u64 {
    u64::try_from(given).unwrap_or_default()
}

pub(super) fn told<T: Serialize>(result: Result<T>) -> Result<Value> {
    result.map(|done| json!(done))
}

/// What is told of arguments that are no JSON.
#[derive(Debug)]
pub(super) struct WrongText(pub(super) String);

/// Reads arguments as providers hand them over. No text at all counts as none.
pub(super) fn read_text(name: &str, args: &str) -> Result<Value, WrongText> {
    let args = args.trim();
    if args.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(args).map_err(|err| {
        let problem = format!("Input should be valid JSON ({err})");
        let text = Problems::one(Problems::WHOLE, problem).told(name);
        let room = MAX_PROBLEM_TEXT.saturating_sub(text.chars().count()).saturating_sub(8);
        WrongText(format!("{text}; got: {}", cut_middle(args, room, "...")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::FakeTools;

    #[tokio::test]
    async fn all_problems_of_the_arguments_are_told_at_once() {
        let tools = FakeTools::new();
        let room = tools.tools();
        let outcome = room.call("band_send_message", json!({ "content": 7, "mentions": ["a", 1] })).await;
        assert!(!outcome.is_ok());
        assert_eq!(
            outcome.to_model_text(),
            "Invalid arguments for band_send_message: content: Input should be a valid string, \
             mentions.1: Input should be a valid string"
        );
        assert_eq!(room.call("band_fly", json!({})).await.to_model_text(), "Unknown tool: band_fly");
        assert_eq!(room.call("send_message", json!({})).await.to_model_text(), "Unknown tool: send_message");
        assert!(tools.sent().is_empty() && !room.is_complete());
    }

    #[tokio::test]
    async fn a_call_that_works_counts_for_the_turn() {
        let tools = FakeTools::new();
        let room = tools.tools();
        let args = json!({ "content": "hi", "mentions": ["@ada"], "extra": 1 });
        assert!(room.call("band_send_message", args).await.is_ok());
        assert!(room.replied());
        assert_eq!(tools.sent().len(), 1);
        let list = room.call("band_get_participants", Value::Null).await.to_model_text();
        assert!(list.contains("\"handle\":\"ada\""), "{list}");
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_to_mention_comes_back_as_text_with_the_handles() {
        let tools = FakeTools::new();
        let room = tools.tools();
        let unknown = room.call("band_send_message", json!({ "content": "x", "mentions": ["eve"] })).await;
        assert_eq!(
            unknown.to_model_text(),
            "Error executing band_send_message: Unknown participant 'eve'. Available handles: ['ada']"
        );
        let nobody = room.call("band_send_message", json!({ "content": "x", "mentions": [] })).await;
        assert!(matches!(nobody, ToolOutcome::Refused(_)), "{nobody:?}");
        assert_eq!(
            nobody.to_model_text(),
            "Error: At least one mention is required. Available handles: ['ada']. Use participant handles from the list."
        );
        let oneself =
            room.call("band_send_message", json!({ "content": "x", "mentions": ["ada/echo"] })).await;
        assert!(oneself.to_model_text().starts_with("Error: cannot_mention_self"));
        let both = json!({ "content": "x", "mentions": ["ada/echo", "Ada"] });
        let sent = room.call("band_send_message", both).await;
        assert!(sent.to_model_text().contains("\"warning\""), "{sent:?}");
        assert_eq!(tools.sent().len(), 1);
    }

    #[tokio::test]
    async fn arguments_that_are_no_json_come_back_cut() {
        let tools = FakeTools::new();
        let room = tools.tools();
        let huge = format!("{{\"content\": \"{}", "x".repeat(1_000_000));
        let twice = r#"{"content": "a", "content": "b", "mentions": ["ada"]}"#;
        for args in ["{", "[1", "{} trailing", huge.as_str(), "'x'"] {
            let outcome = room.call_text("band_send_message", args).await;
            let text = outcome.to_model_text();
            assert!(matches!(outcome, ToolOutcome::Invalid(_)), "{text}");
            assert!(text.starts_with(
                "Invalid arguments for band_send_message: arguments: Input should be valid JSON"
            ));
            assert!(text.chars().count() <= MAX_PROBLEM_TEXT, "{} characters", text.chars().count());
        }
        for (args, text) in [
            ("null", "content: Field required, mentions: Field required"),
            ("", "content: Field required, mentions: Field required"),
            ("[]", "arguments: Input should be a valid dictionary"),
            ("\"x\"", "arguments: Input should be a valid dictionary"),
        ] {
            let outcome = room.call_text("band_send_message", args).await;
            assert_eq!(outcome.to_model_text(), format!("Invalid arguments for band_send_message: {text}"));
        }
        assert!(
            room.call_text("band_send_message", twice).await.is_ok(),
            "of a field that is there twice the last counts"
        );
        assert_eq!(room.call_text("fly", "{").await.to_model_text(), "Unknown tool: fly");
    }
}
