//! Operations of a warp: the lanes active at the operation act together.

use smallvec::smallvec;

use super::{Keyword, ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{Kernel, ValueId};
use crate::ir::types::{DType, Literal, int_range};

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
    /// A prefix over the ranks of the active lanes, by offsets 1, 2, 4, 8, 16: rank r takes op(v_{r-s}, v_r) where
    /// r >= s. Exclusive shifts the result by one rank; rank 0 then gets the identity of the operation.
    WarpScan = "warp_scan" [reach: Reach, op: ReduceOp] {
        /// The lane's contribution, of the types that a reduction takes.
        value: ValueId
    }
}

op! {
    /// Whether a condition holds in any, or in all, of the active lanes.
    Vote = "vote" [mode: VoteMode] {
        /// A `bool`.
        cond: ValueId
    }
}

op! {
    /// The active lanes in which a condition holds: bit n for lane n, a `u32`.
    Ballot = "ballot" {
        /// A `bool`.
        cond: ValueId
    }
}

op! {
    /// The active lanes that hold the same value: bit n for lane n, a `u32`.
    Match = "match_any" {
        /// An integer.
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

/// Whether a scan takes in the lane's own value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reach {
    /// It does.
    Inclusive,
    /// Only what is before it.
    Exclusive,
}

impl Keyword for Reach {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Inclusive, "inclusive"), (Self::Exclusive, "exclusive")];
}

/// What a vote asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VoteMode {
    /// Whether the condition holds in any lane.
    Any,
    /// Whether it holds in all.
    All,
}

impl Keyword for VoteMode {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Any, "any"), (Self::All, "all")];
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
    /// Every bit that is set in all; integers only.
    And,
    /// Every bit that is set in any; integers only.
    Or,
    /// Every bit that is set in an odd number; integers only.
    Xor,
}

impl Keyword for ReduceOp {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Sum, "sum"),
        (Self::Max, "max"),
        (Self::Min, "min"),
        (Self::Product, "product"),
        (Self::And, "and"),
        (Self::Or, "or"),
        (Self::Xor, "xor"),
    ];
}

impl ReduceOp {
    /// The two-operand operation it repeats.
    pub fn binary(self) -> super::BinaryOp {
        match self {
            Self::Sum => super::BinaryOp::Add,
            Self::Max => super::BinaryOp::Max,
            Self::Min => super::BinaryOp::Min,
            Self::Product => super::BinaryOp::Mul,
            Self::And => super::BinaryOp::And,
            Self::Or => super::BinaryOp::Or,
            Self::Xor => super::BinaryOp::Xor,
        }
    }

    /// Whether it works on bits, and so on integers alone.
    pub fn is_bitwise(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Xor)
    }

    /// The value that leaves every other unchanged, or nearly (0 + −0 is +0): what a scan puts before the first. `dtype`
    /// is one that reductions take.
    pub fn identity(self, dtype: DType) -> Literal {
        let range = int_range(dtype);
        match (self, range) {
            (Self::Sum | Self::Or | Self::Xor, _) => Literal { dtype, bits: 0 },
            (Self::And, _) => Literal { dtype, bits: dtype.mask() },
            (Self::Product, Some(_)) => Literal { dtype, bits: 1 },
            (Self::Max, Some((low, _))) => Literal::from_bits(dtype, low as u64),
            (Self::Min, Some((_, high))) => Literal::from_bits(dtype, high as u64),
            (Self::Product, None) => float(dtype, 1.0),
            (Self::Max, None) => float(dtype, f64::NEG_INFINITY),
            (Self::Min, None) => float(dtype, f64::INFINITY),
        }
    }
}

/// An f32 or f64 literal of a number that both hold.
fn float(dtype: DType, number: f64) -> Literal {
    if dtype == DType::F64 {
        Literal::from_bits(dtype, number.to_bits())
    } else {
        Literal::f32(number as f32)
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
        reduced("warp_reduce", self.op, kernel.dtype(self.value))
    }
}

impl Rule for WarpScan {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        reduced("warp_scan", self.op, kernel.dtype(self.value))
    }
}

fn reduced(name: &'static str, op: ReduceOp, found: DType) -> Result<ResultTypes, TypeError> {
    if op.is_bitwise() && !found.is_int() {
        return Err(TypeError::Operand { op: name, takes: "an integer for and, or, xor", found });
    }
    match found {
        DType::I32 | DType::U32 | DType::I64 | DType::U64 | DType::F32 | DType::F64 => Ok(smallvec![found]),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::U8
        | DType::U16
        | DType::F16
        | DType::BF16
        | DType::Storage(_) => Err(TypeError::Operand { op: name, takes: "a 32- or 64-bit number", found }),
    }
}

impl Rule for Vote {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        condition("vote", kernel.dtype(self.cond))?;
        Ok(smallvec![DType::Bool])
    }
}

impl Rule for Ballot {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        condition("ballot", kernel.dtype(self.cond))?;
        Ok(smallvec![DType::U32])
    }
}

fn condition(op: &'static str, found: DType) -> Result<(), TypeError> {
    if found == DType::Bool { Ok(()) } else { Err(TypeError::Operand { op, takes: "a bool", found }) }
}

impl Rule for Match {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let found = kernel.dtype(self.value);
        if !found.is_int() {
            return Err(TypeError::Operand { op: "match_any", takes: "an integer", found });
        }
        Ok(smallvec![DType::U32])
    }
}

impl Rule for WarpBarrier {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(ResultTypes::new())
    }
}
