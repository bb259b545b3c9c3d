//! Queries of contacts and their requests.

use super::{FromQuery, OffsetQuery, QueryError, QueryReader};
use crate::rest::ContactRequestStatus;

/// `GET /agent/contacts`, `GET /me/contacts`, `GET /me/contacts/requests`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContactsQuery {
    /// Which page.
    pub page: OffsetQuery,
}

impl FromQuery for ContactsQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let page = OffsetQuery::read(&mut reader);
        reader.finish()?;
        Ok(Self { page })
    }
}

/// Which of the requests that someone sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentFilter {
    /// All of them.
    All,
    /// Those that stand there.
    Only(ContactRequestStatus),
}

impl SentFilter {
    /// From the wire's word. What the platform ended can't be asked for alone.
    pub fn parse(text: &str) -> Option<Self> {
        match ContactRequestStatus::parse(text) {
            Some(ContactRequestStatus::Expired) => None,
            Some(status) => Some(Self::Only(status)),
            None => (text == "all").then_some(Self::All),
        }
    }

    /// The one status, if it is one.
    pub const fn status(self) -> Option<ContactRequestStatus> {
        match self {
            Self::All => None,
            Self::Only(status) => Some(status),
        }
    }
}

/// `GET /agent/contacts/requests`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentContactRequestsQuery {
    /// Which page, of each direction.
    pub page: OffsetQuery,
    /// `sent_status`: pending when absent. What was received is always pending.
    pub sent: SentFilter,
}

impl FromQuery for AgentContactRequestsQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let page = OffsetQuery::read(&mut reader);
        let sent = reader.word("sent_status", SentFilter::parse);
        reader.finish()?;
        Ok(Self { page, sent: sent.unwrap_or(SentFilter::Only(ContactRequestStatus::Pending)) })
    }
}

/// `GET /me/contacts/requests/sent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentContactRequestsQuery {
    /// Which page.
    pub page: OffsetQuery,
    /// `status`: all when absent.
    pub status: SentFilter,
}

impl FromQuery for SentContactRequestsQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let page = OffsetQuery::read(&mut reader);
        let status = reader.word("status", SentFilter::parse);
        reader.finish()?;
        Ok(Self { page, status: status.unwrap_or(SentFilter::All) })
    }
}
