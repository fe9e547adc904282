// demo::bit_ops<u32> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__bit_ops__u32(
    device const uint* a [[buffer(0)]],
    device const uint* b [[buffer(1)]],
    device uint* out [[buffer(2)]],
    device uint* counts [[buffer(3)]],
    constant uint& extent_x [[buffer(4)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const uint a_2 = a[i];
    const uint b_2 = b[i];
    const uint v3 = a_2 & b_2;
    const uint v4 = a_2 | b_2;
    const uint v5 = v3 ^ v4;
    const uint v6 = uint(~v5);
    const uint left = (b_2 < 32u) ? (v6 << b_2) : 0u;
    const uint right = (b_2 < 32u) ? (v6 >> b_2) : 0u;
    const uint v9 = left ^ right;
    out[i] = v9;
    const uint v10 = metal::popcount(a_2);
    const uint v11 = metal::clz(a_2);
    const uint v12 = metal::ctz(a_2);
    const uint v13 = v10 + v11;
    const uint v14 = v13 + v12;
    counts[i] = v14;
}
