//! Laws over arbitrary input, and golden snapshots of what goes over the wire.

#[cfg(test)]
mod laws;
