//! Conversions between any two types.
//!
//! The hardware's `cvt` is used where it gives the contract's result; what differs is spelled out: NaN to a 64-bit
//! integer (the hardware gives 8000000000000000, the contract 0), wide integers and f64 to bf16 (no native form
//! everywhere; rounded to odd in f32 first, so that the second rounding can't be told from one), and `bool`.

use super::arith::int_type;
use super::float::cvt_type;
use super::state::Lowering;
use crate::ir::op::{Bitcast, Convert};
use crate::ir::{DType, ValueId};
use crate::ptx::isa::modifier::{CmpOp, IntRounding, Rounding};
use crate::ptx::isa::types::{BitType, CvtType, IntType, SetpType};
use crate::ptx::isa::{And, Def, Reg, RegClass, Use};

/// An integer type as `cvt` names the register it lives in.
fn lived_in(dtype: DType) -> CvtType {
    match int_type(dtype) {
        IntType::S64 => CvtType::S64,
        IntType::U64 => CvtType::U64,
        IntType::S32 | IntType::S16 => CvtType::S32,
        IntType::U32 | IntType::U16 => CvtType::U32,
    }
}

/// Whether every value of `from` is one of `to`, or has the same canonical register.
fn fits(from: DType, to: DType) -> bool {
    to.bits() == 32 || (from.bits() < to.bits() && !from.is_signed()) || from == to || {
        from.bits() <= to.bits() && from.is_signed() && to.is_signed()
    }
}

