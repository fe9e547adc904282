//! Integer arithmetic on less than a register: products of 24 bits, dot products of bytes, pairs of 16 bits.

use super::arith_modifier::{DotHalf, WideHalf};
use super::modifier::{Relu, Sat};
use super::row::row;
use super::slot::{Def, Use};
use super::types::ScalarType::U32;
use super::types::{IntType, PackedInt, ReluInt, Signs32};

row! {
    /// Product of the low 24 bits: the low or the high 32 of its 48 bits.
    Mul24 = "mul24" [half: WideHalf] [ty: Signs32] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-mul24"
}

row! {
    /// The same product plus `c`.
    Mad24 = "mad24" [half: WideHalf] [sat: Sat] [ty: Signs32] { dst: Def(ty), a: Use(ty), b: Use(ty), c: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-mad24"; check check_mad24
}

row! {
    /// `c` plus the distance of `a` and `b`.
    Sad = "sad" [ty: IntType] { dst: Def(ty), a: Use(ty), b: Use(ty), c: Use(ty) }
    since ptx(1, 0), sm(10); manual "integer-arithmetic-instructions-sad"
}

row! {
    /// Four products of bytes, added to `c`. The types are those of the bytes of `a` and `b`; it is signed if one is.
    Dp4a = "dp4a" [left: Signs32] [right: Signs32] { dst: Def(U32), a: Use(left), b: Use(right), c: Use(U32) }
    since ptx(5, 0), sm(61); manual "integer-arithmetic-instructions-dp4a"
}

row! {
    /// Two products of the halves of `a` with two bytes of `b`, added to `c`.
    Dp2a = "dp2a" [half: DotHalf] [left: Signs32] [right: Signs32] {
        dst: Def(U32), a: Use(left), b: Use(right), c: Use(U32),
    }
    since ptx(5, 0), sm(61); manual "integer-arithmetic-instructions-dp2a"
}

row! {
    /// Sums of the two halves.
    AddPacked = "add" [ty: PackedInt] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(8, 0), sm(90); manual "integer-arithmetic-instructions-add"
}

row! {
    /// The lesser of each pair of halves.
    MinPacked = "min" [ty: PackedInt] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(8, 0), sm(90); manual "integer-arithmetic-instructions-min"
}

row! {
    /// The greater of each pair of halves.
    MaxPacked = "max" [ty: PackedInt] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(8, 0), sm(90); manual "integer-arithmetic-instructions-max"
}

row! {
    /// The lesser, or 0 where that is negative.
    MinRelu = "min" [relu: Relu] [ty: ReluInt] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(8, 0), sm(90); manual "integer-arithmetic-instructions-min"; check check_min
}

row! {
    /// The greater, or 0 where that is negative.
    MaxRelu = "max" [relu: Relu] [ty: ReluInt] { dst: Def(ty), a: Use(ty), b: Use(ty) }
    since ptx(8, 0), sm(90); manual "integer-arithmetic-instructions-max"; check check_max
}

fn check_mad24(row: &Mad24) -> Result<(), &'static str> {
    if row.sat.0 && (row.half, row.ty) != (WideHalf::Hi, Signs32::S32) {
        return Err("`.sat` goes with `mad24.hi.sat.s32` only");
    }
    Ok(())
}

/// Without `.relu` the instruction is that of another row.
fn check_relu(relu: Relu) -> Result<(), &'static str> {
    if relu.0 { Ok(()) } else { Err("this form has `.relu`") }
}

fn check_min(row: &MinRelu) -> Result<(), &'static str> {
    check_relu(row.relu)
}

fn check_max(row: &MaxRelu) -> Result<(), &'static str> {
    check_relu(row.relu)
}
