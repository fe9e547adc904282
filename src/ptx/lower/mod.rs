//! The `lower` module.
