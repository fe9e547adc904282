//! Arithmetic, comparison, selection.
//!
//! Integers are computed in an unsigned type of 32 or 64 bits, where C++ wraps, and cut to their own. `half` and `float`
//! use their operators; `bfloat` goes through `float` and is rounded by the prelude, which is one rounding but for fma.
//! Sign operations and extrema work on bits.

use super::Lowering;
use crate::ir::Inst;
use crate::ir::op::{Approx, ApproxOp, Binary, BinaryOp, Compare, CompareOp, Fma, Select, Unary, UnaryOp};
use crate::msl::ast::{BinaryOp as Operator, Builtin, Expr, Routine, Scalar, TemplateArg, UnaryOp as Prefix};

impl Lowering<'_> {
    pub(super) fn unary(&mut self, op: &Unary, inst: &Inst) {
        let scalar = self.scalar(op.a);
        let a = self.value(op.a);
        let expr = match op.op {
            UnaryOp::Neg if scalar.is_float() => flip(scalar, Operator::Xor, a, sign_bit(scalar)),
            UnaryOp::Neg => wrapping(scalar, Operator::Sub, Expr::Literal(scalar, 0), a),
            UnaryOp::Abs if scalar.is_float() => flip(scalar, Operator::And, a, scalar.dtype().mask() >> 1),
            UnaryOp::Abs if scalar.is_signed() => {
                let negated = wrapping(scalar, Operator::Sub, Expr::Literal(scalar, 0), a.clone());
                let negative = Expr::binary(Operator::Lt, a.clone(), Expr::Literal(scalar, 0));
                Expr::conditional(negative, negated, a)
            }
            UnaryOp::Abs => a,
            UnaryOp::Not if scalar == Scalar::Bool => Expr::unary(Prefix::Not, a),
            UnaryOp::Not => Expr::unary(Prefix::BitNot, a).narrow(scalar),
            UnaryOp::Sqrt => self.through_float(scalar, Builtin::Sqrt, a),
            UnaryOp::Floor => self.through_float(scalar, Builtin::Floor, a),
            UnaryOp::Ceil => self.through_float(scalar, Builtin::Ceil, a),
            UnaryOp::Trunc => self.through_float(scalar, Builtin::Trunc, a),
            UnaryOp::Round => self.through_float(scalar, Builtin::Rint, a),
            UnaryOp::Popcount => count(scalar, Builtin::Popcount, a),
            UnaryOp::Clz => count(scalar, Builtin::Clz, a),
            UnaryOp::Ctz => count(scalar, Builtin::Ctz, a),
        };
        self.result(inst, expr);
    }

    /// A function of `float` for any format: the narrow formats' results need no second rounding that shows.
    fn through_float(&mut self, scalar: Scalar, builtin: Builtin, a: Expr) -> Expr {
        let wide = self.widen(scalar, a);
        self.round_to(scalar, Expr::builtin(builtin, vec![wide]))
    }

    pub(super) fn binary(&mut self, op: &Binary, inst: &Inst) {
        let scalar = self.scalar(op.a);
        let (a, b) = (self.value(op.a), self.value(op.b));
        let expr = if scalar.is_float() {
            self.float_binary(op.op, scalar, a, b)
        } else if scalar == Scalar::Bool {
            self.bool_binary(op.op, a, b)
        } else {
            self.int_binary(op.op, scalar, a, b)
        };
        self.result(inst, expr);
    }

    fn float_binary(&mut self, op: BinaryOp, scalar: Scalar, a: Expr, b: Expr) -> Expr {
        match op {
            BinaryOp::Add => self.float_operator(Operator::Add, scalar, a, b),
            BinaryOp::Sub => self.float_operator(Operator::Sub, scalar, a, b),
            BinaryOp::Mul => self.float_operator(Operator::Mul, scalar, a, b),
            // Metal promises the correctly rounded quotient for float alone.
            BinaryOp::Div => {
                let (a, b) = (self.widen(scalar, a), self.widen(scalar, b));
                self.round_to(scalar, Expr::binary(Operator::Div, a, b))
            }
            BinaryOp::Min => self.extremum(Routine::Min, scalar, a, b),
            BinaryOp::Max => self.extremum(Routine::Max, scalar, a, b),
            BinaryOp::MinNan => self.extremum(Routine::MinNan, scalar, a, b),
            BinaryOp::MaxNan => self.extremum(Routine::MaxNan, scalar, a, b),
            BinaryOp::Copysign => {
                let unsigned = scalar.same_width_unsigned();
                let part = |value: Expr, mask: u64| {
                    Expr::binary(Operator::And, value.reinterpret(unsigned), Expr::Bits(unsigned, mask))
                };
                let magnitude = part(a, scalar.dtype().mask() >> 1);
                let sign = part(b, sign_bit(scalar));
                Expr::binary(Operator::Or, magnitude, sign).narrow(unsigned).reinterpret(scalar)
            }
            BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::MulHi => self.ill_typed(op, scalar),
        }
    }

    fn float_operator(&mut self, operator: Operator, scalar: Scalar, a: Expr, b: Expr) -> Expr {
        if scalar != Scalar::Bfloat {
            return Expr::binary(operator, a, b);
        }
        let (a, b) = (self.widen(scalar, a), self.widen(scalar, b));
        self.round_to(scalar, Expr::binary(operator, a, b))
    }

    fn extremum(&mut self, routine: Routine, scalar: Scalar, a: Expr, b: Expr) -> Expr {
        // The prelude aligns a narrow format's bits to the top of 32.
        let infinity = scalar.infinity() << (32 - scalar.bits());
        let template = vec![
            TemplateArg::Type(scalar),
            TemplateArg::Type(scalar.same_width_unsigned()),
            TemplateArg::Bits(Scalar::Uint, infinity),
        ];
        self.call(routine, template, vec![a, b])
    }

    fn bool_binary(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        match op {
            BinaryOp::And => Expr::binary(Operator::LogicalAnd, a, b),
            BinaryOp::Or => Expr::binary(Operator::LogicalOr, a, b),
            BinaryOp::Xor => Expr::binary(Operator::Ne, a, b),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MinNan
            | BinaryOp::MaxNan
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::MulHi
            | BinaryOp::Copysign => self.ill_typed(op, Scalar::Bool),
        }
    }

    fn int_binary(&mut self, op: BinaryOp, scalar: Scalar, a: Expr, b: Expr) -> Expr {
        match op {
            BinaryOp::Add => wrapping(scalar, Operator::Add, a, b),
            BinaryOp::Sub => wrapping(scalar, Operator::Sub, a, b),
            BinaryOp::Mul => wrapping(scalar, Operator::Mul, a, b),
            BinaryOp::Div => self.divide(Routine::DivUnsigned, Routine::DivSigned, scalar, a, b),
            BinaryOp::Rem => self.divide(Routine::RemUnsigned, Routine::RemSigned, scalar, a, b),
            BinaryOp::Min => choose(Operator::Lt, a, b),
            BinaryOp::Max => choose(Operator::Gt, a, b),
            BinaryOp::And => bitwise(scalar, Operator::And, a, b),
            BinaryOp::Or => bitwise(scalar, Operator::Or, a, b),
            BinaryOp::Xor => bitwise(scalar, Operator::Xor, a, b),
            BinaryOp::Shl => shift(scalar, Operator::Shl, a, b),
            BinaryOp::Shr => shift(scalar, Operator::Shr, a, b),
            BinaryOp::MulHi => Expr::builtin(Builtin::MulHi, vec![a, b]),
            BinaryOp::MinNan | BinaryOp::MaxNan | BinaryOp::Copysign => self.ill_typed(op, scalar),
        }
    }

    fn divide(&mut self, unsigned: Routine, signed: Routine, scalar: Scalar, a: Expr, b: Expr) -> Expr {
        let own = TemplateArg::Type(scalar);
        match (scalar.is_signed(), signed) {
            (false, _) => self.call(unsigned, vec![own], vec![a, b]),
            (true, Routine::DivSigned) => {
                self.call(signed, vec![own, TemplateArg::Type(scalar.wrapping())], vec![a, b])
            }
            (true, _) => self.call(signed, vec![own], vec![a, b]),
        }
    }

    /// The validator refuses such an operation; a kernel that skipped it gets an error rather than a panic.
    fn ill_typed(&mut self, op: BinaryOp, scalar: Scalar) -> Expr {
        self.no_form(format!("`{op:?}` of {}", scalar.dtype()));
        Expr::Literal(scalar, 0)
    }

    pub(super) fn fma(&mut self, op: &Fma, inst: &Inst) {
        let args = vec![self.value(op.a), self.value(op.b), self.value(op.c)];
        let expr = if self.scalar(op.a) == Scalar::Bfloat {
            self.call(Routine::FmaBf16, Vec::new(), args)
        } else {
            Expr::builtin(Builtin::Fma, args)
        };
        self.result(inst, expr);
    }

    /// Metal's own approximation, whatever the compiler's mode of arithmetic is.
    pub(super) fn approx(&mut self, op: &Approx, inst: &Inst) {
        let a = self.value(op.a);
        let one = Expr::Literal(Scalar::Float, 1.0_f32.to_bits().into());
        let (builtin, args) = match op.op {
            ApproxOp::Exp2 => (Builtin::FastExp2, vec![a]),
            ApproxOp::Log2 => (Builtin::FastLog2, vec![a]),
            ApproxOp::Sin => (Builtin::FastSin, vec![a]),
            ApproxOp::Cos => (Builtin::FastCos, vec![a]),
            ApproxOp::Tanh => (Builtin::FastTanh, vec![a]),
            ApproxOp::Rsqrt => (Builtin::FastRsqrt, vec![a]),
            ApproxOp::Recip => (Builtin::FastDivide, vec![one, a]),
            ApproxOp::Sqrt => (Builtin::FastSqrt, vec![a]),
        };
        self.result(inst, Expr::builtin(builtin, args));
    }

    pub(super) fn compare(&mut self, op: &Compare, inst: &Inst) {
        let operator = match op.op {
            CompareOp::Eq => Operator::Eq,
            CompareOp::Ne => Operator::Ne,
            CompareOp::Lt => Operator::Lt,
            CompareOp::Le => Operator::Le,
            CompareOp::Gt => Operator::Gt,
            CompareOp::Ge => Operator::Ge,
        };
        let scalar = self.scalar(op.a);
        let (mut a, mut b) = (self.value(op.a), self.value(op.b));
        if scalar == Scalar::Bfloat {
            (a, b) = (self.widen(scalar, a), self.widen(scalar, b));
        }
        self.result(inst, Expr::binary(operator, a, b));
    }

    pub(super) fn select(&mut self, op: &Select, inst: &Inst) {
        let parts = [op.cond, op.a, op.b].map(|value| self.value(value));
        self.result(inst, Expr::Conditional(Box::new(parts)));
    }
}

