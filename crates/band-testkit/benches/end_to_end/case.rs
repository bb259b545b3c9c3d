//! One line of the table.

use band_testkit::contender::Contender;

/// Who answers, in how many rooms, how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) sdk: Contender,
    pub(crate) rooms: usize,
    pub(crate) messages: usize,
}

impl Case {
    /// From `SDK:ROOMS:MESSAGES`.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let mut parts = word.split(':');
        let sdk = Contender::parse(parts.next()?)?;
        let rooms = parts.next()?.parse().ok().filter(|rooms| *rooms > 0)?;
        let messages = parts.next()?.parse().ok().filter(|messages| *messages >= rooms)?;
        Some(Self { sdk, rooms, messages })
    }
}
