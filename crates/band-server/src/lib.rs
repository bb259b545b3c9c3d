//! The Band platform in one process: HTTP, sockets, store, web page.

pub mod app;
pub mod bus;
pub mod http;
pub mod keys;
pub mod server;
mod session;
mod socket;
pub mod store;
mod telemetry;
mod web;
