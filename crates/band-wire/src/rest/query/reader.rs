//! Takes the parameters of one query string apart.

use std::collections::BTreeMap;

use super::{FromQuery, QueryError};
use crate::Stamp;
use crate::id::{Id, Marker};
use crate::rest::Issues;

/// Hands parameters out and remembers what was wrong. [`QueryReader::finish`] reports the parameters that
/// nobody asked for.
#[derive(Debug, Default)]
pub struct QueryReader {
    values: BTreeMap<String, Vec<String>>,
    issues: Issues,
}

/// No parameter is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoQuery;

impl FromQuery for NoQuery {
    fn from_query(reader: QueryReader) -> Result<Self, QueryError> {
        reader.finish()?;
        Ok(Self)
    }
}

impl QueryReader {
    /// Starts from decoded pairs.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, value) in pairs {
            values.entry(name).or_default().push(value);
        }
        Self { values, issues: Issues::new() }
    }

    /// Whether the parameter is there.
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Notes an issue of a parameter.
    pub fn issue(&mut self, name: &str, text: impl Into<String>) {
        self.issues.add(format!("/{name}"), text);
    }

    /// A text.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let mut values = self.values.remove(name)?;
        if values.len() > 1 {
            self.issue(name, format!("Duplicate parameter: {name}"));
        }
        values.pop()
    }

    /// A UUID.
    pub fn id<M: Marker>(&mut self, name: &str) -> Option<Id<M>> {
        self.parse(name, "Invalid format. Expected :uuid", |text| text.parse().ok())
    }

    /// A whole number from 1 up; one above `most` counts as `most`.
    pub fn count(&mut self, name: &str, most: u64) -> Option<u64> {
        let text = "Invalid integer. Expected 1 or more";
        let read = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0);
        self.parse(name, text, read).map(|number| number.min(most))
    }

    /// `true` or `false`.
    pub fn flag(&mut self, name: &str) -> Option<bool> {
        self.parse(name, "Invalid boolean. Expected true or false", |text| text.parse().ok())
    }

    /// An ISO-8601 date-time.
    pub fn stamp(&mut self, name: &str) -> Option<Stamp> {
        self.parse(name, "Invalid format. Expected :date-time", |text| text.parse().ok())
    }

    /// One of a closed set.
    pub fn word<T>(&mut self, name: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.parse(name, "Invalid value for enum", read)
    }

    /// Several of a closed set: with commas between them, or the parameter repeated. No spaces.
    pub fn words<T>(&mut self, name: &str, read: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let values = self.values.remove(name).unwrap_or_default();
        let mut words = Vec::new();
        for (index, word) in values.iter().flat_map(|value| value.split(',')).enumerate() {
            match read(word) {
                Some(word) => words.push(word),
                None => self.issues.add(format!("/{name}/{index}"), "Invalid value for enum"),
            }
        }
        words
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// What was wrong, unknown parameters included.
    pub fn finish(mut self) -> Result<(), QueryError> {
        for name in std::mem::take(&mut self.values).into_keys() {
            self.issue(&name, format!("Unexpected field: {name}"));
        }
        if self.issues.is_empty() { Ok(()) } else { Err(QueryError::invalid(self.issues)) }
    }

    fn parse<T>(&mut self, name: &str, text: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let parsed = read(&self.text(name)?);
        if parsed.is_none() {
            self.issue(name, text);
        }
        parsed
    }
}
