//! What the hub knows of one socket.

use std::collections::{BTreeMap, BTreeSet};

use band_wire::phx::{Frame, Topic};

use super::Ticket;
use crate::platform::Principal;

/// One socket.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) principal: Principal,
    pub(super) standing: Standing,
    /// The topics it has in the roster.
    pub(super) joined: BTreeSet<Topic>,
    /// Channels that wait for an answer of the store.
    pub(super) held: BTreeMap<Topic, Held>,
}

/// Where a socket stands among those of its agent. Those of people are settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It may be a probe: older sockets keep going.
    Waiting,
    /// It has taken its agent's seat.
    Settled,
    /// A newer one has.
    Superseded,
}

/// The requests on a channel since the store was asked about it, oldest first.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) ticket: Ticket,
    pub(super) requests: Vec<Frame>,
}

impl Connection {
    pub(super) fn new(principal: Principal, standing: Standing) -> Self {
        Self { principal, standing, joined: BTreeSet::new(), held: BTreeMap::new() }
    }
}
