//! Expressions, types and numbers as text.

use std::fmt::{self, Display};

use crate::ir::Literal;
use crate::msl::ast::{Axis3, BinaryOp, Builtin, Callee, Expr, Ident, Scalar, TemplateArg, UnaryOp};

impl Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::Char => "char",
            Self::Uchar => "uchar",
            Self::Short => "short",
            Self::Ushort => "ushort",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Long => "long",
            Self::Ulong => "ulong",
            Self::Half => "half",
            Self::Bfloat => "bfloat",
            Self::Float => "float",
        })
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::Component(name, axis) => write!(f, "{name}.{}", axis_text(*axis)),
            Self::Literal(scalar, bits) => literal(f, *scalar, *bits),
            Self::Bits(scalar, bits) => hexadecimal(f, *scalar, *bits),
            Self::Unary(op, a) => write!(f, "{}{}", unary_text(*op), Operand(a)),
            Self::Binary(op, a, b) => write!(f, "{} {} {}", Operand(a), binary_text(*op), Operand(b)),
            Self::Conditional(parts) => {
                let [cond, a, b] = &**parts;
                write!(f, "{} ? {} : {}", Operand(cond), Operand(a), Operand(b))
            }
            Self::Cast(to, a) => write!(f, "{to}({a})"),
            Self::AsType(to, a) => write!(f, "as_type<{to}>({a})"),
            Self::Call(callee, template, args) => call(f, *callee, template, args),
            Self::Element(base, index) => write!(f, "{base}[{index}]"),
            Self::AtomicElement(scalar, base, index) => {
                write!(f, "(device metal::atomic_{scalar}*)&{base}[{index}]")
            }
            Self::RelaxedOrder => f.write_str("metal::memory_order_relaxed"),
        }
    }
}

/// An expression where an operator binds it.
struct Operand<'e>(&'e Expr);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::AtomicElement(..) => {
                write!(f, "({})", self.0)
            }
            Expr::Name(_)
            | Expr::Component(..)
            | Expr::Literal(..)
            | Expr::Bits(..)
            | Expr::Cast(..)
            | Expr::AsType(..)
            | Expr::Call(..)
            | Expr::Element(..)
            | Expr::RelaxedOrder => self.0.fmt(f),
        }
    }
}

fn call(f: &mut fmt::Formatter<'_>, callee: Callee, template: &[TemplateArg], args: &[Expr]) -> fmt::Result {
    match callee {
        Callee::Builtin(builtin) => f.write_str(builtin_text(builtin))?,
        Callee::Routine(routine) => f.write_str(routine.name())?,
    }
    for (position, arg) in template.iter().enumerate() {
        f.write_str(if position == 0 { "<" } else { ", " })?;
        match arg {
            TemplateArg::Type(scalar) => scalar.fmt(f)?,
            TemplateArg::Bits(scalar, bits) => hexadecimal(f, *scalar, *bits)?,
        }
    }
    f.write_str(if template.is_empty() { "(" } else { ">(" })?;
    for (position, arg) in args.iter().enumerate() {
        f.write_str(if position == 0 { "" } else { ", " })?;
        arg.fmt(f)?;
    }
    f.write_str(")")
}

/// A number; where no decimal of the type gives those bits for certain, the bits.
fn literal(f: &mut fmt::Formatter<'_>, scalar: Scalar, bits: u64) -> fmt::Result {
    let value = Literal::from_bits(scalar.dtype(), bits);
    if let Some(int) = value.as_int() {
        return integer(f, scalar, int, bits);
    }
    let number = value.as_f64().unwrap_or(f64::NAN);
    // A subnormal decimal may be flushed while it is converted, and a compiler may forget the sign of a zero.
    let exact = number.is_finite() && (bits == 0 || number.abs() >= least_normal(scalar));
    match scalar {
        // The shortest decimal of a great integer is not that integer, which is what a reader looks for.
        Scalar::Float if exact && (2f64.powi(24)..=2f64.powi(64)).contains(&number.abs()) => {
            write!(f, "{number:.1}f")
        }
        Scalar::Float if exact => write!(f, "{:?}f", number as f32),
        Scalar::Half | Scalar::Bfloat if exact => write!(f, "{scalar}({:?}f)", number as f32),
        Scalar::Float
        | Scalar::Half
        | Scalar::Bfloat
        | Scalar::Bool
        | Scalar::Char
        | Scalar::Uchar
        | Scalar::Short
        | Scalar::Ushort
        | Scalar::Int
        | Scalar::Uint
        | Scalar::Long
        | Scalar::Ulong => {
            write!(f, "as_type<{scalar}>(")?;
            hexadecimal(f, scalar.same_width_unsigned(), bits)?;
            f.write_str(")")
        }
    }
}

