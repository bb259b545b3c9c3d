//! One line of the table.

/// Who answers, in how many rooms, how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) sdk: Sdk,
    pub(crate) rooms: usize,
    pub(crate) messages: usize,
}

/// With which SDK the agent is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sdk {
    Ours,
    Python,
}

impl Case {
    /// From `SDK:ROOMS:MESSAGES`.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let mut parts = word.split(':');
        let sdk = match parts.next()? {
            "ours" => Sdk::Ours,
            "python" => Sdk::Python,
            _ => return None,
        };
        let rooms = parts.next()?.parse().ok().filter(|rooms| *rooms > 0)?;
        let messages = parts.next()?.parse().ok().filter(|messages| *messages >= rooms)?;
        Some(Self { sdk, rooms, messages })
    }
}
