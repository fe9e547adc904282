//! Events. Every launch takes half a millisecond of the fake's clock.

use crate::state::{INVALID_HANDLE, OK, on_device, put};

#[unsafe(no_mangle)]
pub extern "system" fn cuEventCreate(event: *mut usize, _flags: u32) -> i32 {
    on_device(|state, _| {
        state.events.push(None);
        put(event, state.events.len())
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuEventRecord(event: usize, _stream: usize) -> i32 {
    on_device(|state, _| {
        state.events[event - 1] = Some(state.launches);
        OK
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuEventSynchronize(_event: usize) -> i32 {
    on_device(|_, _| OK)
}

#[unsafe(no_mangle)]
pub extern "system" fn cuEventElapsedTime(milliseconds: *mut f32, start: usize, end: usize) -> i32 {
    on_device(|state, _| match (state.events[start - 1], state.events[end - 1]) {
        (Some(start), Some(end)) => put(milliseconds, (end as f32 - start as f32) * 0.5),
        _ => INVALID_HANDLE,
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuEventDestroy_v2(_event: usize) -> i32 {
    on_device(|_, _| OK)
}
