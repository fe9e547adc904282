//! Launches: what is passed to a device, what is refused before, and in which words.

#![allow(clippy::unwrap_used, reason = "what helps a test may panic as the test itself may")]

#[path = "support/assembler.rs"]
#[allow(dead_code, reason = "each test binary uses its part")]
mod assembler;

#[path = "launch/arguments.rs"]
mod arguments;
#[path = "launch/emulated.rs"]
mod emulated;
#[path = "launch/fake.rs"]
mod fake;
#[path = "launch/geometry.rs"]
mod geometry;
#[path = "launch/passed.rs"]
mod passed;
#[path = "launch/results.rs"]
mod results;
#[path = "launch/shared.rs"]
mod shared;
