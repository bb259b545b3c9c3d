//! Tests that need both halves, other processes or real counterparts.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "all of this is tests"
)]

mod browser;
mod chat_example;
mod clients;
mod config_oracle;
mod contacts;
mod contacts_python;
mod conversation;
mod differential;
mod durability;
mod event_oracle;
mod files_python;
mod fleet;
mod fleet_restart;
mod human_python;
mod human_tools;
mod in_process;
mod link_and_platform;
mod lock_interop;
mod memory_python;
mod models;
mod oneshot;
mod orders;
mod otel;
mod phoenix_js;
mod python_sdk;
mod render;
mod sim;
mod soak;
mod stage;
mod tasks_python;
mod tools_python;
mod transcript_oracle;
mod traps;
mod two_processes;
