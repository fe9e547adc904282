//! `cp.async`: copies of 4, 8 or 16 bytes by a thread from global to shared memory, in groups.
//!
//! A group is the thread's own: whoever else reads what it brought needs a barrier after the thread's wait. The
//! optional third number is how many bytes are read; the rest is zeros, and 0 reads nothing. A predicate there makes
//! all of it zeros; a guard (`@p`) skips the copy and leaves the old bytes.

use super::async_modifier::{CopyCache, NoInc, SharedName};
use super::modifier::L2Prefetch;
use super::reg::RegClass::{B32, B64, Pred};
use super::row::row;
use super::slot::{Address, CopySize, InnerUse, Literal, OptUse, PredUse, Rule, Use};
use super::types::ScalarType::{U32, U64};
use super::version::Requirement;

row! {
    /// Copies `bytes` bytes, of which `src_bytes` are read, if that is given.
    CpAsync = "cp.async" [cache: CopyCache] [space: SharedName] ".global" [l2: Option<L2Prefetch>] {
        dst: Address(shared_pointer()), src: Address(B64), bytes: CopySize, src_bytes: OptUse(U32),
    }
    since ptx(7, 0), sm(80); manual "data-movement-and-conversion-instructions-cp-async";
    check check_copy; needs copy_needs
}

row! {
    /// The same with a cache policy.
    CpAsyncHint = "cp.async" [cache: CopyCache] [space: SharedName] ".global.L2::cache_hint"
        [l2: Option<L2Prefetch>] {
        dst: Address(shared_pointer()), src: Address(B64), bytes: CopySize, src_bytes: InnerUse(U32),
        policy: Use(policy()),
    }
    since ptx(7, 4), sm(80); manual "data-movement-and-conversion-instructions-cp-async"; check check_hinted
}

row! {
    /// Copies `bytes` bytes, or writes zeros where the predicate is true.
    CpAsyncIgnore = "cp.async" [cache: CopyCache] [space: SharedName] ".global" [l2: Option<L2Prefetch>] {
        dst: Address(shared_pointer()), src: Address(B64), bytes: CopySize, ignore: PredUse(Pred),
    }
    since ptx(7, 5), sm(80); manual "data-movement-and-conversion-instructions-cp-async"; check check_ignoring
}

row! {
    /// The same with a cache policy.
    CpAsyncIgnoreHint = "cp.async" [cache: CopyCache] [space: SharedName] ".global.L2::cache_hint"
        [l2: Option<L2Prefetch>] {
        dst: Address(shared_pointer()), src: Address(B64), bytes: CopySize, ignore: PredUse(Pred),
        policy: Use(policy()),
    }
    since ptx(7, 5), sm(80); manual "data-movement-and-conversion-instructions-cp-async";
    check check_ignoring_hinted
}

row! {
    /// Makes a group of the thread's copies since the last one; it may be empty.
    CpAsyncCommit = "cp.async.commit_group" {}
    since ptx(7, 0), sm(80); manual "data-movement-and-conversion-instructions-cp-async-commit-group"
}

row! {
    /// Waits until at most `pending` of the thread's groups, the newest, are on their way.
    CpAsyncWait = "cp.async.wait_group" { pending: Literal }
    since ptx(7, 0), sm(80); manual "data-movement-and-conversion-instructions-cp-async-wait-group-cp-async-wait-all";
    check check_wait
}

row! {
    /// Waits for all copies of the thread, also those of no group.
    CpAsyncWaitAll = "cp.async.wait_all" {}
    since ptx(7, 0), sm(80); manual "data-movement-and-conversion-instructions-cp-async-wait-group-cp-async-wait-all"
}

row! {
    /// Arrives at an mbarrier once all copies that the thread has begun are done.
    CpAsyncArrive = "cp.async.mbarrier.arrive" [noinc: NoInc] [space: Option<SharedName>] ".b64" {
        bar: Address(bar_pointer(space)),
    }
    since ptx(7, 0), sm(80); manual "parallel-synchronization-and-communication-instructions-cp-async-mbarrier-arrive";
    needs arrive_needs
}

/// The registers of an address in shared memory.
pub(super) fn shared_pointer() -> Rule {
    Rule::from(B32).or_wider()
}

/// The registers of the address of an mbarrier; without a space it is generic.
pub(super) fn bar_pointer(space: Option<SharedName>) -> Rule {
    space.map_or(B64.into(), |_| shared_pointer())
}

/// What the spellings of shared memory need.
pub(super) fn shared_needs(space: Option<SharedName>) -> Requirement {
    match space {
        None | Some(SharedName::Shared) => Requirement::NONE,
        Some(SharedName::SharedCta) => Requirement::new(7, 8, 30),
    }
}

fn check_sizes(cache: CopyCache, bytes: CopySize, src_bytes: Option<Use>) -> Result<(), &'static str> {
    if cache == CopyCache::Cg && bytes != CopySize::B16 {
        return Err("`.cg` copies 16 bytes");
    }
    if let Some(Use::Int(count)) = src_bytes
        && !(0..=i64::from(bytes.bytes())).contains(&count)
    {
        return Err("at most as many bytes are read as are written");
    }
    Ok(())
}

fn check_copy(row: &CpAsync) -> Result<(), &'static str> {
    check_sizes(row.cache, row.bytes, row.src_bytes.0)
}

fn check_hinted(row: &CpAsyncHint) -> Result<(), &'static str> {
    check_sizes(row.cache, row.bytes, row.src_bytes.0.0)
}

fn check_ignoring(row: &CpAsyncIgnore) -> Result<(), &'static str> {
    check_sizes(row.cache, row.bytes, None)
}

fn check_ignoring_hinted(row: &CpAsyncIgnoreHint) -> Result<(), &'static str> {
    check_sizes(row.cache, row.bytes, None)
}

fn check_wait(row: &CpAsyncWait) -> Result<(), &'static str> {
    if row.pending.0 < 0 { Err("a number of groups is not negative") } else { Ok(()) }
}

fn copy_needs(row: &CpAsync) -> Requirement {
    if row.l2.is_some() { Requirement::new(7, 4, 80) } else { Requirement::NONE }
}

fn arrive_needs(row: &CpAsyncArrive) -> Requirement {
    shared_needs(row.space)
}

/// The rule of a cache policy: a register that `createpolicy` wrote.
pub(super) fn policy() -> Rule {
    Rule::from(U64).no_imm()
}
