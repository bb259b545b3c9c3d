//! What a text has to show, and where it may be cut.

pub use band_wire::text::has_visible;

/// The longest start of a text that fits a number of bytes.
pub fn cut(text: &str, bytes: usize) -> &str {
    text.split_at_checked(text.floor_char_boundary(bytes)).map_or(text, |(start, _)| start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cut_fits_and_is_a_start(content in any::<String>(), bytes in 0usize..64) {
            let start = cut(&content, bytes);
            prop_assert!(start.len() <= bytes && content.starts_with(start));
        }
    }
}
