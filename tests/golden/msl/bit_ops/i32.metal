// demo::bit_ops<i32> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__bit_ops__i32(
    device const int* a [[buffer(0)]],
    device const int* b [[buffer(1)]],
    device int* out [[buffer(2)]],
    device uint* counts [[buffer(3)]],
    constant uint& extent_x [[buffer(4)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const int a_2 = a[i];
    const int b_2 = b[i];
    const int v3 = a_2 & b_2;
    const int v4 = a_2 | b_2;
    const int v5 = v3 ^ v4;
    const int v6 = int(~v5);
    const int left = (uint(b_2) < 32u) ? int(uint(v6) << uint(b_2)) : 0;
    const int right = v6 >> ((uint(b_2) < 32u) ? uint(b_2) : 31u);
    const int v9 = left ^ right;
    out[i] = v9;
    const uint v10 = metal::popcount(uint(a_2));
    const uint v11 = metal::clz(uint(a_2));
    const uint v12 = metal::ctz(uint(a_2));
    const uint v13 = v10 + v11;
    const uint v14 = v13 + v12;
    counts[i] = v14;
}
