//! The `diag` module.
