//! What an agent left for itself in the metadata of its task events: the session at a provider, for example.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Metadata of events that tell of usage: never anybody's state.
const USAGE: &str = "band_usage";

/// A task event of a room's past.
#[derive(Debug, Clone, Copy)]
pub struct TaskEvent<'a> {
    /// Whether the agent wrote it itself.
    pub is_own: bool,
    /// `task`, or it is none.
    pub message_type: &'a str,
    /// What was left.
    pub metadata: &'a Map<String, Value>,
}

/// Reads the newest state that the agent left under a key; `events` are oldest first. What others wrote, what
/// tells of usage, and what does not read as a `T` is passed over.
pub fn latest_task_metadata<'a, T: DeserializeOwned>(
    events: impl DoubleEndedIterator<Item = TaskEvent<'a>>,
    key: &str,
) -> Option<T> {
    let own = events.rev().filter(|event| event.is_own && event.message_type == "task");
    let state = own.filter(|event| !event.metadata.contains_key(USAGE));
    let mut values = state.filter_map(|event| event.metadata.get(key));
    values.find_map(|value| T::deserialize(value).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn latest<T: DeserializeOwned>(events: &[(bool, &str, Value)], key: &str) -> Option<T> {
        let maps: Vec<_> = events
            .iter()
            .map(|(own, kind, metadata)| (*own, *kind, metadata.as_object().cloned().unwrap_or_default()))
            .collect();
        let events = maps.iter().map(|(is_own, message_type, metadata)| TaskEvent {
            is_own: *is_own,
            message_type,
            metadata,
        });
        latest_task_metadata(events, key)
    }

    #[test]
    fn the_newest_state_of_ones_own_is_read_and_everything_else_passed_over() {
        let events = [
            (true, "task", json!({ "session": "s1" })),
            (true, "task", json!({ "session": "s2" })),
            (true, "task", json!({ "session": null })),
            (true, "task", json!({ "session": 7 })),
            (true, "task", json!({ "session": "usage", "band_usage": {} })),
            (false, "task", json!({ "session": "theirs" })),
            (true, "thought", json!({ "session": "thought" })),
            (true, "task", json!({ "other": "x" })),
            (true, "task", json!(null)),
        ];
        assert_eq!(latest::<String>(&events, "session").as_deref(), Some("s2"));
        assert_eq!(latest::<u8>(&events, "session"), Some(7));
        assert_eq!(latest::<String>(&events, "nothing"), None);
        assert_eq!(latest::<String>(&[], "session"), None);
    }
}
