//! Constants aside, what computes: one- and two-operand operations, fused multiply-add, comparison, selection.
//!
//! Every operation is a loop over the range of active threads; what it computes per thread is a function of
//! `numerics`. Types were checked by `ir::validate`.

use super::Interp;
use crate::ir::op::{Approx, ApproxOp, Binary, BinaryOp, Compare, CompareOp, Fma, Select, Unary, UnaryOp};
use crate::ir::{DType, ValueId};
use crate::numerics::{Float, Int, approx};
use crate::oracle::value::{with_dtype, with_float, with_int, with_word};

/// For a dtype that the operation does not take.
#[cold]
fn invalid(op: &str, dtype: DType) -> ! {
    unreachable!("validate() checked that `{op}` takes `{dtype}`")
}

impl Interp<'_> {
    pub(super) fn unary(&mut self, op: &Unary, dst: ValueId) {
        let dtype = self.kernel.dtype(op.a);
        let range = self.active.range();
        let regs = &mut self.regs;
        macro_rules! float {
            ($method:ident) => {
                with_float!(dtype, T => regs.map(range, dst, op.a, <T as Float>::$method), invalid("a float operation", dtype))
            };
        }
        macro_rules! number {
            ($int:ident, $float:ident) => {
                with_int!(dtype, T => regs.map(range, dst, op.a, <T as Int>::$int), float!($float))
            };
        }
        macro_rules! int {
            ($method:ident) => {
                with_int!(dtype, T => regs.map(range, dst, op.a, <T as Int>::$method), invalid("an integer operation", dtype))
            };
        }
        match op.op {
            UnaryOp::Neg => number!(ineg, fneg),
            UnaryOp::Abs => number!(iabs, fabs),
            UnaryOp::Not if dtype == DType::Bool => regs.map(range, dst, op.a, |a: bool| !a),
            UnaryOp::Not => with_word!(dtype, W => regs.map(range, dst, op.a, |a: W| !a)),
            UnaryOp::Sqrt => float!(fsqrt),
            UnaryOp::Floor => float!(ffloor),
            UnaryOp::Ceil => float!(fceil),
            UnaryOp::Trunc => float!(ftrunc),
            UnaryOp::Round => float!(fround),
            UnaryOp::Popcount => int!(ipopcount),
            UnaryOp::Clz => int!(iclz),
            UnaryOp::Ctz => int!(ictz),
        }
    }

    pub(super) fn binary(&mut self, op: &Binary, dst: ValueId) {
        let dtype = self.kernel.dtype(op.a);
        let range = self.active.range();
        let regs = &mut self.regs;
        let operands = (op.a, op.b);
        macro_rules! float {
            ($method:ident) => {
                with_float!(dtype, T => regs.map2(range, dst, operands, <T as Float>::$method), invalid("a float operation", dtype))
            };
        }
        macro_rules! int {
            ($f:expr) => {
                with_int!(dtype, T => regs.map2::<T, T>(range, dst, operands, $f), invalid("an integer operation", dtype))
            };
        }
        macro_rules! number {
            ($int:ident, $float:ident) => {
                with_int!(dtype, T => regs.map2(range, dst, operands, <T as Int>::$int), float!($float))
            };
        }
        macro_rules! bits {
            ($f:expr) => {
                with_word!(dtype, W => regs.map2::<W, W>(range, dst, operands, $f))
            };
        }
        match op.op {
            BinaryOp::Add => number!(iadd, fadd),
            BinaryOp::Sub => number!(isub, fsub),
            BinaryOp::Mul => number!(imul, fmul),
            BinaryOp::Div => number!(idiv, fdiv),
            BinaryOp::Min => number!(imin, fmin),
            BinaryOp::Max => number!(imax, fmax),
            BinaryOp::Rem => int!(Int::irem),
            BinaryOp::MulHi => int!(Int::imul_hi),
            // A count is unsigned whatever its type, so −1 is a count of 2^width − 1.
            BinaryOp::Shl => int!(|a, count| a.ishl(Int::bits(count))),
            BinaryOp::Shr => int!(|a, count| a.ishr(Int::bits(count))),
            BinaryOp::MinNan => float!(fmin_nan),
            BinaryOp::MaxNan => float!(fmax_nan),
            BinaryOp::Copysign => float!(fcopysign),
            BinaryOp::And => bits!(|a, b| a & b),
            BinaryOp::Or => bits!(|a, b| a | b),
            BinaryOp::Xor => bits!(|a, b| a ^ b),
        }
    }

    pub(super) fn fma(&mut self, op: &Fma, dst: ValueId) {
        let dtype = self.kernel.dtype(op.a);
        let range = self.active.range();
        let operands = (op.a, op.b, op.c);
        with_float!(
            dtype,
            T => self.regs.map3(range, dst, operands, |a: T, b: T, c: T| a.ffma(b, c)),
            invalid("fma", dtype)
        );
    }

    /// The reference value: what every target's own lies near.
    pub(super) fn approx(&mut self, op: &Approx, dst: ValueId) {
        let function = match op.op {
            ApproxOp::Exp2 => approx::EXP2,
            ApproxOp::Log2 => approx::LOG2,
            ApproxOp::Sin => approx::SIN,
            ApproxOp::Cos => approx::COS,
            ApproxOp::Tanh => approx::TANH,
            ApproxOp::Rsqrt => approx::RSQRT,
            ApproxOp::Recip => approx::RECIP,
            ApproxOp::Sqrt => approx::SQRT,
        };
        let range = self.active.range();
        self.regs.map(range, dst, op.a, |a: f32| approx::nearest(function, a));
    }

    pub(super) fn compare(&mut self, op: &Compare, dst: ValueId) {
        let dtype = self.kernel.dtype(op.a);
        let range = self.active.range();
        let regs = &mut self.regs;
        let operands = (op.a, op.b);
        macro_rules! compare {
            ($operator:tt) => {
                with_dtype!(dtype, T => regs.map2::<T, bool>(range, dst, operands, |a, b| a $operator b))
            };
        }
        match op.op {
            CompareOp::Eq => compare!(==),
            CompareOp::Ne => compare!(!=),
            CompareOp::Lt => compare!(<),
            CompareOp::Le => compare!(<=),
            CompareOp::Gt => compare!(>),
            CompareOp::Ge => compare!(>=),
        }
    }

    pub(super) fn select(&mut self, op: &Select, dst: ValueId) {
        let dtype = self.kernel.dtype(op.a);
        let range = self.active.range();
        let operands = (op.cond, op.a, op.b);
        with_word!(dtype, W => self.regs.map3(range, dst, operands, |c: bool, a: W, b: W| if c { a } else { b }));
    }
}
