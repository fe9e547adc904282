//! The `driver` module.
