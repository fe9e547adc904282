//! Barriers of a CTA and a warp, and memory fences.

use super::modifier::{Aligned, BarrierOp, CtaWord, FenceOrder, MembarLevel, Scope};
use super::reg::RegClass::Pred;
use super::row::row;
use super::slot::{Def, InnerUse, OptUse, PredUse, Use};
use super::types::ScalarType::U32;
use super::version::Requirement;

row! {
    /// Waits until `threads` threads, or all of the CTA, are here. All lanes of the warp execute it together.
    BarSync = "bar" [cta: CtaWord] ".sync" { barrier: Use(U32), threads: OptUse(U32) }
    since ptx(1, 0), sm(10); manual "parallel-synchronization-and-communication-instructions-bar-barrier";
    check check_bar; needs bar_needs
}

row! {
    /// The same, legal from divergent code unless `.aligned`.
    BarrierSync = "barrier" [cta: CtaWord] ".sync" [aligned: Aligned] { barrier: Use(U32), threads: OptUse(U32) }
    since ptx(6, 0), sm(30); manual "parallel-synchronization-and-communication-instructions-bar-barrier";
    check check_barrier; needs barrier_needs
}

row! {
    /// Is counted at a barrier for which others wait, and goes on. All lanes of the warp execute it together.
    BarArrive = "bar" [cta: CtaWord] ".arrive" { barrier: Use(U32), threads: Use(U32) }
    since ptx(2, 0), sm(20); manual "parallel-synchronization-and-communication-instructions-bar-barrier";
    check check_bar_arrive; needs bar_arrive_needs
}

row! {
    /// The same, legal from divergent code unless `.aligned`.
    BarrierArrive = "barrier" [cta: CtaWord] ".arrive" [aligned: Aligned] { barrier: Use(U32), threads: Use(U32) }
    since ptx(6, 0), sm(30); manual "parallel-synchronization-and-communication-instructions-bar-barrier";
    check check_barrier_arrive; needs barrier_arrive_needs
}

row! {
    /// Waits as [`BarSync`] does, and says whether the predicate is true for all threads there, or for one.
    BarRed = "bar" [cta: CtaWord] ".red" [op: BarrierOp] ".pred" {
        dst: Def(Pred), barrier: Use(U32), threads: InnerUse(U32), src: PredUse(Pred),
    }
    since ptx(2, 0), sm(20); manual "parallel-synchronization-and-communication-instructions-bar-barrier";
    check check_bar_red; needs bar_red_needs
}

row! {
    /// Waits as [`BarSync`] does, and counts the threads there whose predicate is true.
    BarRedPopc = "bar" [cta: CtaWord] ".red.popc.u32" {
        dst: Def(U32), barrier: Use(U32), threads: InnerUse(U32), src: PredUse(Pred),
    }
    since ptx(2, 0), sm(20); manual "parallel-synchronization-and-communication-instructions-bar-barrier";
    check check_bar_popc; needs bar_popc_needs
}

row! {
    /// As [`BarRed`], legal from divergent code unless `.aligned`.
    BarrierRed = "barrier" [cta: CtaWord] ".red" [op: BarrierOp] [aligned: Aligned] ".pred" {
        dst: Def(Pred), barrier: Use(U32), threads: InnerUse(U32), src: PredUse(Pred),
    }
    since ptx(6, 0), sm(30); manual "parallel-synchronization-and-communication-instructions-bar-barrier";
    check check_barrier_red; needs barrier_red_needs
}

row! {
    /// As [`BarRedPopc`], legal from divergent code unless `.aligned`.
    BarrierRedPopc = "barrier" [cta: CtaWord] ".red.popc" [aligned: Aligned] ".u32" {
        dst: Def(U32), barrier: Use(U32), threads: InnerUse(U32), src: PredUse(Pred),
    }
    since ptx(6, 0), sm(30); manual "parallel-synchronization-and-communication-instructions-bar-barrier";
    check check_barrier_popc; needs barrier_popc_needs
}

