//! `redux.sync`: reduces numbers over the lanes of a warp in one instruction.

use super::arith_modifier::{FloatReduxOp, Magnitudes};
use super::modifier::{PropagateNan, ReduxOp};
use super::row::row;
use super::slot::{Def, Rule, Use};
use super::types::ScalarType::{self, U32};
use super::version::{ArchGate, Requirement};

row! {
    /// The reduction of the values of the lanes named, in each of them.
    Redux = "redux.sync" [op: ReduxOp] { dst: Def(U32), src: Use(U32), members: Use(U32) }
    since ptx(7, 0), sm(80); manual "parallel-synchronization-and-communication-instructions-redux-sync"
}

row! {
    /// The least or greatest of the f32 of the lanes named, in each of them; a NaN loses unless `.NaN` is given.
    ReduxFloat = "redux.sync" [op: FloatReduxOp] [abs: Magnitudes] [nan: PropagateNan] ".f32" {
        dst: Def(single()), src: Use(single().no_imm()), members: Use(U32),
    }
    since ptx(8, 6), sm(100); manual "parallel-synchronization-and-communication-instructions-redux-sync";
    needs float_needs
}

fn single() -> Rule {
    Rule::from(ScalarType::F32)
}

fn float_needs(_row: &ReduxFloat) -> Requirement {
    Requirement { arch: ArchGate::Sm10x, ..Requirement::new(8, 6, 100) }
}
