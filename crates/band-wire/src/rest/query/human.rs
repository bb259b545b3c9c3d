//! Queries of the Human API.

use super::{FromQuery, OffsetQuery, Order, Paging, QueryError, QueryReader};
use crate::rest::{ChatKind, ChatStatus, EventType, SenderType};
use crate::{ChatId, MessageId, Stamp};

/// `GET /me/agents`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MyAgentsQuery {
    /// Which page; 20 a page when nobody says.
    pub paging: Paging,
    /// Part of the name, in any case.
    pub name: Option<String>,
    /// Those whose loop runs outside the platform, or the others.
    pub is_external: Option<bool>,
    /// Those that the public directory lists, or the others.
    pub listed_in_directory: Option<bool>,
    /// By what.
    pub sort: AgentSort,
    /// Descending when absent.
    pub order: Order,
}

/// By what agents are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AgentSort {
    /// `name`.
    Name,
    /// `inserted_at`.
    #[default]
    Inserted,
    /// `updated_at`.
    Updated,
}

impl FromQuery for MyAgentsQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let paging = Paging::read(&mut reader, 20)?;
        let sort = reader.word("sort", |word| match word {
            "name" => Some(AgentSort::Name),
            "inserted_at" => Some(AgentSort::Inserted),
            "updated_at" => Some(AgentSort::Updated),
            _ => None,
        });
        let query = Self {
            paging,
            name: reader.text("name"),
            is_external: reader.flag("is_external"),
            listed_in_directory: reader.flag("listed_in_directory"),
            sort: sort.unwrap_or_default(),
            order: reader.word("order", Order::parse).unwrap_or(Order::Desc),
        };
        reader.finish()?;
        Ok(query)
    }
}

/// `DELETE /me/agents/{id}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeleteAgentQuery {
    /// Delete it together with its execution history.
    pub force: bool,
}

impl FromQuery for DeleteAgentQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let force = reader.flag("force").unwrap_or_default();
        reader.finish()?;
        Ok(Self { force })
    }
}

/// `GET /me/peers`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MyPeersQuery {
    /// Which page.
    pub page: OffsetQuery,
    /// Leave out who is in this room.
    pub not_in_chat: Option<ChatId>,
    /// `type`: users or agents alone.
    pub kind: Option<SenderType>,
}

impl FromQuery for MyPeersQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let page = OffsetQuery::read(&mut reader);
        let not_in_chat = reader.id("not_in_chat");
        let kind = reader.word("type", SenderType::parse);
        reader.finish()?;
        Ok(Self { page, not_in_chat, kind })
    }
}

/// `GET /me/chats`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MyChatsQuery {
    /// Which page; 20 a page when nobody says.
    pub paging: Paging,
    /// Rooms of this status alone.
    pub status: Option<ChatStatus>,
    /// Rooms of this type alone.
    pub kind: Option<ChatKind>,
    /// `sort_by`.
    pub sort: ChatSort,
    /// Descending when absent.
    pub order: Order,
    /// `include`, each at most once.
    pub include: Vec<ChatInclude>,
}

/// By what rooms are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ChatSort {
    /// `inserted_at`.
    #[default]
    Inserted,
    /// `updated_at`.
    Updated,
}

/// What a list of rooms is to hold besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChatInclude {
    /// Rooms of the person's agents too.
    AgentRooms,
    /// The first participants of each room.
    Participants,
    /// The newest message of each room.
    LastMessage,
    /// How the person comes to see each room.
    Membership,
    /// How many rooms there are.
    TotalCount,
}

impl ChatInclude {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "agent_rooms" => Some(Self::AgentRooms),
            "participants" => Some(Self::Participants),
            "last_message" => Some(Self::LastMessage),
            "membership" => Some(Self::Membership),
            "total_count" => Some(Self::TotalCount),
            _ => None,
        }
    }
}

impl MyChatsQuery {
    /// Whether this was asked for.
    pub fn includes(&self, what: ChatInclude) -> bool {
        self.include.contains(&what)
    }
}

impl FromQuery for MyChatsQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let paging = Paging::read(&mut reader, 20)?;
        let status = reader.word("status", |word| match word {
            "active" => Some(ChatStatus::Active),
            "archived" => Some(ChatStatus::Archived),
            "closed" => Some(ChatStatus::Closed),
            _ => None,
        });
        let kind = reader.word("type", |word| match word {
            "direct" => Some(ChatKind::Direct),
            "group" => Some(ChatKind::Group),
            "task" => Some(ChatKind::Task),
            _ => None,
        });
        let sort = reader.word("sort_by", |word| match word {
            "inserted_at" => Some(ChatSort::Inserted),
            "updated_at" => Some(ChatSort::Updated),
            _ => None,
        });
        let order = reader.word("order", Order::parse).unwrap_or(Order::Desc);
        let mut include = reader.words("include", ChatInclude::parse);
        include.sort_unstable();
        include.dedup();
        reader.finish()?;
        Ok(Self { paging, status, kind, sort: sort.unwrap_or_default(), order, include })
    }
}

