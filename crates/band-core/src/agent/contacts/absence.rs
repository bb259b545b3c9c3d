//! Who came and went while nobody listened: the list of contacts against the one before.

use std::collections::BTreeSet;

use band_wire::ContactId;
use band_wire::event::{ContactRecord, Event};
use band_wire::rest::AgentContact;

/// The contacts as they were known last. The first list only says who they are: what happened before this process
/// began is not told.
#[derive(Debug, Default)]
pub(super) struct Absence {
    known: Option<BTreeSet<ContactId>>,
    /// Contacts of whom something was heard while the list was read: it may be older than that.
    newer: BTreeSet<ContactId>,
    listing: bool,
    again: bool,
}

impl Absence {
    /// The list is wanted; whether it is to be asked for now, or is under way and will be asked for again.
    pub(super) fn ask(&mut self) -> bool {
        if std::mem::replace(&mut self.listing, true) {
            self.again = true;
            return false;
        }
        self.newer.clear();
        true
    }

    /// Notes what a push has told.
    pub(super) fn heard(&mut self, event: &Event) {
        let (id, is_contact) = match event {
            Event::ContactAdded(contact) => (contact.id, true),
            Event::ContactRemoved(contact) => (*contact, false),
            _ => return,
        };
        if self.listing {
            self.newer.insert(id);
        }
        if let Some(known) = &mut self.known {
            match is_contact {
                true => known.insert(id),
                false => known.remove(&id),
            };
        }
    }

    /// What happened meanwhile, as pushes would have told it; and whether the list is wanted again. None in place of a
    /// list that is too long to be read: who came or went can't be told from it.
    pub(super) fn listed(&mut self, found: Option<Vec<AgentContact>>) -> (Vec<Event>, bool) {
        let again = self.over();
        let Some(found) = found else {
            self.known = None;
            return (Vec::new(), again);
        };
        let now: BTreeSet<ContactId> = found.iter().map(|contact| contact.id).collect();
        let Some(known) = &mut self.known else {
            self.known = Some(now);
            return (Vec::new(), again);
        };
        let is_news = |id: &ContactId| !self.newer.contains(id);
        let gone: Vec<ContactId> = known.difference(&now).copied().filter(is_news).collect();
        let came = found.into_iter().filter(|contact| is_news(&contact.id) && !known.contains(&contact.id));
        let events = gone.iter().copied().map(Event::ContactRemoved);
        let events: Vec<Event> = events.chain(came.map(|it| Event::ContactAdded(record(it)))).collect();
        for id in &gone {
            known.remove(id);
        }
        known.extend(now.into_iter().filter(is_news));
        (events, again)
    }

    /// The request is over; whether it is wanted again.
    pub(super) const fn over(&mut self) -> bool {
        self.listing = false;
        std::mem::replace(&mut self.again, false)
    }
}

/// A listed contact as the push that told of it.
fn record(contact: AgentContact) -> ContactRecord {
    ContactRecord {
        id: contact.id,
        handle: contact.handle,
        name: contact.name,
        kind: contact.kind.as_str().to_owned(),
        description: contact.description,
        is_external: contact.is_external,
        listed_in_directory: contact.listed_in_directory,
        tags: contact.tags.unwrap_or_default().into_iter().map(Into::into).collect(),
        inserted_at: Some(contact.inserted_at),
    }
}
