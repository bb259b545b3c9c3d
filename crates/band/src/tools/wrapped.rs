//! Tools for someone else's loop.

use band_wire::tools::ToolDefinition;
use serde_json::Value;

use super::{RoomTools, ToolOutcome};

/// One tool of a room for a framework that has a loop and a tool type of its own: what it is, and how to call it.
/// Whatever it does counts for the turn it came from.
///
/// ```
/// # tokio_test();
/// # fn tokio_test() { tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use band::testing::FakeTools;
/// use serde_json::json;
///
/// let room = FakeTools::new();
/// for tool in room.tools().wrapped() {
///     if tool.name() == "band_send_message" {
///         let outcome = tool.call(json!({ "content": "hello", "mentions": ["ada"] })).await;
///         assert!(outcome.is_ok());
///     }
/// }
/// assert_eq!(room.sent()[0].content, "hello");
/// # }); }
/// ```
#[derive(Debug, Clone)]
pub struct WrappedTool {
    definition: ToolDefinition,
    tools: RoomTools,
}

impl WrappedTool {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// What it does and when to use it.
    pub fn description(&self) -> &str {
        &self.definition.description
    }

    /// The JSON Schema of its arguments, as models are told it.
    pub const fn parameters(&self) -> &Value {
        &self.definition.parameters
    }

    /// All that is known of it.
    pub const fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// Calls it. The future may be moved to another task; it ends with the turn.
    pub fn call(&self, args: Value) -> impl Future<Output = ToolOutcome> + Send + 'static + use<> {
        let (tools, name) = (self.tools.clone(), self.definition.name.clone());
        async move { tools.call(&name, args).await }
    }
}

impl RoomTools {
    /// The tools that are offered in this room, each with what it takes to tell a model of it and to call it.
    pub fn wrapped(&self) -> Vec<WrappedTool> {
        let wrap = |tool: &ToolDefinition| WrappedTool { definition: tool.clone(), tools: self.clone() };
        self.tool_set().definitions().map(wrap).collect()
    }
}
