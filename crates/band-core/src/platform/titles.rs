//! Room titles.

use super::normalise::without_tokens;

/// The longest title, in characters.
pub const MAX_TITLE: usize = 120;

/// What a room is called until its first message.
pub const DEFAULT_TITLE: &str = "New room";

/// A title from the first message: one line, without mentions, at most [`MAX_TITLE`] characters. None when
/// nothing is left.
pub fn derived(content: &str) -> Option<String> {
    let plain = without_tokens(content);
    let mut title = String::new();
    let mut count = 0;
    for word in plain.split_whitespace() {
        let length = word.chars().count() + usize::from(!title.is_empty());
        if count + length > MAX_TITLE {
            if title.is_empty() {
                title.extend(word.chars().filter(|c| !c.is_control()).take(MAX_TITLE));
            }
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.extend(word.chars().filter(|c| !c.is_control()));
        count += length;
    }
    super::text::has_visible(&title).then_some(title)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_message_gives_the_title() {
        let token = "@[[00000000-0000-0000-0000-000000000002]]";
        let table = [
            (format!("{token} book a\n table\u{0} "), Some("book a table")),
            (token.to_owned(), None),
            ("\u{200b} \n".to_owned(), None),
        ];
        for (content, wanted) in table {
            assert_eq!(derived(&content).as_deref(), wanted, "{content:?}");
        }
    }

    #[test]
    fn a_long_message_is_cut_at_a_word() {
        let title = derived(&"four ".repeat(100)).unwrap();
        assert_eq!(title.chars().count(), 119);
        assert!(title.ends_with("four"));
        assert_eq!(derived(&"é".repeat(500)).unwrap().chars().count(), MAX_TITLE);
    }

    proptest! {
        #[test]
        fn a_title_is_one_short_line(content in any::<String>()) {
            if let Some(title) = derived(&content) {
                prop_assert!(!title.is_empty() && title.chars().count() <= MAX_TITLE);
                prop_assert!(!title.contains(['\n', '\r', '\0']));
            }
        }
    }
}
