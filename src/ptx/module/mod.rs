//! The `module` module.
