//! Laws over arbitrary input, and golden snapshots of what goes over the wire.

#[cfg(test)]
mod golden;
#[cfg(test)]
mod laws;
