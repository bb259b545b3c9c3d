//! Queries of the Agent API.

use super::{FromQuery, OffsetQuery, Order, Paging, QueryError, QueryReader};
use crate::ChatId;
use crate::rest::DeliveryStatus;

/// `GET /agent/chats`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentChatsQuery {
    /// Which page.
    pub page: OffsetQuery,
    /// `include=participants`.
    pub participants: bool,
}

impl FromQuery for AgentChatsQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let page = OffsetQuery::read(&mut reader);
        let include = reader.words("include", |word| (word == "participants").then_some(()));
        reader.finish()?;
        Ok(Self { page, participants: !include.is_empty() })
    }
}

/// `GET /agent/peers`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentPeersQuery {
    /// Which page.
    pub page: OffsetQuery,
    /// Leave out who is in this room.
    pub not_in_chat: Option<ChatId>,
}

impl FromQuery for AgentPeersQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let page = OffsetQuery::read(&mut reader);
        let not_in_chat = reader.id("not_in_chat");
        reader.finish()?;
        Ok(Self { page, not_in_chat })
    }
}

/// Which of an agent's messages, by where they stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StatusFilter {
    /// All that are not processed: no `status` was given.
    #[default]
    Open,
    /// Never marked, delivered, or failed with no attempt running.
    Pending,
    /// An attempt is open.
    Processing,
    /// Done.
    Processed,
    /// The last attempt failed.
    Failed,
    /// All of them.
    All,
}

impl StatusFilter {
    /// From the wire's word.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "pending" => Some(Self::Pending),
            "all" => Some(Self::All),
            _ => match DeliveryStatus::parse(text)? {
                DeliveryStatus::Processing => Some(Self::Processing),
                DeliveryStatus::Processed => Some(Self::Processed),
                DeliveryStatus::Failed => Some(Self::Failed),
                DeliveryStatus::Delivered => None,
            },
        }
    }

    /// The wire's word; none when no filter was given.
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Open => None,
            Self::Pending => Some("pending"),
            Self::Processing => Some("processing"),
            Self::Processed => Some("processed"),
            Self::Failed => Some("failed"),
            Self::All => Some("all"),
        }
    }
}

/// `GET /agent/chats/{chat_id}/messages`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentMessagesQuery {
    /// Which page; 20 a page when nobody says.
    pub paging: Paging,
    /// Which messages.
    pub status: StatusFilter,
    /// Oldest first when absent; newest first only by cursor.
    pub order: Order,
}

impl FromQuery for AgentMessagesQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let paging = Paging::read(&mut reader, 20)?;
        let status = reader.word("status", StatusFilter::parse).unwrap_or_default();
        let order = reader.word("sort_order", Order::parse).unwrap_or(Order::Asc);
        reader.finish()?;
        by_cursor(&paging, order)?;
        Ok(Self { paging, status, order })
    }
}

/// `GET /agent/chats/{chat_id}/context`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextQuery {
    /// Which page; 50 a page when nobody says.
    pub paging: Paging,
    /// `sort_order`, an addition of ours: oldest first when absent, newest first only by cursor.
    pub order: Order,
}

impl FromQuery for ContextQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let paging = Paging::read(&mut reader, 50)?;
        let order = reader.word("sort_order", Order::parse).unwrap_or(Order::Asc);
        reader.finish()?;
        by_cursor(&paging, order)?;
        Ok(Self { paging, order })
    }
}

fn by_cursor(paging: &Paging, order: Order) -> Result<(), QueryError> {
    if paging.is_offset() && order == Order::Desc {
        return Err(QueryError::clash("sort_order", "desc can't be combined with page or page_size"));
    }
    Ok(())
}
