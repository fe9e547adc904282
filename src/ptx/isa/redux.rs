//! `redux.sync`: reduces integers over the lanes of a warp in one instruction.

use super::modifier::ReduxOp;
use super::reg::RegClass::B32;
use super::row::row;
use super::slot::{Def, Use};

row! {
    /// The reduction of the values of the lanes named, in each of them.
    Redux = "redux.sync" [op: ReduxOp] { dst: Def(B32), src: Use(B32), members: Use(B32) }
    since ptx(7, 0), sm(80); manual "parallel-synchronization-and-communication-instructions-redux-sync"
}
