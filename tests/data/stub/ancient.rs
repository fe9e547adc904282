//! A libcuda that can't even load a module, and knows no shared-memory opt-in.

const INIT_ANSWER: i32 = 0;
const DEVICE_COUNT: i32 = 1;
const KNOWS_OPT_IN: bool = false;

mod device;
mod memory;
mod state;
