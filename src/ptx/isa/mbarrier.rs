//! `mbarrier`: a barrier in shared memory that counts arrivals and bytes, phase after phase.
//!
//! A phase is complete when as many arrivals have come as the barrier was made for, and all bytes that were expected;
//! then the next begins. Its parity is 0 for the first. An arrival releases, a wait that finds its phase complete
//! acquires, both for the CTA unless it says `.cluster`. Deliberately not here: barriers of other CTAs of a cluster,
//! and the forms that leave the count (`arrive_drop`).

use super::async_modifier::{ArriveOrder, CountOrder, ProxySpace, SharedName, WaitOrder};
use super::cp_async::{bar_pointer, shared_needs};
use super::reg::RegClass::Pred;
use super::row::row;
use super::slot::{Address, Def, OptUse, SinkDef, Use};
use super::types::ScalarType::{U32, U64};
use super::version::Requirement;

row! {
    /// Makes a barrier for `count` arrivals a phase, in its first phase.
    MbarrierInit = "mbarrier.init" [space: Option<SharedName>] ".b64" {
        bar: Address(bar_pointer(space)), count: Use(U32),
    }
    since ptx(7, 0), sm(80); manual "parallel-synchronization-and-communication-instructions-mbarrier-init";
    needs init_needs
}

row! {
    /// Ends a barrier: its memory is free for other uses.
    MbarrierInval = "mbarrier.inval" [space: Option<SharedName>] ".b64" { bar: Address(bar_pointer(space)) }
    since ptx(7, 0), sm(80); manual "parallel-synchronization-and-communication-instructions-mbarrier-inval";
    needs inval_needs
}

row! {
    /// Arrives, `count` times if that is given; `state` names the phase.
    MbarrierArrive = "mbarrier.arrive" [order: Option<ArriveOrder>] [space: Option<SharedName>] ".b64" {
        state: SinkDef(U64), bar: Address(bar_pointer(space)), count: OptUse(U32),
    }
    since ptx(7, 0), sm(80); manual "parallel-synchronization-and-communication-instructions-mbarrier-arrive";
    needs arrive_needs
}

row! {
    /// Expects so many bytes more in this phase, and arrives.
    MbarrierArriveExpect = "mbarrier.arrive.expect_tx" [order: Option<ArriveOrder>] [space: Option<SharedName>] ".b64" {
        state: SinkDef(U64), bar: Address(bar_pointer(space)), bytes: Use(U32),
    }
    since ptx(8, 0), sm(90); manual "parallel-synchronization-and-communication-instructions-mbarrier-arrive"
}

row! {
    /// Expects so many bytes more in this phase.
    MbarrierExpect = "mbarrier.expect_tx" [order: Option<CountOrder>] [space: Option<SharedName>] ".b64" {
        bar: Address(bar_pointer(space)), bytes: Use(U32),
    }
    since ptx(8, 0), sm(90); manual "parallel-synchronization-and-communication-instructions-mbarrier-expect-tx"
}

row! {
    /// Takes off so many of the bytes expected, as a copy does that brings them.
    MbarrierComplete = "mbarrier.complete_tx" [order: Option<CountOrder>] [space: Option<SharedName>] ".b64" {
        bar: Address(bar_pointer(space)), bytes: Use(U32),
    }
    since ptx(8, 0), sm(90); manual "parallel-synchronization-and-communication-instructions-mbarrier-complete-tx"
}

row! {
    /// Whether the phase that `state` names is complete.
    MbarrierTest = "mbarrier.test_wait" [order: Option<WaitOrder>] [space: Option<SharedName>] ".b64" {
        done: Def(Pred), bar: Address(bar_pointer(space)), state: Use(wait_state()),
    }
    since ptx(7, 0), sm(80); manual "parallel-synchronization-and-communication-instructions-mbarrier-test-wait-try-wait";
    needs test_needs
}

row! {
    /// Whether the last phase of this parity is complete.
    MbarrierTestParity = "mbarrier.test_wait.parity" [order: Option<WaitOrder>] [space: Option<SharedName>] ".b64" {
        done: Def(Pred), bar: Address(bar_pointer(space)), parity: Use(U32),
    }
    since ptx(7, 1), sm(80); manual "parallel-synchronization-and-communication-instructions-mbarrier-test-wait-try-wait";
    check check_test_parity; needs test_parity_needs
}

