//! `setp`: compares, alone or joined with a predicate.

use super::modifier::{BoolOp, CmpOp, Ftz};
use super::reg::RegClass::Pred;
use super::row::row;
use super::slot::{Def, PairedDef, PredUse, Use};
use super::types::{SetpType, TypeKind};
use super::version::Requirement;

row! {
    /// `dst = a cmp b`; the paired predicate is the complement. For packed types the two are the low and high lane.
    Setp = "setp" [cmp: CmpOp] [ftz: Ftz] [ty: SetpType] {
        dst: Def(Pred), complement: PairedDef(Pred), a: Use(ty), b: Use(ty),
    }
    since ptx(1, 0), sm(10); manual "comparison-and-selection-instructions-setp"; check check_setp; needs setp_needs
}

row! {
    /// `dst = (a cmp b) op c`; the paired predicate is `!(a cmp b) op c`, which is not the complement.
    SetpBool = "setp" [cmp: CmpOp] [op: BoolOp] [ftz: Ftz] [ty: SetpType] {
        dst: Def(Pred), complement: PairedDef(Pred), a: Use(ty), b: Use(ty), c: PredUse(Pred),
    }
    since ptx(1, 0), sm(10); manual "comparison-and-selection-instructions-setp"; check check_bool; needs bool_needs
}

impl CmpOp {
    /// Whether the comparison is one of a kind of type.
    pub const fn goes_with(self, kind: TypeKind) -> bool {
        match self {
            Self::Eq | Self::Ne => !matches!(kind, TypeKind::Pred),
            Self::Lt | Self::Le | Self::Gt | Self::Ge => !matches!(kind, TypeKind::Pred | TypeKind::Bits),
            Self::Lo | Self::Ls | Self::Hi | Self::Hs => matches!(kind, TypeKind::Unsigned),
            Self::Equ | Self::Neu | Self::Ltu | Self::Leu | Self::Gtu | Self::Geu | Self::Num | Self::Nan => {
                matches!(kind, TypeKind::Float | TypeKind::Packed)
            }
        }
    }
}

fn check_compare(cmp: CmpOp, ftz: Ftz, ty: SetpType) -> Result<(), &'static str> {
    if !cmp.goes_with(ty.scalar().kind()) {
        return Err("the comparison is none of this type");
    }
    if ftz.0 && !matches!(ty, SetpType::F32 | SetpType::F16 | SetpType::F16x2) {
        return Err("`.ftz` goes with `.f32`, `.f16` and `.f16x2` only");
    }
    Ok(())
}

fn check_pair(ty: SetpType, pair: PairedDef) -> Result<(), &'static str> {
    let packed = ty.scalar().kind() == TypeKind::Packed;
    if packed && pair == PairedDef::Absent {
        return Err("a packed comparison has two results, `p|q`");
    }
    if matches!(ty, SetpType::F16 | SetpType::BF16) && pair != PairedDef::Absent {
        return Err("a comparison of one 16-bit float has one result");
    }
    Ok(())
}

fn compare_needs(ty: SetpType) -> Requirement {
    match ty {
        SetpType::F16 | SetpType::F16x2 => Requirement::new(4, 2, 53),
        SetpType::BF16 | SetpType::BF16x2 => Requirement::new(7, 8, 90),
        SetpType::B16
        | SetpType::B32
        | SetpType::B64
        | SetpType::U16
        | SetpType::U32
        | SetpType::U64
        | SetpType::S16
        | SetpType::S32
        | SetpType::S64
        | SetpType::F32
        | SetpType::F64 => Requirement::NONE,
    }
}

fn check_setp(row: &Setp) -> Result<(), &'static str> {
    check_pair(row.ty, row.complement)?;
    check_compare(row.cmp, row.ftz, row.ty)
}

fn setp_needs(row: &Setp) -> Requirement {
    compare_needs(row.ty)
}

fn check_bool(row: &SetpBool) -> Result<(), &'static str> {
    check_pair(row.ty, row.complement)?;
    check_compare(row.cmp, row.ftz, row.ty)
}

fn bool_needs(row: &SetpBool) -> Requirement {
    compare_needs(row.ty)
}
