//! Any type to an f32 that a storage format can't tell from the number: exact, or rounded to odd.

use super::Expansion;
use crate::ir::kernel::ValueId;
use crate::ir::op::{BinaryOp, CompareOp, UnaryOp};
use crate::ir::types::DType;

impl Expansion<'_> {
    pub(super) fn odd(&mut self, from: DType, a: ValueId) -> ValueId {
        match from {
            DType::F32 => a,
            DType::F64 => self.odd_double(a),
            DType::U32 | DType::U64 => self.odd_magnitude(from, a),
            DType::I32 => self.odd_signed(DType::U32, a),
            DType::I64 => self.odd_signed(DType::U64, a),
            DType::Bool
            | DType::I8
            | DType::I16
            | DType::U8
            | DType::U16
            | DType::F16
            | DType::BF16
            | DType::Storage(_) => self.cast(DType::F32, a),
        }
    }

    /// The nearest f32, moved to its odd neighbour on the number's side where it is even and not the number.
    fn odd_double(&mut self, a: ValueId) -> ValueId {
        let nearest = self.cast(DType::F32, a);
        let back = self.cast(DType::F64, nearest);
        // A NaN compares false both ways and stays.
        let (below, above) = (self.compare(CompareOp::Lt, back, a), self.compare(CompareOp::Gt, back, a));
        let inexact = self.binary(BinaryOp::Or, below, above);
        let bits = self.bits(DType::U32, nearest);
        let last = self.with(BinaryOp::And, bits, 1);
        let even = self.is(CompareOp::Eq, last, 0);
        let moves = self.binary(BinaryOp::And, inexact, even);
        let (near, far) = (self.unary(UnaryOp::Abs, back), self.unary(UnaryOp::Abs, a));
        let grows = self.compare(CompareOp::Lt, near, far);
        let (up, down) = (self.word(1), self.word(u32::MAX));
        let step = self.select(grows, up, down);
        let moved = self.binary(BinaryOp::Add, bits, step);
        let chosen = self.select(moves, moved, bits);
        self.bits(DType::F32, chosen)
    }

    /// The top 24 bits of a magnitude, the last of them set where anything below was, as an f32 of the right size.
    fn odd_magnitude(&mut self, dtype: DType, a: ValueId) -> ValueId {
        let spare = dtype.bits() - 24;
        let zeros = self.unary(UnaryOp::Clz, a);
        let zeros = self.with(BinaryOp::Min, zeros, spare);
        let most = self.word(spare);
        let shift = self.binary(BinaryOp::Sub, most, zeros);
        let count = if dtype == DType::U32 { shift } else { self.cast(dtype, shift) };
        let kept = self.binary(BinaryOp::Shr, a, count);
        let back = self.binary(BinaryOp::Shl, kept, count);
        let inexact = self.compare(CompareOp::Ne, back, a);
        let sticky = self.cast(DType::U32, inexact);
        let kept = if dtype == DType::U32 { kept } else { self.cast(DType::U32, kept) };
        let odd = self.binary(BinaryOp::Or, kept, sticky);
        let exact = self.cast(DType::F32, odd);
        let field = self.with(BinaryOp::Add, shift, 127);
        let scale = self.with(BinaryOp::Shl, field, 23);
        let scale = self.bits(DType::F32, scale);
        self.binary(BinaryOp::Mul, exact, scale)
    }

    fn odd_signed(&mut self, unsigned: DType, a: ValueId) -> ValueId {
        let zero = self.constant(self.kernel.dtype(a), 0);
        let is_negative = self.compare(CompareOp::Lt, a, zero);
        // Of the least number the magnitude wraps to itself, which is right without a sign.
        let magnitude = self.unary(UnaryOp::Abs, a);
        let magnitude = self.cast(unsigned, magnitude);
        let positive = self.odd_magnitude(unsigned, magnitude);
        let negative = self.unary(UnaryOp::Neg, positive);
        self.select(is_negative, negative, positive)
    }
}
