//! Votes: one answer over the lanes of a warp.

use super::modifier::VoteMode;
use super::reg::RegClass::{B32, Pred};
use super::row::row;
use super::slot::{Def, PredUse, Use};

row! {
    /// Whether the predicate is true in all, in any, or the same in all of the lanes named.
    Vote = "vote.sync" [mode: VoteMode] ".pred" { dst: Def(Pred), src: PredUse(Pred), members: Use(B32) }
    since ptx(6, 0), sm(30); manual "parallel-synchronization-and-communication-instructions-vote-sync"
}

row! {
    /// A mask of the lanes named in which the predicate is true.
    Ballot = "vote.sync.ballot.b32" { dst: Def(B32), src: PredUse(Pred), members: Use(B32) }
    since ptx(6, 0), sm(30); manual "parallel-synchronization-and-communication-instructions-vote-sync"
}

row! {
    /// A mask of the lanes that happen to execute it together: a snapshot, no promise of convergence.
    ActiveMask = "activemask.b32" { dst: Def(B32) }
    since ptx(6, 2), sm(30); manual "parallel-synchronization-and-communication-instructions-activemask"
}
