//! Laws that hold for any input.

mod any_json;
mod bodies;
mod events;
mod frames;
mod texts;
