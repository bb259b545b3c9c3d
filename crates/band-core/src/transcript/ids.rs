//! Ids of calls that are each used once.

use std::collections::BTreeSet;

use super::Transcript;
use super::entry::{Call, Entry};

impl Transcript {
    /// Gives each call that a model has just asked for an id that no other call of this conversation has: its
    /// own, unless that is empty or taken. Do it before anyone is shown the calls.
    pub fn admit(&self, calls: &mut [Call]) {
        give_ids(&mut self.ids(), calls.iter_mut());
    }

    /// The ids of all calls.
    fn ids(&self) -> BTreeSet<String> {
        let exchanges = self.entries.iter().filter_map(|entry| match entry {
            Entry::Exchange(exchange) => Some(exchange),
            Entry::Peer { .. } | Entry::Update { .. } | Entry::Own { .. } => None,
        });
        exchanges.flat_map(|exchange| exchange.calls().map(|one| one.call.id.clone())).collect()
    }

    /// Likewise for calls that are on their way in.
    pub(super) fn give_ids<'a>(&self, calls: impl Iterator<Item = &'a mut Call>) {
        give_ids(&mut self.ids(), calls);
    }
}

fn give_ids<'a>(used: &mut BTreeSet<String>, calls: impl Iterator<Item = &'a mut Call>) {
    for call in calls {
        call.id = fresh(used, &call.id);
        used.insert(call.id.clone());
    }
}

/// The id itself if it is free, or else with the first free number behind it.
fn fresh(used: &BTreeSet<String>, wanted: &str) -> String {
    let wanted = if wanted.is_empty() { "call" } else { wanted };
    if !used.contains(wanted) {
        return wanted.to_owned();
    }
    // Of one number more than there are ids, one is free.
    let mut numbered = (2..=used.len() + 2).map(|n| format!("{wanted}_{n}"));
    numbered.find(|id| !used.contains(id)).unwrap_or_default()
}