fn sign_bit(scalar: Scalar) -> u64 {
    1 << (scalar.bits() - 1)
}

/// A float's bits combined with a mask; any NaN keeps its payload.
fn flip(scalar: Scalar, operator: Operator, a: Expr, mask: u64) -> Expr {
    let unsigned = scalar.same_width_unsigned();
    let bits = Expr::binary(operator, a.reinterpret(unsigned), Expr::Bits(unsigned, mask));
    // C++ promoted what is narrower than int.
    let bits = if unsigned.bits() < 32 { bits.narrow(unsigned) } else { bits };
    bits.reinterpret(scalar)
}

/// Arithmetic that wraps.
fn wrapping(scalar: Scalar, operator: Operator, a: Expr, b: Expr) -> Expr {
    let wide = scalar.wrapping();
    Expr::binary(operator, a.cast(scalar, wide), b.cast(scalar, wide)).cast(wide, scalar)
}

fn bitwise(scalar: Scalar, operator: Operator, a: Expr, b: Expr) -> Expr {
    let expr = Expr::binary(operator, a, b);
    if scalar.bits() < 32 { expr.narrow(scalar) } else { expr }
}

/// The lesser or greater of two integers.
fn choose(operator: Operator, a: Expr, b: Expr) -> Expr {
    Expr::conditional(Expr::binary(operator, a.clone(), b.clone()), a, b)
}

