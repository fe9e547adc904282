//! What the fake's assembler made of a function.

use crate::state::{INVALID_VALUE, on_device, put};

#[unsafe(no_mangle)]
pub extern "system" fn cuFuncGetAttribute(value: *mut i32, attribute: i32, function: usize) -> i32 {
    on_device(|state, _| {
        let entry = &state.functions[function - 1];
        let answer = match attribute {
            0 => entry.max_threads,
            1 => entry.static_shared,
            2 => 0,
            3 => 16,
            4 => 24,
            5 => 80,
            6 => 121,
            8 => entry.dynamic_shared,
            _ => return INVALID_VALUE,
        };
        put(value, answer)
    })
}