/// `GET /me/chats/{id}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MyChatQuery {
    /// `include=message_counts`.
    pub message_counts: bool,
}

impl FromQuery for MyChatQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let include = reader.words("include", |word| (word == "message_counts").then_some(()));
        reader.finish()?;
        Ok(Self { message_counts: !include.is_empty() })
    }
}

/// `GET /me/chats/{chat_id}/messages`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MyMessagesQuery {
    /// Which page; 20 a page when nobody says. By cursor when there is an anchor.
    pub paging: Paging,
    /// Which types; all public ones when absent.
    pub types: Option<TypeFilter>,
    /// Not before this time.
    pub since: Option<Stamp>,
    /// Around which message.
    pub anchor: Option<Anchor>,
}

/// Which types of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeFilter {
    /// These alone.
    Only(Vec<&'static str>),
    /// All but these.
    Except(Vec<&'static str>),
}

/// A place in a timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Newer than the message, oldest first.
    After(MessageId),
    /// Older than the message, newest first.
    Before(MessageId),
    /// A window with the message in its middle, newest first.
    Around(MessageId),
}

impl MyMessagesQuery {
    /// The types that a person may ask for.
    pub const TYPES: [&str; 9] = [
        "text",
        EventType::ToolCall.as_str(),
        EventType::ToolResult.as_str(),
        EventType::Thought.as_str(),
        EventType::Error.as_str(),
        EventType::Task.as_str(),
        EventType::Attention.as_str(),
        "system",
        "participant",
    ];
}

impl FromQuery for MyMessagesQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let anchor = read_anchor(&mut reader)?;
        let types = read_types(&mut reader)?;
        if reader.has("since") && reader.has("cursor") {
            return Err(QueryError::clash("since", "can't be combined with cursor"));
        }
        let paging = Paging::read(&mut reader, 20)?;
        let since = reader.stamp("since");
        reader.finish()?;
        Ok(Self { paging, types, since, anchor })
    }
}

fn read_anchor(reader: &mut QueryReader) -> Result<Option<Anchor>, QueryError> {
    let names = ["after", "before", "around"];
    let given: Vec<&str> = names.into_iter().filter(|name| reader.has(name)).collect();
    let (first, second) = match given.as_slice() {
        [] => return Ok(None),
        [one] => (*one, ["cursor", "since", "page", "page_size"].into_iter().find(|name| reader.has(name))),
        [one, other, ..] => (*one, Some(*other)),
    };
    if let Some(second) = second {
        return Err(QueryError::clash(first, &format!("can't be combined with {second}")));
    }
    Ok(reader.id(first).map(|message| match first {
        "after" => Anchor::After(message),
        "before" => Anchor::Before(message),
        _ => Anchor::Around(message),
    }))
}

fn read_types(reader: &mut QueryReader) -> Result<Option<TypeFilter>, QueryError> {
    let names = ["message_type", "message_types", "exclude_message_types"];
    let given: Vec<&str> = names.into_iter().filter(|name| reader.has(name)).collect();
    if let [one, other, ..] = given.as_slice() {
        return Err(QueryError::clash(one, &format!("can't be combined with {other}")));
    }
    let known = |word: &str| MyMessagesQuery::TYPES.into_iter().find(|kind| *kind == word);
    Ok(match given.first() {
        Some(&"message_type") => reader.word("message_type", known).map(|kind| TypeFilter::Only(vec![kind])),
        Some(&"message_types") => Some(TypeFilter::Only(reader.words("message_types", known))),
        Some(_) => Some(TypeFilter::Except(reader.words("exclude_message_types", known))),
        None => None,
    })
}

/// `GET /me/chats/{chat_id}/participants`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MyParticipantsQuery {
    /// Which page; 20 a page when nobody says.
    pub paging: Paging,
    /// `participant_type`: users or agents alone.
    pub kind: Option<SenderType>,
}

impl FromQuery for MyParticipantsQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let paging = Paging::read(&mut reader, 20)?;
        let kind = reader.word("participant_type", SenderType::parse);
        reader.finish()?;
        Ok(Self { paging, kind })
    }
}
