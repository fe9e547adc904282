//! One instruction of the matrix unit a tile, and sums over K in a fragment, in every dense form.
//!
//! | kernel | result | sum |
//! | --- | --- | --- |
//! | `mma_tile_…` | d = a · b + c of one tile a warp | the matrix unit's |
//! | `mma_scaled_tile_…` | d = (a · scales of rows) · (b · scales of columns) + c of one tile a warp | the matrix unit's |
//! | `mma_k_loop_…` | d = a · b, any K, M and N in whole tiles; a warp a tile | the matrix unit's, slice after slice of K |
//! | `mma_pair_k_loop_…` | d = a · b of four products a warp, any K | the same |
//! | `mma_scaled_k_loop_…` | d = (a · scales) · (b · scales) of one tile, K in whole instructions | the same |
//! | `mma_ieee_tile_…`, `mma_ieee_k_loop_…` | as `mma_tile_…` without scales, as `mma_k_loop_…` | f32 fused multiply-adds, k ascending from c |
//!
//! The rest of a name is the shape, then `row` or `col` for A and for B of four products at once, `rz` and the like where
//! f64 is rounded so, `sat` where an integer sum is clamped, `4bit` where the i8 and u8 elements are
//! 4-bit ones, and the kind of a narrow form. Matrices are row-major in global memory and fragments are filled by row and
//! column, so that a wrong lane map shows as a wrong product.
//!
//! What the unit does to the bit is the tensor model's, which the oracle follows (`docs/tensor-cores.md`); the reference is to
//! catch a wrong layout or operation on every architecture:
//!
//! | inputs | judged by | reason |
//! | --- | --- | --- |
//! | integers | bits | sums are exact, then wrap or are clamped once |
//! | small integers as floats, also scaled down to subnormals | value | every partial sum has at most 12 digits, fewer than any architecture keeps |
//! | f64, IEEE sums: any | value | a chain of fused multiply-adds has one result |
//! | positive, to f32 | rel(2e-6) | K + 1 ≤ 33 terms cut at 2⁻²⁴ of the largest, sum cut at 2⁻²³ |
//! | positive fp8, to f32 | rel(5e-3) | the same at 2⁻¹³ and 2⁻¹³, which sm_89 keeps |
//! | positive, to f16 | rel(2e-3), fp8 rel(7e-3) | each of at most three steps rounds to 11 digits; fp8 is cut as above |
//! | positive, K in a loop, to f32 | rel((K + 32) · 1.5e-7) | a step of 4 (8, 16) products loses at most 4e-7 (7e-7, 6e-7) of the sum so far |
//! | dominant pairs that cancel | abs(K · 2⁻¹³) | sums stay below 2¹⁰; a step of k products cuts k + 1 terms at 2⁻²⁴ of that and the sum at 2⁻²³ |
//! | hard: any bits, NaN, ∞ | where operands decide | NaN and ∞ of an operand; an infinite one only if no finite sum comes near the end of the range |

mod cases;
mod cases_ieee;
mod cases_loop;
mod cases_narrow;
mod data;
pub mod kernel;
mod reference;

use crate::dsl::prelude::{DType, Form, form};

/// The form of `m16n8k32_4bit` and the like, for the dtypes of A, B and C.
fn form_of(name: &str, [a, b, c]: [DType; 3]) -> Form {
    let mut words = name.split('_');
    let mut text = words.next().unwrap_or_default().to_owned();
    let mut is_4bit = false;
    for word in words {
        match word {
            "4bit" => is_4bit = true,
            "mxf4nvf4x2" => text.push_str(".mxf4nvf4.2x"),
            "mxf4nvf4x4" => text.push_str(".mxf4nvf4.4x"),
            other => text.extend([".", other]),
        }
    }
    let element = |dtype: DType| {
        if dtype == DType::I8 {
            if is_4bit { "s4" } else { "s8" }
        } else if dtype == DType::U8 && is_4bit {
            "u4"
        } else if dtype == DType::I32 {
            "s32"
        } else {
            dtype.name()
        }
    };
    form(&format!("{text}.{}.{}.{}.{}", element(c), element(a), element(b), element(c)))
}
