//! A tool as it is told to models.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::{Effect, for_models, schema_of};
use crate::word::words;

words! {
    /// Whose tools: an agent's, bound to its room, or a person's.
    pub enum Surface {
        /// Agents', with an agent's key.
        Agent = "agent",
        /// People's, with a person's key.
        Human = "human",
    }

    /// A group of tools. Beside `chat` an agent has those groups whose capability was chosen.
    pub enum Group {
        /// What every room has.
        Chat = "chat",
        /// Whom the agent or the person knows.
        Contacts = "contacts",
        /// What is remembered.
        Memory = "memory",
        /// Files of the room.
        Files = "files",
        /// Tasks of the room and its board.
        Tasks = "tasks",
        /// Of people only: rooms, messages, agents, the profile.
        Human = "human",
        /// Tools of one's own, beside the platform's.
        Custom = "custom",
    }
}

/// A tool as it is told to models: one of the platform's, or one of one's own.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// Its name.
    pub name: Cow<'static, str>,
    /// What it does and when to use it.
    pub description: String,
    /// Whose tool it is.
    pub surface: Surface,
    /// Its group.
    pub group: Group,
    /// What it amounts to when it works.
    pub effect: Effect,
    /// The JSON Schema of its arguments with every bound: what calls are checked by.
    pub schema: Value,
    /// The same as models are told it: without bounds, which several providers refuse.
    pub parameters: Value,
}

impl ToolDefinition {
    /// A tool whose arguments have this type. The type's doc comment is the tool's description, those of its fields
    /// describe the arguments.
    pub fn of<A: JsonSchema>(
        name: impl Into<Cow<'static, str>>,
        surface: Surface,
        group: Group,
        effect: Effect,
    ) -> Self {
        let (schema, description) = schema_of::<A>();
        let parameters = for_models(&schema);
        Self { name: name.into(), description, surface, group, effect, schema, parameters }
    }

    pub(super) fn empty() -> Self {
        let schema = json!({ "type": "object", "properties": {} });
        Self {
            name: Cow::Borrowed(""),
            description: String::new(),
            surface: Surface::Agent,
            group: Group::Custom,
            effect: Effect::Observe,
            parameters: schema.clone(),
            schema,
        }
    }

    /// Whether it only looks.
    pub fn is_read_only(&self) -> bool {
        self.effect == Effect::Observe && self.name != "band_send_event"
    }
}
