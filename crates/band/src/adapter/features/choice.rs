//! Sets of things that can be chosen.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::BitOr;
use std::str::FromStr;

use crate::error::Error;

/// A kind of event by which an adapter tells people of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Emit {
    /// What the model calls, and what comes of it.
    ToolCalls,
    /// What the model thinks.
    Thoughts,
    /// How the work goes on.
    TaskEvents,
    /// What the work took of the model.
    Usage,
}

/// A group of tools beyond those that every room has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// What the agent remembers.
    Memory,
    /// Whom the agent knows.
    Contacts,
    /// Files of the room. Offered only where the platform serves them.
    Files,
    /// Tasks of the room and their board.
    Tasks,
}

/// A set of things that were chosen. Members of one kind combine with `|`; those of two kinds do not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choices<T>(BTreeSet<T>);

/// Kinds of events.
pub type Emits = Choices<Emit>;
/// Groups of tools.
pub type Capabilities = Choices<Capability>;

impl<T: Copy + Ord> Choices<T> {
    /// The empty set.
    pub const fn none() -> Self {
        Self(BTreeSet::new())
    }

    /// Whether one is in it.
    pub fn contains(&self, one: T) -> bool {
        self.0.contains(&one)
    }

    /// Whether nothing was chosen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All that is in it.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.0.iter().copied()
    }

    /// Takes one out. Says whether it was in.
    pub fn remove(&mut self, one: T) -> bool {
        self.0.remove(&one)
    }
}

impl<T: Copy + Ord + AsRef<str>> Choices<T> {
    /// The names, in alphabetical order.
    pub(super) fn names(&self) -> String {
        let mut names: Vec<String> = self.iter().map(|one| one.as_ref().to_owned()).collect();
        names.sort_unstable();
        names.join(", ")
    }
}

impl<T> Default for Choices<T> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<T: fmt::Debug> fmt::Debug for Choices<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.0).finish()
    }
}

impl<T: Ord> From<T> for Choices<T> {
    fn from(one: T) -> Self {
        Self(BTreeSet::from([one]))
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for Choices<T> {
    fn from(all: [T; N]) -> Self {
        Self(BTreeSet::from(all))
    }
}

impl<T: Ord> FromIterator<T> for Choices<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

impl<T: Ord> BitOr<T> for Choices<T> {
    type Output = Self;

    fn bitor(mut self, one: T) -> Self {
        self.0.insert(one);
        self
    }
}

impl<T: Ord> BitOr for Choices<T> {
    type Output = Self;

    fn bitor(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

/// The names of a kind of choice, both ways.
macro_rules! named {
    ($kind:ident { $($one:ident = $name:literal),* $(,)? }) => {
        impl AsRef<str> for $kind {
            fn as_ref(&self) -> &str {
                match self { $(Self::$one => $name),* }
            }
        }

        impl FromStr for $kind {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                match text {
                    $($name => Ok(Self::$one),)*
                    other => Err(Error::Config(format!(
                        "invalid {kind} value: '{other}' is not a valid {kind}", kind = stringify!($kind)
                    ))),
                }
            }
        }

        impl BitOr for $kind {
            type Output = Choices<Self>;

            fn bitor(self, other: Self) -> Choices<Self> {
                Choices::from([self, other])
            }
        }
    };
}

named!(Emit { ToolCalls = "tool_calls", Thoughts = "thoughts", TaskEvents = "task_events", Usage = "usage" });
named!(Capability { Memory = "memory", Contacts = "contacts", Files = "files", Tasks = "tasks" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike_and_unknown_ones_are_named() {
        for name in ["tool_calls", "thoughts", "task_events", "usage"] {
            assert_eq!(name.parse::<Emit>().unwrap().as_ref(), name);
        }
        for name in ["memory", "contacts", "files", "tasks"] {
            assert_eq!(name.parse::<Capability>().unwrap().as_ref(), name);
        }
        assert_eq!(
            "x".parse::<Emit>().unwrap_err().to_string(),
            "invalid Emit value: 'x' is not a valid Emit"
        );
        let err = "Files".parse::<Capability>().unwrap_err().to_string();
        assert_eq!(err, "invalid Capability value: 'Files' is not a valid Capability");
    }
}
