//! Launches: the kernel's name says what is done.
//!
//! `vector_add(a, b, c, n)` adds; `record(out, …)` writes what the launch was started with, and each later parameter
//! widened to 64 bits; `fault_N()` leaves the context with the sticky code N.

use crate::memory::bytes;
use crate::state::{INVALID_VALUE, OK, State, on_device};

#[unsafe(no_mangle)]
pub extern "system" fn cuLaunchKernel(
    function: usize,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared_bytes: u32,
    stream: usize,
    parameters: *const *const u8,
    extra: *const u8,
) -> i32 {
    on_device(|state, device| {
        let entry = &state.functions[function - 1];
        let threads = u64::from(block_x) * u64::from(block_y) * u64::from(block_z);
        if grid_x * grid_y * grid_z == 0 || threads == 0 || threads > entry.max_threads as u64 {
            return INVALID_VALUE;
        }
        if shared_bytes > entry.dynamic_shared as u32 || !extra.is_null() {
            return INVALID_VALUE;
        }
        let values: Vec<u64> = entry
            .parameters
            .iter()
            .enumerate()
            .map(|(index, size)| {
                let mut word = [0u8; 8];
                // SAFETY: one pointer a parameter, each to as many bytes as the parameter has.
                let from = unsafe { std::slice::from_raw_parts(parameters.add(index).read(), *size) };
                word[..*size].copy_from_slice(from);
                u64::from_le_bytes(word)
            })
            .collect();
        let name = entry.name.clone();
        state.launches += 1;
        if let Some(code) = name.strip_prefix("fault_") {
            state.devices[device].sticky = code.parse().unwrap_or(719);
            return OK;
        }
        match name.as_str() {
            "vector_add" => add(state, device, &values),
            "record" => {
                let shape = [grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes].map(u64::from);
                let words = shape.into_iter().chain([stream as u64]).chain(values[1..].iter().copied());
                let record: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
                let Some(out) = bytes(state, device, values[0], record.len()) else { return INVALID_VALUE };
                out.copy_from_slice(&record);
                OK
            }
            _ => OK,
        }
    })
}

fn add(state: &mut State, device: usize, values: &[u64]) -> i32 {
    let [a, b, c, n] = values else { return INVALID_VALUE };
    let len = *n as usize * 4;
    if len == 0 {
        return OK;
    }
    let mut read = |address| {
        let bytes = bytes(state, device, address, len)?;
        Some(
            bytes
                .chunks_exact(4)
                .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
                .collect::<Vec<_>>(),
        )
    };
    let (Some(a), Some(b)) = (read(*a), read(*b)) else { return INVALID_VALUE };
    let sum: Vec<u8> = a.iter().zip(&b).flat_map(|(a, b)| (a + b).to_le_bytes()).collect();
    let Some(c) = bytes(state, device, *c, len) else { return INVALID_VALUE };
    c.copy_from_slice(&sum);
    OK
}
