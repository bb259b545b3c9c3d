//! What a push means for the link and its owner.

use std::time::Duration;

use band_wire::event::{Event, Supersede};
use band_wire::phx::Topic;
use serde_json::{Map, Value};

use crate::Moment;
use crate::trial::{self, Fault};

use super::super::event::{Disconnect, LinkEvent};
use super::super::limits::CLOSE_NORMAL;
use super::super::port::{Note, Output};
use super::super::stop::StopReason;
use super::LinkMachine;

impl LinkMachine {
    pub(super) fn push(&mut self, now: Moment, topic: Topic, name: &str, payload: Map<String, Value>) {
        match Event::read(topic, name, Value::Object(payload)) {
            Ok(Event::Supersede(supersede)) => self.superseded(now, supersede),
            Ok(event) => {
                if let Some(event) = for_owner(topic, event) {
                    self.events.push(event);
                }
            }
            Err(err) => {
                self.counters.invalid_events = self.counters.invalid_events.saturating_add(1);
                self.outputs.push_back(Output::Note(Note::Invalid { topic, error: Box::new(err) }));
            }
        }
    }

    /// Another connection of the agent took this one's place.
    fn superseded(&mut self, now: Moment, supersede: Supersede) {
        let Supersede { reason, message, retryable, retry_after, correlation_id, .. } = supersede;
        if !retryable && !trial::has(Fault::SupersedeIgnored) {
            let reason = StopReason::Superseded { reason, message, retryable, correlation_id };
            self.close_for_good(now, reason);
            return;
        }
        let retry_after = retry_after.and_then(|secs| u64::try_from(secs).ok()).map(Duration::from_secs);
        self.lose(now, Disconnect::Superseded { message, retry_after }, Some((CLOSE_NORMAL, "superseded")));
    }
}

/// The owner's event. None for what agents are never sent.
fn for_owner(topic: Topic, event: Event) -> Option<LinkEvent> {
    Some(match event {
        Event::MessageCreated(message) => LinkEvent::Message { room: topic.room()?, message },
        Event::RoomAdded(room) => LinkEvent::RoomAdded(Box::new(room)),
        Event::RoomRemoved(room) => LinkEvent::RoomRemoved(room.id),
        Event::RoomDeleted(_) => LinkEvent::RoomDeleted(topic.room()?),
        Event::ParticipantAdded(who) => {
            LinkEvent::ParticipantAdded { room: topic.room()?, participant: Box::new(who) }
        }
        Event::ParticipantRemoved(who) => {
            LinkEvent::ParticipantRemoved { room: topic.room()?, participant: Box::new(who) }
        }
        Event::Control(signal) => LinkEvent::Control(Box::new(signal)),
        Event::ContactRequestReceived(_)
        | Event::ContactRequestUpdated(_)
        | Event::ContactAdded(_)
        | Event::ContactRemoved(_) => LinkEvent::Contact(Box::new(event)),
        Event::MessageUpdated(_) | Event::EventCreated(_) | Event::Supersede(_) => return None,
    })
}
