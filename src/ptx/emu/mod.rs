//! The `emu` module.
