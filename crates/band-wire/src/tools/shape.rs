//! The providers' own forms of a tool.

use serde_json::{Value, json};

use super::ToolDefinition;
use super::schema::for_gemini;
use crate::word::words;

words! {
    /// Whose form a tool is told in.
    pub enum Format {
        /// Chat Completions of OpenAI, and whoever speaks it.
        OpenAi = "openai",
        /// Responses of OpenAI.
        OpenAiResponses = "openai-responses",
        /// Messages of Anthropic.
        Anthropic = "anthropic",
        /// Gemini's function declarations.
        Gemini = "gemini",
        /// The Model Context Protocol.
        Mcp = "mcp",
    }
}

impl Format {
    /// A tool in this form.
    ///
    /// Bounds are told over MCP alone. Gemini knows fewer keywords than the
    /// others, and neither definitions nor references: what holds itself is told as an object there.
    pub fn shape(self, tool: &ToolDefinition) -> Value {
        let (name, description, parameters) = (&tool.name, &tool.description, &tool.parameters);
        match self {
            Self::OpenAi => json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": parameters },
            }),
            // Strict is the default there, and would ask for every field to be required.
            Self::OpenAiResponses => json!({
                "type": "function", "name": name, "description": description, "parameters": parameters,
                "strict": false,
            }),
            Self::Anthropic => {
                json!({ "name": name, "description": description, "input_schema": parameters })
            }
            Self::Gemini => json!({
                "name": name, "description": description,
                "parameters": for_gemini(parameters),
            }),
            Self::Mcp => json!({
                "name": name, "description": description, "inputSchema": tool.schema,
                "annotations": { "readOnlyHint": tool.is_read_only() },
            }),
        }
    }
}
