//! What an adapter tells people of its work, and which tools it offers to its model.

mod choice;
mod effective;

pub use choice::{Capabilities, Capability, Choices, Emit, Emits};
pub use effective::EffectiveFeatures;

use crate::error::{Error, Result};

/// What an adapter could do, whatever was chosen for it. Default: nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Supported {
    /// Kinds of events that it can post.
    pub emit: Emits,
    /// Groups of tools that it can offer.
    pub capabilities: Capabilities,
}

/// What was chosen for an adapter. Nothing is set by default: it posts all the events that it supports and
/// offers the tools that every room has.
///
/// ```
/// use band::{Capability, Emit, Features};
///
/// let chosen = Features::new().emit(Emit::ToolCalls | Emit::Usage).capabilities(Capability::Contacts);
/// let silent = Features::new().emit([]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Features {
    /// Events to post. None: all that the adapter supports; an empty set: silence.
    pub emit: Option<Emits>,
    /// Groups of tools beyond those of every room. None: no group.
    pub capabilities: Option<Capabilities>,
    /// The only tools to offer, by name. None: all.
    pub include_tools: Option<Vec<String>>,
    /// Tools not to offer, by name.
    pub exclude_tools: Vec<String>,
    /// The only groups to offer: `chat`, `contacts`, `memory`, `files`, `tasks`. None: all.
    pub include_categories: Option<Vec<String>>,
}

impl Features {
    /// Nothing is set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The events to post.
    #[must_use]
    pub fn emit(mut self, emit: impl Into<Emits>) -> Self {
        self.emit = Some(emit.into());
        self
    }

    /// The groups of tools to offer beyond those of every room.
    #[must_use]
    pub fn capabilities(mut self, capabilities: impl Into<Capabilities>) -> Self {
        self.capabilities = Some(capabilities.into());
        self
    }

    /// The only tools to offer.
    #[must_use]
    pub fn include_tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.include_tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Tools not to offer.
    #[must_use]
    pub fn exclude_tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.exclude_tools = names.into_iter().map(Into::into).collect();
        self
    }

    /// The only groups of tools to offer.
    #[must_use]
    pub fn include_categories<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.include_categories = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// What holds for an adapter that supports this much. `adapter` is its name, for the error.
    ///
    /// # Errors
    /// Something was chosen that the adapter does not support; the text names all of it.
    pub fn resolve(&self, adapter: &str, supported: &Supported) -> Result<EffectiveFeatures> {
        let emit = self.emit.clone().unwrap_or_else(|| supported.emit.clone());
        refuse(adapter, "emit kind(s)", &emit, &supported.emit)?;
        let capabilities = self.capabilities.clone().unwrap_or_default();
        refuse(adapter, "capability/-ies", &capabilities, &supported.capabilities)?;
        Ok(EffectiveFeatures {
            emit,
            capabilities,
            include_tools: self.include_tools.clone(),
            exclude_tools: self.exclude_tools.clone(),
            include_categories: self.include_categories.clone(),
        })
    }
}

fn refuse<T: Copy + Ord + AsRef<str>>(
    adapter: &str,
    what: &str,
    chosen: &Choices<T>,
    supported: &Choices<T>,
) -> Result<()> {
    let beyond: Choices<T> = chosen.iter().filter(|one| !supported.contains(*one)).collect();
    if beyond.is_empty() {
        return Ok(());
    }
    let listed = if supported.is_empty() { "(none)".to_owned() } else { supported.names() };
    Err(Error::Config(format!("{adapter} does not support {what}: {}; supported: {listed}", beyond.names())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_adapter_does_not_support_is_named_in_order() {
        let nothing = Supported::default();
        let some = Supported { emit: Emit::Usage.into(), capabilities: Capability::Tasks.into() };
        let table = [
            (
                Features::new().emit([Emit::ToolCalls, Emit::Thoughts]),
                &nothing,
                "Foo does not support emit kind(s): thoughts, tool_calls; supported: (none)",
            ),
            (
                Features::new().emit(Emit::Usage | Emit::Thoughts),
                &some,
                "Foo does not support emit kind(s): thoughts; supported: usage",
            ),
            (
                Features::new().capabilities(Capability::Memory | Capability::Files),
                &some,
                "Foo does not support capability/-ies: files, memory; supported: tasks",
            ),
        ];
        for (features, supported, text) in table {
            assert_eq!(features.resolve("Foo", supported).unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn all_supported_events_are_posted_unless_fewer_are_chosen_and_no_tools_are_added_unless_they_are() {
        let supported = Supported {
            emit: Emit::Usage | Emit::Thoughts,
            capabilities: Capability::Tasks | Capability::Files,
        };
        let held = Features::new().resolve("Foo", &supported).unwrap();
        assert_eq!((held.emit, held.capabilities), (Emit::Usage | Emit::Thoughts, Choices::none()));
        let held =
            Features::new().emit([]).capabilities(Capability::Files).resolve("Foo", &supported).unwrap();
        assert_eq!((held.emit, held.capabilities), (Choices::none(), Capability::Files.into()));
    }
}
