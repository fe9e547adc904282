//! The `passes` module.
