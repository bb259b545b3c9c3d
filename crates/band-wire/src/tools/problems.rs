//! What is wrong with the arguments of a call.

use std::fmt;

use crate::text::cut_middle;

/// Characters of the text about wrong arguments at most: a model that writes a megabyte of them must not get a
/// megabyte back.
pub const MAX_PROBLEM_TEXT: usize = 800;

/// What is wrong with the arguments of a call: place and text of each problem, in the order of the fields. The
/// place of what concerns all of them is `arguments`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems(Vec<(String, String)>);

impl Problems {
    /// The place of what concerns all arguments together.
    pub const WHOLE: &'static str = "arguments";

    /// Nothing is wrong.
    pub fn new() -> Self {
        Self::default()
    }

    /// One problem.
    pub fn one(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self(vec![(place.into(), text.into())])
    }

    /// Notes one. `place` is the path to it: `mentions.0`.
    pub fn note(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.0.push((place.into(), text.into()));
    }

    /// Notes that a value breaks a rule.
    pub fn broken(&mut self, place: impl Into<String>, rule: impl fmt::Display) {
        self.note(place, format!("Value error, {rule}"));
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Place and text of each.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(place, text)| (place.as_str(), text.as_str()))
    }

    /// Fine if nothing is wrong.
    pub(super) fn or<T>(self, read: T) -> Result<T, Self> {
        if self.is_empty() { Ok(read) } else { Err(self) }
    }

    /// The text for the model that called.
    pub fn told(&self, tool: &str) -> String {
        let text = format!("Invalid arguments for {tool}: {self}");
        cut_middle(&text, MAX_PROBLEM_TEXT, "... [truncated] ...")
    }
}

/// `place: text`, with commas between.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (place, text)) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{place}: {text}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_for_the_model_is_bounded() {
        let mut problems = Problems::new();
        for at in 0..10_000 {
            problems.note(format!("mentions.{at}"), "Input should be a valid string");
        }
        let text = problems.told("band_send_message");
        assert_eq!(text.chars().count(), MAX_PROBLEM_TEXT);
        assert!(text.starts_with("Invalid arguments for band_send_message: mentions.0: "), "{text}");
        assert!(text.ends_with("mentions.9999: Input should be a valid string"), "{text}");
    }
}
