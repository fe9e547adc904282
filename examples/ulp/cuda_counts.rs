//! PTX instructions of an element that CUDA's accurate math functions execute on ordinary inputs.
//!
//! Measured with nvcc 13.0 (V13.0.88), `-O3 -ptx -arch=sm_90`, by
//! `cargo run --release --example cuda_counts -- NVCC`, which prints this file and says what it counts.

/// Function of the CUDA math library, and the mean of its executed PTX instructions.
pub(crate) const CUDA_COUNTS: &[(&str, f64)] = &[
    ("expf", 18.0),
    ("exp2f", 1.0),
    ("expm1f", 36.0),
    ("logf", 38.0),
    ("log2f", 43.0),
    ("log10f", 39.0),
    ("log1pf", 42.0),
    ("sinf", 32.9),
    ("cosf", 34.7),
    ("tanf", 38.0),
    ("asinf", 34.0),
    ("acosf", 38.0),
    ("atanf", 28.2),
    ("sinhf", 37.0),
    ("coshf", 24.0),
    ("tanhf", 24.0),
    ("asinhf", 56.0),
    ("acoshf", 58.0),
    ("atanhf", 52.0),
    ("rsqrtf", 1.0),
    ("cbrtf", 17.0),
    ("erff", 24.6),
    ("erfcf", 71.0),
    ("erfinvf", 29.0),
    ("powf", 107.0),
    ("atan2f", 44.7),
];

/// The same without `mov`: a literal costs this compiler one, and the assembler folds most of them away.
pub(crate) const CUDA_COUNTS_WITHOUT_MOVES: &[(&str, f64)] = &[
    ("expf", 10.0),
    ("exp2f", 1.0),
    ("expm1f", 29.0),
    ("logf", 25.0),
    ("log2f", 29.0),
    ("log10f", 26.0),
    ("log1pf", 24.0),
    ("sinf", 26.0),
    ("cosf", 27.0),
    ("tanf", 28.0),
    ("asinf", 26.0),
    ("acosf", 29.0),
    ("atanf", 19.4),
    ("sinhf", 25.0),
    ("coshf", 16.0),
    ("tanhf", 17.0),
    ("asinhf", 38.0),
    ("acoshf", 39.0),
    ("atanhf", 33.0),
    ("rsqrtf", 1.0),
    ("cbrtf", 16.0),
    ("erff", 24.4),
    ("erfcf", 51.0),
    ("erfinvf", 18.0),
    ("powf", 87.0),
    ("atan2f", 34.2),
];
