//! Queries of memories.

use super::{FromQuery, Paging, QueryError, QueryReader};
use crate::rest::{MemoryScope, MemorySegment, MemoryStatus, MemorySystem, MemoryType};
use crate::{AgentId, ChatId, ParticipantId};

/// Items a page that nobody gave a size.
const PAGE: u64 = 20;
/// The most items a page of the deprecated form.
const MAX_PAGE_SIZE: u64 = 50;

/// What memories are narrowed by, on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryFilter {
    /// Of this tier alone.
    pub system: Option<MemorySystem>,
    /// Of this type alone.
    pub kind: Option<MemoryType>,
    /// Of this segment alone.
    pub segment: Option<MemorySegment>,
    /// Whose content has these words.
    pub content: Option<String>,
    /// `status`: active ones when absent; `None` is all of them.
    pub status: Option<MemoryStatus>,
}

impl MemoryFilter {
    fn read(reader: &mut QueryReader) -> Self {
        let status = reader.word("status", |word| {
            if word == "all" { Some(None) } else { MemoryStatus::parse(word).map(Some) }
        });
        Self {
            system: reader.word("system", MemorySystem::parse),
            kind: reader.word("type", MemoryType::parse),
            segment: reader.word("segment", MemorySegment::parse),
            content: reader.text("content_query").filter(|text| !text.trim().is_empty()),
            status: status.unwrap_or(Some(MemoryStatus::Active)),
        }
    }
}

/// Whose memories an agent asks for: `memory_scope`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MemoryOwner {
    /// Its own, `me`.
    #[default]
    Me,
    /// Those that the organization shares, `org`.
    Organization,
}

/// `GET /agent/memories`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentMemoriesQuery {
    /// Which page; 20 a page when nobody says.
    pub paging: Paging,
    /// Whose.
    pub owner: MemoryOwner,
    /// Of this scope alone; `all` reads as none.
    pub scope: Option<MemoryScope>,
    /// About this person or agent alone.
    pub subject: Option<ParticipantId>,
    /// What else.
    pub filter: MemoryFilter,
}

impl FromQuery for AgentMemoriesQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let paging = Paging::read_with(&mut reader, PAGE, MAX_PAGE_SIZE)?;
        let owner = reader.word("memory_scope", |word| match word {
            "me" => Some(MemoryOwner::Me),
            "org" => Some(MemoryOwner::Organization),
            _ => None,
        });
        let scope =
            reader.word(
                "scope",
                |word| if word == "all" { Some(None) } else { MemoryScope::parse(word).map(Some) },
            );
        let subject = reader.id("subject_id");
        let filter = MemoryFilter::read(&mut reader);
        reader.finish()?;
        Ok(Self { paging, owner: owner.unwrap_or_default(), scope: scope.flatten(), subject, filter })
    }
}

/// Which memories a person asks for: `scope`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MyMemoryScope {
    /// All that they may see.
    #[default]
    All,
    /// Those about them.
    AboutMe,
    /// Those that the organization shares.
    Organization,
    /// Those of rooms.
    Room,
}

/// `GET /me/memories`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MyMemoriesQuery {
    /// Which page; 20 a page when nobody says.
    pub paging: Paging,
    /// Which.
    pub scope: MyMemoryScope,
    /// Of this room alone.
    pub chat: Option<ChatId>,
    /// Of this agent alone.
    pub source: Option<AgentId>,
    /// What else.
    pub filter: MemoryFilter,
}

impl FromQuery for MyMemoriesQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let paging = Paging::read_with(&mut reader, PAGE, MAX_PAGE_SIZE)?;
        let scope = reader.word("scope", |word| match word {
            "all" => Some(MyMemoryScope::All),
            "about_me" => Some(MyMemoryScope::AboutMe),
            "organization" => Some(MyMemoryScope::Organization),
            "room" => Some(MyMemoryScope::Room),
            _ => None,
        });
        let chat = reader.id("chat_room_id");
        let source = reader.id("source_agent_id");
        let filter = MemoryFilter::read(&mut reader);
        reader.finish()?;
        Ok(Self { paging, scope: scope.unwrap_or_default(), chat, source, filter })
    }
}
