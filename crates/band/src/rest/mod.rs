//! The Agent API over HTTP.
//!
//! | Failure | Repeatable calls | Sends with a key | Sends without a key | Activity, `me` |
//! |---|---|---|---|---|
//! | 408, 5xx | 3 more attempts | for 5 min | – | – |
//! | 503 that says when to come back | 3 more | for 5 min | for 5 min | – |
//! | 409 | – | – | – | – |
//! | 429 | 3 more | for 5 min | for 5 min | – |
//! | 200 with no JSON | 3 more | for 5 min | – | – |
//! | 200 with other JSON | 3 more | 3 more | – | – |
//! | not connected | for 30 s | for 5 min | for 5 min | – |
//! | broken off, no answer in time | for 30 s | for 5 min | – | – |
//!
//! A send is a message, or an event that tells of an error: it is tried for longer, since nobody else says it again.
//! Other events, and rooms or participants that are to be made, are tried as repeatable calls are where they have a
//! key, and as sends without one for those 30 s and 3 attempts where they have none.
//!
//! A key is worth something where the platform honours it, which `me` tells; everywhere else a send counts as one
//! without a key, and one of which nobody knows what became of it is told as [`Unconfirmed`](crate::Error::Unconfirmed).
//!
//! A `Retry-After` is obeyed in full by the call that got it, in whichever form it comes. That of a 429 counts for
//! the platform as a whole: no client of it in this process starts a call before, and then they start one after
//! another ([`rate`]). A 503 may be about one route, so the others go on.

mod answer;
mod calls;
mod client;
mod config;
mod contacts;
mod files;
mod gate;
mod mark;
mod memories;
mod person;
mod rate;
mod retry;
mod tasks;
mod transport;
mod waiting;

pub use calls::{ContextQuery, MessagesQuery};
pub use client::RestClient;
pub use config::RestConfig;
pub use gate::Gates;
pub use mark::Mark;
pub use transport::{Carried, HttpPool, Lost, Transport};

pub(crate) use config::{BAD_PORT, bare, has_bad_port, is_loopback, shown};
pub(crate) use person::Query;
#[cfg(feature = "otel")]
pub(crate) use transport::read;

/// How long a server wants to be left alone, from the headers of its answer: `retry-after-ms`, or `Retry-After` in
/// seconds or as an HTTP date, or `X-RateLimit-Reset` in Unix seconds. For adapters that talk to servers of their own.
pub fn retry_after(headers: &http::HeaderMap) -> Option<std::time::Duration> {
    crate::retry_after::read(headers, jiff::Timestamp::now())
}

#[cfg(test)]
mod tests;
