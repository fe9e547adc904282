//! The `kernels` module.
