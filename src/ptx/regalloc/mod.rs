//! The `regalloc` module.
