//! Modules: an "assembler" that reads off entries, and refuses a marked line and a version over 9.0.

use std::ffi::{CStr, c_char};

use crate::state::{Entry, INVALID_VALUE, NOT_FOUND, OK, SHARED_PER_BLOCK, on_device, put};

const INVALID_PTX: i32 = 218;
const UNSUPPORTED_PTX_VERSION: i32 = 222;

#[unsafe(no_mangle)]
pub extern "system" fn cuModuleLoadDataEx(
    module: *mut usize,
    image: *const c_char,
    option_count: u32,
    options: *const i32,
    values: *mut *mut u8,
) -> i32 {
    on_device(|state, device| {
        // SAFETY: the driver module hands in a NUL-terminated text.
        let text = unsafe { CStr::from_ptr(image) }.to_string_lossy().into_owned();
        if let Err((code, log)) = assemble(&text) {
            for index in 0..option_count as usize {
                // SAFETY: both arrays have `option_count` elements; the buffer's size stands beside it.
                unsafe {
                    if options.add(index).read() == 5 {
                        let room = values.add(index + 1).read() as usize;
                        let len = log.len().min(room - 1);
                        values.add(index).read().copy_from(log.as_ptr(), len);
                        values.add(index).read().add(len).write(0);
                    }
                }
            }
            return code;
        }
        state.modules.push(Some((device, text)));
        put(module, state.modules.len())
    })
}

fn assemble(text: &str) -> Result<(), (i32, String)> {
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if let Some(version) = line.trim().strip_prefix(".version ") {
            if version.trim().parse::<f32>().is_ok_and(|version| version > 9.0) {
                return Err((
                    UNSUPPORTED_PTX_VERSION,
                    format!(
                        "ptxas application ptx input, line {number}; fatal   : Unsupported .version {version}; \
                         current version is '9.0'\n"
                    ),
                ));
            }
        }
        if line.contains("bogus") {
            return Err((
                INVALID_PTX,
                format!(
                    "ptxas application ptx input, line 2; warning : a line that is not at fault\n\
                     ptxas application ptx input, line {number}; error   : Not a name of any known instruction: \
                     'bogus'\nptxas fatal   : Ptx assembly aborted due to errors\n"
                ),
            ));
        }
    }
    Ok(())
}

#[unsafe(no_mangle)]
pub extern "system" fn cuModuleUnload(module: usize) -> i32 {
    on_device(|state, _| match state.modules[module - 1].take() {
        Some(_) => OK,
        None => INVALID_VALUE,
    })
}

#[unsafe(no_mangle)]
pub extern "system" fn cuModuleGetFunction(function: *mut usize, module: usize, name: *const c_char) -> i32 {
    on_device(|state, _| {
        // SAFETY: the driver module hands in a NUL-terminated name.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        let known = |entry: &Entry| entry.module == module && entry.name == name;
        if let Some(index) = state.functions.iter().position(known) {
            return put(function, index + 1);
        }
        let Some((_, text)) = &state.modules[module - 1] else { return INVALID_VALUE };
        let Some((_, rest)) = text.split_once(&format!(".entry {name}(")) else { return NOT_FOUND };
        let (parameters, rest) = rest.split_once(')').unwrap_or((rest, ""));
        let body = rest.split(".entry").next().unwrap_or_default();
        let static_shared = number_after(body, ".shared .b8 buf[").unwrap_or(0);
        state.functions.push(Entry {
            module,
            name,
            parameters: parameters.split(',').filter_map(parameter_size).collect(),
            max_threads: number_after(body, ".maxntid ").unwrap_or(1024),
            static_shared,
            dynamic_shared: SHARED_PER_BLOCK - static_shared,
        });
        put(function, state.functions.len())
    })
}

fn parameter_size(text: &str) -> Option<usize> {
    let ty = text.split_once(".param .")?.1;
    let bits: usize = ty.get(1..)?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    Some(bits / 8)
}

fn number_after(text: &str, marker: &str) -> Option<i32> {
    text.split_once(marker)?.1.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
