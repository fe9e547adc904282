//! `cvt`: conversions between numbers. The 8-, 6- and 4-bit floats are `cvt_narrow`'s.

use super::modifier::{Ftz, IntRounding, Relu, Rounding, Sat, SatFinite, TiesAway};
use super::row::row;
use super::slot::{Def, Rule, Use};
use super::types::{CvtType, PackedHalf, ScalarType, SingleFloat, Tf32Type, TypeKind};
use super::version::Requirement;

row! {
    /// Converts one number. A float becomes an integer clamped to the range, NaN becomes 0 (except in 64 bits).
    Cvt = "cvt" [round: Option<Rounding>] [int_round: Option<IntRounding>] [ftz: Ftz] [relu: Relu] [sat: Sat]
        [satfinite: SatFinite] [to: CvtType] [from: CvtType] {
        dst: Def(wide(to, from)), src: Use(wide(from, to).no_imm()),
    }
    since ptx(1, 0), sm(10); manual "data-movement-and-conversion-instructions-cvt"; check check_cvt; needs cvt_needs
}

row! {
    /// Converts two f32 to a packed pair: `high` goes to the high half, `low` to the low one.
    CvtPack = "cvt" [round: Rounding] [relu: Relu] [satfinite: SatFinite] [to: PackedHalf] [from: SingleFloat] {
        dst: Def(to), high: Use(from), low: Use(from),
    }
    since ptx(7, 0), sm(80); manual "data-movement-and-conversion-instructions-cvt"; check check_pack; needs pack_needs
}

row! {
    /// Rounds an f32 to tf32, ties away from zero.
    CvtTf32Away = "cvt" [round: TiesAway] [satfinite: SatFinite] [to: Tf32Type] [from: SingleFloat] {
        dst: Def(to), src: Use(from),
    }
    since ptx(7, 0), sm(80); manual "data-movement-and-conversion-instructions-cvt"; needs tf32_away_needs
}

row! {
    /// Rounds an f32 to tf32, to nearest even or toward zero.
    CvtTf32 = "cvt" [round: Rounding] [relu: Relu] [satfinite: SatFinite] [to: Tf32Type] [from: SingleFloat] {
        dst: Def(to), src: Use(from),
    }
    since ptx(7, 8), sm(90); manual "data-movement-and-conversion-instructions-cvt"; check check_tf32; needs tf32_needs
}

/// Integers may lie in a wider register; floats may not, nor what is converted to or from bf16.
fn wide(ty: CvtType, other: CvtType) -> Rule {
    let rule = Rule::from(ty.scalar());
    if ty.scalar().is_int() && other != CvtType::BF16 { rule.or_wider() } else { rule }
}

fn check_cvt(row: &Cvt) -> Result<(), &'static str> {
    let (to, from) = (row.to.scalar(), row.from.scalar());
    if row.round.is_some() && row.int_round.is_some() {
        return Err("one rounding at most");
    }
    match (to.is_float(), from.is_float()) {
        (false, false) if row.round.is_some() || row.int_round.is_some() => {
            Err("integers convert without rounding")
        }
        (false, true) if row.int_round.is_none() => {
            Err("float to integer needs `.rni`, `.rzi`, `.rmi` or `.rpi`")
        }
        (true, false) if row.round.is_none() => Err("integer to float needs `.rn`, `.rz`, `.rm` or `.rp`"),
        (true, true) => check_float_rounding(row),
        (false | true, _) => Ok(()),
    }?;
    check_clamps(row)
}

/// Whether every value of one integer type is one of another.
fn is_contained(from: ScalarType, to: ScalarType) -> bool {
    match (from.kind(), to.kind()) {
        (TypeKind::Unsigned, TypeKind::Unsigned) | (TypeKind::Signed, TypeKind::Signed) => {
            from.bits() <= to.bits()
        }
        (TypeKind::Unsigned, TypeKind::Signed) => from.bits() < to.bits(),
        _ => false,
    }
}

/// Mantissa bits, by which a conversion is exact or rounds.
fn precision(ty: CvtType) -> u32 {
    match ty {
        CvtType::BF16 => 8,
        CvtType::F16 => 11,
        CvtType::F32 => 24,
        CvtType::F64 => 53,
        // Integers are told apart before; their roundings are always named.
        CvtType::U8 | CvtType::U16 | CvtType::U32 | CvtType::U64 => 64,
        CvtType::S8 | CvtType::S16 | CvtType::S32 | CvtType::S64 => 64,
    }
}

