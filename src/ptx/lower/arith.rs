//! Arithmetic: constants, unary and binary operations, fused multiply-add, comparison, selection.
//!
//! Integers of 8 and 16 bits live in 32-bit registers, sign- or zero-extended (the canonical form); an operation that
//! can leave that form is followed by [`wrap`](Lowering::wrap). Every float operation carries `.rn`, so that the
//! assembler fuses nothing. What the hardware leaves open (division by zero, MIN / −1, NaN into `min`) is spelled out.

use super::float;
use super::state::Lowering;
use crate::ir::op::{Binary, BinaryOp, Compare, CompareOp, Fma, Select, Unary, UnaryOp};
use crate::ir::{DType, ValueId};
use crate::ptx::isa::modifier::{CmpOp, Ftz, IntRounding, MulHalf, Sat};
use crate::ptx::isa::types::{BitType, CvtType, IntType, SelpType, SetpType, ShrType, SignedType, WordType};
use crate::ptx::isa::{
    self, And, AndPred, Def, Inst, Not, NotPred, Or, OrPred, PairedDef, PredUse, Reg, RegClass, Selp, Setp,
    Shl, Shr, Use, Xor, XorPred,
};

/// The type an integer operation runs in: 32 bits for what is narrower.
pub(super) fn int_type(dtype: DType) -> IntType {
    match (dtype.bits(), dtype.is_signed()) {
        (64, true) => IntType::S64,
        (64, false) => IntType::U64,
        (_, true) => IntType::S32,
        (_, false) => IntType::U32,
    }
}

/// The untyped view of a value's register.
pub(super) fn bit_type(dtype: DType) -> BitType {
    match dtype {
        DType::I64 | DType::U64 | DType::F64 => BitType::B64,
        DType::F16 | DType::BF16 => BitType::B16,
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::F32
        | DType::Storage(_) => BitType::B32,
    }
}

fn selp_type(dtype: DType) -> SelpType {
    match bit_type(dtype) {
        BitType::B16 => SelpType::B16,
        BitType::B32 => SelpType::B32,
        BitType::B64 => SelpType::B64,
    }
}

fn setp_type(dtype: DType) -> SetpType {
    match dtype {
        DType::F64 => SetpType::F64,
        DType::F32 => SetpType::F32,
        DType::F16 => SetpType::F16,
        DType::BF16 => SetpType::F32,
        DType::I64 => SetpType::S64,
        DType::U64 => SetpType::U64,
        DType::I8 | DType::I16 | DType::I32 => SetpType::S32,
        DType::Bool | DType::U8 | DType::U16 | DType::U32 | DType::Storage(_) => SetpType::U32,
    }
}

/// A predicate as it is read.
pub(super) fn yes(reg: Reg) -> PredUse {
    PredUse { reg, negated: false }
}

