//! The adapters against scripted counterparts.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "all of this is tests")]

mod model_server;
mod openai;
