//! Float arithmetic: what is native, what goes through f32, and what works on bits.
//!
//! Every operation rounds once, to its own type. `+ − × ÷ √` of a 16-bit float may go through f32, whose 24 bits are
//! more than twice the type's: rounding twice can't be told from rounding once there. `fma` may not, and is native on
//! every target. Signs are bits: `neg.f32` and `abs.f32` would destroy a NaN's payload.

use super::arith::bit_type;
use super::state::Lowering;
use crate::ir::op::{self, ApproxOp, BinaryOp};
use crate::ir::{DType, ValueId};
use crate::ptx::isa::modifier::{
    Approx, CmpOp, DivPrecision, Ftz, IntRounding, Precision, PropagateNan, Relu, Rounding, Sat, SatFinite,
    XorSignAbs,
};
use crate::ptx::isa::types::{ApproxFloat, CvtType, FloatType, SetpType, SingleFloat, WideFloat};
use crate::ptx::isa::{
    self, AddFloat, And, Cos, Cvt, Def, DivFloat, Ex2, Inst, Lg2, MaxFloat, MinFloat, MulFloat, Or, Rcp, Reg,
    RegClass, Rsqrt, Sin, Sqrt, SubFloat, Tanh, Use, Xor,
};
use crate::target::Feature;

pub(super) fn float_type(dtype: DType) -> FloatType {
    match dtype {
        DType::F64 => FloatType::F64,
        DType::F16 => FloatType::F16,
        DType::BF16 => FloatType::BF16,
        DType::F32
        | DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::Storage(_) => FloatType::F32,
    }
}

/// The type as `cvt` names it.
pub(super) fn cvt_type(dtype: DType) -> CvtType {
    match dtype {
        DType::Bool | DType::U8 => CvtType::U8,
        DType::U16 => CvtType::U16,
        // What a storage format holds lives in a register as a word.
        DType::U32 | DType::Storage(_) => CvtType::U32,
        DType::U64 => CvtType::U64,
        DType::I8 => CvtType::S8,
        DType::I16 => CvtType::S16,
        DType::I32 => CvtType::S32,
        DType::I64 => CvtType::S64,
        DType::F16 => CvtType::F16,
        DType::BF16 => CvtType::BF16,
        DType::F32 => CvtType::F32,
        DType::F64 => CvtType::F64,
    }
}

fn sign_bit(dtype: DType) -> i64 {
    match dtype.bits() {
        64 => i64::MIN,
        32 => 0x8000_0000,
        _ => 0x8000,
    }
}

/// `dst = a × b + c`, rounded once.
pub(super) fn fma(dtype: DType, dst: Reg, a: Use, b: Use, c: Use) -> isa::Fma {
    let ty = float_type(dtype);
    isa::Fma {
        round: Rounding::Rn,
        ftz: Ftz(false),
        sat: Sat(false),
        relu: Relu(false),
        ty,
        dst: Def(dst),
        a,
        b,
        c,
    }
}

fn sum(op: BinaryOp, ty: FloatType, dst: Reg, a: Use, b: Use) -> Inst {
    let (round, ftz, sat, dst) = (Some(Rounding::Rn), Ftz(false), Sat(false), Def(dst));
    match op {
        BinaryOp::Add => AddFloat { round, ftz, sat, ty, dst, a, b }.into(),
        BinaryOp::Sub => SubFloat { round, ftz, sat, ty, dst, a, b }.into(),
        _ => MulFloat { round, ftz, sat, ty, dst, a, b }.into(),
    }
}

fn extremum(op: BinaryOp, ty: FloatType, dst: Reg, a: Use, b: Use) -> Inst {
    let (ftz, xorsign, dst) = (Ftz(false), XorSignAbs(false), Def(dst));
    let nan = PropagateNan(matches!(op, BinaryOp::MinNan | BinaryOp::MaxNan));
    match op {
        BinaryOp::Min | BinaryOp::MinNan => MinFloat { ftz, nan, xorsign, ty, dst, a, b }.into(),
        _ => MaxFloat { ftz, nan, xorsign, ty, dst, a, b }.into(),
    }
}

