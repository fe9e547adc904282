//! `cvt` of integers into fields of a word, and of packed 16-bit floats into narrower ones.

use super::arith_modifier::{PackField, PackHalf};
use super::cvt_narrow::FAMILY;
use super::modifier::{Relu, Rounding, SatFinite};
use super::reg::RegClass::B32;
use super::row::row;
use super::slot::{Def, Rule, Use};
use super::types::{Fp8X2, ScalarType, ScaleX2};
use super::version::Requirement;

row! {
    /// Clamps two integers to 16 bits: `a` goes to the high half, `b` to the low one.
    CvtPackHalves = "cvt.pack.sat" [to: PackHalf] ".s32" { dst: Def(integer()), a: Use(integer()), b: Use(integer()) }
    since ptx(6, 5), sm(72); manual "data-movement-and-conversion-instructions-cvt-pack"
}

row! {
    /// Clamps two integers to narrow fields and shifts them into a word from below: `c`, then `a`, then `b` lowest.
    CvtPackFields = "cvt.pack.sat" [to: PackField] ".s32.b32" {
        dst: Def(integer()), a: Use(integer()), b: Use(integer()), c: Use(B32),
    }
    since ptx(6, 5), sm(75); manual "data-movement-and-conversion-instructions-cvt-pack"
}

row! {
    /// Converts two f16 to a pair of fp8. Beyond the largest number it is that number.
    CvtNarrowHalves = "cvt" [round: Rounding] ".satfinite" [relu: Relu] [to: Fp8X2] ".f16x2" {
        dst: Def(to), src: Use(Rule::from(ScalarType::F16x2).no_imm()),
    }
    since ptx(8, 1), sm(89); manual "data-movement-and-conversion-instructions-cvt"; check check_narrow
}

row! {
    /// Converts two bf16 to powers of two, the next one toward zero or up.
    CvtScaleHalves = "cvt" [round: Rounding] [satfinite: SatFinite] [to: ScaleX2] ".bf16x2" {
        dst: Def(to), src: Use(Rule::from(B32).no_imm()),
    }
    since ptx(8, 6), sm(100); manual "data-movement-and-conversion-instructions-cvt"; check check_scale; needs scale_needs
}

fn integer() -> Rule {
    Rule::from(ScalarType::S32)
}

fn check_narrow(row: &CvtNarrowHalves) -> Result<(), &'static str> {
    match row.round {
        Rounding::Rn => Ok(()),
        Rounding::Rz | Rounding::Rm | Rounding::Rp => Err("only `.rn`"),
    }
}

fn check_scale(row: &CvtScaleHalves) -> Result<(), &'static str> {
    match row.round {
        Rounding::Rz | Rounding::Rp => Ok(()),
        Rounding::Rn | Rounding::Rm => Err("only `.rz` and `.rp`"),
    }
}

fn scale_needs(_row: &CvtScaleHalves) -> Requirement {
    FAMILY
}

impl PackField {
    /// Bits of the field, and whether it is signed.
    pub const fn layout(self) -> (u32, bool) {
        match self {
            Self::U8 => (8, false),
            Self::S8 => (8, true),
            Self::U4 => (4, false),
            Self::S4 => (4, true),
            Self::U2 => (2, false),
            Self::S2 => (2, true),
        }
    }
}
