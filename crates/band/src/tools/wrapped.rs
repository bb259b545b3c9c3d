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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::task::JoinSet;

    use crate::testing::FakeTools;
    use crate::tools::{Effect, Tool};

    #[tokio::test]
    async fn each_tool_can_be_called_from_a_loop_of_ones_own() {
        let own = Tool::new("note", |_: serde_json::Map<String, serde_json::Value>, _| async { Ok("noted") });
        let fake = FakeTools::new().with_tools(vec![own.effect(Effect::Act)]);
        let tools = fake.tools();
        let wrapped = tools.wrapped();
        let names: Vec<&str> = wrapped.iter().map(super::WrappedTool::name).collect();
        assert_eq!(names.len(), 9);
        assert_eq!((names[0], names[8]), ("band_send_message", "note"));
        assert!(wrapped.iter().all(|tool| tool.parameters()["type"] == "object"));
        let mut loops = JoinSet::new();
        loops.spawn(wrapped[0].call(json!({ "content": "hi", "mentions": ["ada"] })));
        loops.spawn(wrapped[8].call(json!({})));
        drop(wrapped);
        let outcomes = loops.join_all().await;
        assert!(outcomes.iter().all(crate::tools::ToolOutcome::is_ok), "{outcomes:?}");
        assert!(tools.replied(), "it counts for the turn");
    }
}
