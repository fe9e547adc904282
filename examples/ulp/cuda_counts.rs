//! PTX instructions an element that `nvcc -O3` emits for CUDA's accurate functions, executed on ordinary inputs.

/// By function.
pub const CUDA_COUNTS: &[(&str, f64)] = &[];
