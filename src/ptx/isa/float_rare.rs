//! Float arithmetic of the newest chips: pairs of f32, sums of 16-bit floats with f32, extremes of three. And `mad`,
//! the old name of `fma`.
//!
//! Not here: `fma.oob`, whose operand for what is out of bounds the manual does not give.

use super::arith_modifier::Magnitudes;
use super::modifier::{Ftz, PropagateNan, Rounding, Sat};
use super::row::row;
use super::slot::{Def, Rule, Use};
use super::types::{PairFloat, ScalarType, ShortFloat, WideFloat};

row! {
    /// Sums of two f32 each.
    AddPair = "add" [round: Option<Rounding>] [ftz: Ftz] [ty: PairFloat] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(8, 6), sm(100); manual "floating-point-instructions-add"
}

row! {
    /// Differences of two f32 each.
    SubPair = "sub" [round: Option<Rounding>] [ftz: Ftz] [ty: PairFloat] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(8, 6), sm(100); manual "floating-point-instructions-sub"
}

row! {
    /// Products of two f32 each.
    MulPair = "mul" [round: Option<Rounding>] [ftz: Ftz] [ty: PairFloat] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(8, 6), sm(100); manual "floating-point-instructions-mul"
}

row! {
    /// `a × b + c` of two f32 each, rounded once.
    FmaPair = "fma" [round: Rounding] [ftz: Ftz] [ty: PairFloat] { dst: Def(ty), a: Use(ty), b: Use(ty), c: Use(ty) }
    since ptx(8, 6), sm(100); manual "floating-point-instructions-fma"
}

row! {
    /// Sum of a 16-bit float, widened, and an f32.
    AddMixed = "add" [round: Option<Rounding>] [sat: Sat] ".f32" [from: ShortFloat] {
        dst: Def(single()), a: Use(short(from)), b: Use(single()),
    }
    since ptx(8, 6), sm(100); manual "mixed-precision-floating-point-instructions-add"
}

row! {
    /// Difference of a 16-bit float, widened, and an f32.
    SubMixed = "sub" [round: Option<Rounding>] [sat: Sat] ".f32" [from: ShortFloat] {
        dst: Def(single()), a: Use(short(from)), b: Use(single()),
    }
    since ptx(8, 6), sm(100); manual "mixed-precision-floating-point-instructions-sub"
}

row! {
    /// Product of two 16-bit floats, plus an f32, rounded once.
    FmaMixed = "fma" [round: Rounding] [sat: Sat] ".f32" [from: ShortFloat] {
        dst: Def(single()), a: Use(short(from)), b: Use(short(from)), c: Use(single()),
    }
    since ptx(8, 6), sm(100); manual "mixed-precision-floating-point-instructions-fma"
}

row! {
    /// `a × b + c`, rounded once: the same as `fma`.
    MadFloat = "mad" [round: Rounding] [ftz: Ftz] [sat: Sat] [ty: WideFloat] {
        dst: Def(ty), a: Use(ty), b: Use(ty), c: Use(ty),
    }
    since ptx(1, 4), sm(20); manual "floating-point-instructions-mad"; check check_mad
}

row! {
    /// The least of three; a NaN loses unless `.NaN` is given. With `.abs` the magnitudes are compared.
    MinThree = "min" [ftz: Ftz] [nan: PropagateNan] [abs: Magnitudes] ".f32" {
        dst: Def(single()), a: Use(single()), b: Use(single()), c: Use(single()),
    }
    since ptx(8, 8), sm(100); manual "floating-point-instructions-min"
}

row! {
    /// The greatest of three; a NaN loses unless `.NaN` is given. With `.abs` the magnitudes are compared.
    MaxThree = "max" [ftz: Ftz] [nan: PropagateNan] [abs: Magnitudes] ".f32" {
        dst: Def(single()), a: Use(single()), b: Use(single()), c: Use(single()),
    }
    since ptx(8, 8), sm(100); manual "floating-point-instructions-max"
}

/// A bf16 that meets an f32 is declared as an integer, and takes no immediate.
fn short(from: ShortFloat) -> Rule {
    match from {
        ShortFloat::F16 => ScalarType::F16.into(),
        ShortFloat::BF16 => Rule::from(ScalarType::U16).no_imm(),
    }
}

fn single() -> Rule {
    Rule::from(ScalarType::F32)
}

fn check_mad(row: &MadFloat) -> Result<(), &'static str> {
    if row.ty == WideFloat::F64 && (row.ftz.0 || row.sat.0) {
        return Err("`.f64` takes neither `.ftz` nor `.sat`");
    }
    Ok(())
}
