//! A fake libcuda with four devices and every function that the driver module calls.
//!
//! Built by `tests/driver_stub.rs` with `rustc --crate-type cdylib`. Device memory is host memory, kernels are chosen
//! by name, and a text is "assembled" by reading off its entries.

const INIT_ANSWER: i32 = 0;
const DEVICE_COUNT: i32 = 4;
const KNOWS_OPT_IN: bool = true;

mod device;
mod event;
mod function;
mod launch;
mod memory;
mod module;
mod newer;
mod state;
mod stream;
