//! Storage formats in kernels: conversions that name their mode, and several codes in one word.
//!
//! On entry: values of any type. On exit: operations of the IR; a mode that the format does not take is a mistake with
//! its place. Deliberately not here: block formats, which are kernels.

use super::build::with;
use super::error::BuildError;
use super::types::KernelType;
use super::val::{IntoVal, Val};
use crate::ir::DType;
use crate::ir::op::{BinaryOp, Bitcast, Convert};
use crate::numerics::CastMode;

impl Val {
    /// Converts to `e4m3`, `e5m2` or `ue4m3` without saturating: what is beyond the largest number becomes infinity, or
    /// NaN where there is none.
    pub fn cast_nonsat<D: KernelType>(self) -> Self {
        self.cast_with(D::dtype(), CastMode::Nonsat)
    }

    /// Converts to `e8m0` or `tf32`, rounding toward zero.
    pub fn cast_rz<D: KernelType>(self) -> Self {
        self.cast_with(D::dtype(), CastMode::TowardZero)
    }

    /// Converts to `e8m0`, rounding up.
    pub fn cast_rp<D: KernelType>(self) -> Self {
        self.cast_with(D::dtype(), CastMode::Up)
    }

    fn cast_with(self, to: DType, mode: CastMode) -> Self {
        with(|build| {
            let a = build.id(self);
            build.value(Convert { to, mode, a })
        })
    }
}

/// How many codes of a type a word holds, and how many bits each takes there.
fn layout(dtype: DType) -> Option<(usize, u32)> {
    match dtype {
        DType::E2M1 => Some((8, 4)),
        DType::Bool => None,
        _ if dtype.size() == 1 => Some((4, 8)),
        _ => None,
    }
}

/// A mistake where a type has no place in a word.
fn no_layout(dtype: DType) -> BuildError {
    BuildError::Refused {
        what: format!("`{dtype}` does not share a word"),
        help: "a u32 holds four of an 8- or 6-bit type, or eight `e2m1`",
    }
}

/// Values as codes of `D` in one `u32`, the first in the lowest bits: four of an 8- or 6-bit type, each in a byte of its
/// own, or eight `e2m1`. Each value is converted as `.cast::<D>()` does.
pub fn pack<D: KernelType, V: IntoVal>(values: impl IntoIterator<Item = V>) -> Val {
    let dtype = D::dtype();
    let values: Vec<Val> = values.into_iter().map(IntoVal::val).collect();
    let zero = Val::constant(crate::ir::Literal::u32(0));
    let Some((_, bits)) = layout(dtype).filter(|(count, _)| *count == values.len()) else {
        let given = values.len();
        with(|build| {
            build.error(match layout(dtype) {
                None => no_layout(dtype),
                Some((count, _)) => BuildError::Refused {
                    what: format!("{given} values of `{dtype}` in a word"),
                    help: if count == 8 { "give eight" } else { "give four" },
                },
            });
        });
        return zero;
    };
    let codes = values.into_iter().zip(0u32..).map(|(value, position)| {
        let code = value.cast::<D>();
        with(|build| {
            let a = build.id(code);
            let byte = build.value(Bitcast { to: DType::U8, a });
            let wide = build.convert(byte, DType::U32);
            let shift = Val::constant(crate::ir::Literal::u32(position * bits));
            if position == 0 { wide } else { build.binary(BinaryOp::Shl, wide, shift) }
        })
    });
    let joined = codes.reduce(|lower, code| with(|build| build.binary(BinaryOp::Or, lower, code)));
    joined.expect("a word holds several")
}

/// The codes of `D` in a `u32`, the one in the lowest bits first: what [`pack`] packs.
pub fn unpack<D: KernelType>(word: impl IntoVal) -> Vec<Val> {
    let (dtype, word) = (D::dtype(), word.val());
    with(|build| {
        let Some((count, bits)) = layout(dtype) else {
            build.error(no_layout(dtype));
            return Vec::new();
        };
        let word = build.adopt(word, DType::U32);
        (0..count as u32)
            .map(|position| {
                let shift = Val::constant(crate::ir::Literal::u32(position * bits));
                let moved = if position == 0 { word } else { build.binary(BinaryOp::Shr, word, shift) };
                let byte = build.convert(moved, DType::U8);
                let a = build.id(byte);
                build.value(Bitcast { to: dtype, a })
            })
            .collect()
    })
}
