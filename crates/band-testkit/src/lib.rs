//! Tests that need both halves: the SDK and the platform, real peers, faults.
