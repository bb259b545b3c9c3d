//! The `band` binary.

fn main() {}
