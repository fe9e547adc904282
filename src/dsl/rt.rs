//! What rewritten code calls; nobody writes these names by hand.

pub use super::build::{Inside, inside};
pub use super::call::{CallArg, call, captured};
pub use super::compare::{Pair, and, or};
pub use super::control::{Arm, IfVal, Lf, if_begin};
pub use super::coop_tile::{coop_tile_load_a, coop_tile_load_b, coop_tile_setup, coop_tile_store_c};
pub use super::inline::{InlineText, inline, inline_with};
pub use super::local::{Mt, Nm, Pix, PixMut, Sa, Ty, rd};
pub use super::loops::{Lp, Phase, Rng, RngClosed, leave, loop_begin, range_2, range_3, while_begin};
pub use super::memory::{stack_alloc_2, stack_alloc_3, threadgroup_alloc_2, threadgroup_alloc_3};
pub use super::reduce::{strided_reduce_4, strided_reduce_5, strided_reduce_dot};
pub use super::select::{select_eager, select_lazy};
pub use super::simdgroup::{simdgroup_load_4, simdgroup_load_5};
pub use super::strided::{strided_store_5, strided_store_6};
pub use super::tensor::{Ix, St, buffer, scalar};
pub use crate::ir::op::{InlineEffect, InlineTarget, ReduceOp};

use super::build::with;
use super::types::KernelType;
use super::val::Val;
use crate::ir::{DType, Literal};

/// Traits through which the wrappers reach host types.
pub mod traits {
    pub use super::super::compare::{HostOrder as _, HostPair as _};
    pub use super::super::control::{HostLift as _, HostTake as _};
    pub use super::super::local::{HostBind as _, HostName as _, HostSet as _};
    pub use super::super::loops::HostItems as _;
    pub use super::super::tensor::HostIndex as _;
}

/// The operations that follow come from this place of the kernel's file.
pub fn at(line: u32, column: u32) {
    with(|build| build.at(line, column));
}

/// The operations that follow come from this place.
pub fn at_file(file: &str, line: u32, column: u32) {
    with(|build| build.at_file(file, line, column));
}

/// The dtype that a type stands for.
pub fn dtype<T: KernelType>() -> DType {
    T::dtype()
}

/// A suffixed integer literal; the macro checked its range.
pub fn typed_int<T: KernelType>(value: i128) -> Val {
    Val::constant(Literal::from_bits(T::dtype(), value as u64))
}

/// A literal with the suffix `f32`.
pub fn typed_f32(value: f32) -> Val {
    Val::constant(Literal::f32(value))
}

/// A literal with another float's suffix.
pub fn typed_float<T: KernelType>(value: f64) -> Val {
    let literal = super::fold::literal_float(value, T::dtype());
    Val::constant(literal.expect("the macro gives float types"))
}
