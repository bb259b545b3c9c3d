//! One setting: what was given, or else what the environment says, with the texts of what does not fit.

use super::Env;
use crate::error::{Error, Result};

/// Reads the fields of one group of settings. A given value wins over the variable `BAND_` + name, and that over
/// the bare name.
pub(super) struct Settings<'e> {
    group: &'static str,
    env: &'e Env,
}

/// Where a value that does not fit came from.
type Origin<'e> = Option<(String, &'e str)>;

impl<'e> Settings<'e> {
    pub(super) const fn new(group: &'static str, env: &'e Env) -> Self {
        Self { group, env }
    }

    pub(super) fn number(&self, field: &str, given: Option<f64>) -> Result<Option<f64>> {
        Ok(self.number_from(field, given)?.map(|(value, _)| value))
    }

    /// One that is finite and greater than zero.
    pub(super) fn positive(&self, field: &str, given: Option<f64>) -> Result<Option<f64>> {
        let Some((value, origin)) = self.number_from(field, given)? else { return Ok(None) };
        let problem = match value {
            value if !value.is_finite() => "Input should be a finite number",
            value if value <= 0.0 => "Input should be greater than 0",
            value => return Ok(Some(value)),
        };
        Err(self.refuse(field, problem, &origin))
    }

    fn number_from(&self, field: &str, given: Option<f64>) -> Result<Option<(f64, Origin<'e>)>> {
        if let Some(value) = given {
            return Ok(Some((value, None)));
        }
        let Some(origin) = self.env.setting(field) else { return Ok(None) };
        match number(origin.1) {
            Some(value) => Ok(Some((value, Some(origin)))),
            None => Err(self.refuse(
                field,
                "Input should be a valid number, unable to parse string as a number",
                &Some(origin),
            )),
        }
    }

    pub(super) fn integer(&self, field: &str, given: Option<i64>) -> Result<Option<i64>> {
        if given.is_some() {
            return Ok(given);
        }
        let Some(origin) = self.env.setting(field) else { return Ok(None) };
        match integer(origin.1) {
            Some(value) => Ok(Some(value)),
            None => Err(self.refuse(
                field,
                "Input should be a valid integer, unable to parse string as an integer",
                &Some(origin),
            )),
        }
    }

    /// A count of at least `least`; `problem` says what is wrong with another number.
    pub(super) fn count(
        &self,
        field: &str,
        given: Option<i64>,
        (default, least): (u32, u32),
        problem: impl FnOnce(i64) -> String,
    ) -> Result<u32> {
        let Some(value) = self.integer(field, given)? else { return Ok(default) };
        u32::try_from(value).ok().filter(|count| *count >= least).ok_or_else(|| {
            let origin = if given.is_some() { None } else { self.env.setting(field) };
            self.refuse(field, &problem(value), &origin)
        })
    }

    pub(super) fn boolean(&self, field: &str, given: Option<bool>, default: bool) -> Result<bool> {
        if let Some(on) = given {
            return Ok(on);
        }
        let Some(origin) = self.env.setting(field) else { return Ok(default) };
        match origin.1.to_lowercase().as_str() {
            "1" | "true" | "yes" | "on" | "t" | "y" => Ok(true),
            "0" | "false" | "no" | "off" | "f" | "n" => Ok(false),
            _ => Err(self.refuse(
                field,
                "Input should be a valid boolean, unable to interpret input",
                &Some(origin),
            )),
        }
    }

    /// The group, the field, the problem, and where the value stands.
    fn refuse(&self, field: &str, problem: &str, origin: &Origin<'_>) -> Error {
        let group = self.group;
        Error::Config(match origin {
            Some((name, value)) => format!("{group}: {field}: {problem} ({name}={value:?})"),
            None => format!("{group}: {field}: {problem}"),
        })
    }
}

/// A number as it stands in the environment: blanks around it and single underscores in it are fine.
fn number(text: &str) -> Option<f64> {
    without_underscores(text.trim())?.parse().ok()
}

fn integer(text: &str) -> Option<i64> {
    let text = without_underscores(text.trim())?;
    // A fraction of zeros is none.
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|digit| digit == b'0') => whole,
        _ => &text,
    };
    whole.parse().ok()
}

fn without_underscores(text: &str) -> Option<String> {
    let is_odd = text.starts_with('_') || text.ends_with('_') || text.contains("__");
    (!is_odd).then(|| text.replace('_', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, value) in
            [("5", 5.0), (" 1_000.5 ", 1_000.5), ("1e3", 1_000.0), ("-inf", f64::NEG_INFINITY)]
        {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", " ", "none", "_1", "1__0", "1_", "0x10", "5s"] {
            assert_eq!(number(text), None, "{text}");
        }
        for (text, value) in
            [("+3.00", Some(3)), ("-1_000", Some(-1_000)), ("3.", None), ("3.5", None), ("1e3", None)]
        {
            assert_eq!(integer(text), value, "{text}");
        }
    }

    #[test]
    fn a_value_that_does_not_fit_is_told_with_its_variable() {
        let env: Env = [("band_x", "maybe"), ("X", "yes")].into_iter().collect();
        let err = Settings::new("G", &env).boolean("x", None, true).unwrap_err().to_string();
        assert_eq!(
            err,
            "G: x: Input should be a valid boolean, unable to interpret input (BAND_X=\"maybe\")"
        );
        assert!(!Settings::new("G", &env).boolean("x", Some(false), true).unwrap());
    }
}
