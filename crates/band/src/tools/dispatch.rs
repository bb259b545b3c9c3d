//! Calling a tool by its name, with arguments that a model wrote.

use serde_json::{Map, Value, json};

use super::catalog::{GET_PARTICIPANTS, NO_REPLY, SEND_MESSAGE};
use super::{RoomTools, ToolError};
use crate::error::Error;

/// What became of a tool call. Whether it worked is [`is_ok`](Self::is_ok); the text never tells.
#[derive(Debug)]
pub enum ToolOutcome {
    /// It worked.
    Done(Value),
    /// There is no such tool, or its arguments do not fit: nothing was done. The text is for the model.
    Invalid(String),
    /// It was tried and failed. The text is for the model.
    Failed(String),
    /// The turn is over: it was asked to end, or the platform has stopped the agent in this room.
    TurnOver(Error),
}

impl ToolOutcome {
    /// Whether the tool did its work.
    pub const fn is_ok(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    /// What the model reads.
    pub fn to_model_text(&self) -> String {
        match self {
            Self::Done(Value::String(text)) | Self::Invalid(text) | Self::Failed(text) => text.clone(),
            Self::Done(value) => value.to_string(),
            Self::TurnOver(err) => err.to_string(),
        }
    }
}

impl RoomTools {
    /// Calls a tool by name. Wrong arguments come back as text for the model, all of them at once.
    /// A tool that is not offered here is none.
    pub async fn call(&self, name: &str, args: Value) -> ToolOutcome {
        if !self.specs().iter().any(|spec| spec.name == name) {
            return ToolOutcome::Invalid(format!("Unknown tool: {name}"));
        }
        match name {
            SEND_MESSAGE => match read_send_message(args) {
                Ok((content, mentions)) => {
                    outcome(name, self.send_message(content, &mentions).await.map(|sent| json!(sent)))
                }
                Err(problems) => invalid(name, &problems),
            },
            NO_REPLY => match read_no_reply(args) {
                Ok(reason) => {
                    self.no_reply(reason.as_deref());
                    ToolOutcome::Done(json!({ "status": "no_reply" }))
                }
                Err(problems) => invalid(name, &problems),
            },
            GET_PARTICIPANTS => match object(args) {
                Ok(_) => outcome(name, self.get_participants().await.map(|list| json!(list))),
                Err(problems) => invalid(name, &problems),
            },
            other => match self.call_contacts(other, args).await {
                Some(outcome) => outcome,
                None => ToolOutcome::Invalid(format!("Unknown tool: {other}")),
            },
        }
    }
}

pub(super) fn outcome(name: &str, result: Result<Value, Error>) -> ToolOutcome {
    match result {
        Ok(value) => ToolOutcome::Done(value),
        Err(err @ (Error::Stopped { .. } | Error::Cancelled)) => ToolOutcome::TurnOver(err),
        Err(Error::Tool(err)) if !matches!(err, ToolError::NoSelector(_)) => {
            ToolOutcome::Failed(err.to_string())
        }
        Err(err) => ToolOutcome::Failed(format!("Error executing {name}: {err}")),
    }
}

/// Fields, and what is wrong with each.
pub(super) type Problems = Vec<(String, &'static str)>;

pub(super) fn invalid(name: &str, problems: &Problems) -> ToolOutcome {
    let told: Vec<String> = problems.iter().map(|(field, problem)| format!("{field}: {problem}")).collect();
    ToolOutcome::Invalid(format!("Invalid arguments for {name}: {}", told.join(", ")))
}

pub(super) fn object(args: Value) -> Result<Map<String, Value>, Problems> {
    match args {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(vec![("arguments".to_owned(), "Input should be a valid dictionary")]),
    }
}

fn read_send_message(args: Value) -> Result<(String, Vec<String>), Problems> {
    let mut args = object(args)?;
    let mut problems = Problems::new();
    let content = match args.remove("content") {
        Some(Value::String(text)) if band_core::platform::text::has_visible(&text) => text,
        Some(Value::String(_)) => note(&mut problems, "content", "Value error, can't be blank"),
        Some(_) => note(&mut problems, "content", "Input should be a valid string"),
        None => note(&mut problems, "content", "Field required"),
    };
    let mut mentions = Vec::new();
    match args.remove("mentions") {
        Some(Value::Array(items)) => {
            for (index, item) in items.into_iter().enumerate() {
                match item {
                    Value::String(text) => mentions.push(text),
                    _ => problems.push((format!("mentions.{index}"), "Input should be a valid string")),
                }
            }
        }
        Some(_) => problems.push(("mentions".to_owned(), "Input should be a valid list")),
        None => problems.push(("mentions".to_owned(), "Field required")),
    }
    if problems.is_empty() { Ok((content, mentions)) } else { Err(problems) }
}

fn read_no_reply(args: Value) -> Result<Option<String>, Problems> {
    match object(args)?.remove("reason") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(reason)) => Ok(Some(reason)),
        Some(_) => Err(vec![("reason".to_owned(), "Input should be a valid string")]),
    }
}

fn note(problems: &mut Problems, field: &str, problem: &'static str) -> String {
    problems.push((field.to_owned(), problem));
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::FakeTools;

    #[tokio::test]
    async fn all_problems_of_the_arguments_are_told_at_once() {
        let tools = FakeTools::new();
        let room = tools.tools();
        let table = [
            ("band_send_message", json!({}), "content: Field required, mentions: Field required"),
            (
                "band_send_message",
                json!({ "content": 7, "mentions": ["a", 1, null] }),
                "content: Input should be a valid string, mentions.1: Input should be a valid string, \
                 mentions.2: Input should be a valid string",
            ),
            (
                "band_send_message",
                json!({ "content": "\u{200b}", "mentions": "ada" }),
                "content: Value error, can't be blank, mentions: Input should be a valid list",
            ),
            ("band_send_message", json!([]), "arguments: Input should be a valid dictionary"),
            ("band_no_reply", json!({ "reason": 3 }), "reason: Input should be a valid string"),
        ];
        for (name, args, problems) in table {
            let outcome = room.call(name, args).await;
            assert!(!outcome.is_ok());
            assert_eq!(outcome.to_model_text(), format!("Invalid arguments for {name}: {problems}"));
        }
        assert_eq!(room.call("band_fly", json!({})).await.to_model_text(), "Unknown tool: band_fly");
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

    #[tokio::test]
    async fn nobody_to_mention_comes_back_as_text_with_the_handles() {
        let tools = FakeTools::new();
        let outcome =
            tools.tools().call("band_send_message", json!({ "content": "x", "mentions": ["eve"] })).await;
        assert_eq!(outcome.to_model_text(), "Unknown participant 'eve'. Available handles: ['ada']");
    }
}
