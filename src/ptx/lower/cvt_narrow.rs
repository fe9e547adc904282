//! Conversions between f32 and the storage formats, where the target has an instruction.
//!
//! On entry: what `ir::expand` left, which asked for the [`feature`] of each. The instructions convert two values at a time: the
//! second source gives the low half, and the first is zero here. What hardware does beyond the contract's formats
//! (a sign for e8m0 and ue4m3) never reaches it, because the expansion holds those operands above zero.

use super::state::Lowering;
use crate::ir::ValueId;
use crate::ir::expand::Step;
use crate::numerics::{CastMode, Storage};
use crate::ptx::isa::modifier::{Relu, Rounding, SatFinite};
use crate::ptx::isa::types::{CvtType, NarrowX2, PackType, ScaleX2, SingleFloat, Tf32Type};
use crate::ptx::isa::{
    CvtNarrow, CvtScale, CvtTf32, CvtWiden, CvtWidenScale, Def, MovUnpack, Reg, RegClass, Use, VecDef,
};
use crate::target::Feature;

/// What a storage format is in an instruction.
enum Form {
    Pair(NarrowX2),
    Scale,
    Tf32,
}

fn form(storage: Storage) -> Form {
    match storage {
        // Of numbers that are not below zero the two are the same.
        Storage::E4M3 | Storage::UE4M3 => Form::Pair(NarrowX2::E4M3x2),
        Storage::E5M2 => Form::Pair(NarrowX2::E5M2x2),
        Storage::E2M3 => Form::Pair(NarrowX2::E2M3x2),
        Storage::E3M2 => Form::Pair(NarrowX2::E3M2x2),
        Storage::E2M1 => Form::Pair(NarrowX2::E2M1x2),
        Storage::E8M0 => Form::Scale,
        Storage::TF32 => Form::Tf32,
    }
}

/// What a target needs to have an instruction for a conversion; `None` where there is no such instruction.
pub(super) fn feature(step: Step) -> Option<Feature> {
    let storage = match step {
        // The instructions saturate.
        Step::Encode(_, CastMode::Nonsat) => return None,
        // From tf32 there is nothing to convert but a NaN.
        Step::Decode(Storage::TF32) => return None,
        Step::Encode(storage, CastMode::Default | CastMode::TowardZero | CastMode::Up) => storage,
        Step::Decode(storage) => storage,
    };
    Some(match form(storage) {
        Form::Pair(NarrowX2::E4M3x2 | NarrowX2::E5M2x2) => Feature::FP8_CVT,
        Form::Pair(NarrowX2::E2M3x2 | NarrowX2::E3M2x2 | NarrowX2::E2M1x2) | Form::Scale => {
            Feature::NARROW_CVT
        }
        Form::Tf32 => Feature::TF32_RN,
    })
}

impl Lowering<'_> {
    /// f32 to a format.
    pub(super) fn encode(&mut self, storage: Storage, mode: CastMode, dst: Reg, a: ValueId) {
        let low = self.operand(a);
        let (high, from, relu) = (Use::F32(0), SingleFloat::F32, Relu(false));
        match form(storage) {
            Form::Pair(to) => {
                let round = Rounding::Rn;
                let pair = self.temp(to.scalar().class());
                self.emit(CvtNarrow { round, relu, to, from, dst: Def(pair), high, low });
                self.first_of(dst, pair);
            }
            Form::Scale => {
                let round = if mode == CastMode::Up { Rounding::Rp } else { Rounding::Rz };
                let pair = self.temp(RegClass::B16);
                let (satfinite, to) = (SatFinite(true), ScaleX2::UE8M0x2);
                self.emit(CvtScale { round, satfinite, to, from, dst: Def(pair), high, low });
                self.first_of(dst, pair);
            }
            Form::Tf32 => {
                let round = if mode == CastMode::TowardZero { Rounding::Rz } else { Rounding::Rn };
                let word = self.temp(RegClass::B32);
                let (satfinite, to, src) = (SatFinite(false), Tf32Type::TF32, self.reg(a).into());
                self.emit(CvtTf32 { round, relu, satfinite, to, from, dst: Def(word), src });
                // A NaN has ones where the format has nothing.
                self.bits_and(crate::ir::DType::U32, dst, word, Use::Int(i64::from(storage.mask())));
            }
        }
    }

    /// The low value of a pair in a word of its own. The high one is a code of zero.
    fn first_of(&mut self, dst: Reg, pair: Reg) {
        let from = if pair.class() == RegClass::B8 { CvtType::U8 } else { CvtType::U16 };
        self.cvt(CvtType::U32, from, dst, pair);
    }

    /// A format to f32.
    pub(super) fn decode(&mut self, storage: Storage, dst: Reg, a: ValueId) {
        let code = self.reg(a);
        let (wide, low, high) =
            (self.temp(RegClass::B32), self.temp(RegClass::B16), self.temp(RegClass::B16));
        let (round, relu) = (Rounding::Rn, Relu(false));
        let half = match form(storage) {
            Form::Pair(from) => {
                let src = self.pair_of(code, from.scalar().class()).into();
                self.emit(CvtWiden { round, relu, from, dst: Def(wide), src });
                CvtType::F16
            }
            Form::Scale => {
                let src = self.pair_of(code, RegClass::B16).into();
                self.emit(CvtWidenScale { round, from: ScaleX2::UE8M0x2, dst: Def(wide), src });
                CvtType::BF16
            }
            Form::Tf32 => unreachable!("feature() says that nothing converts from tf32"),
        };
        self.emit(MovUnpack { ty: PackType::B32, dst: VecDef::of(&[low, high]), src: wide.into() });
        self.cvt(CvtType::F32, half, dst, low);
    }

    /// A code as the low one of a pair.
    fn pair_of(&mut self, code: Reg, class: RegClass) -> Reg {
        let pair = self.temp(class);
        let to = if class == RegClass::B8 { CvtType::U8 } else { CvtType::U16 };
        self.cvt(to, CvtType::U32, pair, code);
        pair
    }
}
