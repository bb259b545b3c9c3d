//! Events that a socket pushes.
