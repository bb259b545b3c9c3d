//! What a turn took of a model.

use serde_json::{Map, Value, json};

/// Tokens that a turn took of a model, as its provider counts them. A count of reasoning belongs into the
/// output only where the provider leaves it out there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Read by the model.
    pub input_tokens: u64,
    /// Written by the model.
    pub output_tokens: u64,
    /// Of the input: read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Of the input: written to the provider's cache.
    pub cache_write_tokens: u64,
}

impl Usage {
    pub(crate) fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// The text of the event.
    pub(crate) fn content(self) -> String {
        format!("Token usage: input={} output={}", self.input_tokens, self.output_tokens)
    }

    /// The metadata of the event.
    pub(crate) fn metadata(self) -> Map<String, Value> {
        let counts = json!({
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cache_read_tokens": self.cache_read_tokens,
            "cache_write_tokens": self.cache_write_tokens,
        });
        Map::from_iter([("band_usage".to_owned(), counts)])
    }
}

/// Counts add up over the calls of a turn.
impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        for (sum, count) in [
            (&mut self.input_tokens, more.input_tokens),
            (&mut self.output_tokens, more.output_tokens),
            (&mut self.cache_read_tokens, more.cache_read_tokens),
            (&mut self.cache_write_tokens, more.cache_write_tokens),
        ] {
            *sum = sum.saturating_add(count);
        }
    }
}
