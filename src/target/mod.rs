//! The `target` module.
