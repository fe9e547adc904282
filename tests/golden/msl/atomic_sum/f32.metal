// demo::atomic_sum<f32> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__atomic_sum__f32(
    device const float* x [[buffer(0)]],
    device float* sum [[buffer(1)]],
    constant uint& extent_x [[buffer(2)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const float x_2 = x[i];
    const float v3 = metal::atomic_fetch_add_explicit((device metal::atomic_float*)&sum[0u], x_2, metal::memory_order_relaxed);
}
