//! Conversions by value, and the same bits as another type.

use super::Lowering;
use crate::ir::op::{Bitcast, Convert};
use crate::ir::types::int_range;
use crate::ir::{DType, Inst};
use crate::msl::ast::{BinaryOp, Expr, Routine, Scalar, TemplateArg};
use crate::numerics::Storage;

impl Lowering<'_> {
    pub(super) fn convert(&mut self, op: &Convert, inst: &Inst) {
        let Some(to) = Scalar::of(op.to) else { return };
        let from = self.scalar(op.a);
        let a = self.value(op.a);
        let expr = match (from.dtype(), to.dtype()) {
            (x, y) if x == y => a,
            (_, DType::Bool) => self.is_nonzero(from, a),
            (DType::Bool, y) if y.is_float() => {
                // 0 and 1 are numbers of every format: no rounding and no conversion is involved.
                let one = Expr::Literal(to, one(to));
                Expr::conditional(a, one, Expr::Literal(to, 0))
            }
            (x, y) if x.is_float() && y.is_float() => {
                let wide = self.widen(from, a);
                self.round_to(to, wide)
            }
            (x, _) if x.is_float() => self.float_to_int(from, to, a),
            (_, y) if y.is_float() => self.int_to_float(from, to, a),
            _ => a.cast(from, to),
        };
        self.result(inst, expr);
    }

    fn is_nonzero(&mut self, from: Scalar, a: Expr) -> Expr {
        if !from.is_float() {
            return Expr::binary(BinaryOp::Ne, a, Expr::Literal(from, 0));
        }
        // On bits, since a comparison may flush a subnormal.
        let unsigned = from.same_width_unsigned();
        let magnitude = Expr::Bits(unsigned, from.dtype().mask() >> 1);
        let bits = Expr::binary(BinaryOp::And, a.reinterpret(unsigned), magnitude);
        Expr::binary(BinaryOp::Ne, bits, Expr::Literal(Scalar::Uint, 0))
    }

    /// A float of any format as `float`: exact.
    pub(super) fn widen(&mut self, from: Scalar, a: Expr) -> Expr {
        if from == Scalar::Bfloat {
            self.call(Routine::WidenBf16, Vec::new(), vec![a])
        } else {
            a.cast(from, Scalar::Float)
        }
    }

    /// A `float` as another format: nearest even.
    pub(super) fn round_to(&mut self, to: Scalar, wide: Expr) -> Expr {
        if to == Scalar::Bfloat {
            self.call(Routine::NarrowBf16, Vec::new(), vec![wide])
        } else {
            wide.cast(Scalar::Float, to)
        }
    }

    fn float_to_int(&mut self, from: Scalar, to: Scalar, a: Expr) -> Expr {
        // int_range() has an answer for every integer, and `to` is one.
        let (least, greatest) = int_range(to.dtype()).unwrap_or((0, 0));
        let wide = self.widen(from, a);
        // Powers of two and zero: exact in float.
        let bound = |value: i128| Expr::Literal(Scalar::Float, u64::from((value as f32).to_bits()));
        let limit = |value: i128| Expr::Literal(to, value as u64 & to.dtype().mask());
        let args = vec![wide, bound(least), bound(greatest + 1), limit(least), limit(greatest)];
        self.call(Routine::FloatToInt, vec![TemplateArg::Type(to)], args)
    }

    fn int_to_float(&mut self, from: Scalar, to: Scalar, a: Expr) -> Expr {
        match to {
            // Integers beyond float's 24 bits are beyond f16's range too, so the detour rounds once.
            Scalar::Half => a.cast(from, Scalar::Float).cast(Scalar::Float, to),
            Scalar::Bfloat if from.bits() > 16 => self.wide_int_to_bf16(from, a),
            Scalar::Bfloat => {
                let wide = a.cast(from, Scalar::Float);
                self.round_to(to, wide)
            }
            Scalar::Float
            | Scalar::Bool
            | Scalar::Char
            | Scalar::Uchar
            | Scalar::Short
            | Scalar::Ushort
            | Scalar::Int
            | Scalar::Uint
            | Scalar::Long
            | Scalar::Ulong => a.cast(from, to),
        }
    }

    /// Through a float rounded to odd, so that only the second rounding shows.
    fn wide_int_to_bf16(&mut self, from: Scalar, a: Expr) -> Expr {
        if !from.is_signed() {
            let wide = self.call(Routine::IntToOdd, Vec::new(), vec![a.cast(from, Scalar::Ulong)]);
            return self.round_to(Scalar::Bfloat, wide);
        }
        let negative = Expr::binary(BinaryOp::Lt, a.clone(), Expr::Literal(from, 0));
        // Sign-extended to 64 bits first, so that the magnitude of the least value fits.
        let bits = a.cast(from, Scalar::Long).narrow(Scalar::Ulong);
        let negated = Expr::binary(BinaryOp::Sub, Expr::Literal(Scalar::Ulong, 0), bits.clone());
        let magnitude = Expr::conditional(negative.clone(), negated, bits);
        let odd = self.call(Routine::IntToOdd, Vec::new(), vec![magnitude]);
        let rounded = self.round_to(Scalar::Bfloat, odd);
        let sign =
            Expr::conditional(negative, Expr::Bits(Scalar::Ushort, 0x8000), Expr::Bits(Scalar::Ushort, 0));
        let signed = Expr::binary(BinaryOp::Or, rounded.reinterpret(Scalar::Ushort), sign);
        signed.narrow(Scalar::Ushort).reinterpret(Scalar::Bfloat)
    }

    pub(super) fn bitcast(&mut self, op: &Bitcast, inst: &Inst) {
        let Some(to) = Scalar::of(op.to) else { return };
        let from = self.scalar(op.a);
        let a = self.value(op.a);
        // A storage format takes of a word the bits that it has.
        if let Some(storage) = op.to.storage() {
            let expr = codes(storage, to, a);
            return self.result(inst, expr);
        }
        let expr = if from == to { a } else { a.reinterpret(to) };
        let made = from.is_float() && !to.is_float() && !self.moved.contains(&op.a);
        if !made {
            return self.result(inst, expr);
        }
        // A NaN that arithmetic made has no bits of its own; the contract names the ones that an integer sees.
        let unsigned = from.same_width_unsigned();
        let template = vec![TemplateArg::Type(unsigned), TemplateArg::Bits(unsigned, from.infinity())];
        let bits = self.value(op.a).reinterpret(unsigned);
        let canonical = self.call(Routine::Canonical, template, vec![bits]);
        self.result(inst, canonical.cast(unsigned, to));
    }
}

/// A word with zeros where the format has nothing.
pub(super) fn codes(storage: Storage, scalar: Scalar, word: Expr) -> Expr {
    if storage.mask() == storage.full() {
        return word;
    }
    let mask = Expr::Bits(scalar, u64::from(storage.mask()));
    Expr::binary(BinaryOp::And, word, mask).narrow(scalar)
}

/// The bits of 1 in a float format.
fn one(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Half => 0x3c00,
        Scalar::Bfloat => 0x3f80,
        Scalar::Float
        | Scalar::Bool
        | Scalar::Char
        | Scalar::Uchar
        | Scalar::Short
        | Scalar::Ushort
        | Scalar::Int
        | Scalar::Uint
        | Scalar::Long
        | Scalar::Ulong => 0x3f80_0000,
    }
}
