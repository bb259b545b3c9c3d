//! Takes typed fields out of a payload that has passed its rules.

use serde_json::{Map, Value};

use super::issue::{Issue, ValidationError};
use crate::id::Marker;
use crate::phx::Topic;
use crate::word::Word;
use crate::{Id, Stamp};

/// Why a pushed event can't be used. The client drops such an event; its connection stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// The payload does not fit the event, or nobody knows the event.
    #[error("event {event:?}: {source}")]
    Invalid {
        /// The event's name, as it came.
        event: String,
        /// All issues.
        source: ValidationError,
    },
    /// A field that names something is no UUID.
    #[error("event {event:?}: `{field}` must be a UUID, got {value:?}")]
    BadId {
        /// The event's name.
        event: String,
        /// The field.
        field: &'static str,
        /// Its value, cut after 80 characters.
        value: String,
    },
    /// The event came on a topic that never carries it.
    #[error("event {event:?} does not belong to topic {topic}")]
    WrongTopic {
        /// The event's name.
        event: String,
        /// The topic.
        topic: Topic,
    },
}

/// The fields of a payload, taken out one by one.
pub(super) struct Fields<'a> {
    event: &'a str,
    map: Map<String, Value>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(event: &'a str, payload: Value) -> Self {
        let map = match payload {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        Self { event, map }
    }

    /// A string that the rules require; empty where they do not.
    pub(super) fn text(&mut self, field: &str) -> String {
        self.opt_text(field).unwrap_or_default()
    }

    pub(super) fn opt_text(&mut self, field: &str) -> Option<String> {
        match self.map.remove(field)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn flag(&self, field: &str) -> Option<bool> {
        self.map.get(field)?.as_bool()
    }

    pub(super) fn integer(&self, field: &str) -> Option<i64> {
        self.map.get(field)?.as_i64()
    }

    /// A point in time. The rules take any string here, so one that can't be read is none.
    pub(super) fn stamp(&self, field: &str) -> Option<Stamp> {
        self.map.get(field)?.as_str()?.parse().ok()
    }

    pub(super) fn object(&mut self, field: &str) -> Map<String, Value> {
        match self.map.remove(field) {
            Some(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }

    pub(super) fn list(&mut self, field: &str) -> Vec<Value> {
        match self.map.remove(field) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        }
    }

    pub(super) fn id<M: Marker>(&mut self, field: &'static str) -> Result<Id<M>, EventError> {
        let text = self.text(field);
        self.parse_id(field, &text)
    }

    pub(super) fn opt_id<M: Marker>(&mut self, field: &'static str) -> Result<Option<Id<M>>, EventError> {
        let Some(text) = self.opt_text(field) else { return Ok(None) };
        self.parse_id(field, &text).map(Some)
    }

    pub(super) fn word<W: Word>(&mut self, field: &str) -> Result<W, EventError> {
        W::parse(&self.text(field)).ok_or_else(|| {
            let words: Vec<_> = W::ALL.iter().map(|word| word.as_str()).collect();
            let issues = vec![Issue::outside(field.to_owned(), &words)];
            EventError::Invalid { event: self.event.to_owned(), source: ValidationError { issues } }
        })
    }

    /// What is left.
    pub(super) fn rest(self) -> Map<String, Value> {
        self.map
    }

    fn parse_id<M: Marker>(&self, field: &'static str, text: &str) -> Result<Id<M>, EventError> {
        text.parse().map_err(|_| EventError::BadId {
            event: self.event.to_owned(),
            field,
            value: text.chars().take(80).collect(),
        })
    }
}
