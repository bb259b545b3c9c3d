//! What the agent is to be told of in a room besides its messages.

use std::collections::VecDeque;

/// Texts that wait. Of more, the oldest are forgotten.
const UPDATES_MAX: usize = 100;

/// Texts that the next turn is given. They wait until a turn has taken them; those that come meanwhile wait
/// for the turn after it.
#[derive(Debug, Default)]
pub struct Updates {
    waiting: VecDeque<String>,
    /// The number of the first one that waits.
    first: u64,
}

/// Up to which text a turn was given them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpTo(u64);

impl Updates {
    /// Adds a text.
    pub fn push(&mut self, text: String) {
        self.waiting.push_back(text);
        while self.waiting.len() > UPDATES_MAX {
            self.drop_first();
        }
    }

    /// All that wait, one a line; none when none does.
    pub fn peek(&self) -> Option<(String, UpTo)> {
        let upto = UpTo(self.first + self.waiting.len() as u64);
        let texts: Vec<&str> = self.waiting.iter().map(String::as_str).collect();
        (!texts.is_empty()).then(|| (texts.join("\n"), upto))
    }

    /// A turn has taken them.
    pub fn delivered(&mut self, upto: UpTo) {
        while self.first < upto.0 && !self.waiting.is_empty() {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        if self.waiting.pop_front().is_some() {
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrives_while_a_turn_runs_waits_for_the_next_one() {
        let mut updates = Updates::default();
        assert_eq!(updates.peek(), None);
        updates.push("a".to_owned());
        updates.push("b".to_owned());
        let (text, upto) = updates.peek().unwrap();
        assert_eq!(text, "a\nb");
        updates.push("c".to_owned());
        updates.delivered(upto);
        assert_eq!(updates.peek().unwrap().0, "c");
        updates.delivered(upto);
        assert_eq!(updates.peek().unwrap().0, "c", "once");
    }

    #[test]
    fn too_many_push_the_oldest_out_and_none_is_taken_for_another() {
        let mut updates = Updates::default();
        updates.push("old".to_owned());
        let (_, upto) = updates.peek().unwrap();
        for n in 0..UPDATES_MAX {
            updates.push(n.to_string());
        }
        updates.delivered(upto);
        assert!(updates.peek().unwrap().0.starts_with("0\n1\n"));
    }
}