/// A count of bits, on the unsigned type of the same width, as `uint`.
fn count(scalar: Scalar, builtin: Builtin, a: Expr) -> Expr {
    let unsigned = scalar.same_width_unsigned();
    Expr::builtin(builtin, vec![a.cast(scalar, unsigned)]).cast(unsigned, Scalar::Uint)
}

/// A shift by an unsigned count; one of the width or more, which C++ leaves undefined, is chosen away.
fn shift(scalar: Scalar, operator: Operator, a: Expr, b: Expr) -> Expr {
    let unsigned = scalar.same_width_unsigned();
    let by = b.cast(scalar, unsigned);
    let width = u64::from(scalar.bits());
    let fits = Expr::binary(Operator::Lt, by.clone(), Expr::Literal(unsigned, width));
    if scalar.is_signed() && operator == Operator::Shr {
        // C++14 leaves the shift of a negative number to the compiler; Metal's, clang, fills with the sign.
        let by = Expr::conditional(fits, by, Expr::Literal(unsigned, width - 1));
        let shifted = Expr::binary(operator, a, by);
        return if scalar.bits() < 32 { shifted.narrow(scalar) } else { shifted };
    }
    let wide = scalar.wrapping();
    let shifted = Expr::binary(operator, a.cast(scalar, wide), by).cast(wide, scalar);
    Expr::conditional(fits, shifted, Expr::Literal(scalar, 0))
}
