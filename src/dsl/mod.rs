//! What `#[kernel]` expands to: traced values, the vocabulary of kernels, and the build that is running.
//!
//! A kernel's body is run once for each choice of dtypes. Host values (`usize`, `bool`, constants) decide while it runs;
//! traced values ([`Val`]) become operations of the kernel. Rust's operators are overloaded for them; what Rust can't
//! overload, the macro rewrites into calls of [`rt`].
//!
//! On entry a body that the macro rewrote. On exit a kernel whose operations all take their operands, or every mistake
//! with its place; rules that span operations are the validator's. Deliberately not here: transcendental functions and
//! whatever a backend decides.
//!
//! ```
//! use warpsmith::dsl::prelude::*;
//!
//! #[kernel]
//! fn vector_add<T>(a: Tensor<T>, b: Tensor<T>, mut c: Tensor<T>) {
//!     let i = program_id::<0>();
//!     store(c[i], load(a[i]) + load(b[i]));
//! }
//! # fn main() {
//! let kernel = vector_add::kernel_ir_for(DType::F16).expect("it builds");
//! assert_eq!(kernel.params.len(), 3);
//! # }
//! ```

pub mod approx;
mod atomic;
mod barrier;
mod build;
mod call;
mod compare;
mod control;
mod coop_tile;
mod error;
mod fold;
pub mod geometry;
mod inline;
mod lane;
mod local;
mod loops;
mod math;
mod matrix;
mod matrix_memory;
mod memory;
mod ops;
mod promote;
mod real;
mod reduce;
mod registry;
pub mod rt;
mod scan;
mod select;
mod simdgroup;
mod storage;
mod strided;
mod tensor;
#[cfg(test)]
mod tests;
mod transcendental;
pub mod types;
mod val;
pub mod vocab;
mod warp;

pub use build::{KernelInfo, build, outer_module};
pub use error::{BuildError, BuildErrors};
pub use local::{Host, Local};
pub use registry::{KernelEntry, kernels};
pub use tensor::Tensor;
pub use types::{Dyn, KernelType};
/// Numbers as constants of a dtype.
pub mod literal {
    use crate::ir::{DType, Literal};

    /// A real in a float type, rounded once; `None` for other types.
    pub fn float(value: f64, dtype: DType) -> Option<Literal> {
        super::fold::literal_float(value, dtype)
    }
}

pub use val::{Flt, HostInt, Int, IntoVal, Val};

/// The attribute macros and the types that signatures name; bodies bring the rest of the vocabulary themselves.
pub mod prelude {
    pub use warpsmith_macros::{bench_kernel, kernel, kernel_fn, test_kernel};

    pub use super::vocab::*;
}
