//! Adapters: one folder and one feature per framework.

pub mod echo;
pub mod registry;
