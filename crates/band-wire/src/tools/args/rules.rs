//! What a schema can't say.

use super::super::Problems;
use crate::text::has_visible;

/// Whether a text may stand in a path as an id: ASCII letters, digits, underscores and hyphens.
pub fn is_resource_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A task's id or number without the `#` that people write before it: in an address the rest would be lost.
pub fn bare_task_reference(text: &str) -> &str {
    text.strip_prefix('#').unwrap_or(text)
}

/// What was given, if it was: models write an empty text for what they leave out.
pub fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

pub(super) fn visible(problems: &mut Problems, field: &str, text: &str) {
    if !has_visible(text) {
        problems.broken(field, "can't be blank");
    }
}

pub(super) fn resource_id(problems: &mut Problems, field: &str, text: &str) {
    if !is_resource_id(text) {
        problems.broken(field, "ID must contain only ASCII letters, digits, underscores or hyphens");
    }
}

pub(super) fn task_reference(problems: &mut Problems, field: &str, text: &str) {
    resource_id(problems, field, bare_task_reference(text));
}

pub(super) fn uuid(problems: &mut Problems, field: &str, text: Option<&str>) {
    if given(text).is_some_and(|text| uuid::Uuid::try_parse(text.trim()).is_err()) {
        problems.note(field, "Input should be a valid UUID");
    }
}

/// `given` says of each field whether it was set.
pub(super) fn at_least_one(problems: &mut Problems, fields: &[(&str, bool)]) {
    if fields.iter().any(|(_, is_set)| *is_set) {
        return;
    }
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let listed = match names.split_last() {
        Some((last, [first])) => format!("{first} or {last}"),
        Some((last, others)) => format!("{}, or {last}", others.join(", ")),
        None => String::new(),
    };
    problems.broken(Problems::WHOLE, format!("At least one of {listed} must be set"));
}
