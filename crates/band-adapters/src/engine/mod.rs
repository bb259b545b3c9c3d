//! The loop of model and tools: one for all models.

mod adapter;
mod decide;
mod model;
mod rooms;
mod run;

pub use adapter::ModelAdapter;
pub use model::{Arguments, AskedCall, DynModel, Model, ModelRequest, NextStep, Step, StepEnd};
