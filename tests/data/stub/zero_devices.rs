//! A libcuda that starts well and counts no devices.

const INIT_ANSWER: i32 = 0;
const DEVICE_COUNT: i32 = 0;
const KNOWS_OPT_IN: bool = false;

mod device;
mod state;
