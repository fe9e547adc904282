//! Each storage format to f32, exactly.
//!
//! A NaN comes out as the canonical one, as from any conversion: a `bitcast` behind the sequence sees its last
//! operation, which moves bits.

use super::{Expansion, Step};
use crate::ir::kernel::ValueId;
use crate::ir::op::{BinaryOp, Bitcast, CompareOp, Convert, Op};
use crate::ir::types::DType;
use crate::numerics::Storage;

const NAN: u32 = 0x7FFF_FFFF;

impl Expansion<'_> {
    /// The last operation of a format's way to f32.
    pub(super) fn decode(&mut self, storage: Storage, a: ValueId) -> Op {
        let to = DType::F32;
        if (self.is_native)(Step::Decode(storage)) {
            return Convert::new(to, a).into();
        }
        if storage == Storage::TF32 {
            let bits = self.bits(DType::U32, a);
            let magnitude = self.with(BinaryOp::And, bits, NAN);
            let a = self.nan_or(magnitude, NAN, bits);
            return Bitcast { to, a }.into();
        }
        let byte = self.bits(DType::U8, a);
        let word = self.cast(DType::U32, byte);
        match storage {
            Storage::E5M2 => {
                // The upper half of an f16.
                let wide = self.with(BinaryOp::Shl, word, 8);
                let half = self.cast(DType::U16, wide);
                let half = self.bits(DType::F16, half);
                Convert::new(to, half).into()
            }
            Storage::E8M0 => {
                let shifted = self.with(BinaryOp::Shl, word, 23);
                let (least, nan) = (self.word(0x0040_0000), self.word(NAN));
                let is_nan = self.is(CompareOp::Eq, word, 0xFF);
                let normal = self.select(is_nan, nan, shifted);
                let is_least = self.is(CompareOp::Eq, word, 0);
                let a = self.select(is_least, least, normal);
                Bitcast { to, a }.into()
            }
            Storage::E4M3
            | Storage::E2M3
            | Storage::E3M2
            | Storage::E2M1
            | Storage::UE4M3
            | Storage::TF32 => {
                let a = self.widen(storage, word);
                Bitcast { to, a }.into()
            }
        }
    }

    /// A format of at most 8 bits with a zero and without infinities.
    fn widen(&mut self, storage: Storage, word: ValueId) -> ValueId {
        let format = storage.format();
        let bias = format.bias as u32;
        let magnitude = if format.is_signed {
            self.with(BinaryOp::And, word, format.magnitude_mask() as u32)
        } else {
            word
        };
        let shifted = self.with(BinaryOp::Shl, magnitude, 23 - format.mantissa_bits);
        let normal = self.with(BinaryOp::Add, shifted, (127 - bias) << 23);
        // Exact, and a normal f32.
        let count = self.cast(DType::F32, magnitude);
        let unit = self.single((128 - bias - format.mantissa_bits) << 23);
        let product = self.binary(BinaryOp::Mul, count, unit);
        let subnormal = self.bits(DType::U32, product);
        let is_subnormal = self.is(CompareOp::Lt, magnitude, 1 << format.mantissa_bits);
        let finite = self.select(is_subnormal, subnormal, normal);
        let signed = if format.is_signed {
            let sign = self.with(BinaryOp::And, word, format.sign_mask() as u32);
            let moved = self.with(BinaryOp::Shl, sign, 32 - format.width());
            self.binary(BinaryOp::Or, finite, moved)
        } else {
            finite
        };
        let Some(nan) = storage.nan() else { return signed };
        let is_nan = self.is(CompareOp::Eq, magnitude, nan);
        let nan = self.word(NAN);
        self.select(is_nan, nan, signed)
    }
}
