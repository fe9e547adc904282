//! The `dsl` module.
