//! Streams. Work is done at the launch, so none ever has any left.

use crate::state::{OK, on_device, put};

#[unsafe(no_mangle)]
pub extern "system" fn cuStreamCreate(stream: *mut usize, _flags: u32) -> i32 {
    on_device(|state, _| {
        state.streams += 1;
        put(stream, state.streams)
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuStreamSynchronize(_stream: usize) -> i32 {
    on_device(|_, _| OK)
}

#[unsafe(no_mangle)]
pub extern "system" fn cuStreamQuery(_stream: usize) -> i32 {
    on_device(|_, _| OK)
}

#[unsafe(no_mangle)]
pub extern "system" fn cuStreamWaitEvent(_stream: usize, _event: usize, _flags: u32) -> i32 {
    on_device(|_, _| OK)
}

#[unsafe(no_mangle)]
pub extern "system" fn cuStreamDestroy_v2(_stream: usize) -> i32 {
    on_device(|_, _| OK)
}
