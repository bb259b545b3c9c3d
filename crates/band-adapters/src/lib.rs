//! Adapters: one folder and one feature per framework.
