//! Control flow.

use super::modifier::Uni;
use super::name::{LabelId, TableId};
use super::row::row;
use super::slot::{CallSite, Rule, Use};
use super::types::ScalarType::U32;

row! {
    /// Jumps; under a guard only in the lanes whose guard is true.
    Bra = "bra" [uni: Uni] { target: LabelId }
    since ptx(1, 0), sm(10); manual "control-flow-instructions-bra"
}

row! {
    /// Jumps to the label of this number in a list. A number past its end is undefined.
    BrxIdx = "brx.idx" [uni: Uni] { index: Use(Rule::from(U32).no_imm()), table: TableId }
    since ptx(6, 0), sm(30); manual "control-flow-instructions-brx-idx"
}

row! {
    /// Calls a function. Under a guard only the lanes whose guard is true go there.
    Call = "call" [uni: Uni] { site: CallSite }
    since ptx(2, 0), sm(20); manual "control-flow-instructions-call"
}

row! {
    /// Returns; from an entry it ends the thread.
    Ret = "ret" [uni: Uni] {}
    since ptx(1, 0), sm(10); manual "control-flow-instructions-ret"
}

row! {
    /// Ends the thread.
    Exit = "exit" {}
    since ptx(1, 0), sm(10); manual "control-flow-instructions-exit"
}

row! {
    /// Ends the launch with an error.
    Trap = "trap" {}
    since ptx(1, 0), sm(10); manual "miscellaneous-instructions-trap"
}