impl Lowering<'_> {
    /// `dst = a CMP b` as a fresh predicate.
    pub(super) fn setp(&mut self, cmp: CmpOp, ty: SetpType, a: impl Into<Use>, b: impl Into<Use>) -> Reg {
        let dst = self.temp(RegClass::Pred);
        let (a, b) = (a.into(), b.into());
        self.emit(Setp { cmp, ftz: Ftz(false), ty, dst: Def(dst), complement: PairedDef::Absent, a, b });
        dst
    }

    /// `dst = cond ? a : b`.
    pub(super) fn selp(&mut self, dtype: DType, dst: Reg, cond: Reg, a: impl Into<Use>, b: impl Into<Use>) {
        let (a, b) = (a.into(), b.into());
        self.emit(Selp { ty: selp_type(dtype), dst: Def(dst), a, b, cond: yes(cond) });
    }

    /// `dst = a & b` and its kin.
    pub(super) fn bits_and(&mut self, dtype: DType, dst: Reg, a: impl Into<Use>, b: impl Into<Use>) {
        self.emit(And { ty: bit_type(dtype), dst: Def(dst), a: a.into(), b: b.into() });
    }

    /// Puts a 32-bit result back into the canonical form of a narrower type.
    pub(super) fn wrap(&mut self, dtype: DType, dst: Reg, src: Reg) {
        match dtype {
            DType::U8 => self.bits_and(dtype, dst, src, Use::Int(0xff)),
            DType::U16 => self.bits_and(dtype, dst, src, Use::Int(0xffff)),
            DType::I8 => self.cvt(CvtType::S32, CvtType::S8, dst, src),
            DType::I16 => self.cvt(CvtType::S32, CvtType::S16, dst, src),
            DType::Bool
            | DType::I32
            | DType::I64
            | DType::U32
            | DType::U64
            | DType::F16
            | DType::BF16
            | DType::F32
            | DType::F64
            | DType::Storage(_) => self.copy(dst, src),
        }
    }

    /// Whether results of a 32-bit operation have to be wrapped.
    fn is_narrow(dtype: DType) -> bool {
        dtype.is_int() && dtype.bits() < 32
    }

    /// Runs `op` into a temporary and wraps it, or straight into `dst` where nothing has to be wrapped.
    fn wrapping(&mut self, dtype: DType, dst: Reg, op: impl FnOnce(&mut Self, Reg)) {
        if !Self::is_narrow(dtype) {
            return op(self, dst);
        }
        let wide = self.temp(RegClass::B32);
        op(self, wide);
        self.wrap(dtype, dst, wide);
    }

    pub(super) fn unary(&mut self, op: &Unary, dst: Reg) {
        let dtype = self.dtype(op.a);
        if dtype == DType::Bool {
            // The rule admits `not` alone.
            let a = self.reg(op.a);
            return self.emit(NotPred { dst: Def(dst), a: yes(a) });
        }
        match op.op {
            UnaryOp::Neg if dtype.is_float() => self.flip_sign(dtype, dst, op.a),
            UnaryOp::Abs if dtype.is_float() => self.clear_sign(dtype, dst, op.a),
            UnaryOp::Neg => {
                let a = self.operand(op.a);
                let ty = if dtype.bits() == 64 { SignedType::S64 } else { SignedType::S32 };
                self.wrapping(dtype, dst, |this, dst| this.emit(isa::Neg { ty, dst: Def(dst), a }));
            }
            UnaryOp::Abs if dtype.is_signed() => {
                let a = self.operand(op.a);
                let ty = if dtype.bits() == 64 { SignedType::S64 } else { SignedType::S32 };
                self.wrapping(dtype, dst, |this, dst| this.emit(isa::Abs { ty, dst: Def(dst), a }));
            }
            UnaryOp::Abs => {
                let a = self.reg(op.a);
                self.copy(dst, a);
            }
            UnaryOp::Not => {
                let a = self.operand(op.a);
                let ty = bit_type(dtype);
                self.wrapping(dtype, dst, |this, dst| this.emit(Not { ty, dst: Def(dst), a }));
            }
            UnaryOp::Sqrt => self.sqrt(dtype, dst, op.a),
            UnaryOp::Floor => self.round_to_integral(dtype, dst, op.a, IntRounding::Rmi),
            UnaryOp::Ceil => self.round_to_integral(dtype, dst, op.a, IntRounding::Rpi),
            UnaryOp::Trunc => self.round_to_integral(dtype, dst, op.a, IntRounding::Rzi),
            UnaryOp::Round => self.round_to_integral(dtype, dst, op.a, IntRounding::Rni),
            UnaryOp::Popcount | UnaryOp::Clz | UnaryOp::Ctz => self.count_bits(op.op, dtype, dst, op.a),
        }
    }

    fn count_bits(&mut self, op: UnaryOp, dtype: DType, dst: Reg, a: ValueId) {
        let mut a = self.reg(a);
        let bits = i64::from(dtype.bits());
        let ty = if bits == 64 { WordType::B64 } else { WordType::B32 };
        if Self::is_narrow(dtype) && dtype.is_signed() {
            // The sign extension above the value is not part of it.
            let low = self.temp(RegClass::B32);
            self.bits_and(DType::U32, low, a, Use::Int((1 << bits) - 1));
            a = low;
        }
        match op {
            UnaryOp::Popcount => self.emit(isa::Popc { ty, dst: Def(dst), a: a.into() }),
            UnaryOp::Clz if Self::is_narrow(dtype) => {
                let wide = self.temp(RegClass::B32);
                self.emit(isa::Clz { ty, dst: Def(wide), a: a.into() });
                self.emit(isa::Add {
                    sat: Sat(false),
                    ty: IntType::U32,
                    dst: Def(dst),
                    a: wide.into(),
                    b: Use::Int(bits - 32),
                });
            }
            UnaryOp::Clz => self.emit(isa::Clz { ty, dst: Def(dst), a: a.into() }),
            _ => {
                if Self::is_narrow(dtype) {
                    // A bit just above the value makes the count stop at the width.
                    let stopped = self.temp(RegClass::B32);
                    self.emit(Or {
                        ty: BitType::B32,
                        dst: Def(stopped),
                        a: a.into(),
                        b: Use::Int(1 << bits),
                    });
                    a = stopped;
                }
                let reversed = self.temp(a.class());
                self.emit(isa::Brev { ty, dst: Def(reversed), a: a.into() });
                self.emit(isa::Clz { ty, dst: Def(dst), a: reversed.into() });
            }
        }
    }

    pub(super) fn binary(&mut self, op: &Binary, dst: Reg) {
        let dtype = self.dtype(op.a);
        match op.op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if dtype == DType::Bool => {
                let (a, b) = (yes(self.reg(op.a)), yes(self.reg(op.b)));
                let dst = Def(dst);
                self.emit::<Inst>(match op.op {
                    BinaryOp::And => AndPred { dst, a, b }.into(),
                    BinaryOp::Or => OrPred { dst, a, b }.into(),
                    _ => XorPred { dst, a, b }.into(),
                });
            }
            BinaryOp::Copysign => self.copysign(dtype, dst, op.a, op.b),
            _ if dtype.is_float() => self.float_binary(op.op, dtype, dst, op.a, op.b),
            _ => self.int_binary(op.op, dtype, dst, op.a, op.b),
        }
    }

    fn int_binary(&mut self, op: BinaryOp, dtype: DType, dst: Reg, a: ValueId, b: ValueId) {
        let (ty, bits) = (int_type(dtype), bit_type(dtype));
        let (x, y) = (self.operand(a), self.operand(b));
        let half = MulHalf::Lo;
        let sat = Sat(false);
        match op {
            BinaryOp::Add => {
                self.wrapping(dtype, dst, |this, dst| {
                    this.emit(isa::Add { sat, ty, dst: Def(dst), a: x, b: y })
                });
            }
            BinaryOp::Sub => {
                self.wrapping(dtype, dst, |this, dst| {
                    this.emit(isa::Sub { sat, ty, dst: Def(dst), a: x, b: y })
                });
            }
            BinaryOp::Mul => {
                self.wrapping(dtype, dst, |this, dst| {
                    this.emit(isa::Mul { half, ty, dst: Def(dst), a: x, b: y })
                });
            }
            BinaryOp::Div | BinaryOp::Rem => self.divide(op, dtype, dst, a, b),
            BinaryOp::Min => self.emit(isa::Min { ty, dst: Def(dst), a: x, b: y }),
            BinaryOp::Max => self.emit(isa::Max { ty, dst: Def(dst), a: x, b: y }),
            BinaryOp::And => self.emit(And { ty: bits, dst: Def(dst), a: x, b: y }),
            BinaryOp::Or => self.emit(Or { ty: bits, dst: Def(dst), a: x, b: y }),
            BinaryOp::Xor => self.emit(Xor { ty: bits, dst: Def(dst), a: x, b: y }),
            BinaryOp::Shl => {
                let count = self.shift_count(dtype, b);
                self.wrapping(dtype, dst, |this, dst| {
                    this.emit(Shl { ty: bits, dst: Def(dst), a: x, count })
                });
            }
            BinaryOp::Shr => {
                let count = self.shift_count(dtype, b);
                let ty = match ty {
                    IntType::S64 => ShrType::S64,
                    IntType::U64 => ShrType::U64,
                    IntType::S32 | IntType::S16 => ShrType::S32,
                    IntType::U32 | IntType::U16 => ShrType::U32,
                };
                self.emit(Shr { ty, dst: Def(dst), a: x, count });
            }
            BinaryOp::MulHi if Self::is_narrow(dtype) => {
                let product = self.temp(RegClass::B32);
                self.emit(isa::Mul { half, ty, dst: Def(product), a: x, b: y });
                let ty = if dtype.is_signed() { ShrType::S32 } else { ShrType::U32 };
                let count = Use::Int(i64::from(dtype.bits()));
                self.emit(Shr { ty, dst: Def(dst), a: product.into(), count });
            }
            BinaryOp::MulHi => self.emit(isa::Mul { half: MulHalf::Hi, ty, dst: Def(dst), a: x, b: y }),
            BinaryOp::MinNan | BinaryOp::MaxNan | BinaryOp::Copysign => {
                unreachable!("the rule admits floats alone")
            }
        }
    }

    /// The count of a shift as PTX takes it: 32 bits, clamped there at the width.
    fn shift_count(&mut self, dtype: DType, count: ValueId) -> Use {
        if dtype.bits() < 64 {
            return self.operand(count);
        }
        if let Some(constant) = self.constant(count) {
            return Use::Int(constant.bits.min(64).cast_signed());
        }
        let count = self.reg(count);
        let (clamped, narrow) = (self.temp(RegClass::B64), self.temp(RegClass::B32));
        self.emit(isa::Min { ty: IntType::U64, dst: Def(clamped), a: count.into(), b: Use::Int(64) });
        self.cvt(CvtType::U32, CvtType::U64, narrow, clamped);
        narrow.into()
    }

    fn divide(&mut self, op: BinaryOp, dtype: DType, dst: Reg, a: ValueId, b: ValueId) {
        let ty = int_type(dtype);
        let (x, y) = (self.operand(a), self.operand(b));
        let divisor = self.constant(b).and_then(|literal| literal.as_int());
        let raw = self.temp_of(dtype);
        self.emit::<Inst>(if op == BinaryOp::Div {
            isa::Div { ty, dst: Def(raw), a: x, b: y }.into()
        } else {
            isa::Rem { ty, dst: Def(raw), a: x, b: y }.into()
        });
        let mut result = raw;
        let compare = setp_type(dtype);
        // The hardware's answers for a zero divisor and for MIN / -1 differ by type; the contract's do not.
        if divisor.is_none_or(|divisor| divisor == 0) {
            let zero = self.setp(CmpOp::Eq, compare, y, Use::Int(0));
            let chosen = self.temp_of(dtype);
            let by_zero = if op == BinaryOp::Div { Use::Int(-1) } else { x };
            self.selp(dtype, chosen, zero, by_zero, result);
            result = chosen;
        }
        if dtype.is_signed() && divisor.is_none_or(|divisor| divisor == -1) {
            let minus_one = self.setp(CmpOp::Eq, compare, y, Use::Int(-1));
            let chosen = self.temp_of(dtype);
            if op == BinaryOp::Div {
                let negated = self.temp_of(dtype);
                let signed = if dtype.bits() == 64 { SignedType::S64 } else { SignedType::S32 };
                self.emit(isa::Neg { ty: signed, dst: Def(negated), a: x });
                self.selp(dtype, chosen, minus_one, negated, result);
            } else {
                self.selp(dtype, chosen, minus_one, Use::Int(0), result);
            }
            result = chosen;
        }
        if op == BinaryOp::Div { self.wrap(dtype, dst, result) } else { self.copy(dst, result) }
    }

    pub(super) fn fma(&mut self, op: &Fma, dst: Reg) {
        let dtype = self.dtype(op.a);
        let (a, b, c) = (self.operand(op.a), self.operand(op.b), self.operand(op.c));
        self.emit(float::fma(dtype, dst, a, b, c));
    }

    pub(super) fn compare(&mut self, op: &Compare, dst: Reg) {
        let dtype = self.dtype(op.a);
        if dtype == DType::Bool {
            let (a, b) = (yes(self.reg(op.a)), yes(self.reg(op.b)));
            let differ = self.temp(RegClass::Pred);
            return match op.op {
                CompareOp::Ne => self.emit(XorPred { dst: Def(dst), a, b }),
                CompareOp::Eq | CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => {
                    self.emit(XorPred { dst: Def(differ), a, b });
                    self.emit(NotPred { dst: Def(dst), a: yes(differ) });
                }
            };
        }
        let cmp = match op.op {
            CompareOp::Eq => CmpOp::Eq,
            // `ne` of a float is false on NaN; the language's is true.
            CompareOp::Ne if dtype.is_float() => CmpOp::Neu,
            CompareOp::Ne => CmpOp::Ne,
            CompareOp::Lt => CmpOp::Lt,
            CompareOp::Le => CmpOp::Le,
            CompareOp::Gt => CmpOp::Gt,
            CompareOp::Ge => CmpOp::Ge,
        };
        let (a, b) = if dtype == DType::BF16 {
            (self.widened(dtype, op.a).into(), self.widened(dtype, op.b).into())
        } else {
            (self.operand(op.a), self.operand(op.b))
        };
        let ty = setp_type(dtype);
        self.emit(Setp { cmp, ftz: Ftz(false), ty, dst: Def(dst), complement: PairedDef::Absent, a, b });
    }

    pub(super) fn select(&mut self, op: &Select, dst: Reg) {
        let dtype = self.dtype(op.a);
        let cond = self.reg(op.cond);
        if dtype != DType::Bool {
            let (a, b) = (self.operand(op.a), self.operand(op.b));
            return self.selp(dtype, dst, cond, a, b);
        }
        let (a, b) = (self.reg(op.a), self.reg(op.b));
        self.select_pred(dst, cond, a, b);
    }
}