impl Lowering<'_> {
    pub(super) fn convert(&mut self, op: &Convert, dst: Reg) {
        let (from, to) = (self.dtype(op.a), op.to);
        if from == to {
            let src = self.reg(op.a);
            return self.copy(dst, src);
        }
        match (from, to) {
            (DType::Storage(storage), _) => self.decode(storage, dst, op.a),
            (_, DType::Storage(storage)) => self.encode(storage, op.mode, dst, op.a),
            (_, DType::Bool) => self.number_to_bool(from, dst, op.a),
            (DType::Bool, _) => self.bool_to_number(to, dst, op.a),
            _ if from.is_float() && to.is_float() => self.float_to_float(from, to, dst, op.a),
            _ if from.is_float() => self.float_to_int(from, to, dst, op.a),
            _ if to.is_float() => self.int_to_float(from, to, dst, op.a),
            _ => {
                let src = self.reg(op.a);
                self.int_to_int(from, to, dst, src);
            }
        }
    }

    fn number_to_bool(&mut self, from: DType, dst: Reg, a: ValueId) {
        let (ty, src, zero) = match from {
            DType::F64 => (SetpType::F64, self.operand(a), Use::F64(0)),
            // Half immediates don't exist; widening is exact.
            DType::F16 | DType::BF16 | DType::F32 => {
                (SetpType::F32, self.widened(from, a).into(), Use::F32(0))
            }
            DType::I64 | DType::U64 => (SetpType::U64, self.operand(a), Use::Int(0)),
            DType::Bool
            | DType::I8
            | DType::I16
            | DType::I32
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::Storage(_) => (SetpType::U32, self.operand(a), Use::Int(0)),
        };
        let cmp = if from.is_float() { CmpOp::Neu } else { CmpOp::Ne };
        let result = self.setp(cmp, ty, src, zero);
        self.copy(dst, result);
    }

    fn bool_to_number(&mut self, to: DType, dst: Reg, a: ValueId) {
        let cond = self.reg(a);
        let (one, zero) = match to {
            DType::F64 => (Use::F64(1f64.to_bits()), Use::F64(0)),
            DType::F32 => (Use::F32(1f32.to_bits()), Use::F32(0)),
            DType::F16 => (Use::Int(0x3c00), Use::Int(0)),
            DType::BF16 => (Use::Int(0x3f80), Use::Int(0)),
            DType::Bool
            | DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64
            | DType::Storage(_) => (Use::Int(1), Use::Int(0)),
        };
        self.selp(to, dst, cond, one, zero);
    }

    fn int_to_int(&mut self, from: DType, to: DType, dst: Reg, src: Reg) {
        match (from.bits() == 64, to.bits() == 64) {
            (true, true) => self.copy(dst, src),
            (false, true) => {
                let wide = if from.is_signed() { CvtType::S64 } else { CvtType::U64 };
                self.cvt(wide, lived_in(from), dst, src);
            }
            (true, false) => {
                let low = self.temp(RegClass::B32);
                self.cvt(CvtType::U32, CvtType::U64, low, src);
                self.wrap(to, dst, low);
            }
            (false, false) if fits(from, to) => self.copy(dst, src),
            (false, false) => self.wrap(to, dst, src),
        }
    }

    fn int_to_float(&mut self, from: DType, to: DType, dst: Reg, a: ValueId) {
        let src = self.reg(a);
        let ty = lived_in(from);
        if to != DType::BF16 {
            return self.cvt_rounded(cvt_type(to), ty, dst, src, Some(Rounding::Rn), None);
        }
        let wide = self.temp(RegClass::B32);
        if from.bits() <= 16 {
            // Exact in f32.
            self.cvt_rounded(CvtType::F32, ty, wide, src, Some(Rounding::Rn), None);
        } else {
            self.round_to_odd(ty, wide, src);
        }
        self.narrow(to, dst, wide);
    }

    /// Rounds to f32 so that a later rounding to fewer than 23 bits is right: of the two neighbours the odd one.
    fn round_to_odd(&mut self, from: CvtType, dst: Reg, src: Reg) {
        let (below, above, odd) =
            (self.temp(RegClass::B32), self.temp(RegClass::B32), self.temp(RegClass::B32));
        self.cvt_rounded(CvtType::F32, from, below, src, Some(Rounding::Rm), None);
        self.cvt_rounded(CvtType::F32, from, above, src, Some(Rounding::Rp), None);
        self.emit(And { ty: BitType::B32, dst: Def(odd), a: below.into(), b: Use::Int(1) });
        let is_odd = self.setp(CmpOp::Ne, SetpType::U32, odd, Use::Int(0));
        self.selp(DType::F32, dst, is_odd, below, above);
    }

    fn float_to_int(&mut self, from: DType, to: DType, dst: Reg, a: ValueId) {
        let (ty, src) = match from {
            DType::F64 => (CvtType::F64, self.reg(a)),
            _ => (CvtType::F32, self.widened(from, a)),
        };
        let rounding = Some(IntRounding::Rzi);
        if from != DType::F64 && to.bits() != 64 {
            return self.cvt_rounded(cvt_type(to), ty, dst, src, None, rounding);
        }
        let raw = self.temp_of(to);
        self.cvt_rounded(cvt_type(to), ty, raw, src, None, rounding);
        let compare = if from == DType::F64 { SetpType::F64 } else { SetpType::F32 };
        let nan = self.setp(CmpOp::Nan, compare, src, src);
        self.selp(to, dst, nan, Use::Int(0), raw);
    }

    fn float_to_float(&mut self, from: DType, to: DType, dst: Reg, a: ValueId) {
        let src = self.reg(a);
        match (from, to) {
            (DType::F16 | DType::BF16, DType::F32) | (DType::F16 | DType::F32, DType::F64) => {
                self.cvt(cvt_type(to), cvt_type(from), dst, src);
            }
            (DType::BF16, DType::F64) => {
                let wide = self.widened(from, a);
                self.cvt(CvtType::F64, CvtType::F32, dst, wide);
            }
            (DType::F16, DType::BF16) | (DType::BF16, DType::F16) => {
                let wide = self.widened(from, a);
                self.narrow(to, dst, wide);
            }
            (DType::F64, DType::BF16) => {
                let wide = self.temp(RegClass::B32);
                self.round_to_odd(CvtType::F64, wide, src);
                self.narrow(to, dst, wide);
            }
            _ => self.cvt_rounded(cvt_type(to), cvt_type(from), dst, src, Some(Rounding::Rn), None),
        }
    }

    pub(super) fn bitcast(&mut self, op: &Bitcast, dst: Reg) {
        let (from, to) = (self.dtype(op.a), op.to);
        let mut src = self.reg(op.a);
        let keeps = self.moves_bits(op.a) || self.makes_canonical_nan(op.a);
        if from.is_float() && !to.is_float() && !keeps {
            src = self.canonical_nan(from, op.a);
        }
        match (from, to) {
            // A storage format takes of a word the bits that it has, and lives there zero-extended.
            (_, DType::Storage(storage)) if storage.mask() != storage.full() => {
                self.bits_and(to, dst, src, Use::Int(i64::from(storage.mask())));
            }
            (DType::Storage(_), _) | (_, DType::Storage(_)) => self.copy(dst, src),
            // Halves live in 16-bit registers, integers in 32-bit ones, in their canonical form.
            (DType::F16 | DType::BF16, DType::I16) => self.cvt(CvtType::S32, CvtType::S16, dst, src),
            (DType::F16 | DType::BF16, DType::U16) => self.cvt(CvtType::U32, CvtType::U16, dst, src),
            (DType::I16 | DType::U16, DType::F16 | DType::BF16) => {
                self.cvt(CvtType::U16, CvtType::U32, dst, src)
            }
            _ => self.int_to_int(integer(from), integer(to), dst, src),
        }
    }

    fn canonical_nan(&mut self, dtype: DType, a: ValueId) -> Reg {
        let src = self.reg(a);
        let nan = match dtype {
            DType::F64 => self.setp(CmpOp::Nan, SetpType::F64, src, src),
            DType::F16 => self.setp(CmpOp::Nan, SetpType::F16, src, src),
            _ => {
                let wide = self.widened(dtype, a);
                self.setp(CmpOp::Nan, SetpType::F32, wide, wide)
            }
        };
        let chosen = self.temp_of(dtype);
        let canonical = dtype.mask() >> 1;
        self.selp(dtype, chosen, nan, Use::Int(canonical.cast_signed()), src);
        chosen
    }
}

/// The integer type of a float's width; an integer as it is.
fn integer(dtype: DType) -> DType {
    match dtype {
        DType::F64 => DType::U64,
        DType::F32 => DType::U32,
        DType::F16 | DType::BF16 => DType::U16,
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::Storage(_) => dtype,
    }
}
