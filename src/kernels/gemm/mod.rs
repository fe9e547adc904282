//! Products of matrices on the matrix unit, fed through shared memory.
//!
//! | kernel | `c[i, j]` | C in steps of |
//! | --- | --- | --- |
//! | `gemm_128x256`, `gemm_128x128`, `gemm_64x64`, `gemm_any` | Σ a[i, l] · b[j, l] | 16 × 8, k ascending by the depth of one `mma`: 16 of f16 and bf16, 32 of 8 bits, 8 of tf32 |
//!
//! Sums are the hardware's (`docs/numerics.md`): f32 of f16, bf16, tf32 and fp8, s32 of s8 and u8. The reference adds in
//! f64; the tolerance is that of a sum of K terms cut at 2⁻²⁴ of the largest, for inputs of one sign.

mod cases;
mod kernel;
mod reference;
