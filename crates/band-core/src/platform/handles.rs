//! Handles: `alice` for a person, `alice/weather-bot` for an agent.

/// The longest slug, in characters, without the number that keeps it apart from others.
pub const MAX_SLUG: usize = 24;

/// The form handles are compared in: lower case, without `@` and surrounding space.
pub fn canonical(handle: &str) -> String {
    handle.trim().trim_start_matches('@').to_lowercase()
}

/// An agent's handle.
pub fn of_agent(owner: &str, slug: &str) -> String {
    format!("{owner}/{slug}")
}

/// A slug for a name: ASCII letters and digits in lower case, words joined by `-`, at most [`MAX_SLUG`]
/// characters. Latin letters lose their accents; what is left of other scripts may be nothing, and then
/// `fallback` stands in.
pub fn slug(name: &str, fallback: &str) -> String {
    let mut slug = String::new();
    let mut gap = false;
    for c in name.chars().flat_map(char::to_lowercase) {
        let ascii = ascii(c);
        if ascii.is_empty() {
            gap = gap || !is_mark(c);
            continue;
        }
        if gap && !slug.is_empty() {
            slug.push('-');
        }
        gap = false;
        slug.push_str(ascii.as_str());
    }
    let slug: String = slug.chars().take(MAX_SLUG).collect();
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { fallback.to_owned() } else { slug.to_owned() }
}

/// The first of `slug`, `slug-2`, `slug-3`, … that is not taken. After 999 tries the last one is given: the
/// store's unique index has the last word.
pub fn unique(slug: &str, mut taken: impl FnMut(&str) -> bool) -> String {
    let mut candidate = slug.to_owned();
    for number in 2..1_000 {
        if !taken(&candidate) {
            return candidate;
        }
        candidate = format!("{slug}-{number}");
    }
    candidate
}

/// A short ASCII text, kept without an allocation.
struct Ascii([u8; 2], usize);

impl Ascii {
    fn is_empty(&self) -> bool {
        self.1 == 0
    }

    fn as_str(&self) -> &str {
        self.0.get(..self.1).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

fn ascii(c: char) -> Ascii {
    let text = match c {
        'a'..='z' | '0'..='9' => return Ascii([u8::try_from(c).unwrap_or(b'x'), 0], 1),
        'à' | 'á' | 'â' | 'ã' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'ä' | 'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì' | 'í' | 'î' | 'ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ø' | 'ō' | 'ŏ' | 'ő' => "o",
        'ö' | 'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ț' => "t",
        'þ' => "th",
        'ù' | 'ú' | 'û' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ü' => "ue",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => "",
    };
    let mut bytes = text.bytes();
    let pair = [bytes.next().unwrap_or_default(), bytes.next().unwrap_or_default()];
    Ascii(pair, text.len())
}

/// Combining marks and apostrophes do not split a word.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\'' | '’')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_become_slugs() {
        let table = [
            ("Weather Bot", "weather-bot"),
            ("  --Échо!! ", "ech"),
            ("Ärger & Straße", "aerger-strasse"),
            ("O'Brien", "obrien"),
            ("Ann_Lee/3", "ann-lee-3"),
            ("日本", "agent"),
            ("", "agent"),
            ("A very long name of an agent", "a-very-long-name-of-an-a"),
            ("twenty-three characters -x", "twenty-three-characters"),
        ];
        for (name, wanted) in table {
            assert_eq!(slug(name, "agent"), wanted, "{name}");
        }
    }

    #[test]
    fn a_taken_slug_gets_a_number() {
        let taken = ["echo", "echo-2"];
        assert_eq!(unique("echo", |slug| taken.contains(&slug)), "echo-3");
        assert_eq!(unique("free", |slug| taken.contains(&slug)), "free");
    }

    #[test]
    fn handles_are_compared_without_at_and_case() {
        assert_eq!(canonical(" @@Alice/Weather-Bot "), "alice/weather-bot");
    }

    proptest! {
        #[test]
        fn a_slug_is_always_a_word_of_a_handle(name in any::<String>()) {
            let slug = slug(&name, "agent");
            prop_assert!(!slug.is_empty() && slug.len() <= MAX_SLUG);
            prop_assert!(slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
            prop_assert!(!slug.starts_with('-') && !slug.ends_with('-') && !slug.contains("--"));
        }
    }
}
