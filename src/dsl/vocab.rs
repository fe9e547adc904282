//! The vocabulary of kernels: every name that a body may use without an import.

pub use super::approx;
pub use super::atomic::{
    atomic_add, atomic_add_pair, atomic_add_tg, atomic_and, atomic_and_tg, atomic_cas, atomic_cas_ordered,
    atomic_cas_tg, atomic_exch, atomic_exch_tg, atomic_load, atomic_max, atomic_max_tg, atomic_min,
    atomic_min_tg, atomic_or, atomic_or_tg, atomic_rmw, atomic_store, atomic_xor, atomic_xor_tg, fence,
};
pub use super::barrier::{named_barrier, named_barrier_arrive};
pub use super::build::comment;
pub use super::coop_tile::{coop_tile_numerics, coop_tile_run, coop_tile_share, coop_tile_zero};
pub use super::geometry::{
    cta_dim, cta_id, global_id, grid_dim, lane_id, program_id, simd_group_id, simd_lane_id, thread_id,
    warp_id, warps_per_cta,
};
pub use super::loops::unroll;
pub use super::math::{
    abs, bitcast, bitfield_extract, bitfield_insert, byte_perm, cast, ceil, clz, copysign, ctz, floor, fma,
    infinity, load, max, max_nan, min, min_nan, mul_hi, nan, neg_infinity, popcount, recip, relu, round,
    sign, sqrt, trunc,
};
pub use super::matrix::{
    BlockScale, Fragment, FragmentVar, block_scale, cp_async, cp_async_16, cp_async_commit, cp_async_count,
    cp_async_wait, form, ldmatrix, ldmatrix_trans, mma, mma_form, mma_ieee, mma_scaled, swizzled,
};
pub use super::memory::{
    CoopStage, Private, Shared, coop_stage, local, shared, stack_load, stack_store, threadgroup_barrier,
    threadgroup_load, threadgroup_store,
};
pub use super::reduce::{
    reduce_and, reduce_argmax, reduce_argmin, reduce_max, reduce_min, reduce_or, reduce_product, reduce_sum,
    reduce_xor,
};
pub use super::scan::{
    scan_exclusive, scan_exclusive_max, scan_exclusive_min, scan_exclusive_product, scan_inclusive,
    scan_inclusive_max, scan_inclusive_min, scan_inclusive_product,
};
pub use super::select::select;
pub use super::simdgroup::{
    SimdgroupMatrix, simdgroup_alloc, simdgroup_elem_load, simdgroup_elem_store, simdgroup_matmul,
    simdgroup_numerics, simdgroup_position,
};
pub use super::storage::{pack, unpack};
pub use super::strided::{strided_argmax, strided_argmin, strided_reduce_exp_sub, strided_scan};
pub use super::tensor::{Tensor, load_vec, store_vec};
pub use super::transcendental::{
    acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, erf, erfc, erfinv, exp, exp_p,
    exp_p_below, exp2, exp2_p, exp2_p_below, expm1, gelu, gelu_erf, log, log1p, log2, log10, mish, pow,
    remainder, rsqrt, sigmoid, silu, sin, sin_cos, sinh, softplus, tan, tanh,
};
pub use super::types::{KernelType, bf16, e2m1, e2m3, e3m2, e4m3, e5m2, e8m0, f16, tf32, ue4m3};
pub use super::val::{IntoVal, Val};
pub use super::warp::{
    all_lanes, any_lane, ballot, match_any, simd_and, simd_argmax, simd_argmin, simd_broadcast, simd_max,
    simd_min, simd_or, simd_product, simd_scan_exclusive, simd_scan_exclusive_max, simd_scan_exclusive_min,
    simd_scan_exclusive_product, simd_scan_inclusive, simd_scan_inclusive_max, simd_scan_inclusive_min,
    simd_scan_inclusive_product, simd_shuffle, simd_shuffle_down, simd_shuffle_up, simd_shuffle_xor,
    simd_sum, simd_xor, simdgroup_barrier_mem_none, warp_barrier,
};
pub use crate::ir::DType;
pub use crate::ir::op::{AtomicOp, MemoryOrder, MemoryScope, Numerics};
pub use crate::numerics::tensor::{Form, Operand, Swizzle};
