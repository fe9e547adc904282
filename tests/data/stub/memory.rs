//! Allocations, copies and fills. An address belongs to one device, and only its context may use it.

use crate::state::{INVALID_VALUE, MEMORY, OK, OUT_OF_MEMORY, State, on_device, put};

/// The bytes at an address, if the range lies inside one allocation of the device.
pub fn bytes(state: &mut State, device: usize, address: u64, len: usize) -> Option<&mut [u8]> {
    let (start, (owner, contents)) = state.memory.range_mut(..=address).next_back()?;
    let offset = (address - start) as usize;
    if *owner == device { contents.get_mut(offset..offset.checked_add(len)?) } else { None }
}

#[unsafe(no_mangle)]
pub extern "system" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> i32 {
    on_device(|state, device| {
        put(total, MEMORY);
        put(free, MEMORY - state.devices[device].used)
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuMemAlloc_v2(address: *mut u64, len: usize) -> i32 {
    on_device(|state, device| {
        if len == 0 {
            return INVALID_VALUE;
        }
        if len > MEMORY - state.devices[device].used {
            return OUT_OF_MEMORY;
        }
        // Fresh memory is garbage, so that a forgotten fill shows.
        let contents = vec![0xA5; len];
        let start = contents.as_ptr() as u64;
        state.devices[device].used += len;
        state.memory.insert(start, (device, contents));
        put(address, start)
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuMemFree_v2(address: u64) -> i32 {
    on_device(|state, device| match state.memory.remove(&address) {
        Some((owner, contents)) => {
            state.devices[owner].used -= contents.len();
            if owner == device { OK } else { INVALID_VALUE }
        }
        None => INVALID_VALUE,
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuMemcpyHtoD_v2(to: u64, from: *const u8, len: usize) -> i32 {
    on_device(|state, device| {
        let Some(target) = bytes(state, device, to, len) else { return INVALID_VALUE };
        // SAFETY: the caller's slice has `len` bytes.
        target.copy_from_slice(unsafe { std::slice::from_raw_parts(from, len) });
        OK
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuMemcpyDtoH_v2(to: *mut u8, from: u64, len: usize) -> i32 {
    on_device(|state, device| {
        let Some(source) = bytes(state, device, from, len) else { return INVALID_VALUE };
        // SAFETY: the caller's slice has `len` bytes.
        unsafe { std::slice::from_raw_parts_mut(to, len) }.copy_from_slice(source);
        OK
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuMemcpyDtoD_v2(to: u64, from: u64, len: usize) -> i32 {
    on_device(|state, device| {
        let Some(source) = bytes(state, device, from, len).map(|source| source.to_vec()) else {
            return INVALID_VALUE;
        };
        let Some(target) = bytes(state, device, to, len) else { return INVALID_VALUE };
        target.copy_from_slice(&source);
        OK
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuMemsetD8_v2(address: u64, value: u8, len: usize) -> i32 {
    on_device(|state, device| {
        let Some(target) = bytes(state, device, address, len) else { return INVALID_VALUE };
        target.fill(value);
        OK
    })
}