impl Lowering<'_> {
    /// The hardware's approximation, in the form that keeps subnormals where there is one (`tanh` has no other).
    pub(super) fn approx(&mut self, op: &op::Approx, dst: Reg) {
        let (approx, ftz, dst, a) = (Approx::Approx, Ftz(false), Def(dst), self.operand(op.a));
        let (precision, wide, ty) = (Precision::Approx, WideFloat::F32, SingleFloat::F32);
        self.emit::<Inst>(match op.op {
            ApproxOp::Exp2 => Ex2 { approx, ftz, ty: ApproxFloat::F32, dst, a }.into(),
            ApproxOp::Log2 => Lg2 { approx, ftz, ty, dst, a }.into(),
            ApproxOp::Sin => Sin { approx, ftz, ty, dst, a }.into(),
            ApproxOp::Cos => Cos { approx, ftz, ty, dst, a }.into(),
            ApproxOp::Tanh => Tanh { approx, ty: ApproxFloat::F32, dst, a }.into(),
            ApproxOp::Rsqrt => Rsqrt { approx, ftz, ty: wide, dst, a }.into(),
            ApproxOp::Recip => Rcp { precision, ftz, ty: wide, dst, a }.into(),
            ApproxOp::Sqrt => Sqrt { precision, ftz, ty: wide, dst, a }.into(),
        });
    }

    /// A conversion without rounding: integer to integer, or a float to a wider one.
    pub(super) fn cvt(&mut self, to: CvtType, from: CvtType, dst: Reg, src: impl Into<Use>) {
        self.cvt_rounded(to, from, dst, src, None, None);
    }

    /// Any conversion.
    pub(super) fn cvt_rounded(
        &mut self,
        to: CvtType,
        from: CvtType,
        dst: Reg,
        src: impl Into<Use>,
        round: Option<Rounding>,
        int_round: Option<IntRounding>,
    ) {
        let (ftz, relu, sat, satfinite) = (Ftz(false), Relu(false), Sat(false), SatFinite(false));
        self.emit(Cvt {
            round,
            int_round,
            ftz,
            relu,
            sat,
            satfinite,
            to,
            from,
            dst: Def(dst),
            src: src.into(),
        });
    }

    /// A 16-bit float as an f32, exact; an f32 as it is.
    pub(super) fn widened(&mut self, dtype: DType, value: ValueId) -> Reg {
        let src = self.reg(value);
        if dtype == DType::F32 {
            return src;
        }
        let wide = self.temp_of(DType::F32);
        self.cvt(CvtType::F32, cvt_type(dtype), wide, src);
        wide
    }

    /// Rounds an f32 to the type: `dst` of a 16-bit float.
    pub(super) fn narrow(&mut self, dtype: DType, dst: Reg, wide: Reg) {
        self.cvt_rounded(cvt_type(dtype), CvtType::F32, dst, wide, Some(Rounding::Rn), None);
    }

    /// Runs an f32 operation for a type that has none of its own.
    fn through_f32(
        &mut self,
        dtype: DType,
        dst: Reg,
        args: &[ValueId],
        op: impl FnOnce(&mut Self, Reg, &[Use]),
    ) {
        let wide: Vec<Use> = args.iter().map(|&arg| self.widened(dtype, arg).into()).collect();
        let result = self.temp_of(DType::F32);
        op(self, result, &wide);
        self.narrow(dtype, dst, result);
    }

    fn has_native_sum(&self, dtype: DType) -> bool {
        dtype != DType::BF16 || self.target.has(Feature::BF16_ARITH)
    }

    pub(super) fn float_binary(&mut self, op: BinaryOp, dtype: DType, dst: Reg, a: ValueId, b: ValueId) {
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if self.has_native_sum(dtype) => {
                let (a, b) = (self.operand(a), self.operand(b));
                self.emit(sum(op, float_type(dtype), dst, a, b));
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                self.through_f32(dtype, dst, &[a, b], |this, dst, args| {
                    this.emit(sum(op, FloatType::F32, dst, args[0], args[1]));
                });
            }
            BinaryOp::Div => self.quotient(dtype, dst, a, b),
            BinaryOp::MinNan | BinaryOp::MaxNan if dtype == DType::F64 => {
                // There is no `.NaN` of f64.
                let (a, b) = (self.operand(a), self.operand(b));
                let plain = if op == BinaryOp::MinNan { BinaryOp::Min } else { BinaryOp::Max };
                let result = self.temp(RegClass::B64);
                self.emit(extremum(plain, FloatType::F64, result, a, b));
                let nan = self.setp(CmpOp::Nan, SetpType::F64, a, b);
                self.selp(dtype, dst, nan, Use::F64(0x7fff_ffff_ffff_ffff), result);
            }
            BinaryOp::Min | BinaryOp::Max | BinaryOp::MinNan | BinaryOp::MaxNan => {
                let (a, b) = (self.operand(a), self.operand(b));
                self.emit(extremum(op, float_type(dtype), dst, a, b));
            }
            BinaryOp::Copysign => self.copysign(dtype, dst, a, b),
            BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::MulHi => unreachable!("the rule admits integers alone"),
        }
    }

    fn quotient(&mut self, dtype: DType, dst: Reg, a: ValueId, b: ValueId) {
        let divide = |ty, dst, a, b| DivFloat {
            precision: DivPrecision::Rn,
            ftz: Ftz(false),
            ty,
            dst: Def(dst),
            a,
            b,
        };
        if matches!(dtype, DType::F16 | DType::BF16) {
            return self.through_f32(dtype, dst, &[a, b], |this, dst, args| {
                this.emit(divide(WideFloat::F32, dst, args[0], args[1]));
            });
        }
        let ty = if dtype == DType::F64 { WideFloat::F64 } else { WideFloat::F32 };
        let (a, b) = (self.operand(a), self.operand(b));
        self.emit(divide(ty, dst, a, b));
    }

    pub(super) fn sqrt(&mut self, dtype: DType, dst: Reg, a: ValueId) {
        let root = |ty, dst, a| isa::Sqrt { precision: Precision::Rn, ftz: Ftz(false), ty, dst: Def(dst), a };
        if matches!(dtype, DType::F16 | DType::BF16) {
            return self.through_f32(dtype, dst, &[a], |this, dst, args| {
                this.emit(root(WideFloat::F32, dst, args[0]));
            });
        }
        let ty = if dtype == DType::F64 { WideFloat::F64 } else { WideFloat::F32 };
        let a = self.operand(a);
        self.emit(root(ty, dst, a));
    }

    pub(super) fn round_to_integral(&mut self, dtype: DType, dst: Reg, a: ValueId, how: IntRounding) {
        if dtype == DType::BF16 {
            return self.through_f32(dtype, dst, &[a], |this, dst, args| {
                this.cvt_rounded(CvtType::F32, CvtType::F32, dst, args[0], None, Some(how));
            });
        }
        let (ty, a) = (cvt_type(dtype), self.reg(a));
        self.cvt_rounded(ty, ty, dst, a, None, Some(how));
    }

    pub(super) fn flip_sign(&mut self, dtype: DType, dst: Reg, a: ValueId) {
        let a = self.reg(a).into();
        self.emit(Xor { ty: bit_type(dtype), dst: Def(dst), a, b: Use::Int(sign_bit(dtype)) });
    }

    pub(super) fn clear_sign(&mut self, dtype: DType, dst: Reg, a: ValueId) {
        let a = self.reg(a).into();
        let rest = dtype.mask().cast_signed() & !sign_bit(dtype);
        self.emit(And { ty: bit_type(dtype), dst: Def(dst), a, b: Use::Int(rest) });
    }

    pub(super) fn copysign(&mut self, dtype: DType, dst: Reg, magnitude: ValueId, sign: ValueId) {
        let ty = bit_type(dtype);
        let (rest, bit) = (self.temp_of(dtype), self.temp_of(dtype));
        self.clear_sign(dtype, rest, magnitude);
        let sign = self.reg(sign).into();
        self.emit(And { ty, dst: Def(bit), a: sign, b: Use::Int(sign_bit(dtype)) });
        self.emit(Or { ty, dst: Def(dst), a: rest.into(), b: bit.into() });
    }
}
