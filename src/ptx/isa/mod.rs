//! The `isa` module.
