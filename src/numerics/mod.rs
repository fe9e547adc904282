//! The `numerics` module.
