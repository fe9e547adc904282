//! Logic, shifts, bit fields and byte permutation.

use super::modifier::{PrmtMode, ShiftBound, ShiftDir};
use super::reg::RegClass::{B32, Pred};
use super::row::row;
use super::slot::{Def, Literal, PredUse, Use};
use super::types::ScalarType::U32;
use super::types::{BitType, FieldType, ShrType, WordType};

row! {
    /// Bitwise and.
    And = "and" [ty: BitType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-and"
}

row! {
    /// Bitwise or.
    Or = "or" [ty: BitType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-or"
}

row! {
    /// Bitwise exclusive or.
    Xor = "xor" [ty: BitType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-xor"
}

row! {
    /// Bitwise complement.
    Not = "not" [ty: BitType] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-not"
}

row! {
    /// Both predicates.
    AndPred = "and.pred" { dst: Def(Pred), a: PredUse(Pred), b: PredUse(Pred) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-and"
}

row! {
    /// Either predicate.
    OrPred = "or.pred" { dst: Def(Pred), a: PredUse(Pred), b: PredUse(Pred) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-or"
}

row! {
    /// Exactly one of the predicates.
    XorPred = "xor.pred" { dst: Def(Pred), a: PredUse(Pred), b: PredUse(Pred) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-xor"
}

row! {
    /// Complement of a predicate.
    NotPred = "not.pred" { dst: Def(Pred), a: PredUse(Pred) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-not"
}

row! {
    /// Left shift; the count has 32 bits for every width, and counts from the width on give 0.
    Shl = "shl" [ty: BitType] { dst: Def(ty), a: Use(ty), count: Use(U32) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-shl"
}

row! {
    /// Right shift, filled with the sign for signed types, else with zeros.
    Shr = "shr" [ty: ShrType] { dst: Def(ty), a: Use(ty), count: Use(U32) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-shr"
}

row! {
    /// Shifts the 64 bits `hi:lo`; left gives the high half, right the low half.
    Shf = "shf" [dir: ShiftDir] [bound: ShiftBound] ".b32" {
        dst: Def(B32), lo: Use(B32), hi: Use(B32), count: Use(U32),
    }
    since ptx(3, 1), sm(32); manual "logic-and-shift-instructions-shf"
}

row! {
    /// Any function of three bits: bit `4a+2b+c` of `table` is the result.
    Lop3 = "lop3.b32" { dst: Def(B32), a: Use(B32), b: Use(B32), c: Use(B32), table: Literal }
    since ptx(4, 3), sm(50); manual "logic-and-shift-instructions-lop3"; check check_lop3
}

row! {
    /// Takes `len` bits from bit `pos` on; signed types extend the highest.
    Bfe = "bfe" [ty: FieldType] { dst: Def(ty), a: Use(ty), pos: Use(U32), len: Use(U32) }
    since ptx(2, 0), sm(20); manual "integer-arithmetic-instructions-bfe"; check check_bfe
}

row! {
    /// `base` with its `len` bits from bit `pos` on replaced by the low bits of `insert`.
    Bfi = "bfi" [ty: WordType] { dst: Def(ty), insert: Use(ty), base: Use(ty), pos: Use(U32), len: Use(U32) }
    since ptx(2, 0), sm(20); manual "integer-arithmetic-instructions-bfi"; check check_bfi
}

row! {
    /// Finds a set bit of a mask: the one at `base`, or the so many-th from there on, upwards or downwards; all ones if
    /// there is none.
    Fns = "fns.b32" { dst: Def(B32), mask: Use(B32), base: Use(B32), offset: Use(B32) }
    since ptx(6, 0), sm(30); manual "integer-arithmetic-instructions-fns"
}

row! {
    /// Bits in reverse order.
    Brev = "brev" [ty: WordType] { dst: Def(ty), a: Use(ty) }
    since ptx(2, 0), sm(20); manual "integer-arithmetic-instructions-brev"
}

row! {
    /// Picks four of the eight bytes `b:a`: nibble i of `selector` names byte i of the result.
    Prmt = "prmt.b32" [mode: Option<PrmtMode>] { dst: Def(B32), a: Use(B32), b: Use(B32), selector: Use(B32) }
    since ptx(2, 0), sm(20); manual "data-movement-and-conversion-instructions-prmt"
}

fn check_lop3(row: &Lop3) -> Result<(), &'static str> {
    if (0..=255).contains(&row.table.0) { Ok(()) } else { Err("the table has 8 bits") }
}

fn check_field(pos: Use, len: Use) -> Result<(), &'static str> {
    let outside = |value: Use| matches!(value, Use::Int(bits) if !(0..=255).contains(&bits));
    if outside(pos) || outside(len) { Err("position and length are from 0 to 255") } else { Ok(()) }
}

fn check_bfe(row: &Bfe) -> Result<(), &'static str> {
    check_field(row.pos, row.len)
}

fn check_bfi(row: &Bfi) -> Result<(), &'static str> {
    check_field(row.pos, row.len)
}
