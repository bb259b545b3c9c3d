//! A [`Transcript`] in the form of each provider.
//!
//! Pure and total: whatever a transcript holds, what comes out is a conversation that its provider takes. It
//! begins with the other side, does not end with the agent's own words, and answers each call once, directly
//! after the step that made it.

pub mod anthropic;
pub mod chat;
pub mod gemini;
mod names;
pub mod responses;

use band_core::platform::text::has_visible;
use band_core::transcript::{Entry, Exchange, Outcome, Transcript};
use band_core::turn::{speaker_line, update_line};

/// What stands for nothing at all, where a provider wants something.
const NO_OUTPUT: &str = "(no output)";

/// A step of a conversation, as all renderers see it.
enum Step<'a> {
    /// The other side: a message or news.
    User(String),
    /// The agent's own words.
    Own(&'a str),
    /// Calls with their results.
    Exchange(&'a Exchange),
}

/// The steps of a transcript: one at least, the first one the other side's, the last one not the agent's words.
fn steps(transcript: &Transcript) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> =
        transcript.preface().map(|text| Step::User(update_line(text))).into_iter().collect();
    steps.extend(transcript.entries().iter().map(|entry| match entry {
        Entry::Peer { speaker, text } => Step::User(speaker_line(speaker, text)),
        Entry::Update { text } => Step::User(update_line(text)),
        Entry::Own { text } => Step::Own(text),
        Entry::Exchange(exchange) => Step::Exchange(exchange),
    }));
    if matches!(steps.last(), None | Some(Step::Own(_))) {
        steps.push(Step::User(update_line("Nothing new was said.")));
    }
    steps
}

/// What a tool gave, for providers that have no mark for failures.
fn told(outcome: &Outcome) -> String {
    let text = outcome.as_text();
    if !has_visible(&text) {
        let nothing = if outcome.is_error { "Error: the tool failed" } else { NO_OUTPUT };
        return nothing.to_owned();
    }
    let says_so =
        ["error", "invalid arguments", "unknown tool"].iter().any(|start| starts_with(&text, start));
    if outcome.is_error && !says_so { format!("Error: {text}") } else { text.into_owned() }
}

/// What a tool gave, for providers that have a mark for failures.
fn output(outcome: &Outcome) -> String {
    let text = outcome.as_text();
    if has_visible(&text) { text.into_owned() } else { NO_OUTPUT.to_owned() }
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// The address of an image that carries the image itself.
fn data_url((media_type, data): (&str, &str)) -> String {
    format!("data:{media_type};base64,{data}")
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
