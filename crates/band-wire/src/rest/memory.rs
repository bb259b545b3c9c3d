//! Memories: what agents keep beyond a conversation.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::strict::{FromBody, Issues, ObjectReader};
use crate::word::{Open, words};
use crate::{AgentId, ChatId, MemoryId, ParticipantId, Stamp};

words! {
    /// The tier that a memory belongs to.
    pub enum MemorySystem {
        /// What was perceived.
        Sensory = "sensory",
        /// What is in use.
        Working = "working",
        /// What is to stay.
        LongTerm = "long_term",
    }
}

words! {
    /// The type of a memory. Each tier knows three, see [`MemorySystem::types`].
    pub enum MemoryType {
        /// Seen.
        Iconic = "iconic",
        /// Heard.
        Echoic = "echoic",
        /// Felt.
        Haptic = "haptic",
        /// What happened.
        Episodic = "episodic",
        /// What is so.
        Semantic = "semantic",
        /// How something is done.
        Procedural = "procedural",
    }
}

words! {
    /// What a memory is about.
    pub enum MemorySegment {
        /// A person.
        User = "user",
        /// An agent.
        Agent = "agent",
        /// A tool.
        Tool = "tool",
        /// A rule.
        Guideline = "guideline",
    }
}

words! {
    /// Who may read a memory.
    pub enum MemoryScope {
        /// The agent that stored it, and the agent's owner.
        Agent = "agent",
        /// The organization's agents when they name its subject, and that subject.
        Subject = "subject",
        /// The whole organization.
        Organization = "organization",
    }
}

words! {
    /// Where a memory stands.
    pub enum MemoryStatus {
        /// In use.
        Active = "active",
        /// Out of date.
        Superseded = "superseded",
        /// True, and not needed now.
        Archived = "archived",
    }
}

impl MemorySystem {
    /// The types that this tier knows.
    pub const fn types(self) -> [MemoryType; 3] {
        use MemoryType::{Echoic, Episodic, Haptic, Iconic, Procedural, Semantic};
        match self {
            Self::Sensory => [Iconic, Echoic, Haptic],
            Self::Working | Self::LongTerm => [Episodic, Semantic, Procedural],
        }
    }
}

/// Body of `POST /agent/memories`, inside `{"memory":…}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreMemory {
    /// At most [`StoreMemory::MAX_CONTENT`] bytes, not blank.
    pub content: String,
    /// Its tier.
    pub system: MemorySystem,
    /// Its type, one of the tier's.
    #[serde(rename = "type")]
    pub kind: MemoryType,
    /// What it is about.
    pub segment: MemorySegment,
    /// Why it is stored: at most [`StoreMemory::MAX_CONTENT`] bytes, not blank.
    pub thought: String,
    /// Who may read it, see [`StoreMemory::audience`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<MemoryScope>,
    /// The person or agent it is about; needed for [`MemoryScope::Subject`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_id: Option<ParticipantId>,
    /// `tags` and `references` are lists of texts; other keys are kept as they are. At most
    /// [`StoreMemory::MAX_METADATA`] serialized bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

impl StoreMemory {
    /// UTF-8 bytes of the content, and of the thought.
    pub const MAX_CONTENT: usize = 65_536;
    /// Serialized bytes of the metadata.
    pub const MAX_METADATA: usize = 65_536;

    /// The scope that holds: what was given, else the subject where there is one, else the agent alone.
    pub const fn audience(&self) -> MemoryScope {
        match (self.scope, self.subject_id) {
            (Some(scope), _) => scope,
            (None, Some(_)) => MemoryScope::Subject,
            (None, None) => MemoryScope::Agent,
        }
    }
}

impl FromBody for StoreMemory {
    const WRAPPER: Option<&'static str> = Some("memory");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let content = fields.filled("content", Self::MAX_CONTENT);
        let thought = fields.filled("thought", Self::MAX_CONTENT);
        let system = fields.word("system", MemorySystem::parse);
        let kind = fields.word("type", MemoryType::parse);
        if let (Some(system), Some(kind)) = (system, kind)
            && !system.types().contains(&kind)
        {
            fields.issue("type", pairing(system, kind));
        }
        let segment = fields.word("segment", MemorySegment::parse);
        let scope = fields.opt_string("scope");
        let scope = fields.parse("scope", scope, MemoryScope::parse);
        let subject = fields.opt_string("subject_id");
        let named = subject.is_some();
        let subject_id = fields.parse_id("subject_id", subject);
        if scope == Some(MemoryScope::Subject) && !named {
            fields.issue("subject_id", "can't be blank");
        }
        let metadata = read_metadata(&mut fields);
        fields.finish()?;
        let (Some(content), Some(thought), Some(system), Some(kind), Some(segment)) =
            (content, thought, system, kind, segment)
        else {
            return Err(Issues::new());
        };
        Ok(Self { content, system, kind, segment, thought, scope, subject_id, metadata })
    }
}

fn pairing(system: MemorySystem, kind: MemoryType) -> String {
    let known = system.types().map(MemoryType::as_str).join(", ");
    format!("{kind} is not valid for system {system}; expected one of: {known}")
}

