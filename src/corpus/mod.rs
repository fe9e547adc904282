//! The `corpus` module.
