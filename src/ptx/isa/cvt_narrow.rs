//! `cvt` between pairs of numbers and pairs of fp8, fp6, fp4 and ue8m0.
//!
//! A pair of fp8, fp6 or ue8m0 fills a 16-bit register, each number the low bits of its byte; a pair of fp4 an 8-bit one.

use super::modifier::{Relu, Rounding, SatFinite};
use super::reg::RegClass::B32;
use super::row::row;
use super::slot::{Def, Use};
use super::types::{NarrowX2, ScalarType, ScaleX2, SingleFloat};
use super::version::{ArchGate, Requirement};

row! {
    /// Converts two f32 to a pair: `high` goes to the high half, `low` to the low one. Beyond the largest number it is
    /// that number; NaN where there is none, too.
    CvtNarrow = "cvt" [round: Rounding] ".satfinite" [relu: Relu] [to: NarrowX2] [from: SingleFloat] {
        dst: Def(to), high: Use(from), low: Use(from),
    }
    since ptx(8, 1), sm(89); manual "data-movement-and-conversion-instructions-cvt"; check check_narrow; needs narrow_needs
}

row! {
    /// Converts a pair to two f16, exactly.
    CvtWiden = "cvt" [round: Rounding] [relu: Relu] ".f16x2" [from: NarrowX2] { dst: Def(ScalarType::F16x2), src: Use(from) }
    since ptx(8, 1), sm(89); manual "data-movement-and-conversion-instructions-cvt"; check check_widen; needs widen_needs
}

row! {
    /// Converts two f32 to powers of two, the next one toward zero or up: `high` goes to the high half.
    CvtScale = "cvt" [round: Rounding] [satfinite: SatFinite] [to: ScaleX2] [from: SingleFloat] {
        dst: Def(to), high: Use(from), low: Use(from),
    }
    since ptx(8, 6), sm(100); manual "data-movement-and-conversion-instructions-cvt"; check check_scale; needs scale_needs
}

row! {
    /// Converts two powers of two to bf16, exactly.
    CvtWidenScale = "cvt" [round: Rounding] ".bf16x2" [from: ScaleX2] { dst: Def(B32), src: Use(from) }
    since ptx(8, 6), sm(100); manual "data-movement-and-conversion-instructions-cvt"; check check_widen_scale;
        needs widen_scale_needs
}

pub(super) const FAMILY: Requirement =
    Requirement { arch: ArchGate::Sm10xOr12x, ..Requirement::new(8, 6, 100) };

fn needs(ty: NarrowX2) -> Requirement {
    match ty {
        NarrowX2::E4M3x2 | NarrowX2::E5M2x2 => Requirement::NONE,
        NarrowX2::E2M3x2 | NarrowX2::E3M2x2 | NarrowX2::E2M1x2 => FAMILY,
    }
}

fn narrow_needs(row: &CvtNarrow) -> Requirement {
    needs(row.to)
}

fn widen_needs(row: &CvtWiden) -> Requirement {
    needs(row.from)
}

fn scale_needs(_row: &CvtScale) -> Requirement {
    FAMILY
}

fn widen_scale_needs(_row: &CvtWidenScale) -> Requirement {
    FAMILY
}

fn only_nearest(round: Rounding) -> Result<(), &'static str> {
    match round {
        Rounding::Rn => Ok(()),
        Rounding::Rz | Rounding::Rm | Rounding::Rp => Err("only `.rn`"),
    }
}

fn check_narrow(row: &CvtNarrow) -> Result<(), &'static str> {
    only_nearest(row.round)
}

fn check_widen(row: &CvtWiden) -> Result<(), &'static str> {
    only_nearest(row.round)
}

fn check_widen_scale(row: &CvtWidenScale) -> Result<(), &'static str> {
    only_nearest(row.round)
}

fn check_scale(row: &CvtScale) -> Result<(), &'static str> {
    match row.round {
        Rounding::Rz | Rounding::Rp => Ok(()),
        Rounding::Rn | Rounding::Rm => Err("only `.rz` and `.rp`"),
    }
}
