//! Who has joined which topic.

use std::collections::BTreeMap;

use band_wire::phx::{Ref, Topic};

use super::ConnId;
use crate::platform::{Audience, Principal, Push};

/// One joined channel.
#[derive(Debug, Clone)]
pub(super) struct Subscription {
    pub(super) principal: Principal,
    /// What the client has sent with its join; every push to it carries this one.
    pub(super) join_ref: Option<Ref>,
}

/// All joined channels, by topic.
#[derive(Debug, Default)]
pub(super) struct Roster(BTreeMap<Topic, BTreeMap<ConnId, Subscription>>);

impl Roster {
    /// Joins, in place of an earlier join of the same socket, which is given back.
    pub(super) fn insert(&mut self, topic: Topic, conn: ConnId, sub: Subscription) -> Option<Subscription> {
        self.0.entry(topic).or_default().insert(conn, sub)
    }

    pub(super) fn get(&self, topic: Topic, conn: ConnId) -> Option<&Subscription> {
        self.0.get(&topic)?.get(&conn)
    }

    pub(super) fn remove(&mut self, topic: Topic, conn: ConnId) -> Option<Subscription> {
        let subscribers = self.0.get_mut(&topic)?;
        let removed = subscribers.remove(&conn);
        if subscribers.is_empty() {
            self.0.remove(&topic);
        }
        removed
    }

    pub(super) fn subscribers(&self, topic: Topic) -> impl Iterator<Item = (ConnId, &Subscription)> {
        self.0.get(&topic).into_iter().flatten().map(|(conn, sub)| (*conn, sub))
    }
}

/// Whether a push is for such a subscriber. An agent hears of no message that isn't for it.
pub(super) fn is_meant(push: &Push, who: Principal) -> bool {
    match (&push.audience, who) {
        (Audience::Everyone, _) | (Audience::Users | Audience::UsersAnd(_), Principal::User(_)) => true,
        (Audience::Users, Principal::Agent { .. }) => false,
        (Audience::UsersAnd(agents), Principal::Agent { id, .. }) => agents.contains(&id),
        (Audience::These(told), who) => told.contains(&who.participant()),
    }
}
