//! A library that loads but is no libcuda.

/// Something to export.
#[unsafe(no_mangle)]
pub extern "system" fn some_other_library() -> i32 {
    0
}
