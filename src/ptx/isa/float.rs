//! Float arithmetic.
//!
//! Without a rounding, `add`, `sub` and `mul` may be fused by the assembler with a neighbour; with one they never
//! are. `fma.{rz,rm,rp}` of bf16 is refused: the assembler takes it and decodes the operands as f16.

use super::modifier::{Approx, DivPrecision, Ftz, Precision, PropagateNan, Relu, Rounding, Sat, XorSignAbs};
use super::row::row;
use super::slot::{Def, Use};
use super::types::{ApproxFloat, FloatType, SingleFloat, WideFloat};
use super::version::Requirement;

row! {
    /// Sum.
    AddFloat = "add" [round: Option<Rounding>] [ftz: Ftz] [sat: Sat] [ty: FloatType] {
        dst: Def(ty), a: Use(ty), b: Use(ty),
    }
    since ptx(1, 0), sm(10); manual "floating-point-instructions-add"; check check_add; needs add_needs
}

row! {
    /// Difference.
    SubFloat = "sub" [round: Option<Rounding>] [ftz: Ftz] [sat: Sat] [ty: FloatType] {
        dst: Def(ty), a: Use(ty), b: Use(ty),
    }
    since ptx(1, 0), sm(10); manual "floating-point-instructions-sub"; check check_sub; needs sub_needs
}

row! {
    /// Product.
    MulFloat = "mul" [round: Option<Rounding>] [ftz: Ftz] [sat: Sat] [ty: FloatType] {
        dst: Def(ty), a: Use(ty), b: Use(ty),
    }
    since ptx(1, 0), sm(10); manual "floating-point-instructions-mul"; check check_mul; needs mul_needs
}

row! {
    /// `a × b + c`, rounded once.
    Fma = "fma" [round: Rounding] [ftz: Ftz] [sat: Sat] [relu: Relu] [ty: FloatType] {
        dst: Def(ty), a: Use(ty), b: Use(ty), c: Use(ty),
    }
    since ptx(2, 0), sm(20); manual "floating-point-instructions-fma"; check check_fma; needs fma_needs
}

row! {
    /// Quotient.
    DivFloat = "div" [precision: DivPrecision] [ftz: Ftz] [ty: WideFloat] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 4), sm(20); manual "floating-point-instructions-div"; check check_div
}

row! {
    /// The lesser; a NaN loses unless `.NaN` is given, and −0 is less than +0.
    MinFloat = "min" [ftz: Ftz] [nan: PropagateNan] [xorsign: XorSignAbs] [ty: FloatType] {
        dst: Def(ty), a: Use(ty), b: Use(ty),
    }
    since ptx(1, 0), sm(10); manual "floating-point-instructions-min"; check check_min; needs min_needs
}

row! {
    /// The greater; a NaN loses unless `.NaN` is given, and −0 is less than +0.
    MaxFloat = "max" [ftz: Ftz] [nan: PropagateNan] [xorsign: XorSignAbs] [ty: FloatType] {
        dst: Def(ty), a: Use(ty), b: Use(ty),
    }
    since ptx(1, 0), sm(10); manual "floating-point-instructions-max"; check check_max; needs max_needs
}

row! {
    /// Magnitude. A NaN of 32 or 16 bits becomes the canonical NaN.
    AbsFloat = "abs" [ftz: Ftz] [ty: FloatType] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 0), sm(10); manual "floating-point-instructions-abs"; check check_abs; needs abs_needs
}

row! {
    /// Negative. A NaN of 32 or 16 bits becomes the canonical NaN.
    NegFloat = "neg" [ftz: Ftz] [ty: FloatType] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 0), sm(10); manual "floating-point-instructions-neg"; check check_neg; needs neg_needs
}

row! {
    /// The magnitude of `b` with the sign of `a`.
    CopySign = "copysign" [ty: WideFloat] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(2, 0), sm(20); manual "floating-point-instructions-copysign"
}

row! {
    /// Square root.
    Sqrt = "sqrt" [precision: Precision] [ftz: Ftz] [ty: WideFloat] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 4), sm(20); manual "floating-point-instructions-sqrt"; check check_sqrt
}

row! {
    /// Reciprocal.
    Rcp = "rcp" [precision: Precision] [ftz: Ftz] [ty: WideFloat] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 4), sm(20); manual "floating-point-instructions-rcp"; check check_rcp
}

