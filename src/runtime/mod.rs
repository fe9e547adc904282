//! The `runtime` module.
