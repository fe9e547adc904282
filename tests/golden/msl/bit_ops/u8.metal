// demo::bit_ops<u8> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__bit_ops__u8(
    device const uchar* a [[buffer(0)]],
    device const uchar* b [[buffer(1)]],
    device uchar* out [[buffer(2)]],
    device uint* counts [[buffer(3)]],
    constant uint& extent_x [[buffer(4)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const uchar a_2 = a[i];
    const uchar b_2 = b[i];
    const uchar v3 = uchar(a_2 & b_2);
    const uchar v4 = uchar(a_2 | b_2);
    const uchar v5 = uchar(v3 ^ v4);
    const uchar v6 = uchar(~v5);
    const uchar left = (b_2 < uchar(8)) ? uchar(uint(v6) << b_2) : uchar(0);
    const uchar right = (b_2 < uchar(8)) ? uchar(uint(v6) >> b_2) : uchar(0);
    const uchar v9 = uchar(left ^ right);
    out[i] = v9;
    const uint v10 = uint(metal::popcount(a_2));
    const uint v11 = uint(metal::clz(a_2));
    const uint v12 = uint(metal::ctz(a_2));
    const uint v13 = v10 + v11;
    const uint v14 = v13 + v12;
    counts[i] = v14;
}