row! {
    /// Approximate reciprocal of the square root.
    Rsqrt = "rsqrt" [approx: Approx] [ftz: Ftz] [ty: WideFloat] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 4), sm(10); manual "floating-point-instructions-rsqrt"; needs rsqrt_needs
}

row! {
    /// Approximate power of two.
    Ex2 = "ex2" [approx: Approx] [ftz: Ftz] [ty: ApproxFloat] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 4), sm(10); manual "floating-point-instructions-ex2"; check check_ex2; needs ex2_needs
}

row! {
    /// Approximate binary logarithm.
    Lg2 = "lg2" [approx: Approx] [ftz: Ftz] [ty: SingleFloat] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 4), sm(10); manual "floating-point-instructions-lg2"
}

row! {
    /// Approximate sine.
    Sin = "sin" [approx: Approx] [ftz: Ftz] [ty: SingleFloat] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 4), sm(10); manual "floating-point-instructions-sin"
}

row! {
    /// Approximate cosine.
    Cos = "cos" [approx: Approx] [ftz: Ftz] [ty: SingleFloat] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 4), sm(10); manual "floating-point-instructions-cos"
}

row! {
    /// Approximate hyperbolic tangent.
    Tanh = "tanh" [approx: Approx] [ty: ApproxFloat] { dst: Def(ty), a: Use(ty) }
    since ptx(7, 0), sm(75); manual "floating-point-instructions-tanh"; needs tanh_needs
}

const F16: Requirement = Requirement::new(4, 2, 53);
const F16_MIN: Requirement = Requirement::new(7, 0, 80);
const BF16: Requirement = Requirement::new(7, 0, 80);
const BF16_ADD: Requirement = Requirement::new(7, 8, 90);

fn by_type(ty: FloatType, half: Requirement, bfloat: Requirement) -> Requirement {
    match ty {
        FloatType::F16 | FloatType::F16x2 => half,
        FloatType::BF16 | FloatType::BF16x2 => bfloat,
        FloatType::F32 | FloatType::F64 => Requirement::NONE,
    }
}

fn check_arith(round: Option<Rounding>, ftz: Ftz, sat: Sat, ty: FloatType) -> Result<(), &'static str> {
    let half = !matches!(ty, FloatType::F32 | FloatType::F64);
    if half && !matches!(round, None | Some(Rounding::Rn)) {
        return Err("16-bit types round to nearest only");
    }
    if matches!(ty, FloatType::F64 | FloatType::BF16 | FloatType::BF16x2) && (ftz.0 || sat.0) {
        return Err("`.f64` and `.bf16` take neither `.ftz` nor `.sat`");
    }
    Ok(())
}

fn check_add(row: &AddFloat) -> Result<(), &'static str> {
    check_arith(row.round, row.ftz, row.sat, row.ty)
}

fn add_needs(row: &AddFloat) -> Requirement {
    by_type(row.ty, F16, BF16_ADD)
}

fn check_sub(row: &SubFloat) -> Result<(), &'static str> {
    check_arith(row.round, row.ftz, row.sat, row.ty)
}

fn sub_needs(row: &SubFloat) -> Requirement {
    by_type(row.ty, F16, BF16_ADD)
}

fn check_mul(row: &MulFloat) -> Result<(), &'static str> {
    check_arith(row.round, row.ftz, row.sat, row.ty)
}

fn mul_needs(row: &MulFloat) -> Requirement {
    by_type(row.ty, F16, BF16_ADD)
}

fn check_fma(row: &Fma) -> Result<(), &'static str> {
    if row.relu.0 && (row.sat.0 || matches!(row.ty, FloatType::F32 | FloatType::F64)) {
        return Err("`.relu` goes with 16-bit types only, and not with `.sat`");
    }
    check_arith(Some(row.round), row.ftz, row.sat, row.ty)
}

fn fma_needs(row: &Fma) -> Requirement {
    by_type(row.ty, if row.relu.0 { F16_MIN } else { F16 }, BF16)
}

fn check_div(row: &DivFloat) -> Result<(), &'static str> {
    let approximate = matches!(row.precision, DivPrecision::Approx | DivPrecision::Full);
    if row.ty == WideFloat::F64 && (row.ftz.0 || approximate) {
        return Err("`.f64` takes a rounding and no `.ftz`");
    }
    Ok(())
}

