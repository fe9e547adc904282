//! Operations of a warp: the lanes active at the operation act together.

use smallvec::smallvec;

use super::{Keyword, ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{Kernel, ValueId};
use crate::ir::types::DType;

op! {
    /// Moves a value between the lanes of one warp. Up, down and xor past the warp give the own value; idx takes the
    /// lane modulo 32. A source lane that is not active is an error with a location.
    Shuffle = "shuffle" [mode: ShuffleMode] {
        /// The value moved: any type.
        value: ValueId,
        /// Source lane, distance or lane mask, a `u32`.
        lane: ValueId,
    }
}

op! {
    /// Reduces over the ranks of the active lanes, halving: for s = 16, 8, 4, 2, 1, rank r takes op(v_r, v_{r+s})
    /// where r < s and r + s < n. Every active lane gets rank 0's value.
    WarpReduce = "warp_reduce" [op: ReduceOp] {
        /// The lane's contribution: a 32- or 64-bit number other than f16/bf16, which are widened before.
        value: ValueId
    }
}

op! {
    /// Waits for the warp's active lanes and orders their memory accesses.
    WarpBarrier = "warp_barrier" {}
}

/// How a shuffle finds its source lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShuffleMode {
    /// The lane itself, modulo 32.
    Idx,
    /// The own lane minus a distance.
    Up,
    /// The own lane plus a distance.
    Down,
    /// The own lane xor a mask.
    Xor,
}

impl Keyword for ShuffleMode {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Idx, "idx"), (Self::Up, "up"), (Self::Down, "down"), (Self::Xor, "xor")];
}

/// What a reduction combines with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReduceOp {
    /// Sum; integers wrap.
    Sum,
    /// Greatest, as [`BinaryOp::Max`](super::BinaryOp::Max).
    Max,
    /// Least, as [`BinaryOp::Min`](super::BinaryOp::Min).
    Min,
    /// Product; integers wrap.
    Product,
}

impl Keyword for ReduceOp {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Sum, "sum"), (Self::Max, "max"), (Self::Min, "min"), (Self::Product, "product")];
}

impl ReduceOp {
    /// The two-operand operation it repeats.
    pub fn binary(self) -> super::BinaryOp {
        match self {
            Self::Sum => super::BinaryOp::Add,
            Self::Max => super::BinaryOp::Max,
            Self::Min => super::BinaryOp::Min,
            Self::Product => super::BinaryOp::Mul,
        }
    }
}

impl Rule for Shuffle {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let found = kernel.dtype(self.lane);
        if found != DType::U32 {
            return Err(TypeError::Operand { op: "shuffle", takes: "a u32 as its lane", found });
        }
        Ok(smallvec![kernel.dtype(self.value)])
    }
}

impl Rule for WarpReduce {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let found = kernel.dtype(self.value);
        match found {
            DType::I32 | DType::U32 | DType::I64 | DType::U64 | DType::F32 | DType::F64 => {
                Ok(smallvec![found])
            }
            DType::Bool
            | DType::I8
            | DType::I16
            | DType::U8
            | DType::U16
            | DType::F16
            | DType::BF16
            | DType::Storage(_) => {
                Err(TypeError::Operand { op: "warp_reduce", takes: "a 32- or 64-bit number", found })
            }
        }
    }
}

impl Rule for WarpBarrier {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(ResultTypes::new())
    }
}
