//! Adapters: one folder and one feature per framework.

pub mod echo;
#[cfg(feature = "openai")]
mod http;
#[cfg(feature = "openai")]
pub mod openai;
#[cfg(feature = "openai")]
mod prompt;
pub mod registry;
pub mod render;
#[cfg(test)]
mod testing;