row! {
    /// As [`MbarrierTest`], after waiting for a while: `hint` nanoseconds, if given.
    MbarrierTry = "mbarrier.try_wait" [order: Option<WaitOrder>] [space: Option<SharedName>] ".b64" {
        done: Def(Pred), bar: Address(bar_pointer(space)), state: Use(wait_state()), hint: OptUse(U32),
    }
    since ptx(7, 8), sm(90); manual "parallel-synchronization-and-communication-instructions-mbarrier-test-wait-try-wait";
    needs try_needs
}

row! {
    /// As [`MbarrierTestParity`], after waiting for a while: `hint` nanoseconds, if given.
    MbarrierTryParity = "mbarrier.try_wait.parity" [order: Option<WaitOrder>] [space: Option<SharedName>] ".b64" {
        done: Def(Pred), bar: Address(bar_pointer(space)), parity: Use(U32), hint: OptUse(U32),
    }
    since ptx(7, 8), sm(90); manual "parallel-synchronization-and-communication-instructions-mbarrier-test-wait-try-wait";
    check check_try_parity; needs try_parity_needs
}

row! {
    /// Makes barriers that the thread has made known to the copies of the cluster.
    FenceMbarrierInit = "fence.mbarrier_init.release.cluster" {}
    since ptx(8, 0), sm(90); manual "parallel-synchronization-and-communication-instructions-membar-fence"
}

row! {
    /// Orders accesses of the thread and those that bulk copies do.
    FenceProxyAsync = "fence.proxy.async" [space: Option<ProxySpace>] {}
    since ptx(8, 0), sm(90); manual "parallel-synchronization-and-communication-instructions-membar-fence"
}

/// A state comes from an arrival.
fn wait_state() -> super::slot::Rule {
    super::slot::Rule::from(U64).no_imm()
}

fn check_parity(parity: Use) -> Result<(), &'static str> {
    match parity {
        Use::Reg(_) | Use::Int(0 | 1) => Ok(()),
        Use::Int(_) | Use::F32(_) | Use::F64(_) => Err("a parity is 0 or 1"),
    }
}

fn check_test_parity(row: &MbarrierTestParity) -> Result<(), &'static str> {
    check_parity(row.parity)
}

fn check_try_parity(row: &MbarrierTryParity) -> Result<(), &'static str> {
    check_parity(row.parity)
}

fn init_needs(row: &MbarrierInit) -> Requirement {
    shared_needs(row.space)
}

fn inval_needs(row: &MbarrierInval) -> Requirement {
    shared_needs(row.space)
}

fn arrive_needs(row: &MbarrierArrive) -> Requirement {
    let sink = if row.state.0.is_none() { Requirement::new(7, 1, 80) } else { Requirement::NONE };
    let counted = if row.count.0.is_some() { Requirement::new(7, 8, 90) } else { Requirement::NONE };
    let ordered = if row.order.is_some() { Requirement::new(8, 0, 80) } else { Requirement::NONE };
    let cluster = row.order == Some(ArriveOrder::ReleaseCluster);
    let cluster = if cluster { Requirement::new(8, 0, 90) } else { Requirement::NONE };
    sink.and(counted).and(ordered).and(cluster).and(shared_needs(row.space))
}

fn wait_needs(order: Option<WaitOrder>, space: Option<SharedName>) -> Requirement {
    let ordered = match order {
        None => Requirement::NONE,
        Some(WaitOrder::AcquireCta) => Requirement::new(8, 0, 80),
        Some(WaitOrder::AcquireCluster) => Requirement::new(8, 0, 90),
    };
    ordered.and(shared_needs(space))
}

fn test_needs(row: &MbarrierTest) -> Requirement {
    wait_needs(row.order, row.space)
}

fn test_parity_needs(row: &MbarrierTestParity) -> Requirement {
    wait_needs(row.order, row.space)
}

fn try_needs(row: &MbarrierTry) -> Requirement {
    wait_needs(row.order, row.space)
}

fn try_parity_needs(row: &MbarrierTryParity) -> Requirement {
    wait_needs(row.order, row.space)
}
