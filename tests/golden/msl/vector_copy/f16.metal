// demo::vector_copy<f16> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__vector_copy__f16(
    device const half* x [[buffer(0)]],
    device half* out [[buffer(1)]],
    constant uint& extent_x [[buffer(2)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const uint base = (2u < 32u) ? (i << 2u) : 0u;
    const half v3 = x[base];
    const half v4 = x[base + 1u];
    const half v5 = x[base + 2u];
    const half v6 = x[base + 3u];
    out[base] = v6;
    out[base + 1u] = v5;
    out[base + 2u] = v4;
    out[base + 3u] = v3;
}
