//! What an agent remembers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::{Problems, ToolArgs};
use super::rules::{given, resource_id};
use crate::rest::{MemoryScope, MemorySegment, MemorySystem, MemoryType};
use crate::word::words;

words! {
    /// Which of the memories, by who may recall them.
    pub enum MemoryListScope {
        /// The agent's own.
        Agent = "agent",
        /// Those about a person or an agent.
        Subject = "subject",
        /// Those of the organization.
        Organization = "organization",
        /// All of them.
        All = "all",
    }

    /// Which of the memories, by where they stand.
    pub enum MemoryStatusFilter {
        /// Those that hold.
        Active = "active",
        /// Those that newer ones replaced.
        Superseded = "superseded",
        /// Those that were put away.
        Archived = "archived",
        /// All of them.
        All = "all",
    }
}

const fn most_memories() -> i64 {
    50
}

/// Search what you remember. Every filter narrows the list; without one you get what holds now, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListMemoriesArgs {
    /// Only about this person or agent, by id.
    pub subject_id: Option<String>,
    /// Only those of this scope.
    pub scope: Option<MemoryListScope>,
    /// Only those of this system.
    pub system: Option<MemorySystem>,
    /// Only those of this type.
    #[serde(rename = "type")]
    pub kind: Option<MemoryType>,
    /// Only those of this segment.
    pub segment: Option<MemorySegment>,
    /// Only those whose content fits these words.
    pub content_query: Option<String>,
    /// How many, 50 at most.
    #[serde(default = "most_memories")]
    #[schemars(range(min = 1, max = 50))]
    pub page_size: i64,
    /// Only those that stand like this; those that hold when left out.
    pub status: Option<MemoryStatusFilter>,
}

impl ToolArgs for ListMemoriesArgs {}

/// Remember something beyond this conversation: a fact, an event, a way to do things. Look first whether you know it
/// already, and supersede what it replaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoreMemoryArgs {
    /// What to remember, understandable without this conversation.
    pub content: String,
    /// long_term to keep it, working for the task at hand, sensory for an impression.
    pub system: MemorySystem,
    /// sensory takes iconic, echoic or haptic; working and long_term take episodic (an event), semantic (a fact) or
    /// procedural (a way to do something).
    #[serde(rename = "type")]
    pub kind: MemoryType,
    /// What it is about: user, agent (yourself), tool, or guideline.
    pub segment: MemorySegment,
    /// Why it is worth remembering.
    pub thought: String,
    /// Who may recall it: agent (you alone), subject (those who work with the subject), organization (all its agents).
    pub scope: MemoryScope,
    /// The id of the person or agent that it is about. Needed for the scope subject; never make one up.
    pub subject_id: Option<String>,
    /// Data to keep with it, such as tags.
    pub metadata: Option<Map<String, Value>>,
}

impl ToolArgs for StoreMemoryArgs {
    fn rules(&self, problems: &mut Problems) {
        let types = self.system.types();
        if !types.contains(&self.kind) {
            let expected: Vec<&str> = types.iter().map(|kind| kind.as_str()).collect();
            let text = format!(
                "1 validation issue(s): type `{}` is not valid for system `{}`; expected one of: {} (type)",
                self.kind,
                self.system,
                expected.join(", ")
            );
            problems.broken("type", text);
        }
        if self.scope == MemoryScope::Subject && given(self.subject_id.as_deref()).is_none() {
            problems.broken("subject_id", SUBJECT_MISSING);
        }
    }
}

/// The interface's own words.
const SUBJECT_MISSING: &str = "scope=\"subject\" requires a subject_id (the UUID of the person or agent the memory is \
     about). You did not provide one. If you do not have a concrete subject UUID, retry with scope=\"agent\" and omit \
     subject_id. Do not invent a UUID.";

/// Read one memory whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetMemoryArgs {
    /// The memory's id.
    pub memory_id: String,
}

impl ToolArgs for GetMemoryArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "memory_id", &self.memory_id);
    }
}

/// Mark a memory as replaced by newer knowledge. It is kept, and no longer listed by default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SupersedeMemoryArgs {
    /// The memory's id.
    pub memory_id: String,
}

impl ToolArgs for SupersedeMemoryArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "memory_id", &self.memory_id);
    }
}

/// Put a memory away that is of no use any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArchiveMemoryArgs {
    /// The memory's id.
    pub memory_id: String,
}

impl ToolArgs for ArchiveMemoryArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "memory_id", &self.memory_id);
    }
}
