//! Functions that the old stub lacks: the shared-memory opt-in and the parameter query.

use crate::state::{INVALID_VALUE, OK, SHARED_OPT_IN, on_device, put};

#[unsafe(no_mangle)]
pub extern "system" fn cuFuncSetAttribute(function: usize, attribute: i32, value: i32) -> i32 {
    on_device(|state, _| {
        let entry = &mut state.functions[function - 1];
        if attribute != 8 || value < 0 || value > SHARED_OPT_IN - entry.static_shared {
            return INVALID_VALUE;
        }
        entry.dynamic_shared = value;
        OK
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuFuncGetParamInfo(
    function: usize,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> i32 {
    on_device(|state, _| {
        let parameters = &state.functions[function - 1].parameters;
        let Some(bytes) = parameters.get(index) else { return INVALID_VALUE };
        put(offset, parameters[..index].iter().sum());
        put(size, *bytes)
    })
}
