//! What a transcript is made of.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// What stands in for the result of a call that never got one.
pub const INTERRUPTED: &str = "Error: tool execution was interrupted";

/// One step of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// Someone else said something: a person or another agent.
    Peer {
        /// The name to show.
        speaker: String,
        /// What was said.
        text: String,
    },
    /// News from the platform; nobody said it.
    Update {
        /// The news.
        text: String,
    },
    /// The agent's own words.
    Own {
        /// The words.
        text: String,
    },
    /// The model called tools and got their results.
    Exchange(Exchange),
}

impl Entry {
    /// Whether it is on the agent's side of the conversation.
    pub const fn is_own(&self) -> bool {
        matches!(self, Self::Own { .. } | Self::Exchange(_))
    }
}

/// Calls that a model made in one step, one at least, each with its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    said: Option<String>,
    opaque: Vec<Opaque>,
    first: Exchanged,
    more: Vec<Exchanged>,
}

impl Exchange {
    /// Of these calls, in the model's order. None without any.
    pub fn new(calls: impl IntoIterator<Item = Exchanged>) -> Option<Self> {
        let mut calls = calls.into_iter();
        let first = calls.next()?;
        Some(Self { said: None, opaque: Vec::new(), first, more: calls.collect() })
    }

    /// What the model wrote beside the calls; nobody in the room saw it. Nothing to see is nothing said.
    #[must_use]
    pub fn said(mut self, text: Option<String>) -> Self {
        self.said = text.filter(|text| crate::platform::text::has_visible(text));
        self
    }

    /// What the provider wants back before the calls, in its order.
    #[must_use]
    pub fn opaque(mut self, opaque: Vec<Opaque>) -> Self {
        self.opaque = opaque;
        self
    }

    /// What the model wrote beside the calls.
    pub fn text(&self) -> Option<&str> {
        self.said.as_deref()
    }

    /// What one provider wants back before the calls.
    pub fn opaque_of(&self, provider: &str) -> impl Iterator<Item = &Value> {
        self.opaque.iter().filter(move |one| one.provider == provider).map(|one| &one.value)
    }

    /// The calls with their results.
    pub fn calls(&self) -> impl Iterator<Item = &Exchanged> {
        std::iter::once(&self.first).chain(&self.more)
    }

    pub(super) fn calls_mut(&mut self) -> impl Iterator<Item = &mut Exchanged> {
        std::iter::once(&mut self.first).chain(&mut self.more)
    }

    /// How long what is opaque is, in bytes of JSON.
    pub(super) fn opaque_size(&self) -> usize {
        let calls = self.calls().filter_map(|one| one.call.opaque.as_ref());
        let values = self.opaque.iter().chain(calls).map(|one| &one.value);
        values.map(|value| serde_json::to_string(value).map_or(0, |json| json.len())).sum()
    }

    pub(super) fn forget_opaque(&mut self) {
        self.opaque.clear();
        for one in self.calls_mut() {
            one.call.opaque = None;
        }
    }
}

/// A call of a tool and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchanged {
    /// The call.
    pub call: Call,
    /// What came of it.
    pub outcome: Outcome,
}

impl Exchanged {
    /// A call that was answered.
    pub const fn new(call: Call, outcome: Outcome) -> Self {
        Self { call, outcome }
    }

    /// A call that never got its result.
    pub fn interrupted(call: Call) -> Self {
        Self { call, outcome: Outcome::error(INTERRUPTED) }
    }
}

/// A model wants a tool to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The provider's word for this call; unique within a transcript.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments. Of a call whose arguments could not be read: none.
    pub arguments: Map<String, Value>,
    /// What the provider wants back with this very call: Gemini's signature of a thought.
    pub opaque: Option<Opaque>,
}

impl Call {
    /// A call without anything opaque.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Map<String, Value>) -> Self {
        Self { id: id.into(), name: name.into(), arguments, opaque: None }
    }

    /// What one provider wants back with this call.
    pub fn opaque_of(&self, provider: &str) -> Option<&Value> {
        self.opaque.as_ref().filter(|one| one.provider == provider).map(|one| &one.value)
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What the tool gave.
    pub blocks: Vec<Block>,
    /// Whether it failed.
    pub is_error: bool,
}

impl Outcome {
    /// It worked, and gave this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { blocks: vec![Block::Text(text.into())], is_error: false }
    }

    /// It failed; the text says why.
    pub fn error(text: impl Into<String>) -> Self {
        Self { blocks: vec![Block::Text(text.into())], is_error: true }
    }

    /// Its texts, one a line; images are not in it.
    pub fn as_text(&self) -> Cow<'_, str> {
        let mut texts = self.blocks.iter().filter_map(Block::as_text);
        match (texts.next(), texts.next()) {
            (None, _) => Cow::Borrowed(""),
            (Some(only), None) => Cow::Borrowed(only),
            (Some(first), Some(second)) => {
                let all: Vec<&str> = [first, second].into_iter().chain(texts).collect();
                Cow::Owned(all.join("\n"))
            }
        }
    }

    /// Its images.
    pub fn images(&self) -> impl Iterator<Item = (&str, &str)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Image { media_type, data } => Some((media_type.as_str(), data.as_str())),
            Block::Text(_) => None,
        })
    }
}

/// A piece of what a tool gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A text.
    Text(String),
    /// An image.
    Image {
        /// `image/png`, for example.
        media_type: String,
        /// Its bytes in base64.
        data: String,
    },
}

impl Block {
    fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image { .. } => None,
        }
    }
}

/// Something of one provider that it wants back as it gave it: thoughts, their signatures, reasoning.
#[derive(Debug, Clone, PartialEq)]
pub struct Opaque {
    /// Whose it is; nobody else is shown it.
    pub provider: Cow<'static, str>,
    /// What it gave.
    pub value: Value,
}

impl Opaque {
    /// Of this provider.
    pub fn new(provider: impl Into<Cow<'static, str>>, value: Value) -> Self {
        Self { provider: provider.into(), value }
    }
}
