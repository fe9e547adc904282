//! A libcuda whose `cuInit` answers CUDA_ERROR_NO_DEVICE.

const INIT_ANSWER: i32 = 100;
const DEVICE_COUNT: i32 = 0;
const KNOWS_OPT_IN: bool = false;

mod device;
mod state;
