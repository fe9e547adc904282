//! `mov` between registers, from special registers and addresses, and between a vector and a register; `selp`.

use super::reg::RegClass::{self, Pred};
use super::row::row;
use super::slot::{Def, PredUse, Rule, SymbolAddress, Truth, Use, VecDef, VecUse};
use super::sreg::SpecialReg;
use super::types::{AddressType, MovType, PackType, SelpType, SpecialType};
use super::version::Requirement;

row! {
    /// Copies a register or an immediate, bit for bit.
    Mov = "mov" [ty: MovType] { dst: Def(ty), src: Use(ty) }
    since ptx(1, 0), sm(10); manual "data-movement-and-conversion-instructions-mov"
}

row! {
    /// Copies a predicate, or its complement.
    MovPred = "mov.pred" { dst: Def(Pred), src: PredUse(Pred) }
    since ptx(1, 0), sm(10); manual "data-movement-and-conversion-instructions-mov"
}

row! {
    /// Makes a predicate false (0) or true.
    MovTruth = "mov.pred" { dst: Def(Pred), src: Truth }
    since ptx(1, 0), sm(10); manual "data-movement-and-conversion-instructions-mov"
}

row! {
    /// Reads a special register. A 16-bit type takes its low half.
    MovSpecial = "mov" [ty: SpecialType] { dst: Def(ty), src: SpecialReg }
    since ptx(1, 0), sm(10); manual "data-movement-and-conversion-instructions-mov";
    check check_special; needs special_needs
}

row! {
    /// Takes the address of a variable or parameter in its own state space.
    MovAddress = "mov" [ty: AddressType] { dst: Def(ty), src: SymbolAddress }
    since ptx(1, 0), sm(10); manual "data-movement-and-conversion-instructions-mov"
}

row! {
    /// Joins the elements, the first one lowest.
    MovPack = "mov" [ty: PackType] { dst: Def(ty), src: VecUse(Rule::from(ty.scalar()).split_values()) }
    since ptx(1, 0), sm(10); manual "data-movement-and-conversion-instructions-mov"
}

row! {
    /// Splits into elements, the lowest first.
    MovUnpack = "mov" [ty: PackType] { dst: VecDef(Rule::from(ty.scalar()).split()), src: Use(ty) }
    since ptx(1, 0), sm(10); manual "data-movement-and-conversion-instructions-mov"
}

row! {
    /// Picks `a` where the predicate is true, else `b`.
    Selp = "selp" [ty: SelpType] { dst: Def(ty), a: Use(ty), b: Use(ty), cond: PredUse(Pred) }
    since ptx(1, 0), sm(10); manual "comparison-and-selection-instructions-selp"
}

fn check_special(row: &MovSpecial) -> Result<(), &'static str> {
    let (have, want) = (row.ty.scalar().class(), row.src.class());
    match (have, want) {
        (RegClass::B64, RegClass::B32) => Err("this special register has 32 bits"),
        // The launch's number had 32 bits once.
        (RegClass::B32, RegClass::B64) if row.src == SpecialReg::Gridid => Ok(()),
        (RegClass::B32 | RegClass::B16, RegClass::B64) => Err("this special register has 64 bits"),
        (RegClass::B16, _) if !row.src.has_halves() => {
            Err("only indices and extents of threads and CTAs have a 16-bit form")
        }
        _ => Ok(()),
    }
}

fn special_needs(row: &MovSpecial) -> Requirement {
    row.src.requires()
}
