//! Votes and matches: one answer over the lanes of a warp, or one for each group.

use super::modifier::VoteMode;
use super::reg::RegClass::{B32, Pred};
use super::row::row;
use super::slot::{BesideDef, Def, PairedDef, PredUse, SinkDef, Use};
use super::types::ScalarType::U32;
use super::types::WordType;

row! {
    /// Whether the predicate is true in all, in any, or the same in all of the lanes named.
    Vote = "vote.sync" [mode: VoteMode] ".pred" { dst: Def(Pred), src: PredUse(Pred), members: Use(U32) }
    since ptx(6, 0), sm(30); manual "parallel-synchronization-and-communication-instructions-vote-sync"
}

row! {
    /// A mask of the lanes named in which the predicate is true.
    Ballot = "vote.sync.ballot.b32" { dst: Def(B32), src: PredUse(Pred), members: Use(U32) }
    since ptx(6, 0), sm(30); manual "parallel-synchronization-and-communication-instructions-vote-sync"
}

row! {
    /// A mask of the lanes named that hold the same value.
    MatchAny = "match.any.sync" [ty: WordType] { dst: Def(U32), src: Use(ty), members: Use(U32) }
    since ptx(6, 0), sm(70); manual "parallel-synchronization-and-communication-instructions-match-sync"
}

row! {
    /// The mask of the lanes named if all hold the same value, else 0.
    MatchAll = "match.all.sync" [ty: WordType] {
        dst: Def(U32), same: PairedDef(Pred), src: Use(ty), members: Use(U32),
    }
    since ptx(6, 0), sm(70); manual "parallel-synchronization-and-communication-instructions-match-sync"
}

row! {
    /// Elects one of the lanes named: its number in all, and a predicate that is true in it alone.
    Elect = "elect.sync" { leader: SinkDef(U32), elected: BesideDef(Pred), members: Use(U32) }
    since ptx(8, 0), sm(90); manual "parallel-synchronization-and-communication-instructions-elect-sync"
}

row! {
    /// A mask of the lanes that happen to execute it together: a snapshot, no promise of convergence.
    ActiveMask = "activemask.b32" { dst: Def(B32) }
    since ptx(6, 2), sm(30); manual "parallel-synchronization-and-communication-instructions-activemask"
}
