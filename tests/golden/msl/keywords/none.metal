// half::float for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void half__float(
    device const float* device_k [[buffer(0)]],
    constant float& constant_k [[buffer(1)]],
    device float* kernel_k [[buffer(2)]],
    constant uint& thread_id [[buffer(3)]],
    constant uint& extent_x [[buffer(4)]],
    uint3 thread_id_2 [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id_2.x)) >= ulong(extent_x)) {
        return;
    }
    const uint threadgroup_k = (cta_id.x * cta_dim.x) + thread_id_2.x;
    const float max_k = device_k[threadgroup_k];
    const float warpsmith_min_k = max_k + constant_k;
    const float max_k_2 = warpsmith_min_k * warpsmith_min_k;
    const float v4 = max_k_2 + warpsmith_min_k;
    const float v6 = v4 + max_k;
    kernel_k[threadgroup_k] = v6;
}