fn read_metadata(fields: &mut ObjectReader) -> Option<Map<String, Value>> {
    let metadata = fields.opt_map("metadata")?;
    for list in ["tags", "references"] {
        let texts = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
        if metadata.get(list).is_some_and(|value| !texts(value)) {
            fields.issue_inside("metadata", list, "Invalid array of strings");
        }
    }
    if serde_json::to_vec(&metadata).map_or(0, |bytes| bytes.len()) > StoreMemory::MAX_METADATA {
        fields.issue("metadata", format!("should be at most {} byte(s)", StoreMemory::MAX_METADATA));
    }
    Some(metadata)
}

/// A memory as an agent sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The memory.
    pub id: MemoryId,
    /// What is remembered.
    pub content: String,
    /// Its tier.
    pub system: Open<MemorySystem>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Open<MemoryType>,
    /// What it is about.
    pub segment: Open<MemorySegment>,
    /// Who may read it.
    pub scope: Open<MemoryScope>,
    /// Where it stands. Always there here; some servers leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Open<MemoryStatus>>,
    /// Why it was stored.
    #[serde(default)]
    pub thought: Option<String>,
    /// The person or agent it is about.
    #[serde(default)]
    pub subject_id: Option<ParticipantId>,
    /// The agent that stored it; null once that agent is gone.
    #[serde(default)]
    pub source_agent_id: Option<AgentId>,
    /// The organization that shares it; null for what one agent keeps to itself.
    #[serde(default)]
    pub organization_id: Option<Uuid>,
    /// As it was given.
    #[serde(default)]
    pub metadata: Option<Map<String, Value>>,
    /// When it was stored.
    pub inserted_at: Stamp,
}

/// A memory as a person sees it. Names that the person may not see are null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MyMemory {
    /// The memory.
    #[serde(flatten)]
    pub memory: Memory,
    /// The room it was stored in.
    #[serde(default)]
    pub chat_room_id: Option<ChatId>,
    /// When it last changed.
    pub updated_at: Stamp,
    /// The name of its subject.
    #[serde(default)]
    pub subject_name: Option<String>,
    /// `user` or `agent`.
    #[serde(default)]
    pub subject_type: Option<String>,
    /// The name of the agent that stored it.
    #[serde(default)]
    pub source_agent_name: Option<String>,
    /// The title of the room.
    #[serde(default)]
    pub chat_room_title: Option<String>,
    /// The status of the room.
    #[serde(default)]
    pub chat_room_status: Option<String>,
    /// The type of the room.
    #[serde(default)]
    pub chat_room_type: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(extra: Value) -> Value {
        let mut memory = json!({
            "content": "Ann likes tea", "system": "long_term", "type": "semantic", "segment": "user",
            "thought": "she said so",
        });
        let Value::Object(extra) = extra else { panic!("no object") };
        memory.as_object_mut().unwrap().extend(extra);
        json!({ "memory": memory })
    }

    fn issues(extra: Value) -> Vec<String> {
        StoreMemory::from_body(body(extra)).unwrap_err().into_map().into_keys().collect()
    }

    #[test]
    fn the_audience_follows_the_subject_where_no_scope_is_given() {
        let subject = "00000000-0000-0000-0000-000000000001";
        for (extra, scope) in [
            (json!({}), MemoryScope::Agent),
            (json!({"subject_id": subject}), MemoryScope::Subject),
            (json!({"subject_id": subject, "scope": "agent"}), MemoryScope::Agent),
            (json!({"scope": "organization"}), MemoryScope::Organization),
        ] {
            assert_eq!(StoreMemory::from_body(body(extra)).unwrap().audience(), scope);
        }
        assert_eq!(issues(json!({"scope": "subject"})), ["/memory/subject_id"]);
    }

    #[test]
    fn each_tier_knows_three_types() {
        for system in MemorySystem::ALL {
            for kind in MemoryType::ALL {
                let extra = json!({"system": system, "type": kind});
                assert_eq!(
                    StoreMemory::from_body(body(extra)).is_ok(),
                    system.types().contains(kind),
                    "{system} {kind}"
                );
            }
        }
    }

    #[test]
    fn blanks_nulls_and_strangers_are_refused_all_at_once() {
        assert_eq!(
            issues(json!({
                "content": " ", "thought": "", "scope": null, "type": "smell", "tags": [],
                "metadata": {"tags": "tea", "references": [1]},
            })),
            [
                "/memory/content",
                "/memory/metadata/references",
                "/memory/metadata/tags",
                "/memory/scope",
                "/memory/tags",
                "/memory/thought",
                "/memory/type"
            ]
        );
        assert_eq!(issues(json!({"metadata": null})), ["/memory/metadata"]);
        assert_eq!(issues(json!({"content": "x".repeat(StoreMemory::MAX_CONTENT + 1)})), ["/memory/content"]);
    }

    #[test]
    fn a_memory_without_its_decorations_is_read() {
        let memory: MyMemory = serde_json::from_value(json!({
            "id": "00000000-0000-0000-0000-000000000001", "content": "x", "system": "dreams",
            "type": "semantic", "segment": "user", "scope": "subject",
            "inserted_at": "2026-07-01T10:00:00Z", "updated_at": "2026-07-01T10:00:00Z",
        }))
        .unwrap();
        assert_eq!(memory.memory.system.known(), None);
        assert_eq!(memory.subject_name, None);
    }
}
