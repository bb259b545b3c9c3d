//! Points in time as the wire writes them.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time: ISO-8601, UTC, six digits of a second, `Z`: `2026-07-01T10:00:00.000000Z`.
///
/// Parsing takes any RFC 3339 timestamp, and one without an offset as UTC; finer digits than microseconds are
/// cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(Timestamp);

impl Stamp {
    /// From microseconds since the Unix epoch; out-of-range values are held at the ends.
    pub fn from_micros(micros: i64) -> Self {
        let held = if micros < 0 { Timestamp::MIN } else { Timestamp::MAX };
        Self(Timestamp::from_microsecond(micros).unwrap_or(held))
    }

    /// Microseconds since the Unix epoch.
    pub fn as_micros(self) -> i64 {
        self.0.as_microsecond()
    }
}

impl From<Timestamp> for Stamp {
    fn from(at: Timestamp) -> Self {
        Self::from_micros(at.as_microsecond())
    }
}

impl From<Stamp> for Timestamp {
    fn from(at: Stamp) -> Self {
        at.0
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.0)
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Stamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        let parsed = text.parse::<Timestamp>();
        let naive = || TimeZone::UTC.to_timestamp(text.parse::<DateTime>()?);
        parsed.or_else(|err| naive().map_err(|_| err)).map(Self::from)
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_written_with_six_digits_and_z() {
        assert_eq!(Stamp::from_micros(1_763_374_880_284_136).to_string(), "2025-11-17T10:21:20.284136Z");
        assert_eq!(Stamp::from_micros(0).to_string(), "1970-01-01T00:00:00.000000Z");
    }

    #[test]
    fn other_rfc_3339_forms_are_read() {
        let at: Stamp = "2026-07-01T12:00:00+02:00".parse().unwrap();
        assert_eq!(at.to_string(), "2026-07-01T10:00:00.000000Z");
        let at: Stamp = "2026-07-01T12:00:00.1234567".parse().unwrap();
        assert_eq!(at.to_string(), "2026-07-01T12:00:00.123456Z");
        assert!("yesterday".parse::<Stamp>().is_err());
    }
}
