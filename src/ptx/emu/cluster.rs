//! Clusters of one CTA, the only ones that the emulator launches.
//!
//! An address of another rank is a wrong one: it becomes 2³² − 1, which lies in no memory. The barrier's `arrive` does
//! nothing and its `wait` is where the threads meet. A program whose threads all wait after they arrived, as they must,
//! sees no difference; only a race between an arrival and its wait is not found.

use super::body::body;
use super::decode::Planner;
use super::memory::{SHARED_WINDOW, WINDOW};
use super::micro::Kind;
use super::simd::Bind;
use super::step::{Plan, Step, Unsupported};
use crate::ptx::isa::types::ClusterPointer;
use crate::ptx::isa::{ClusterArrive, ClusterWait, Def, GetCtaRank, MapA, MapASymbol, RegClass, Use};
use crate::ptx::module::VarSpace;

use super::barrier::BarrierRole;

/// The number of the cluster's barrier, after those of a CTA.
pub(super) const CLUSTER_BARRIER: u32 = 16;

fn map(planner: &mut Planner<'_>, dst: Def, address: Use, rank: Use, ty: ClusterPointer) -> Plan {
    let bind: Bind = match ty {
        ClusterPointer::U32 => body!(|a: u32, rank: u32| -> u32 { if rank == 0 { a } else { u32::MAX } }),
        ClusterPointer::U64 => {
            body!(|a: u64, rank: u32| -> u64 { if rank == 0 { a } else { a | (WINDOW - 1) } })
        }
    };
    let class = crate::ptx::isa::ScalarType::from(ty).class();
    planner.map(bind, dst.0, &[(address, class), (rank, RegClass::B32)])
}

impl Step for MapA {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(map(planner, self.dst, self.a, self.rank, self.ty))
    }
}

impl Step for MapASymbol {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let (Some(VarSpace::Shared), start) = planner.symbol(self.a.symbol)? else {
            return Err(Unsupported("a cluster address of a variable outside shared memory"));
        };
        let window = if self.space.is_some() { 0 } else { SHARED_WINDOW };
        let address = window.wrapping_add(start).cast_signed().wrapping_add(self.a.offset);
        Ok(map(planner, self.dst, Use::Int(address), self.rank, self.ty))
    }
}

impl Step for GetCtaRank {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let class = crate::ptx::isa::ScalarType::from(self.ty).class();
        let bind: Bind = match self.ty {
            ClusterPointer::U32 => body!(|_a: u32| -> u32 { 0 }),
            ClusterPointer::U64 => body!(|_a: u64| -> u32 { 0 }),
        };
        Ok(planner.map_all(bind, self.dst.0, &[self.a], class))
    }
}

impl Step for ClusterArrive {
    fn plan(&self, _planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        Ok(Plan::of(Kind::Lanes))
    }
}

impl Step for ClusterWait {
    fn plan(&self, planner: &mut Planner<'_>) -> Result<Plan, Unsupported> {
        let a = planner.constant(RegClass::B32, u64::from(CLUSTER_BARRIER));
        let role = BarrierRole::Cluster;
        Ok(Plan { a, ..Plan::of(Kind::Barrier { aligned: self.aligned.0, counted: false, role }) })
    }
}
