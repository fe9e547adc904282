//! Video instructions on two or four lanes of a word, in the forms that take all lanes in order.
//!
//! Each lane of `a` and `b` is extended by its own type; the result is stored in its lane, or with `.add` all are added
//! to `c`. Not here: choices of bytes (`.b7654`), masks, and the forms of one lane.

use super::arith_modifier::Accumulate;
use super::modifier::{CmpOp, Sat};
use super::row::row;
use super::slot::{Def, Rule, Use};
use super::types::ScalarType::U32;
use super::types::Signs32;

macro_rules! video {
    ($($(#[$meta:meta])* $name:ident = $opcode:literal, $manual:literal, $check:ident;)*) => {$(
        row! {
            $(#[$meta])*
            $name = $opcode [to: Signs32] [left: Signs32] [right: Signs32] [sat: Sat] [add: Accumulate] {
                dst: Def(U32), a: Use(word()), b: Use(word()), c: Use(word()),
            }
            since ptx(3, 0), sm(30); manual $manual; check $check
        }

        fn $check(row: &$name) -> Result<(), &'static str> {
            if row.sat.0 && row.add.0 { Err("`.sat` excludes `.add`") } else { Ok(()) }
        }
    )*};
}

video! {
    /// Sums of two lanes.
    VAdd2 = "vadd2", "simd-video-instructions-vadd2-vsub2-vavrg2-vabsdiff2-vmin2-vmax2", check_add2;
    /// Differences of two lanes.
    VSub2 = "vsub2", "simd-video-instructions-vadd2-vsub2-vavrg2-vabsdiff2-vmin2-vmax2", check_sub2;
    /// Means of two lanes, halves away from zero.
    VAvrg2 = "vavrg2", "simd-video-instructions-vadd2-vsub2-vavrg2-vabsdiff2-vmin2-vmax2", check_avrg2;
    /// Distances of two lanes.
    VAbsDiff2 = "vabsdiff2", "simd-video-instructions-vadd2-vsub2-vavrg2-vabsdiff2-vmin2-vmax2", check_absdiff2;
    /// The lesser of each of two lanes.
    VMin2 = "vmin2", "simd-video-instructions-vadd2-vsub2-vavrg2-vabsdiff2-vmin2-vmax2", check_min2;
    /// The greater of each of two lanes.
    VMax2 = "vmax2", "simd-video-instructions-vadd2-vsub2-vavrg2-vabsdiff2-vmin2-vmax2", check_max2;
    /// Sums of four lanes.
    VAdd4 = "vadd4", "simd-video-instructions-vadd4-vsub4-vavrg4-vabsdiff4-vmin4-vmax4", check_add4;
    /// Differences of four lanes.
    VSub4 = "vsub4", "simd-video-instructions-vadd4-vsub4-vavrg4-vabsdiff4-vmin4-vmax4", check_sub4;
    /// Means of four lanes, halves away from zero.
    VAvrg4 = "vavrg4", "simd-video-instructions-vadd4-vsub4-vavrg4-vabsdiff4-vmin4-vmax4", check_avrg4;
    /// Distances of four lanes.
    VAbsDiff4 = "vabsdiff4", "simd-video-instructions-vadd4-vsub4-vavrg4-vabsdiff4-vmin4-vmax4", check_absdiff4;
    /// The lesser of each of four lanes.
    VMin4 = "vmin4", "simd-video-instructions-vadd4-vsub4-vavrg4-vabsdiff4-vmin4-vmax4", check_min4;
    /// The greater of each of four lanes.
    VMax4 = "vmax4", "simd-video-instructions-vadd4-vsub4-vavrg4-vabsdiff4-vmin4-vmax4", check_max4;
}

row! {
    /// 1 in each of two lanes where the comparison holds, else 0.
    VSet2 = "vset2" [left: Signs32] [right: Signs32] [cmp: CmpOp] [add: Accumulate] {
        dst: Def(U32), a: Use(word()), b: Use(word()), c: Use(word()),
    }
    since ptx(3, 0), sm(30); manual "simd-video-instructions-vset2"; check check_set2
}

row! {
    /// 1 in each of four lanes where the comparison holds, else 0.
    VSet4 = "vset4" [left: Signs32] [right: Signs32] [cmp: CmpOp] [add: Accumulate] {
        dst: Def(U32), a: Use(word()), b: Use(word()), c: Use(word()),
    }
    since ptx(3, 0), sm(30); manual "simd-video-instructions-vset4"; check check_set4
}

fn word() -> Rule {
    Rule::from(U32).no_imm()
}

fn check_cmp(cmp: CmpOp) -> Result<(), &'static str> {
    match cmp {
        CmpOp::Eq | CmpOp::Ne | CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge => Ok(()),
        CmpOp::Lo
        | CmpOp::Ls
        | CmpOp::Hi
        | CmpOp::Hs
        | CmpOp::Equ
        | CmpOp::Neu
        | CmpOp::Ltu
        | CmpOp::Leu
        | CmpOp::Gtu
        | CmpOp::Geu
        | CmpOp::Num
        | CmpOp::Nan => Err("the comparison is one of signed and unsigned integers"),
    }
}

fn check_set2(row: &VSet2) -> Result<(), &'static str> {
    check_cmp(row.cmp)
}

fn check_set4(row: &VSet4) -> Result<(), &'static str> {
    check_cmp(row.cmp)
}
