//! HTTP: thin handlers that read, call the application and write.

mod about;
mod admin;
mod agent;
mod answer;
mod auth;
mod body;
mod caller;
mod context;
mod envelope;
mod files;
mod human;
mod idempotency;
mod path;
mod problem;
mod query;
mod routes;
mod single;
mod tasks;

pub use caller::Kind;
pub(crate) use context::{AdminToken, Context, Sockets};
pub(crate) use problem::Problem;
pub(crate) use query::pairs;
pub(crate) use routes::router;
pub use routes::{Route, table};
