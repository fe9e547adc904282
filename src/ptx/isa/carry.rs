//! Arithmetic on integers wider than a register: sums, differences and products that hand a carry on.
//!
//! Each lane has one carry. A form with `.cc` sets it, `addc`, `subc` and `madc` take it in. It is no register: nothing
//! names it, so that the pair of instructions has to stay in order. For a difference it is the borrow.

use super::arith_modifier::{Cc, WideHalf};
use super::row::row;
use super::slot::{Def, Use};
use super::types::FieldType;

row! {
    /// Sum that sets the carry.
    AddCarryOut = "add.cc" [ty: FieldType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 2), sm(10); manual "extended-precision-arithmetic-instructions-add-cc"
}

row! {
    /// Sum with the carry.
    AddCarry = "addc" [cc: Cc] [ty: FieldType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 2), sm(10); manual "extended-precision-arithmetic-instructions-addc"
}

row! {
    /// Difference that sets the borrow.
    SubCarryOut = "sub.cc" [ty: FieldType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 2), sm(10); manual "extended-precision-arithmetic-instructions-sub-cc"
}

row! {
    /// Difference less the borrow.
    SubCarry = "subc" [cc: Cc] [ty: FieldType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 2), sm(10); manual "extended-precision-arithmetic-instructions-subc"
}

row! {
    /// Half of a product plus `c`; the sum sets the carry.
    MadCarryOut = "mad" [half: WideHalf] ".cc" [ty: FieldType] { dst: Def(ty), a: Use(ty), b: Use(ty), c: Use(ty) }
    since ptx(3, 0), sm(20); manual "extended-precision-arithmetic-instructions-mad-cc"
}

row! {
    /// Half of a product plus `c` plus the carry.
    MadCarry = "madc" [half: WideHalf] [cc: Cc] [ty: FieldType] { dst: Def(ty), a: Use(ty), b: Use(ty), c: Use(ty) }
    since ptx(3, 0), sm(20); manual "extended-precision-arithmetic-instructions-madc"
}
