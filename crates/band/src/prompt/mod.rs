//! What a model is told of itself, of the room and of its tools: one renderer for all adapters.
//!
//! Every sentence about a tool depends on whether the model has that tool. A prompt therefore names nothing that
//! can't be called, however the tools were chosen and filtered. What others wrote (names, descriptions) is kept on
//! one line and cut; what the developer wrote comes last, word for word.

mod groups;
mod hub;
mod naming;
mod roles;
mod rooms;

use std::path::Path;

use band_core::turn::{one_line, shorten};

pub(crate) use hub::hub;
pub use naming::Naming;
pub use roles::{UnknownRole, available_roles, role_prompt};

use crate::adapter::Identity;
use naming::Voice;

/// The longest name of an agent in its own prompt, in characters.
const NAME_MAX: usize = 100;
/// The longest description of an agent in its own prompt, in characters.
const DESCRIPTION_MAX: usize = 1_000;

/// A system prompt in the making.
///
/// ```
/// use band::prompt::SystemPrompt;
/// # let me = band::Identity::new(band_wire::Id::new(uuid::Uuid::nil()), "Weather", "Tells the weather.");
///
/// let prompt = SystemPrompt::new(&me, ["band_send_message", "band_no_reply"])
///     .instructions("Celsius only.")
///     .render();
/// assert!(prompt.starts_with("You are Weather: Tells the weather."));
/// assert!(prompt.contains("`band_no_reply`") && !prompt.contains("band_add_participant"));
/// assert!(prompt.ends_with("## Developer Instructions\n\nCelsius only."));
/// ```
#[derive(Debug, Clone)]
pub struct SystemPrompt<'a> {
    me: &'a Identity,
    voice: Voice,
    base: bool,
    sections: Vec<String>,
    instructions: Option<String>,
}

impl<'a> SystemPrompt<'a> {
    /// For an agent whose model has these tools, by the names of the platform: as
    /// [`ToolSet::names`](crate::tools::ToolSet::names) gives them. Names of other tools do no harm.
    pub fn new<T: Into<String>>(me: &'a Identity, tools: impl IntoIterator<Item = T>) -> Self {
        let voice = Voice::new(tools, Naming::Plain);
        Self { me, voice, base: true, sections: Vec::new(), instructions: None }
    }

    /// How the model has to call the tools. Default: by the platform's names.
    #[must_use]
    pub fn naming(mut self, naming: Naming) -> Self {
        self.voice.naming = naming;
        self
    }

    /// Whether the model is told how rooms work. Default: yes. Without, it is told who it is, how its groups of
    /// tools work, and what the developer wrote.
    #[must_use]
    pub const fn base_instructions(mut self, on: bool) -> Self {
        self.base = on;
        self
    }

    /// Adds a section of the adapter's own, with its heading; in the order of the calls, before the developer's.
    #[must_use]
    pub fn section(mut self, text: impl Into<String>) -> Self {
        self.sections.push(text.into());
        self
    }

    /// The developer's instructions; they come last, unchanged. Empty: none.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// The prompt: its parts with a blank line between them.
    pub fn render(&self) -> String {
        let mut parts = vec![self.identity()];
        if self.base {
            parts.extend(rooms::sections(&self.voice));
        }
        parts.extend(groups::sections(&self.voice));
        parts.extend(self.sections.iter().map(|section| section.trim().to_owned()));
        parts.retain(|part| !part.is_empty());
        if let Some(text) = self.instructions.as_deref().filter(|text| !text.trim().is_empty()) {
            let heading = if self.base { "## Developer Instructions\n\n" } else { "" };
            parts.push(format!("{heading}{text}"));
        }
        parts.join("\n\n")
    }

    /// Who the agent is. A model that knows its handle and its id knows when it is meant.
    fn identity(&self) -> String {
        let name = shorten(&one_line(&self.me.name), NAME_MAX);
        let description = shorten(&one_line(&self.me.description), DESCRIPTION_MAX);
        let mut text = format!("You are {name}");
        if !description.is_empty() {
            text.push_str(": ");
            text.push_str(&description);
        }
        if !text.ends_with(['.', '!', '?', '…']) {
            text.push('.');
        }
        let handle = shorten(&one_line(self.me.handle.trim_start_matches('@')), NAME_MAX);
        let id = self.me.id;
        if handle.is_empty() {
            format!("{text} Your id is `{id}`.")
        } else {
            format!("{text} Your handle is `@{handle}`, your id `{id}`.")
        }
    }
}

/// How to speak in the room and how to end a turn: the part of the prompt for systems that bring a prompt of their
/// own.
pub fn communication<T: Into<String>>(tools: impl IntoIterator<Item = T>, naming: Naming) -> String {
    rooms::communication(&Voice::new(tools, naming))
}

/// For systems that ask their model to go on by themselves: that such a request is no message. A
/// [`section`](SystemPrompt::section), with its heading.
pub fn turn_completion<T: Into<String>>(tools: impl IntoIterator<Item = T>, naming: Naming) -> String {
    rooms::turn_completion(&Voice::new(tools, naming))
}

/// The instructions of a role: those of `DIR/ROLE.md`, if a folder is given and has them, or else the ones that we
/// bring, with the role for a name. None, with a warning in the log, if there are neither. A role is a plain word:
/// it can't lead out of the folder.
pub fn load_role_prompt(role: &str, dir: Option<&Path>) -> Option<String> {
    roles::load(role, dir)
}

#[cfg(test)]
mod tests;
