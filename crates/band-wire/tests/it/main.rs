//! Laws over arbitrary input, golden snapshots of what goes over the wire, and comparison with the facts of
//! the interface.

#[cfg(test)]
mod facts;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod samples;
