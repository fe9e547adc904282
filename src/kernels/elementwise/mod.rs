//! One thread per element: sums, products, choices, conversions.
//!
//! | kernel | formula | rounding |
//! | --- | --- | --- |
//! | `vector_add` | c = a + b | once, to T |

mod cases;
pub mod kernel;
mod reference;
