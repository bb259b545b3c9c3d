//! The environment, read once.

use std::collections::BTreeMap;

/// The environment variables of a moment. Names are matched in any letter case; an empty value counts as
/// unset.
#[derive(Clone, Default)]
pub struct Env(BTreeMap<String, String>);

impl Env {
    /// The environment of this process. What is no Unicode is passed over.
    pub fn of_process() -> Self {
        let text = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        text.collect()
    }

    /// A variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(&name.to_uppercase()).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A setting: `BAND_` + name if that is set and not empty, else the bare name. The variable that it was, and
    /// its value.
    pub fn setting(&self, name: &str) -> Option<(String, &str)> {
        let bare = name.to_uppercase();
        let prefixed = format!("BAND_{bare}");
        [prefixed, bare].into_iter().find_map(|name| self.get(&name).map(|value| (name, value)))
    }
}

/// Of two names that differ in case only, the one in capitals wins.
impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Env {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut env = BTreeMap::new();
        for (name, value) in pairs {
            let (name, value) = (name.into(), value.into());
            let upper = name.to_uppercase();
            if name == upper {
                env.insert(upper, value);
            } else {
                env.entry(upper).or_insert(value);
            }
        }
        Self(env)
    }
}

/// Names alone: values may be keys.
impl std::fmt::Debug for Env {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_in_any_case_and_empty_means_unset() {
        let env: Env = [("band_rest_url", "a"), ("BAND_REST_URL", "b"), ("Band_Ws_Url", "c"), ("X", "")]
            .into_iter()
            .collect();
        assert_eq!(env.get("BAND_REST_URL"), Some("b"));
        assert_eq!(env.get("band_ws_url"), Some("c"));
        assert_eq!(env.get("x"), None);
        let env: Env = [("band_a", "1"), ("A", "2"), ("BAND_B", ""), ("b", "3")].into_iter().collect();
        assert_eq!(env.setting("a"), Some(("BAND_A".to_owned(), "1")));
        assert_eq!(env.setting("b"), Some(("B".to_owned(), "3")));
        assert!(!format!("{env:?}").contains('"') || !format!("{env:?}").contains("\"b\""));
    }
}
