// demo::bit_ops<i64> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__bit_ops__i64(
    device const long* a [[buffer(0)]],
    device const long* b [[buffer(1)]],
    device long* out [[buffer(2)]],
    device uint* counts [[buffer(3)]],
    constant uint& extent_x [[buffer(4)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const long a_2 = a[i];
    const long b_2 = b[i];
    const long v3 = a_2 & b_2;
    const long v4 = a_2 | b_2;
    const long v5 = v3 ^ v4;
    const long v6 = long(~v5);
    const long left = (ulong(b_2) < 64ul) ? long(ulong(v6) << ulong(b_2)) : 0l;
    const long right = v6 >> ((ulong(b_2) < 64ul) ? ulong(b_2) : 63ul);
    const long v9 = left ^ right;
    out[i] = v9;
    const uint v10 = uint(metal::popcount(ulong(a_2)));
    const uint v11 = uint(metal::clz(ulong(a_2)));
    const uint v12 = uint(metal::ctz(ulong(a_2)));
    const uint v13 = v10 + v11;
    const uint v14 = v13 + v12;
    counts[i] = v14;
}
