//! Control flow.

use super::modifier::Uni;
use super::name::LabelId;
use super::row::row;

row! {
    /// Jumps; under a guard only in the lanes whose guard is true.
    Bra = "bra" [uni: Uni] { target: LabelId }
    since ptx(1, 0), sm(10); manual "control-flow-instructions-bra"
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
