//! What is remembered of contact events: which were handled, and who is behind a request.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use band_wire::event::{ContactRequestUpdate, Event};
use band_wire::rest::{ReceivedContactRequest, SentContactRequest};
use band_wire::{ContactId, ContactRequestId};

/// Events, and requests, that are remembered; of more, the oldest are forgotten.
pub const REMEMBERED: usize = 1_000;

/// What makes two events the same one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Received(ContactRequestId),
    Updated(ContactRequestId, String),
    Added(ContactId),
    Removed(ContactId),
}

impl Key {
    /// None for events that are about something else.
    pub(super) fn of(event: &Event) -> Option<Self> {
        Some(match event {
            Event::ContactRequestReceived(request) => Self::Received(request.id),
            Event::ContactRequestUpdated(ContactRequestUpdate { id, status }) => {
                Self::Updated(*id, status.clone())
            }
            Event::ContactAdded(contact) => Self::Added(contact.id),
            Event::ContactRemoved(contact) => Self::Removed(*contact),
            _ => return None,
        })
    }
}

/// The events that were handled lately.
#[derive(Debug, Default)]
pub(super) struct Handled {
    keys: BTreeSet<Key>,
    order: VecDeque<Key>,
}

impl Handled {
    pub(super) fn has(&self, key: &Key) -> bool {
        self.keys.contains(key)
    }

    pub(super) fn remember(&mut self, key: Key) {
        if !self.keys.insert(key.clone()) {
            return;
        }
        self.order.push_back(key);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.keys.remove(&oldest);
        }
    }
}

/// Which way a request went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The agent received it.
    From,
    /// The agent sent it.
    To,
}

/// Who is on the other side of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Details {
    pub(super) side: Side,
    pub(super) handle: Option<String>,
    pub(super) name: Option<String>,
}

impl From<&ReceivedContactRequest> for Details {
    fn from(request: &ReceivedContactRequest) -> Self {
        Self { side: Side::From, handle: request.from_handle.clone(), name: request.from_name.clone() }
    }
}

impl From<&SentContactRequest> for Details {
    fn from(request: &SentContactRequest) -> Self {
        Self { side: Side::To, handle: request.to_handle.clone(), name: request.to_name.clone() }
    }
}

/// The requests heard of lately.
#[derive(Debug, Default)]
pub(super) struct Requests {
    details: BTreeMap<ContactRequestId, Details>,
    order: VecDeque<ContactRequestId>,
}

impl Requests {
    pub(super) fn get(&self, request: ContactRequestId) -> Option<&Details> {
        self.details.get(&request)
    }

    pub(super) fn remember(&mut self, request: ContactRequestId, details: Details) {
        if self.details.insert(request, details).is_some() {
            return;
        }
        self.order.push_back(request);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.details.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_thousand_events_are_remembered_and_the_oldest_goes_first() {
        let key = |n: usize| Key::Removed(ContactId::new(Uuid::from_u128(n as u128)));
        let mut handled = Handled::default();
        for n in 0..=REMEMBERED {
            handled.remember(key(n));
            handled.remember(key(n));
        }
        assert!(!handled.has(&key(0)) && handled.has(&key(1)) && handled.has(&key(REMEMBERED)));
        assert_eq!((handled.keys.len(), handled.order.len()), (REMEMBERED, REMEMBERED));
    }

    #[test]
    fn a_thousand_requests_are_remembered_and_the_oldest_goes_first() {
        let id = |n: usize| ContactRequestId::new(Uuid::from_u128(n as u128));
        let details = Details { side: Side::From, handle: None, name: None };
        let mut requests = Requests::default();
        for n in 0..=REMEMBERED {
            requests.remember(id(n), details.clone());
            requests.remember(id(n), details.clone());
        }
        assert!(requests.get(id(0)).is_none() && requests.get(id(1)).is_some());
        assert_eq!((requests.details.len(), requests.order.len()), (REMEMBERED, REMEMBERED));
    }
}
