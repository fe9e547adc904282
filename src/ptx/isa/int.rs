//! Integer arithmetic.

use super::modifier::{MulHalf, Sat};
use super::row::row;
use super::slot::{Def, Use};
use super::types::ScalarType::U32;
use super::types::{IntType, MulResult as _, SignedType, WordType};

row! {
    /// Sum, modulo the width; with `.sat` clamped.
    Add = "add" [sat: Sat] [ty: IntType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-add"; check check_add
}

row! {
    /// Difference, modulo the width; with `.sat` clamped.
    Sub = "sub" [sat: Sat] [ty: IntType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-sub"; check check_sub
}

row! {
    /// Product: its low half, its high half, or all of it.
    Mul = "mul" [half: MulHalf] [ty: IntType] { dst: Def(ty.product(half.is_wide())), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-mul"; check check_mul
}

row! {
    /// Product plus `c`: the half or the whole of the product takes part.
    Mad = "mad" [half: MulHalf] [sat: Sat] [ty: IntType] {
        dst: Def(ty.product(half.is_wide())), a: Use(ty), b: Use(ty), c: Use(ty.product(half.is_wide())),
    }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-mad"; check check_mad
}

row! {
    /// Quotient toward zero. A zero divisor gives all ones; MIN / −1 gives MIN.
    Div = "div" [ty: IntType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-div"
}

row! {
    /// Remainder with the sign of `a`. A zero divisor gives all ones.
    Rem = "rem" [ty: IntType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-rem"
}

row! {
    /// The lesser.
    Min = "min" [ty: IntType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-min"
}

row! {
    /// The greater.
    Max = "max" [ty: IntType] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-max"
}

row! {
    /// Magnitude; MIN stays MIN.
    Abs = "abs" [ty: SignedType] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-abs"
}

row! {
    /// Negative; MIN stays MIN.
    Neg = "neg" [ty: SignedType] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-neg"
}

row! {
    /// Number of ones; the result has 32 bits for either width.
    Popc = "popc" [ty: WordType] { dst: Def(U32), a: Use(ty) }
    since ptx(2, 0), sm(20); manual "integer-arithmetic-instructions-popc"
}

row! {
    /// Number of leading zeros; the result has 32 bits for either width.
    Clz = "clz" [ty: WordType] { dst: Def(U32), a: Use(ty) }
    since ptx(2, 0), sm(20); manual "integer-arithmetic-instructions-clz"
}

fn sat_is_s32_only(sat: Sat, ty: IntType) -> Result<(), &'static str> {
    if sat.0 && ty != IntType::S32 {
        return Err("`.sat` goes with `.s32` only");
    }
    Ok(())
}

fn check_add(row: &Add) -> Result<(), &'static str> {
    sat_is_s32_only(row.sat, row.ty)
}

fn check_sub(row: &Sub) -> Result<(), &'static str> {
    sat_is_s32_only(row.sat, row.ty)
}

fn wide_is_narrow_only(half: MulHalf, ty: IntType) -> Result<(), &'static str> {
    if half.is_wide() && matches!(ty, IntType::U64 | IntType::S64) {
        return Err("`.wide` goes with 16- and 32-bit types only");
    }
    Ok(())
}

fn check_mul(row: &Mul) -> Result<(), &'static str> {
    wide_is_narrow_only(row.half, row.ty)
}

fn check_mad(row: &Mad) -> Result<(), &'static str> {
    if row.sat.0 && (row.half, row.ty) != (MulHalf::Hi, IntType::S32) {
        return Err("`.sat` goes with `mad.hi.sat.s32` only");
    }
    wide_is_narrow_only(row.half, row.ty)
}
