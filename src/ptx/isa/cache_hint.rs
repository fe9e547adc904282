//! What a program tells the caches: prefetches, policies, and loads and stores that carry a policy.
//!
//! None of it changes what a program computes.

use super::async_modifier::{PrefetchLevel, PrefetchSpace, PrimaryPriority, SecondaryPriority};
use super::cp_async::{policy, shared_pointer};
use super::memory::{access, check_ld, check_st, ld_needs, st_needs};
use super::modifier::{
    L1Eviction, L2Prefetch, LoadCache, LoadOrder, Nc, Scope, Space, StoreCache, StoreOrder, VecWidth,
};
use super::reg::RegClass::B64;
use super::row::row;
use super::slot::{Address, Def, OptUse, Rule, Use, VecDef, VecUse};
use super::types::{MemType, ScalarType};
use super::version::Requirement;
use super::{Ld, St};

row! {
    /// Brings the line at an address into a cache.
    Prefetch = "prefetch" [space: Option<PrefetchSpace>] [level: PrefetchLevel] {
        addr: Address(prefetch_pointer(space)),
    }
    since ptx(2, 0), sm(20); manual "data-movement-and-conversion-instructions-prefetch-prefetchu";
    check check_prefetch; needs prefetch_needs
}

row! {
    /// Brings the line at a generic address into the uniform cache.
    PrefetchUniform = "prefetchu.L1" { addr: Address(B64) }
    since ptx(2, 0), sm(20); manual "data-movement-and-conversion-instructions-prefetch-prefetchu"
}

row! {
    /// Brings a tensor map near the copies that will read it.
    PrefetchTensormap = "prefetch.tensormap" { map: Address(B64) }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-prefetch-prefetchu"
}

row! {
    /// Makes a policy: `primary` for a fraction of the accesses (all, if none is given), `secondary` for the others.
    CreatePolicy = "createpolicy.fractional" [primary: PrimaryPriority] [secondary: Option<SecondaryPriority>] ".b64" {
        policy: Def(ScalarType::U64), fraction: OptUse(ScalarType::F32),
    }
    since ptx(7, 4), sm(80); manual "data-movement-and-conversion-instructions-createpolicy"; check check_policy
}

row! {
    /// A load from global memory with a cache policy.
    LdHint = "ld" [order: Option<LoadOrder>] [scope: Option<Scope>] ".global" [cache: Option<LoadCache>] [nc: Nc]
        [l1: Option<L1Eviction>] ".L2::cache_hint" [l2: Option<L2Prefetch>] [vec: Option<VecWidth>] [ty: MemType] {
        dst: VecDef(access(vec, ty)), addr: Address(B64), policy: Use(policy()),
    }
    since ptx(7, 4), sm(80); manual "data-movement-and-conversion-instructions-ld"; check check_hinted_load;
    needs hinted_load_needs
}

row! {
    /// A store to global memory with a cache policy.
    StHint = "st" [order: Option<StoreOrder>] [scope: Option<Scope>] ".global" [cache: Option<StoreCache>]
        [l1: Option<L1Eviction>] ".L2::cache_hint" [vec: Option<VecWidth>] [ty: MemType] {
        addr: Address(B64), src: VecUse(access(vec, ty)), policy: Use(policy()),
    }
    since ptx(7, 4), sm(80); manual "data-movement-and-conversion-instructions-st"; check check_hinted_store;
    needs hinted_store_needs
}

impl LdHint {
    /// The same load without its policy.
    pub fn plain(&self) -> Ld {
        let Self { order, scope, cache, nc, l1, l2, vec, ty, .. } = *self;
        let (space, dst, addr) = (Some(Space::Global), self.dst.clone(), self.addr);
        Ld { order, scope, space, cache, nc, l1, l2, vec, ty, dst, addr }
    }
}

impl StHint {
    /// The same store without its policy.
    pub fn plain(&self) -> St {
        let Self { order, scope, cache, l1, vec, ty, .. } = *self;
        let (space, addr, src) = (Some(Space::Global), self.addr, self.src.clone());
        St { order, scope, space, cache, l1, vec, ty, addr, src }
    }
}

fn prefetch_pointer(space: Option<PrefetchSpace>) -> Rule {
    match space {
        None | Some(PrefetchSpace::Global) => B64.into(),
        Some(PrefetchSpace::Local) => shared_pointer(),
    }
}

fn check_prefetch(row: &Prefetch) -> Result<(), &'static str> {
    let evicts = match row.level {
        PrefetchLevel::L1 | PrefetchLevel::L2 => false,
        PrefetchLevel::L2EvictLast | PrefetchLevel::L2EvictNormal => true,
    };
    if evicts && row.space != Some(PrefetchSpace::Global) {
        return Err("an eviction priority goes with global memory only");
    }
    Ok(())
}

fn prefetch_needs(row: &Prefetch) -> Requirement {
    match row.level {
        PrefetchLevel::L1 | PrefetchLevel::L2 => Requirement::NONE,
        PrefetchLevel::L2EvictLast | PrefetchLevel::L2EvictNormal => Requirement::new(7, 4, 80),
    }
}

fn check_policy(row: &CreatePolicy) -> Result<(), &'static str> {
    if let Some(Use::F32(bits)) = row.fraction.0 {
        let fraction = f32::from_bits(bits);
        if !(fraction > 0.0 && fraction <= 1.0) {
            return Err("a fraction is above 0 and at most 1");
        }
    }
    Ok(())
}

fn check_hinted_load(row: &LdHint) -> Result<(), &'static str> {
    if row.order == Some(LoadOrder::Volatile) {
        return Err("`.volatile` takes no hint");
    }
    check_ld(&row.plain())
}

fn check_hinted_store(row: &StHint) -> Result<(), &'static str> {
    if row.order == Some(StoreOrder::Volatile) {
        return Err("`.volatile` takes no hint");
    }
    check_st(&row.plain())
}

fn hinted_load_needs(row: &LdHint) -> Requirement {
    ld_needs(&row.plain())
}

fn hinted_store_needs(row: &StHint) -> Requirement {
    st_needs(&row.plain())
}
