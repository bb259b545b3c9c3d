//! Rust source with everything that is not code blanked out, so that rules do not trip over prose.

/// The same text with comments, strings and characters replaced by spaces; line breaks stay.
pub(super) fn mask(text: &str) -> String {
    Masker { rest: text, out: String::with_capacity(text.len()) }.run()
}

struct Masker<'a> {
    rest: &'a str,
    out: String,
}

impl Masker<'_> {
    fn run(mut self) -> String {
        while let Some(next) = self.rest.chars().next() {
            if self.rest.starts_with("//") {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.blank(end);
            } else if self.rest.starts_with("/*") {
                let end = block_comment_end(self.rest);
                self.blank(end);
            } else if let Some(end) = raw_string_end(self.rest, self.out.chars().next_back()) {
                self.blank(end);
            } else if next == '"' {
                let end = quoted_end(self.rest, '"');
                self.blank(end);
            } else if let Some(end) = character_end(self.rest) {
                self.blank(end);
            } else {
                self.keep(next);
            }
        }
        self.out
    }

    fn keep(&mut self, next: char) {
        self.out.push(next);
        self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default();
    }

    fn blank(&mut self, end: usize) {
        let (gone, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.out.extend(gone.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }
}

/// Comments nest.
fn block_comment_end(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The end of a raw string that starts here; `before` tells a prefix from the end of a name.
fn raw_string_end(text: &str, before: Option<char>) -> Option<usize> {
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let prefix = ["br", "cr", "r"].into_iter().find(|prefix| text.starts_with(prefix))?;
    let after = text.get(prefix.len()..)?;
    let hashes = after.chars().take_while(|c| *c == '#').count();
    let body = after.get(hashes..)?.strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let opened = prefix.len() + hashes + 1;
    Some(body.find(&close).map_or(text.len(), |at| opened + at + close.len()))
}

/// The end of something quoted that starts here.
fn quoted_end(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// The end of a character that starts here; a lifetime or a label is none.
fn character_end(text: &str) -> Option<usize> {
    let mut chars = text.char_indices();
    let (_, '\'') = chars.next()? else { return None };
    let (_, inside) = chars.next()?;
    let (close_at, after) = chars.next()?;
    if inside == '\\' {
        return Some(quoted_end(text, '\''));
    }
    (after == '\'').then_some(close_at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_blanked() {
        for (source, kept) in [
            ("a // b\nc", "a\nc"),
            ("a /* b /* c */ d */ e", "a  e"),
            (r#"f("x \" y") + 1"#, "f() + 1"),
            (r##"f(r#"x " y"#) + 1"##, "f() + 1"),
            (r"g('\'', '{') + 1", "g(, ) + 1"),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
        ] {
            let masked = mask(source);
            assert_eq!(masked.chars().count(), source.chars().count(), "{source}");
            let squeezed = |text: &str| text.replace(' ', "");
            assert_eq!(squeezed(&masked), squeezed(kept), "{source}");
        }
    }

    #[test]
    fn line_breaks_inside_a_string_stay() {
        assert_eq!(mask("a\"b\nc\"d").lines().count(), 2);
    }

    #[test]
    fn a_name_that_ends_in_r_is_no_raw_string() {
        assert_eq!(mask("for\"x\"").trim_end(), "for");
    }
}
