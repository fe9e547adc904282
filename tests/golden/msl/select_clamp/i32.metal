// demo::clamp<i32> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__clamp__i32(
    device const int* x [[buffer(0)]],
    constant int& low [[buffer(1)]],
    constant int& high [[buffer(2)]],
    device int* out [[buffer(3)]],
    device int* picked [[buffer(4)]],
    constant uint& extent_x [[buffer(5)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const int x_2 = x[i];
    const int v4 = (x_2 > low) ? x_2 : low;
    const int clamped = (v4 < high) ? v4 : high;
    out[i] = clamped;
    const bool inside = low <= x_2;
    const int v7 = inside ? x_2 : clamped;
    picked[i] = v7;
}
