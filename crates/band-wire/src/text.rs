//! What a text has to show.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Whether at least one character is a letter, a number, a punctuation mark or a symbol. White space,
/// zero-width and direction marks, and combining marks on their own, are nothing to see.
pub fn has_visible(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(
            c.general_category_group(),
            GeneralCategoryGroup::Letter
                | GeneralCategoryGroup::Number
                | GeneralCategoryGroup::Punctuation
                | GeneralCategoryGroup::Symbol
        )
    })
}

/// Keeps both ends of a text that is longer than `most` characters; `mark` stands for what is cut out. What is
/// left has `most` characters, or the mark alone where that is longer.
///
/// ```
/// assert_eq!(band_wire::text::cut_middle("abcdefgh", 6, ".."), "ab..gh");
/// assert_eq!(band_wire::text::cut_middle("short", 6, ".."), "short");
/// ```
pub fn cut_middle(text: &str, most: usize, mark: &str) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(mark.chars().count());
    let head: String = text.chars().take(kept.div_ceil(2)).collect();
    let tail: String = text.chars().skip(count.saturating_sub(kept / 2)).collect();
    format!("{head}{mark}{tail}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blank_and_invisible_texts_have_nothing_to_see() {
        for text in [
            "",
            " ",
            "\n\t\r",
            "\u{a0}\u{3000}",
            "\u{200b}\u{200d}\u{feff}",
            "\u{202e}\u{2066}",
            "\u{301}\u{20dd}",
            "\u{0}\u{7f}",
        ] {
            assert!(!has_visible(text), "{text:?}");
        }
    }

    #[test]
    fn one_letter_number_mark_or_symbol_is_enough() {
        for text in ["a", " é ", "漢", "½", "٣", "?", "\u{200b}.", "€", "😀", "\u{301}x"] {
            assert!(has_visible(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_cut_has_the_length_that_was_asked_for_and_both_ends(
            content in any::<String>(), most in 3usize..64,
        ) {
            let cut = cut_middle(&content, most, "[.]");
            let count = content.chars().count();
            prop_assert_eq!(cut.chars().count(), count.min(most));
            if count > most {
                let half = (most - 3) / 2;
                let head: String = content.chars().take(half).collect();
                let tail: String = content.chars().skip(count - half).collect();
                prop_assert!(cut.starts_with(&head) && cut.ends_with(&tail) && cut.contains("[.]"));
            }
        }
    }
}