fn check_minmax(ftz: Ftz, nan: PropagateNan, xorsign: XorSignAbs, ty: FloatType) -> Result<(), &'static str> {
    match ty {
        FloatType::F64 if ftz.0 || nan.0 || xorsign.0 => Err("`.f64` takes no modifier"),
        FloatType::BF16 | FloatType::BF16x2 if ftz.0 => Err("`.bf16` takes no `.ftz`"),
        FloatType::F64
        | FloatType::BF16
        | FloatType::BF16x2
        | FloatType::F16
        | FloatType::F16x2
        | FloatType::F32 => Ok(()),
    }
}

fn minmax_needs(nan: PropagateNan, xorsign: XorSignAbs, ty: FloatType) -> Requirement {
    let nan = if nan.0 { F16_MIN } else { Requirement::NONE };
    let xorsign = if xorsign.0 { Requirement::new(7, 2, 86) } else { Requirement::NONE };
    by_type(ty, F16_MIN, BF16).and(nan).and(xorsign)
}

fn check_min(row: &MinFloat) -> Result<(), &'static str> {
    check_minmax(row.ftz, row.nan, row.xorsign, row.ty)
}

fn min_needs(row: &MinFloat) -> Requirement {
    minmax_needs(row.nan, row.xorsign, row.ty)
}

fn check_max(row: &MaxFloat) -> Result<(), &'static str> {
    check_minmax(row.ftz, row.nan, row.xorsign, row.ty)
}

fn max_needs(row: &MaxFloat) -> Requirement {
    minmax_needs(row.nan, row.xorsign, row.ty)
}

fn check_sign(ftz: Ftz, ty: FloatType) -> Result<(), &'static str> {
    check_arith(None, ftz, Sat(false), ty)
}

fn check_abs(row: &AbsFloat) -> Result<(), &'static str> {
    check_sign(row.ftz, row.ty)
}

fn abs_needs(row: &AbsFloat) -> Requirement {
    by_type(row.ty, Requirement::new(6, 5, 53), BF16)
}

fn check_neg(row: &NegFloat) -> Result<(), &'static str> {
    check_sign(row.ftz, row.ty)
}

fn neg_needs(row: &NegFloat) -> Requirement {
    by_type(row.ty, Requirement::new(6, 0, 53), BF16)
}

fn check_sqrt(row: &Sqrt) -> Result<(), &'static str> {
    if row.ty == WideFloat::F64 && (row.ftz.0 || row.precision == Precision::Approx) {
        return Err("`.f64` takes a rounding and no `.ftz`");
    }
    Ok(())
}

fn check_rcp(row: &Rcp) -> Result<(), &'static str> {
    if row.ty == WideFloat::F64 && row.ftz.0 != (row.precision == Precision::Approx) {
        return Err("`.f64` takes a rounding, or `.approx.ftz`");
    }
    Ok(())
}

fn rsqrt_needs(row: &Rsqrt) -> Requirement {
    if row.ty == WideFloat::F64 && row.ftz.0 { Requirement::new(4, 0, 20) } else { Requirement::NONE }
}

fn check_ex2(row: &Ex2) -> Result<(), &'static str> {
    match row.ty {
        ApproxFloat::F16 | ApproxFloat::F16x2 if row.ftz.0 => Err("`ex2` of f16 takes no `.ftz`"),
        ApproxFloat::BF16 | ApproxFloat::BF16x2 if !row.ftz.0 => Err("`ex2` of bf16 must carry `.ftz`"),
        ApproxFloat::F16
        | ApproxFloat::F16x2
        | ApproxFloat::BF16
        | ApproxFloat::BF16x2
        | ApproxFloat::F32 => Ok(()),
    }
}

fn approx_needs(ty: ApproxFloat) -> Requirement {
    match ty {
        ApproxFloat::F16 | ApproxFloat::F16x2 => Requirement::new(7, 0, 75),
        ApproxFloat::BF16 | ApproxFloat::BF16x2 => BF16_ADD,
        ApproxFloat::F32 => Requirement::NONE,
    }
}

fn ex2_needs(row: &Ex2) -> Requirement {
    approx_needs(row.ty)
}

fn tanh_needs(row: &Tanh) -> Requirement {
    approx_needs(row.ty)
}