row! {
    /// Waits for the lanes named and orders memory among them.
    BarWarpSync = "bar.warp.sync" { members: Use(U32) }
    since ptx(6, 0), sm(30); manual "parallel-synchronization-and-communication-instructions-bar-warp-sync"
}

row! {
    /// Orders the thread's own accesses before it ahead of those after it.
    Membar = "membar" [level: MembarLevel] {}
    since ptx(1, 4), sm(10); manual "parallel-synchronization-and-communication-instructions-membar-fence"
}

row! {
    /// Orders accesses by the memory model.
    Fence = "fence" [order: FenceOrder] [scope: Scope] {}
    since ptx(6, 0), sm(70); manual "parallel-synchronization-and-communication-instructions-membar-fence";
    needs fence_needs
}

row! {
    /// Orders accesses by the memory model, as `.acq_rel` does.
    FenceScope = "fence" [scope: Scope] {}
    since ptx(6, 0), sm(70); manual "parallel-synchronization-and-communication-instructions-membar-fence";
    needs scope_needs
}

row! {
    /// Orders accesses to one place by different virtual addresses.
    FenceProxyAlias = "fence.proxy.alias" {}
    since ptx(7, 5), sm(70); manual "parallel-synchronization-and-communication-instructions-membar-fence"
}

fn check_counts(barrier: Use, threads: OptUse) -> Result<(), &'static str> {
    if let Use::Int(number) = barrier
        && !(0..16).contains(&number)
    {
        return Err("a barrier has a number from 0 to 15");
    }
    if let Some(Use::Int(count)) = threads.0
        && (count <= 0 || count % 32 != 0)
    {
        return Err("a number of threads is a multiple of 32, and not 0");
    }
    Ok(())
}

fn check_bar(row: &BarSync) -> Result<(), &'static str> {
    check_counts(row.barrier, row.threads)
}

fn check_barrier(row: &BarrierSync) -> Result<(), &'static str> {
    check_counts(row.barrier, row.threads)
}

/// What the barriers with the same operands have in common.
macro_rules! counted {
    ($($row:ident: $check:ident $needs:ident [$threads:expr];)*) => {$(
        fn $check(row: &$row) -> Result<(), &'static str> {
            let threads: fn(&$row) -> OptUse = $threads;
            check_counts(row.barrier, threads(row))
        }

        fn $needs(row: &$row) -> Requirement {
            cta_needs(row.cta)
        }
    )*};
}

counted! {
    BarArrive: check_bar_arrive bar_arrive_needs [|row| OptUse(Some(row.threads))];
    BarrierArrive: check_barrier_arrive barrier_arrive_needs [|row| OptUse(Some(row.threads))];
    BarRed: check_bar_red bar_red_needs [|row| row.threads.0];
    BarRedPopc: check_bar_popc bar_popc_needs [|row| row.threads.0];
    BarrierRed: check_barrier_red barrier_red_needs [|row| row.threads.0];
    BarrierRedPopc: check_barrier_popc barrier_popc_needs [|row| row.threads.0];
}

fn cta_needs(cta: CtaWord) -> Requirement {
    if cta.0 { Requirement::new(7, 8, 30) } else { Requirement::NONE }
}

fn bar_needs(row: &BarSync) -> Requirement {
    cta_needs(row.cta)
}

fn barrier_needs(row: &BarrierSync) -> Requirement {
    cta_needs(row.cta)
}

fn fence_needs(row: &Fence) -> Requirement {
    let order = match row.order {
        FenceOrder::AcqRel | FenceOrder::Sc => Requirement::NONE,
        FenceOrder::Acquire | FenceOrder::Release => Requirement::new(8, 6, 90),
    };
    order.and(cluster_needs(row.scope))
}

fn scope_needs(row: &FenceScope) -> Requirement {
    cluster_needs(row.scope)
}

fn cluster_needs(scope: Scope) -> Requirement {
    if scope == Scope::Cluster { Requirement::new(7, 8, 90) } else { Requirement::NONE }
}
