//! What is remembered about a person, and by that person's agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Problems, ToolArgs};
use super::rules::resource_id;

/// List what agents remember about you, and what your own agents remember.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListUserMemoriesArgs {
    /// Only those that come from this room.
    pub chat_room_id: Option<String>,
    /// Only those of this scope: agent, subject or organization.
    pub scope: Option<String>,
    /// Only those of this system: sensory, working or long_term.
    pub system: Option<String>,
    /// Only those of this type, such as semantic.
    pub memory_type: Option<String>,
    /// Only those of this segment: user, agent, tool or guideline.
    pub segment: Option<String>,
    /// Only those whose content fits these words.
    pub content_query: Option<String>,
    /// How many.
    pub page_size: Option<i64>,
    /// Only those that stand like this: active, superseded, archived or all.
    pub status: Option<String>,
}

impl ToolArgs for ListUserMemoriesArgs {}

/// Declares the tools that take the id of one memory.
macro_rules! of_one_memory {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// The memory's id.
            pub memory_id: String,
        }

        impl ToolArgs for $name {
            fn rules(&self, problems: &mut Problems) {
                resource_id(problems, "memory_id", &self.memory_id);
            }
        }
    )+};
}

of_one_memory! {
    /// Read one memory whole.
    GetUserMemoryArgs;
    /// Mark a memory as replaced by newer knowledge.
    SupersedeUserMemoryArgs;
    /// Put a memory away.
    ArchiveUserMemoryArgs;
    /// Bring back a memory that was put away.
    RestoreUserMemoryArgs;
    /// Delete a memory for good.
    DeleteUserMemoryArgs;
}
