//! The Band platform in one process: HTTP, sockets, store, web page.

pub mod app;
pub mod bus;
pub mod keys;
pub mod store;
