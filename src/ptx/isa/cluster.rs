//! Clusters: addresses of other CTAs' shared memory, and the barrier of a cluster.

use super::arith_modifier::{ArriveOrder, ClusterSpace, WaitOrder};
use super::modifier::Aligned;
use super::row::row;
use super::slot::{Def, SymbolAddress, Use};
use super::types::ClusterPointer;
use super::types::ScalarType::{self, U32};
use super::version::Requirement;

row! {
    /// The address in the shared memory of the CTA of a rank that an address of one's own has there.
    MapA = "mapa" [space: Option<ClusterSpace>] [ty: ClusterPointer] { dst: Def(ty), a: Use(ty), rank: Use(U32) }
    since ptx(7, 8), sm(90); manual "data-movement-and-conversion-instructions-mapa"; check check_mapa
}

row! {
    /// The same for a variable.
    MapASymbol = "mapa" [space: Option<ClusterSpace>] [ty: ClusterPointer] {
        dst: Def(ty), a: SymbolAddress, rank: Use(U32),
    }
    since ptx(7, 8), sm(90); manual "data-movement-and-conversion-instructions-mapa"; check check_symbol
}

row! {
    /// The rank of the CTA in whose shared memory an address lies.
    GetCtaRank = "getctarank" [space: Option<ClusterSpace>] [ty: ClusterPointer] { dst: Def(U32), a: Use(address(ty)) }
    since ptx(7, 8), sm(90); manual "data-movement-and-conversion-instructions-getctarank"; check check_rank
}

row! {
    /// Is counted at the cluster's barrier, and goes on.
    ClusterArrive = "barrier.cluster.arrive" [order: Option<ArriveOrder>] [aligned: Aligned] {}
    since ptx(7, 8), sm(90); manual "parallel-synchronization-and-communication-instructions-barrier-cluster";
    needs arrive_needs
}

row! {
    /// Waits until all threads of the cluster have arrived.
    ClusterWait = "barrier.cluster.wait" [order: Option<WaitOrder>] [aligned: Aligned] {}
    since ptx(7, 8), sm(90); manual "parallel-synchronization-and-communication-instructions-barrier-cluster";
    needs wait_needs
}

fn address(ty: ClusterPointer) -> super::slot::Rule {
    super::slot::Rule::from(ScalarType::from(ty)).no_imm()
}

/// Generic addresses have 64 bits.
fn check_pointer(space: Option<ClusterSpace>, ty: ClusterPointer) -> Result<(), &'static str> {
    if space.is_none() && ty == ClusterPointer::U32 {
        return Err("a generic address has 64 bits");
    }
    Ok(())
}

fn check_mapa(row: &MapA) -> Result<(), &'static str> {
    if row.a.reg().is_none() {
        return Err("an address lies in a register, or is that of a variable");
    }
    check_pointer(row.space, row.ty)
}

fn check_symbol(row: &MapASymbol) -> Result<(), &'static str> {
    check_pointer(row.space, row.ty)
}

fn check_rank(row: &GetCtaRank) -> Result<(), &'static str> {
    check_pointer(row.space, row.ty)
}

fn arrive_needs(row: &ClusterArrive) -> Requirement {
    if row.order.is_some() { Requirement::new(8, 0, 90) } else { Requirement::NONE }
}

fn wait_needs(row: &ClusterWait) -> Requirement {
    if row.order.is_some() { Requirement::new(8, 0, 90) } else { Requirement::NONE }
}
