// demo::guarded_load<bf16> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__guarded_load__bf16(
    device const bfloat* x [[buffer(0)]],
    constant uint& n [[buffer(1)]],
    device bfloat* out [[buffer(2)]],
    constant uint& extent_x [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const bool inside = i < n;
    const bfloat v3 = inside ? x[i] : bfloat(0.0f);
    out[i] = v3;
}
