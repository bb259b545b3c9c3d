//! What a text has to show, and where it may be cut.

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

/// The longest start of a text that fits a number of bytes.
pub fn cut(text: &str, bytes: usize) -> &str {
    text.split_at_checked(text.floor_char_boundary(bytes)).map_or(text, |(start, _)| start)
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
        fn a_cut_fits_and_is_a_start(content in any::<String>(), bytes in 0usize..64) {
            let start = cut(&content, bytes);
            prop_assert!(start.len() <= bytes && content.starts_with(start));
        }
    }
}
