//! `cp.async.bulk`: copies of any multiple of 16 bytes, and of tiles of tensors, that one thread begins.
//!
//! What comes into shared memory counts its bytes at an mbarrier; what leaves it belongs to a bulk group of the thread.
//! Addresses and sizes are multiples of 16, a tile in shared memory is at a multiple of 128. Deliberately not here:
//! copies to several CTAs of a cluster, reductions, and the im2col mode.

use super::async_modifier::{BulkTarget, ReadOnly, TensorDim, TileWord};
use super::cp_async::{policy, shared_pointer};
use super::reg::RegClass::B64;
use super::row::row;
use super::slot::{Address, Literal, Rule, TensorPlace, Use};
use super::types::ScalarType::U32;
use super::version::Requirement;

row! {
    /// Copies from global to shared memory and counts the bytes at an mbarrier.
    BulkLoad = "cp.async.bulk" [target: BulkTarget] ".global.mbarrier::complete_tx::bytes" {
        dst: Address(shared_pointer()), src: Address(B64), bytes: Use(U32), bar: Address(shared_pointer()),
    }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk";
    check check_load; needs load_needs
}

row! {
    /// The same with a cache policy.
    BulkLoadHint = "cp.async.bulk" [target: BulkTarget] ".global.mbarrier::complete_tx::bytes.L2::cache_hint" {
        dst: Address(shared_pointer()), src: Address(B64), bytes: Use(U32), bar: Address(shared_pointer()),
        policy: Use(policy()),
    }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk";
    check check_load_hinted; needs load_hinted_needs
}

row! {
    /// Copies from shared to global memory.
    BulkStore = "cp.async.bulk.global.shared::cta.bulk_group" {
        dst: Address(B64), src: Address(shared_pointer()), bytes: Use(U32),
    }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk"; check check_store
}

row! {
    /// The same with a cache policy.
    BulkStoreHint = "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint" {
        dst: Address(B64), src: Address(shared_pointer()), bytes: Use(U32), policy: Use(policy()),
    }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk";
    check check_store_hinted
}

row! {
    /// Makes a group of the thread's bulk copies since the last one.
    BulkCommit = "cp.async.bulk.commit_group" {}
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk-commit-group"
}

row! {
    /// Waits until at most `pending` of the thread's bulk groups, the newest, are on their way, or have still to read.
    BulkWait = "cp.async.bulk.wait_group" [read: ReadOnly] { pending: Literal }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk-wait-group";
    check check_wait
}

row! {
    /// Brings bytes into L2.
    BulkPrefetch = "cp.async.bulk.prefetch.L2.global" { src: Address(B64), bytes: Use(U32) }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk-prefetch";
    check check_prefetch
}

row! {
    /// The same with a cache policy.
    BulkPrefetchHint = "cp.async.bulk.prefetch.L2.global.L2::cache_hint" {
        src: Address(B64), bytes: Use(U32), policy: Use(policy()),
    }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk-prefetch";
    check check_prefetch_hinted
}

row! {
    /// Copies a tile of a tensor to shared memory and counts its bytes at an mbarrier.
    TensorLoad = "cp.async.bulk.tensor" [dim: TensorDim] [target: BulkTarget] ".global" [tile: TileWord]
        ".mbarrier::complete_tx::bytes" {
        dst: Address(shared_pointer()), src: TensorPlace(coordinates(dim)), bar: Address(shared_pointer()),
    }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk-tensor";
    needs tensor_needs
}

row! {
    /// The same with a cache policy.
    TensorLoadHint = "cp.async.bulk.tensor" [dim: TensorDim] [target: BulkTarget] ".global" [tile: TileWord]
        ".mbarrier::complete_tx::bytes.L2::cache_hint" {
        dst: Address(shared_pointer()), src: TensorPlace(coordinates(dim)), bar: Address(shared_pointer()),
        policy: Use(policy()),
    }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk-tensor";
    needs tensor_hinted_needs
}

row! {
    /// Copies a tile from shared memory into a tensor.
    TensorStore = "cp.async.bulk.tensor" [dim: TensorDim] ".global.shared::cta" [tile: TileWord] ".bulk_group" {
        dst: TensorPlace(coordinates(dim)), src: Address(shared_pointer()),
    }
    since ptx(8, 0), sm(90); manual "data-movement-and-conversion-instructions-cp-async-bulk-tensor"
}

fn coordinates(dim: TensorDim) -> Rule {
    Rule::NONE.lanes(dim.count())
}

fn check_bytes(bytes: Use) -> Result<(), &'static str> {
    if let Use::Int(count) = bytes
        && (count < 0 || count % 16 != 0)
    {
        return Err("a bulk copy has a multiple of 16 bytes");
    }
    Ok(())
}

/// What the rows with a number of bytes have in common.
macro_rules! of_bytes {
    ($($row:ident: $check:ident;)*) => {$(
        fn $check(row: &$row) -> Result<(), &'static str> {
            check_bytes(row.bytes)
        }
    )*};
}

of_bytes! {
    BulkLoad: check_load;
    BulkLoadHint: check_load_hinted;
    BulkStore: check_store;
    BulkStoreHint: check_store_hinted;
    BulkPrefetch: check_prefetch;
    BulkPrefetchHint: check_prefetch_hinted;
}

fn check_wait(row: &BulkWait) -> Result<(), &'static str> {
    if row.pending.0 < 0 { Err("a number of groups is not negative") } else { Ok(()) }
}

fn target_needs(target: BulkTarget) -> Requirement {
    match target {
        BulkTarget::SharedCluster => Requirement::NONE,
        BulkTarget::SharedCta => Requirement::new(8, 6, 90),
    }
}

fn load_needs(row: &BulkLoad) -> Requirement {
    target_needs(row.target)
}

fn load_hinted_needs(row: &BulkLoadHint) -> Requirement {
    target_needs(row.target)
}

fn tensor_needs(row: &TensorLoad) -> Requirement {
    target_needs(row.target)
}

fn tensor_hinted_needs(row: &TensorLoadHint) -> Requirement {
    target_needs(row.target)
}
