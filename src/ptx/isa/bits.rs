//! Positions and masks of bits: where the leading one is, extension from a width, masks, logical negation.

use super::arith_modifier::{LutOp, ShiftAmount};
use super::modifier::{BoolOp, ShiftBound};
use super::reg::RegClass::{B32, Pred};
use super::row::row;
use super::slot::{BesideDef, Def, Literal, PredUse, SinkDef, Use};
use super::types::ScalarType::U32;
use super::types::{BitType, FieldType, Signs32};

row! {
    /// Position of the leading one, or of the leading bit that differs from the sign; all ones if there is none. With
    /// `.shiftamt` it is how far to shift left to bring that bit to the top.
    Bfind = "bfind" [shift: ShiftAmount] [ty: FieldType] { dst: Def(U32), a: Use(ty) }
    since ptx(2, 0), sm(20); manual "integer-arithmetic-instructions-bfind"
}

row! {
    /// Extends the low `width` bits by the sign or by zeros.
    Szext = "szext" [bound: ShiftBound] [ty: Signs32] { dst: Def(ty), a: Use(ty), width: Use(U32) }
    since ptx(7, 6), sm(70); manual "integer-arithmetic-instructions-szext"
}

row! {
    /// A mask of `width` ones from bit `pos` on.
    Bmsk = "bmsk" [bound: ShiftBound] ".b32" { dst: Def(U32), pos: Use(U32), width: Use(U32) }
    since ptx(7, 6), sm(70); manual "integer-arithmetic-instructions-bmsk"
}

row! {
    /// 1 for 0, else 0.
    Cnot = "cnot" [ty: BitType] { dst: Def(ty), a: Use(ty) }
    since ptx(1, 0), sm(10); manual "logic-and-shift-instructions-cnot"
}

row! {
    /// As `lop3`, with a predicate: whether the result is not 0, joined with `q`.
    Lop3Pred = "lop3" [op: LutOp] ".b32" {
        dst: SinkDef(B32), nonzero: BesideDef(Pred), a: Use(B32), b: Use(B32), c: Use(B32), table: Literal,
        q: PredUse(Pred),
    }
    since ptx(8, 2), sm(70); manual "logic-and-shift-instructions-lop3"; check check_lop3
}

fn check_lop3(row: &Lop3Pred) -> Result<(), &'static str> {
    if (0..=255).contains(&row.table.0) { Ok(()) } else { Err("the table has 8 bits") }
}

impl LutOp {
    /// The same among the operations on predicates.
    pub const fn bool_op(self) -> BoolOp {
        match self {
            Self::And => BoolOp::And,
            Self::Or => BoolOp::Or,
        }
    }
}
