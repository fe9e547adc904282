//! A libcuda from before events, the shared-memory opt-in call and parameter queries (as far as names go).

const INIT_ANSWER: i32 = 0;
const DEVICE_COUNT: i32 = 1;
const KNOWS_OPT_IN: bool = true;

mod device;
mod function;
mod launch;
mod memory;
mod module;
mod state;
mod stream;
