//! The model against results read off a device, against worked examples, and against a second implementation.

mod examples;
mod golden;
mod rules;
