//! The `msl` module.
