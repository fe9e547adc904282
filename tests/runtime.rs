//! Launches: what is passed to a device, what is refused before, and in which words.

#![allow(clippy::unwrap_used, reason = "what helps a test may panic as the test itself may")]

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
