//! `shfl.sync`: moves values between the lanes of a warp.

use super::modifier::ShflMode;
use super::reg::RegClass::{B32, Pred};
use super::row::row;
use super::slot::{Def, PairedDef, Use};
use super::types::ScalarType::U32;

row! {
    /// Moves a 32-bit value between the lanes of one warp.
    /// A lane whose source falls outside its segment keeps its own value and clears `in_range`.
    Shfl = "shfl.sync" [mode: ShflMode] ".b32" {
        dst: Def(B32), in_range: PairedDef(Pred), src: Use(B32), lane: Use(B32), clamp: Use(B32), members: Use(U32),
    }
    since ptx(6, 0), sm(30); manual "data-movement-and-conversion-instructions-shfl-sync"
}
