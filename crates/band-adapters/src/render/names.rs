//! Ids and names of tools within the letters that a provider takes.

use std::collections::BTreeSet;

/// Gives each call an id of letters, digits, `_` and `-`, of a bounded length, each once.
#[derive(Debug)]
pub(super) struct Ids {
    used: BTreeSet<String>,
    most: usize,
}

impl Ids {
    /// Ids of so many characters at most: ten or more.
    pub(super) const fn new(most: usize) -> Self {
        Self { used: BTreeSet::new(), most }
    }

    /// The id for a call: its own if that fits and is not taken.
    pub(super) fn give(&mut self, id: &str) -> String {
        let plain = plain(id, self.most, "call");
        let numbered = (2..).map(|n| {
            let end = format!("_{n}");
            let head: String = plain.chars().take(self.most.saturating_sub(end.len())).collect();
            format!("{head}{end}")
        });
        let mut all = std::iter::once(plain.clone()).chain(numbered);
        let free = all.find(|id| !self.used.contains(id)).unwrap_or_default();
        self.used.insert(free.clone());
        free
    }
}

/// A name of letters, digits, `_` and `-` only, of a bounded length, that does not begin with a digit or `-`.
pub(super) fn tool_name(name: &str, most: usize) -> String {
    let name = plain(name, most.saturating_sub(1), "tool");
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { name } else { format!("_{name}") }
}

fn plain(text: &str, most: usize, otherwise: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let plain: String = text.chars().take(most).map(fits).collect();
    if plain.is_empty() { otherwise.to_owned() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_fit_and_are_each_given_once() {
        let mut ids = Ids::new(12);
        let given: Vec<String> = ["call_1", "call_1", "a b", "a.b", "", "0123456789abcdef", "0123456789abXY"]
            .map(|id| ids.give(id))
            .into();
        assert_eq!(given, ["call_1", "call_1_2", "a_b", "a_b_2", "call", "0123456789ab", "0123456789_2"]);
    }

    #[test]
    fn names_fit_whatever_a_room_has_seen() {
        for (name, fits) in [
            ("band_send_message", "band_send_message"),
            ("mcp__band__x", "mcp__band__x"),
            ("my tool.v2", "my_tool_v2"),
            ("2fast", "_2fast"),
            ("-x", "_-x"),
            ("", "tool"),
            ("ü", "_"),
        ] {
            assert_eq!(tool_name(name, 64), fits);
        }
        assert!(tool_name(&"1".repeat(100), 64).len() <= 64);
    }
}
