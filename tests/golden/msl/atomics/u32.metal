// demo::atomics<u32> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

// x % 0 is x.
template <typename T>
inline T warpsmith_rem_unsigned(T a, T b) {
    return b == T(0) ? a : T(a % b);
}

[[kernel]] void demo__atomics__u32(
    device const uint* x [[buffer(0)]],
    device uint* bins [[buffer(1)]],
    device uint* out [[buffer(2)]],
    constant uint& extent_x [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const uint x_2 = x[i];
    const uint bin = warpsmith_rem_unsigned<uint>(i, 7u);
    const uint before = metal::atomic_fetch_add_explicit((device metal::atomic_uint*)&bins[bin], x_2, metal::memory_order_relaxed);
    const uint v5 = metal::atomic_fetch_min_explicit((device metal::atomic_uint*)&bins[bin], x_2, metal::memory_order_relaxed);
    const uint v6 = metal::atomic_fetch_max_explicit((device metal::atomic_uint*)&bins[bin], x_2, metal::memory_order_relaxed);
    const uint v7 = metal::atomic_fetch_and_explicit((device metal::atomic_uint*)&bins[bin], x_2, metal::memory_order_relaxed);
    const uint v8 = metal::atomic_fetch_or_explicit((device metal::atomic_uint*)&bins[bin], x_2, metal::memory_order_relaxed);
    const uint v9 = metal::atomic_fetch_xor_explicit((device metal::atomic_uint*)&bins[bin], x_2, metal::memory_order_relaxed);
    const uint v10 = metal::atomic_exchange_explicit((device metal::atomic_uint*)&bins[bin], before, metal::memory_order_relaxed);
    const uint v11 = metal::atomic_load_explicit((device metal::atomic_uint*)&bins[bin], metal::memory_order_relaxed);
    metal::atomic_store_explicit((device metal::atomic_uint*)&out[i], v11, metal::memory_order_relaxed);
}
