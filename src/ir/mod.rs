//! The `ir` module.
