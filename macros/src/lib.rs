//! The attribute macros of warpsmith.
