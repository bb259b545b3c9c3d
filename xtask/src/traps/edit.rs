//! Finding and changing one place of a text.

use std::ops::Range;

/// Where a fragment stands. One line of it may stand anywhere in a line; several lines stand for whole lines,
/// at whatever indentation.
pub(super) fn places(text: &str, fragment: &str) -> Vec<Range<usize>> {
    let wanted: Vec<&str> = fragment.lines().collect();
    match wanted.as_slice() {
        [] => Vec::new(),
        [line] => text.match_indices(line).map(|(at, found)| at..at + found.len()).collect(),
        [first, ..] => {
            let lines: Vec<(usize, &str)> = lines(text).collect();
            lines.windows(wanted.len()).filter_map(|window| whole(window, first, &wanted)).collect()
        }
    }
}

/// The text with what stands at a place replaced, at the same indentation.
pub(super) fn replaced(text: &str, place: &Range<usize>, fragment: &str) -> String {
    let head = text.get(..place.start).unwrap_or_default();
    let tail = text.get(place.end..).unwrap_or_default();
    let indent = head.rsplit('\n').next().unwrap_or_default();
    let indent = if indent.trim().is_empty() { indent } else { "" };
    let mut lines = fragment.lines();
    let mut new = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        new.push('\n');
        if !line.is_empty() {
            new.push_str(indent);
        }
        new.push_str(line);
    }
    format!("{head}{new}{tail}")
}

/// Each line with where it starts.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start, line)
    })
}

/// The place of the wanted lines, if these are they.
fn whole(window: &[(usize, &str)], first: &str, wanted: &[&str]) -> Option<Range<usize>> {
    let (start, line) = window.first()?;
    let indent = line.strip_suffix(first).filter(|indent| indent.trim().is_empty())?;
    let same = window.iter().zip(wanted).all(|((_, line), wanted)| {
        (wanted.is_empty() && line.is_empty()) || line.strip_prefix(indent) == Some(wanted)
    });
    let (last_start, last) = window.last()?;
    same.then(|| start + indent.len()..last_start + last.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "fn a() {\n    if b {\n        c();\n    }\n    c();\n}\n";

    #[test]
    fn a_line_stands_anywhere_and_lines_stand_for_whole_ones() {
        assert_eq!(places(CODE, "c();").len(), 2);
        assert_eq!(places(CODE, "if b {\n    c();\n}").len(), 1);
        assert_eq!(places(CODE, "f b {\n    c();\n}").len(), 0);
        assert_eq!(places(CODE, "if b {\nc();\n}").len(), 0);
    }

    #[test]
    fn what_is_put_there_is_indented_alike() {
        let place = &places(CODE, "if b {\n    c();\n}")[0];
        assert_eq!(
            replaced(CODE, place, "if d {\n    e();\n}"),
            "fn a() {\n    if d {\n        e();\n    }\n    c();\n}\n"
        );
        let place = &places(CODE, "if b")[0];
        assert_eq!(replaced(CODE, place, "while b").lines().nth(1), Some("    while b {"));
    }
}
