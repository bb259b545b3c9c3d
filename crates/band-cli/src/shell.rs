//! Lines that a shell understands.

use std::borrow::Cow;

/// A word as a POSIX shell takes it: bare where that is safe, in single quotes otherwise.
pub(crate) fn quoted(word: &str) -> Cow<'_, str> {
    let bare = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(bare) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', r"'\''")).into()
}

/// `export NAME=value`.
pub(crate) fn export(name: &str, value: &str) -> String {
    format!("export {name}={}", quoted(value))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_gives_back_what_was_quoted() {
        for word in ["plain", "", "two words", "it's", "$HOME `id` \"x\" \\ ;|&", "-n", "a\tb", "ü"] {
            let script = format!("{}; printf %s \"$X\"", export("X", word));
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), word);
        }
    }

    #[test]
    fn addresses_and_keys_stay_bare() {
        for word in ["ws://127.0.0.1:4000/api/v1/socket/websocket", "band_a_1764500000_Ab-9_x"] {
            assert_eq!(quoted(word), word);
        }
    }
}
