//! What somebody may have meant.

/// Letters that may be wrong for a word to be taken for another.
const SLIP: usize = 2;

/// ` Did you mean 'word'?` with the nearest of the known words, as the end of a message; empty when none is near.
/// Letter case does not count.
pub fn did_you_mean<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known = known.into_iter().filter(|word| *word != asked);
    let near = known.map(|word| (distance(word, asked), word)).filter(|(slips, _)| *slips <= SLIP);
    near.min().map(|(_, word)| format!(" Did you mean '{word}'?")).unwrap_or_default()
}

/// How many letters have to be added, left out or changed to get from one word to the other, in any case.
fn distance(one: &str, other: &str) -> usize {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in other.chars().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX - 1);
            let change = at(&row, j) + usize::from(a != b);
            next.push(change.min(at(&row, j + 1) + 1).min(at(&next, j) + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_changed_letters() {
        for (one, other, expected) in [("model", "modle", 2), ("", "ab", 2), ("Key", "key", 0), ("a", "b", 1)]
        {
            assert_eq!(distance(one, other), expected);
        }
    }

    #[test]
    fn two_letters_may_be_wrong_and_case_does_not_count() {
        let known = ["my_agent", "other"];
        for (asked, hint) in [
            ("my_agnet", " Did you mean 'my_agent'?"),
            ("MY_AGENT", " Did you mean 'my_agent'?"),
            ("othr", " Did you mean 'other'?"),
            ("my_a", ""),
            ("other", ""),
            ("", ""),
        ] {
            assert_eq!(did_you_mean(asked, known), hint, "{asked}");
        }
    }
}
