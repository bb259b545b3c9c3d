//! What may be wrong with a payload, in the texts that every client logs.

use std::fmt;

/// The kind of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IssueCode {
    /// A required key is absent.
    Missing,
    /// The JSON type is another one; null counts where null is not allowed.
    WrongType,
    /// A word outside a closed set, or an unknown event.
    InvalidValue,
}

impl IssueCode {
    /// The wire's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
            Self::InvalidValue => "invalid_value",
        }
    }
}

impl fmt::Display for IssueCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that is wrong with a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Where: `id`, `metadata.mentions[0].id`; empty for the whole payload, `event_type` for its name.
    pub path: String,
    /// The kind.
    pub code: IssueCode,
    /// For people.
    pub message: String,
}

impl Issue {
    pub(super) fn missing(path: String) -> Self {
        let message = format!("required field `{path}` is missing");
        Self { path, code: IssueCode::Missing, message }
    }

    /// `wanted` has its article: `a string`.
    pub(super) fn wrong_type(path: String, wanted: &str) -> Self {
        let message = format!("`{path}` must be {wanted}");
        Self { path, code: IssueCode::WrongType, message }
    }

    pub(super) fn outside(path: String, words: &[&str]) -> Self {
        let message = format!("`{path}` must be one of: {}", words.join(", "));
        Self { path, code: IssueCode::InvalidValue, message }
    }

    pub(super) fn no_object() -> Self {
        let message = "payload must be a JSON object".to_owned();
        Self { path: String::new(), code: IssueCode::WrongType, message }
    }

    pub(super) fn unknown_event(name: &str) -> Self {
        let message = format!("unknown event type `{name}`");
        Self { path: "event_type".to_owned(), code: IssueCode::InvalidValue, message }
    }
}

/// A payload that does not fit its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationError {
    /// Never empty; in the order of the rules.
    pub issues: Vec<Issue>,
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} validation issue(s)", self.issues.len())?;
        match self.issues.first() {
            Some(first) => write!(f, ": {} ({})", first.message, first.path),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ValidationError {}
