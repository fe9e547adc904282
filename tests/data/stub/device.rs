//! Initialisation, devices, primary contexts.

use crate::state::{INVALID_CONTEXT, INVALID_DEVICE, INVALID_VALUE, MEMORY, NOT_INITIALIZED, OK, STACK};
use crate::state::{SHARED_OPT_IN, SHARED_PER_BLOCK, put, state};

#[unsafe(no_mangle)]
pub extern "system" fn cuInit(_flags: u32) -> i32 {
    state().initialised = crate::INIT_ANSWER == OK;
    crate::INIT_ANSWER
}

#[unsafe(no_mangle)]
pub extern "system" fn cuDriverGetVersion(version: *mut i32) -> i32 {
    put(version, 13000)
}

#[unsafe(no_mangle)]
pub extern "system" fn cuDeviceGetCount(count: *mut i32) -> i32 {
    if !state().initialised {
        return NOT_INITIALIZED;
    }
    put(count, crate::DEVICE_COUNT)
}

#[unsafe(no_mangle)]
pub extern "system" fn cuDeviceGet(device: *mut i32, ordinal: i32) -> i32 {
    if !(0..crate::DEVICE_COUNT).contains(&ordinal) {
        return INVALID_DEVICE;
    }
    put(device, ordinal)
}

#[unsafe(no_mangle)]
pub extern "system" fn cuDeviceGetName(name: *mut u8, len: i32, device: i32) -> i32 {
    for (index, byte) in format!("Fake Device {device}\0").bytes().take(len as usize).enumerate() {
        // SAFETY: the caller gave room for `len` bytes.
        unsafe { name.add(index).write(byte) };
    }
    OK
}

#[unsafe(no_mangle)]
pub extern "system" fn cuDeviceTotalMem_v2(bytes: *mut usize, _device: i32) -> i32 {
    put(bytes, MEMORY)
}

#[unsafe(no_mangle)]
pub extern "system" fn cuDeviceGetAttribute(value: *mut i32, attribute: i32, _device: i32) -> i32 {
    let answer = match attribute {
        1 | 2 | 3 => 1024,
        4 => 64,
        5 => i32::MAX,
        6 | 7 => 65535,
        8 => SHARED_PER_BLOCK,
        10 => 32,
        12 | 82 => 65536,
        13 => 2_000_000,
        16 => 48,
        38 => 24 << 20,
        39 => 1536,
        75 => 12,
        76 => 1,
        81 => 100 << 10,
        97 if crate::KNOWS_OPT_IN => SHARED_OPT_IN,
        111 if crate::KNOWS_OPT_IN => 1024,
        _ => return INVALID_VALUE,
    };
    put(value, answer)
}

#[unsafe(no_mangle)]
pub extern "system" fn cuDevicePrimaryCtxRetain(context: *mut usize, device: i32) -> i32 {
    state().devices[device as usize].retained += 1;
    put(context, device as usize + 1)
}

#[unsafe(no_mangle)]
pub extern "system" fn cuDevicePrimaryCtxRelease_v2(device: i32) -> i32 {
    let mut state = state();
    let device = &mut state.devices[device as usize];
    if device.retained == 0 {
        return INVALID_CONTEXT;
    }
    device.retained -= 1;
    OK
}

#[unsafe(no_mangle)]
pub extern "system" fn cuCtxPushCurrent_v2(context: usize) -> i32 {
    let alive = context >= 1 && state().devices.get(context - 1).is_some_and(|device| device.retained > 0);
    if !alive {
        return INVALID_CONTEXT;
    }
    STACK.with_borrow_mut(|stack| {
        // Nobody nests this deep: a call before this one has left its context behind.
        if stack.len() >= 4 {
            return INVALID_VALUE;
        }
        stack.push(context - 1);
        OK
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuCtxPopCurrent_v2(context: *mut usize) -> i32 {
    match STACK.with_borrow_mut(Vec::pop) {
        Some(device) => put(context, device + 1),
        None => INVALID_CONTEXT,
    }
}

#[unsafe(no_mangle)]
pub extern "system" fn cuCtxSynchronize() -> i32 {
    crate::state::on_device(|_, _| OK)
}
