//! The Band platform in one process: HTTP, sockets, store, web page.

pub mod bus;
pub mod store;
