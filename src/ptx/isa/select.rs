//! Comparisons with a number as their result, selection by a sign, and what kind of float a value is.

use super::arith_modifier::FloatTest;
use super::modifier::{BoolOp, CmpOp, Ftz};
use super::reg::RegClass::Pred;
use super::row::row;
use super::slot::{Def, PredUse, Use};
use super::types::{ScalarType, SelpType, SetType, SetpType, TypeKind, WideFloat};
use super::version::Requirement;

row! {
    /// All ones, or 1.0, where `a cmp b`, else 0; of packed types half by half.
    Set = "set" [cmp: CmpOp] [ftz: Ftz] [to: SetType] [from: SetpType] { dst: Def(result(to)), a: Use(from), b: Use(from) }
    since ptx(1, 0), sm(10); manual "comparison-and-selection-instructions-set"; check check_set; needs set_needs
}

row! {
    /// The same where the comparison, joined with `c`, is true.
    SetBool = "set" [cmp: CmpOp] [op: BoolOp] [ftz: Ftz] [to: SetType] [from: SetpType] {
        dst: Def(result(to)), a: Use(from), b: Use(from), c: PredUse(Pred),
    }
    since ptx(1, 0), sm(10); manual "comparison-and-selection-instructions-set"; check check_bool; needs bool_needs
}

row! {
    /// Picks `a` where `c` is not negative, else `b`.
    Slct = "slct" [ty: SelpType] ".s32" { dst: Def(ty), a: Use(ty), b: Use(ty), c: Use(ScalarType::S32) }
    since ptx(1, 0), sm(10); manual "comparison-and-selection-instructions-slct"
}

row! {
    /// Picks `a` where `c` is −0 or greater, else `b`; `b` for NaN too.
    SlctFloat = "slct" [ftz: Ftz] [ty: SelpType] ".f32" { dst: Def(ty), a: Use(ty), b: Use(ty), c: Use(ScalarType::F32) }
    since ptx(1, 0), sm(10); manual "comparison-and-selection-instructions-slct"
}

row! {
    /// Whether a float is of a kind. ±0 is normal.
    Testp = "testp" [test: FloatTest] [ty: WideFloat] { dst: Def(Pred), a: Use(ty) }
    since ptx(2, 0), sm(20); manual "floating-point-instructions-testp"
}

/// What the result is declared as: for bf16 an integer, for a pair of them any bits, as the assembler has it.
fn result(to: SetType) -> ScalarType {
    match to {
        SetType::BF16 => ScalarType::U16,
        SetType::BF16x2 => ScalarType::B32,
        SetType::U16
        | SetType::S16
        | SetType::U32
        | SetType::S32
        | SetType::F16
        | SetType::F16x2
        | SetType::F32 => to.scalar(),
    }
}

fn check_types(cmp: CmpOp, ftz: Ftz, to: SetType, from: SetpType) -> Result<(), &'static str> {
    if !cmp.goes_with(from.scalar().kind()) {
        return Err("the comparison is none of this type");
    }
    if ftz.0 && !matches!(from, SetpType::F32 | SetpType::F16 | SetpType::F16x2) {
        return Err("`.ftz` goes with `.f32`, `.f16` and `.f16x2` only");
    }
    if ftz.0 && to == SetType::BF16 {
        return Err("`.ftz` does not go with a result of `.bf16`");
    }
    let fits = match (to, from) {
        (SetType::F16x2, _) => from == SetpType::F16x2,
        (SetType::BF16x2, _) => from == SetpType::BF16x2,
        (SetType::U16 | SetType::S16, _) => matches!(from, SetpType::F16 | SetpType::BF16),
        (SetType::U32 | SetType::S32, _) => true,
        (SetType::F32 | SetType::F16 | SetType::BF16, _) if from.scalar().kind() == TypeKind::Packed => false,
        (SetType::F32, _) => !matches!(from, SetpType::F16 | SetpType::BF16),
        (SetType::F16, _) => from != SetpType::BF16,
        (SetType::BF16, _) => true,
    };
    if fits { Ok(()) } else { Err("no comparison of this type has a result of that one") }
}

fn check_set(row: &Set) -> Result<(), &'static str> {
    check_types(row.cmp, row.ftz, row.to, row.from)
}

fn check_bool(row: &SetBool) -> Result<(), &'static str> {
    check_types(row.cmp, row.ftz, row.to, row.from)
}

fn types_need(to: SetType, from: SetpType) -> Requirement {
    let bfloat =
        matches!(to, SetType::BF16 | SetType::BF16x2) || matches!(from, SetpType::BF16 | SetpType::BF16x2);
    let half = matches!(to, SetType::F16 | SetType::F16x2) || matches!(from, SetpType::F16 | SetpType::F16x2);
    if bfloat {
        Requirement::new(7, 8, 90)
    } else if half {
        Requirement::new(4, 2, 53)
    } else {
        Requirement::NONE
    }
}

fn set_needs(row: &Set) -> Requirement {
    types_need(row.to, row.from)
}

fn bool_needs(row: &SetBool) -> Requirement {
    types_need(row.to, row.from)
}
