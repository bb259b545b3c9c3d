//! The Agent API over HTTP.
//!
//! | Failure | Repeatable calls | Sends with a key | Sends without a key | Activity, `me` |
//! |---|---|---|---|---|
//! | 408, 5xx | 3 more attempts | 3 more | – | – |
//! | 409 | – | – | – | – |
//! | 429 | 3 more | 3 more | 3 more | – |
//! | not connected | for 30 s | for 30 s | for 30 s | – |
//! | broken off, no answer in time | for 30 s | for 30 s | – | – |
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
mod gate;
mod mark;
mod rate;
mod retry;
mod transport;

pub use calls::{ContextQuery, MessagesQuery};
pub use client::RestClient;
pub use config::RestConfig;
pub use gate::Gates;
pub use mark::Mark;
pub use transport::{Carried, HttpPool, Lost, Transport};

pub(crate) use config::{BAD_PORT, bare, has_bad_port, shown};

#[cfg(test)]
mod tests;