fn integer(f: &mut fmt::Formatter<'_>, scalar: Scalar, int: i128, bits: u64) -> fmt::Result {
    match scalar {
        Scalar::Bool => write!(f, "{}", int != 0),
        Scalar::Uint => write!(f, "{int}u"),
        Scalar::Ulong => write!(f, "{int}ul"),
        // The least value is not minus a literal of its own type, and a bare minus would need parentheses.
        Scalar::Int if int >= 0 => write!(f, "{int}"),
        Scalar::Long if int >= 0 => write!(f, "{int}l"),
        Scalar::Int if int > i128::from(i32::MIN) => write!(f, "({int})"),
        Scalar::Long if int > i128::from(i64::MIN) => write!(f, "({int}l)"),
        Scalar::Int | Scalar::Long => {
            write!(f, "as_type<{scalar}>(")?;
            hexadecimal(f, scalar.same_width_unsigned(), bits)?;
            f.write_str(")")
        }
        Scalar::Char
        | Scalar::Uchar
        | Scalar::Short
        | Scalar::Ushort
        | Scalar::Half
        | Scalar::Bfloat
        | Scalar::Float => write!(f, "{scalar}({int})"),
    }
}

fn hexadecimal(f: &mut fmt::Formatter<'_>, scalar: Scalar, bits: u64) -> fmt::Result {
    match scalar.bits() {
        64 => write!(f, "{bits:#x}ul"),
        32 => write!(f, "{bits:#x}u"),
        _ => write!(f, "{scalar}({bits:#x}u)"),
    }
}

/// The least positive number of a float format that has its full precision.
fn least_normal(scalar: Scalar) -> f64 {
    if scalar == Scalar::Half { 2f64.powi(-14) } else { 2f64.powi(-126) }
}

fn axis_text(axis: Axis3) -> &'static str {
    match axis {
        Axis3::X => "x",
        Axis3::Y => "y",
        Axis3::Z => "z",
    }
}

fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
    }
}

fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}

fn builtin_text(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Fma => "metal::fma",
        Builtin::Sqrt => "metal::precise::sqrt",
        Builtin::Floor => "metal::floor",
        Builtin::Ceil => "metal::ceil",
        Builtin::Trunc => "metal::trunc",
        Builtin::Rint => "metal::rint",
        Builtin::Popcount => "metal::popcount",
        Builtin::Clz => "metal::clz",
        Builtin::Ctz => "metal::ctz",
        Builtin::MulHi => "metal::mulhi",
        Builtin::FastExp2 => "metal::fast::exp2",
        Builtin::FastLog2 => "metal::fast::log2",
        Builtin::FastSin => "metal::fast::sin",
        Builtin::FastCos => "metal::fast::cos",
        Builtin::FastTanh => "metal::fast::tanh",
        Builtin::FastRsqrt => "metal::fast::rsqrt",
        Builtin::FastDivide => "metal::fast::divide",
        Builtin::FastSqrt => "metal::fast::sqrt",
        Builtin::AtomicFetchAdd => "metal::atomic_fetch_add_explicit",
        Builtin::AtomicFetchMin => "metal::atomic_fetch_min_explicit",
        Builtin::AtomicFetchMax => "metal::atomic_fetch_max_explicit",
        Builtin::AtomicFetchAnd => "metal::atomic_fetch_and_explicit",
        Builtin::AtomicFetchOr => "metal::atomic_fetch_or_explicit",
        Builtin::AtomicFetchXor => "metal::atomic_fetch_xor_explicit",
        Builtin::AtomicExchange => "metal::atomic_exchange_explicit",
        Builtin::AtomicLoad => "metal::atomic_load_explicit",
        Builtin::AtomicStore => "metal::atomic_store_explicit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_only_where_they_are_exact() {
        for (scalar, bits, text) in [
            (Scalar::Float, 0x3fc0_0000, "1.5f"),
            (Scalar::Float, 0x4f00_0000, "2147483648.0f"),
            (Scalar::Float, 0xff80_0000, "as_type<float>(0xff800000u)"),
            (Scalar::Float, 0x8000_0000, "as_type<float>(0x80000000u)"),
            (Scalar::Float, 1, "as_type<float>(0x1u)"),
            (Scalar::Half, 0x3e00, "half(1.5f)"),
            (Scalar::Half, 1, "as_type<half>(ushort(0x1u))"),
            (Scalar::Int, 0x8000_0000, "as_type<int>(0x80000000u)"),
            (Scalar::Int, 0xffff_ffff, "(-1)"),
            (Scalar::Char, 0x80, "char(-128)"),
            (Scalar::Ulong, u64::MAX, "18446744073709551615ul"),
            (Scalar::Bool, 1, "true"),
        ] {
            assert_eq!(Expr::Literal(scalar, bits).to_string(), text);
        }
    }
}
