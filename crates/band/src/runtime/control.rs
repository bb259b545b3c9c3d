//! Steering signals from people: which rooms they reach.

use std::collections::{BTreeSet, VecDeque};

use band_core::room::Control;
use band_wire::ChatId;
use band_wire::event::{AgentControl, ControlMode, ControlScope};

use super::Runtime;

/// Signals that are remembered, so that each is obeyed once.
const SEEN_MAX: usize = 256;

/// The signals obeyed lately, by their correlation ids.
#[derive(Debug, Default)]
pub(super) struct Seen {
    ids: BTreeSet<String>,
    order: VecDeque<String>,
}

impl Seen {
    /// Whether this is new. An empty id is always new.
    fn first(&mut self, id: &str) -> bool {
        if id.is_empty() {
            return true;
        }
        if !self.ids.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > SEEN_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

impl Runtime {
    pub(super) fn steered(&mut self, signal: &AgentControl) {
        let rooms: Vec<ChatId> = match (signal.room_id, signal.scope) {
            (Some(room), _) if self.rooms.has(room) => vec![room],
            (Some(room), _) => {
                tracing::info!(target: "band.control", %room, "a signal for a room that is not served");
                return;
            }
            (None, ControlScope::Agent) => self.rooms.all(),
            (None, _) => {
                tracing::warn!(target: "band.control", "a signal for one room that names none");
                return;
            }
        };
        // Only what reaches a room counts as obeyed.
        if rooms.is_empty() || !self.controls.first(&signal.correlation_id) {
            return;
        }
        let control = match signal.mode {
            ControlMode::Interrupt => Control::Interrupt,
            ControlMode::Stop => Control::Stop,
            ControlMode::Play => Control::Play,
        };
        for room in rooms {
            tracing::info!(target: "band.control", %room, ?control, "steered by a person");
            self.rooms.mail(room, |mailbox| mailbox.control(control));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_obeyed_once_unless_it_is_long_ago_or_has_no_id() {
        let mut seen = Seen::default();
        assert!(seen.first("") && seen.first(""));
        assert!(seen.first("0") && !seen.first("0"));
        for n in 1..=SEEN_MAX {
            assert!(seen.first(&n.to_string()));
        }
        assert!(seen.first("0"), "256 others came since");
    }
}
