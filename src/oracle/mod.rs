//! The `oracle` module.
