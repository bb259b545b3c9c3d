//! The real binary: its words, its files, its exit codes, and a mention from end to end.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "all of this is tests")]

mod administration;
mod agent;
mod agent_file;
mod data_directory;
mod deployment;
mod end_to_end;
mod environment;
mod help;
mod logging;
mod model;
mod stage;
mod tools;
mod usage;
