//! The one entry point for tests, tidy checks, facts and benchmarks.

fn main() {}
