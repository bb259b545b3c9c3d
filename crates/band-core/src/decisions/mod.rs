//! Questions put to people in a room, whose answers come as ordinary messages.
//!
//! | An ask is | What happens | Then it is |
//! |---|---|---|
//! | – | it is registered, under a token of its own or under a key | open |
//! | open | somebody claims it: an answer, or its own timeout | claimed: nobody else can |
//! | open | withdrawn, evicted, replaced under its key, cancelled | gone |
//! | claimed | forgotten by its claimant, cancelled | gone; whoever claimed it still settles it |
//!
//! Every registration has a ticket: whoever holds an old one never acts on a newer ask with the same token.

mod registry;
mod senders;

pub use registry::{Cancelled, Claim, Registered, Registry};
pub use senders::Senders;
