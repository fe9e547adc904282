//! Approximations: functions that hardware has within a stated error, whose bits differ between chips.
//!
//! A kernel that holds one is approximate: its cases say so, with a tolerance, and count apart. Not here: anything
//! that the passes could fold, since the value of an approximation is the target's to choose.

use smallvec::smallvec;

use super::{Keyword, ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{Kernel, ValueId};
use crate::ir::types::DType;

op! {
    /// The target's approximation of a function of an `f32`; subnormals are kept.
    Approx = "approx" [op: ApproxOp] {
        /// The operand.
        a: ValueId
    }
}

/// Functions that hardware approximates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ApproxOp {
    /// 2^x.
    Exp2,
    /// The binary logarithm.
    Log2,
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
    /// The hyperbolic tangent.
    Tanh,
    /// 1/√x.
    Rsqrt,
    /// 1/x.
    Recip,
    /// √x.
    Sqrt,
}

impl Keyword for ApproxOp {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Exp2, "exp2"),
        (Self::Log2, "log2"),
        (Self::Sin, "sin"),
        (Self::Cos, "cos"),
        (Self::Tanh, "tanh"),
        (Self::Rsqrt, "rsqrt"),
        (Self::Recip, "recip"),
        (Self::Sqrt, "sqrt"),
    ];
}

impl Rule for Approx {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let found = kernel.dtype(self.a);
        if found != DType::F32 {
            return Err(TypeError::Operand { op: "approx", takes: "an f32", found });
        }
        Ok(smallvec![DType::F32])
    }
}
