//! Closed sets of words, and what a client makes of a word that it does not know.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A closed set of words of the wire.
pub trait Word: Copy + 'static {
    /// All of them.
    const ALL: &'static [Self];

    /// The wire's word.
    fn as_str(self) -> &'static str;

    /// From the wire's word; case counts.
    fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == text)
    }
}

/// Makes an enum whose variants are words of the wire.
macro_rules! words {
    ($(
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }
    )+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The wire's word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// From the wire's word; case counts.
            pub fn parse(text: &str) -> Option<Self> {
                $crate::word::Word::parse(text)
            }
        }

        impl $crate::word::Word for $name {
            const ALL: &'static [Self] = Self::ALL;

            fn as_str(self) -> &'static str {
                self.as_str()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::word::read(deserializer)
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($word),+] })
            }
        }
    )+};
}

pub(crate) use words;

/// Reads one word of a closed set.
pub(crate) fn read<'de, W: Word, D: Deserializer<'de>>(deserializer: D) -> Result<W, D::Error> {
    let text = String::deserialize(deserializer)?;
    W::parse(&text).ok_or_else(|| {
        let words: Vec<_> = W::ALL.iter().map(|word| word.as_str()).collect();
        serde::de::Error::custom(format!("{text:?} is none of {}", words.join(", ")))
    })
}

/// A word as a client reads it: one that is known, or another one that a newer server sends. An unknown word
/// must not cost the whole body.
///
/// ```
/// use band_wire::Open;
/// use band_wire::rest::Role;
/// let role: Open<Role> = serde_json::from_str("\"owner\"")?;
/// assert_eq!(role, Role::Owner);
/// let role: Open<Role> = serde_json::from_str("\"janitor\"")?;
/// assert_eq!(role.known(), None);
/// assert_eq!(role.as_str(), "janitor");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Open<W> {
    /// One of the set.
    Known(W),
    /// Another word.
    Other(String),
}

impl<W: Word> Open<W> {
    /// From the wire's word.
    pub fn read(text: String) -> Self {
        W::parse(&text).map_or(Self::Other(text), Self::Known)
    }

    /// The word of the set, if it is one.
    pub const fn known(&self) -> Option<W> {
        match self {
            Self::Known(word) => Some(*word),
            Self::Other(_) => None,
        }
    }

    /// The wire's word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(word) => word.as_str(),
            Self::Other(text) => text,
        }
    }
}

impl<W> From<W> for Open<W> {
    fn from(word: W) -> Self {
        Self::Known(word)
    }
}

impl<W: Default> Default for Open<W> {
    fn default() -> Self {
        Self::Known(W::default())
    }
}

impl<W: PartialEq> PartialEq<W> for Open<W> {
    fn eq(&self, other: &W) -> bool {
        matches!(self, Self::Known(word) if word == other)
    }
}

impl<W: Word> fmt::Display for Open<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<W: Word> fmt::Debug for Open<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<W: Word> Serialize for Open<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de, W: Word> Deserialize<'de> for Open<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::read)
    }
}

#[cfg(test)]
mod tests {
    use crate::rest::{Role, SenderType};

    #[test]
    fn a_closed_set_names_its_words_when_refusing_one() {
        let err = serde_json::from_str::<Role>("\"boss\"").unwrap_err();
        assert_eq!(err.to_string(), "\"boss\" is none of member, admin, owner");
        assert_eq!(SenderType::parse("user"), None, "case counts");
    }
}
