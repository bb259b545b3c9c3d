//! A failure that an adapter reports itself.

use serde_json::{Map, Value, json};

/// What an adapter tells the room about its own failure: an `error` event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentFailure {
    /// Who failed: `openai`, `anthropic`, …
    pub provider: String,
    /// For people in the room. Says nothing that may not be public.
    pub message: String,
    /// The provider's own code, an HTTP status for example.
    pub code: Option<String>,
    /// More, for whoever looks into it.
    pub detail: Option<String>,
}

impl AgentFailure {
    /// A failure of a provider.
    pub fn new(provider: impl Into<String>, message: impl Into<String>) -> Self {
        Self { provider: provider.into(), message: message.into(), code: None, detail: None }
    }

    /// With the provider's code.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// With more detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The text of the event.
    pub(crate) fn content(&self) -> String {
        match self.message.trim() {
            "" => format!("{} failed without an error message.", self.provider),
            message => message.to_owned(),
        }
    }

    /// The metadata of the event: all four keys, null where there is nothing.
    pub(crate) fn metadata(&self) -> Map<String, Value> {
        let failure = json!({
            "provider": self.provider,
            "code": self.code,
            "message": self.message,
            "detail": self.detail,
        });
        Map::from_iter([("failure".to_owned(), failure)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_without_a_text_still_names_its_provider() {
        assert_eq!(AgentFailure::new("openai", " ").content(), "openai failed without an error message.");
        let failure = AgentFailure::new("openai", "no quota").code("429");
        assert_eq!(failure.content(), "no quota");
        assert_eq!(
            Value::Object(failure.metadata()),
            json!({"failure": {"provider": "openai", "code": "429", "message": "no quota", "detail": null}})
        );
    }
}