fn check_float_rounding(row: &Cvt) -> Result<(), &'static str> {
    if row.to == row.from {
        let clamps = row.sat.0 || row.ftz.0;
        return if row.int_round.is_some() || (row.round.is_none() && clamps) {
            Ok(())
        } else {
            Err("a float converts to its own type by `.rni` …, `.sat` or `.ftz` only")
        };
    }
    let halves = matches!((row.to, row.from), (CvtType::BF16, CvtType::F16) | (CvtType::F16, CvtType::BF16));
    if halves || precision(row.to) < precision(row.from) {
        return if row.round.is_some() { Ok(()) } else { Err("a conversion that rounds names how") };
    }
    // The rounding of bf16 to f32 is idle, but the assembler takes it.
    let idle = (row.to, row.from, row.round) == (CvtType::F32, CvtType::BF16, Some(Rounding::Rn));
    if (row.round.is_some() && !idle) || row.int_round.is_some() {
        return Err("an exact conversion takes no rounding");
    }
    Ok(())
}

fn check_clamps(row: &Cvt) -> Result<(), &'static str> {
    let half = matches!(row.to, CvtType::F16 | CvtType::BF16) && row.from == CvtType::F32;
    let float32 = row.to == CvtType::F32 || row.from == CvtType::F32;
    if row.ftz.0 && !float32 {
        return Err("`.ftz` goes with `.f32` only");
    }
    if (row.relu.0 || row.satfinite.0) && !half {
        return Err("`.relu` and `.satfinite` go with f32 to f16 or bf16 only");
    }
    if (row.relu.0 || row.satfinite.0)
        && (row.ftz.0 || !matches!(row.round, Some(Rounding::Rn | Rounding::Rz)))
    {
        return Err("`.relu` and `.satfinite` go with `.rn` and `.rz` only, without `.ftz`");
    }
    if row.sat.0 && is_contained(row.from.scalar(), row.to.scalar()) {
        return Err("`.sat` goes only where a value may be out of range");
    }
    let bfloat = row.to == CvtType::BF16 || row.from == CvtType::BF16;
    if row.sat.0 && (row.relu.0 || row.satfinite.0 || bfloat) {
        return Err("`.sat` excludes `.relu`, `.satfinite` and bf16");
    }
    Ok(())
}

fn satfinite_needs(satfinite: SatFinite) -> Requirement {
    if satfinite.0 { Requirement::new(8, 1, 80) } else { Requirement::NONE }
}

fn cvt_needs(row: &Cvt) -> Requirement {
    let bfloat = match (row.to, row.from) {
        (CvtType::BF16, CvtType::F32) => Requirement::new(7, 0, 80),
        (CvtType::F32, CvtType::BF16) if !row.ftz.0 => Requirement::new(7, 1, 80),
        (CvtType::BF16, _) | (_, CvtType::BF16) => Requirement::new(7, 8, 90),
        _ => Requirement::NONE,
    };
    let relu = if row.relu.0 { Requirement::new(7, 0, 80) } else { Requirement::NONE };
    bfloat.and(relu).and(satfinite_needs(row.satfinite))
}

fn only_rn_rz(round: Rounding) -> Result<(), &'static str> {
    match round {
        Rounding::Rn | Rounding::Rz => Ok(()),
        Rounding::Rm | Rounding::Rp => Err("only `.rn` and `.rz`"),
    }
}

fn check_pack(row: &CvtPack) -> Result<(), &'static str> {
    only_rn_rz(row.round)
}

fn pack_needs(row: &CvtPack) -> Requirement {
    satfinite_needs(row.satfinite)
}

fn tf32_away_needs(row: &CvtTf32Away) -> Requirement {
    satfinite_needs(row.satfinite)
}

fn check_tf32(row: &CvtTf32) -> Result<(), &'static str> {
    only_rn_rz(row.round)
}

fn tf32_needs(row: &CvtTf32) -> Requirement {
    if row.satfinite.0 { Requirement::new(8, 6, 100) } else { Requirement::NONE }
}
