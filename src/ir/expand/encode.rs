//! f32 to each storage format: `numerics::storage`'s fast forms in operations of the IR.

use super::{Expansion, Step};
use crate::ir::kernel::ValueId;
use crate::ir::op::{BinaryOp, Bitcast, CompareOp, Convert, Op};
use crate::ir::types::DType;
use crate::numerics::{CastMode, Storage};

const MAGNITUDE: u32 = 0x7FFF_FFFF;
const INFINITY: u32 = 0x7F80_0000;

impl Expansion<'_> {
    /// The last operation of an f32's way to a format.
    pub(super) fn encode(&mut self, storage: Storage, mode: CastMode, a: ValueId) -> Op {
        let to = DType::Storage(storage);
        if (self.is_native)(Step::Encode(storage, mode)) {
            let a = match storage {
                // The contract maps what is below zero to 0; hardware has a sign there, or none to look at.
                Storage::E8M0 | Storage::UE4M3 => {
                    let zero = self.single(0);
                    self.binary(BinaryOp::MaxNan, a, zero)
                }
                Storage::E4M3
                | Storage::E5M2
                | Storage::E2M3
                | Storage::E3M2
                | Storage::E2M1
                | Storage::TF32 => a,
            };
            return Convert { to, mode, a }.into();
        }
        let bits = self.bits(DType::U32, a);
        let word = match storage {
            Storage::E8M0 => self.power(bits, mode),
            Storage::TF32 => {
                let a = self.tf32(bits, mode);
                return Bitcast { to, a }.into();
            }
            Storage::E4M3
            | Storage::E5M2
            | Storage::E2M3
            | Storage::E3M2
            | Storage::E2M1
            | Storage::UE4M3 => self.small(storage, bits, mode),
        };
        let a = self.cast(DType::U8, word);
        Bitcast { to, a }.into()
    }

    /// A format of at most 8 bits with a zero.
    fn small(&mut self, storage: Storage, bits: ValueId, mode: CastMode) -> ValueId {
        let format = storage.format();
        let bias = format.bias as u32;
        let drop = 23 - format.mantissa_bits;
        let limit = storage.max_finite() + u32::from(mode == CastMode::Nonsat);
        let nan = storage.nan().unwrap_or(storage.max_finite());
        let magnitude = self.with(BinaryOp::And, bits, MAGNITUDE);
        // From the least normal number on: rebias, and round on the bits.
        let rebased = self.with(BinaryOp::Sub, magnitude, (127 - bias) << 23);
        let last = self.with(BinaryOp::Shr, rebased, drop);
        let odd = self.with(BinaryOp::And, last, 1);
        let half = self.with(BinaryOp::Add, rebased, (1 << (drop - 1)) - 1);
        let sum = self.binary(BinaryOp::Add, half, odd);
        let normal = self.with(BinaryOp::Shr, sum, drop);
        // Below: an f32 sum whose last place is the least subnormal makes the one rounding.
        let unit = (127 + 24 - bias - format.mantissa_bits) << 23;
        let absolute = self.bits(DType::F32, magnitude);
        let step = self.single(unit);
        let sum = self.binary(BinaryOp::Add, absolute, step);
        let sum = self.bits(DType::U32, sum);
        let subnormal = self.with(BinaryOp::Sub, sum, unit);
        let is_subnormal = self.is(CompareOp::Lt, magnitude, (128 - bias) << 23);
        let rounded = self.select(is_subnormal, subnormal, normal);
        let bounded = self.with(BinaryOp::Min, rounded, limit);
        let signed = if format.is_signed {
            let moved = self.with(BinaryOp::Shr, bits, 32 - format.width());
            let sign = self.with(BinaryOp::And, moved, format.sign_mask() as u32);
            self.binary(BinaryOp::Or, bounded, sign)
        } else {
            let is_negative = self.is(CompareOp::Gt, bits, MAGNITUDE);
            let zero = self.word(0);
            self.select(is_negative, zero, bounded)
        };
        self.nan_or(magnitude, nan, signed)
    }

    /// e8m0: the exponent field, plus one where rounding up meets a mantissa.
    fn power(&mut self, bits: ValueId, mode: CastMode) -> ValueId {
        let magnitude = self.with(BinaryOp::And, bits, MAGNITUDE);
        let raised = if mode == CastMode::Up {
            // Code 0 lies in the middle of f32's subnormals.
            let is_subnormal = self.is(CompareOp::Lt, magnitude, 0x0080_0000);
            let (low, high) = (self.word(0x003F_FFFF), self.word(0x007F_FFFF));
            let most = self.select(is_subnormal, low, high);
            self.binary(BinaryOp::Add, magnitude, most)
        } else {
            magnitude
        };
        let field = self.with(BinaryOp::Shr, raised, 23);
        let bounded = self.with(BinaryOp::Min, field, Storage::E8M0.max_finite());
        let is_negative = self.is(CompareOp::Gt, bits, MAGNITUDE);
        let zero = self.word(0);
        let positive = self.select(is_negative, zero, bounded);
        self.nan_or(magnitude, 0xFF, positive)
    }

    fn tf32(&mut self, bits: ValueId, mode: CastMode) -> ValueId {
        let magnitude = self.with(BinaryOp::And, bits, MAGNITUDE);
        let rounded = if mode == CastMode::TowardZero {
            bits
        } else {
            let last = self.with(BinaryOp::Shr, bits, 13);
            let odd = self.with(BinaryOp::And, last, 1);
            let half = self.with(BinaryOp::Add, bits, 0xFFF);
            self.binary(BinaryOp::Add, half, odd)
        };
        let kept = self.with(BinaryOp::And, rounded, Storage::TF32.mask());
        self.nan_or(magnitude, 0x7FFF_E000, kept)
    }

    /// `nan` where a magnitude is that of a NaN, else `word`.
    pub(super) fn nan_or(&mut self, magnitude: ValueId, nan: u32, word: ValueId) -> ValueId {
        let is_nan = self.is(CompareOp::Gt, magnitude, INFINITY);
        let nan = self.word(nan);
        self.select(is_nan, nan, word)
    }
}
