//! Adapters: one folder and one feature per framework.
//!
//! All models share one loop, [`ModelAdapter`]: [`openai`], [`anthropic`], [`gemini`], and with [`generic`] or
//! [`Model`] one of your own.

#[cfg(feature = "anthropic")]
pub mod anthropic;
pub mod echo;
mod engine;
#[cfg(feature = "gemini")]
pub mod gemini;
pub mod generic;
#[cfg(feature = "openai")]
pub mod openai;
mod prompt;
mod provider;
pub mod registry;
pub mod render;
#[cfg(feature = "provider")]
mod settings;
#[cfg(test)]
mod testing;

pub use engine::{
    Arguments, AskedCall, DynModel, Model, ModelAdapter, ModelRequest, NextStep, Step, StepEnd,
};
pub use provider::{FailureKind, ProviderFailure};

/// The examples of the pages about adapters are compiled with the others.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/adapters/openai.md")]
    struct OpenAi;
    #[doc = include_str!("../../../docs/adapters/anthropic.md")]
    struct Anthropic;
    #[doc = include_str!("../../../docs/adapters/gemini.md")]
    struct Gemini;
    #[doc = include_str!("../../../docs/adapters/generic.md")]
    struct Generic;
}
