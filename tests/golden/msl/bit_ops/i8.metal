// demo::bit_ops<i8> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__bit_ops__i8(
    device const char* a [[buffer(0)]],
    device const char* b [[buffer(1)]],
    device char* out [[buffer(2)]],
    device uint* counts [[buffer(3)]],
    constant uint& extent_x [[buffer(4)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const char a_2 = a[i];
    const char b_2 = b[i];
    const char v3 = char(a_2 & b_2);
    const char v4 = char(a_2 | b_2);
    const char v5 = char(v3 ^ v4);
    const char v6 = char(~v5);
    const char left = (uchar(b_2) < uchar(8)) ? char(uint(v6) << uchar(b_2)) : char(0);
    const char right = char(v6 >> ((uchar(b_2) < uchar(8)) ? uchar(b_2) : uchar(7)));
    const char v9 = char(left ^ right);
    out[i] = v9;
    const uint v10 = uint(metal::popcount(uchar(a_2)));
    const uint v11 = uint(metal::clz(uchar(a_2)));
    const uint v12 = uint(metal::ctz(uchar(a_2)));
    const uint v13 = v10 + v11;
    const uint v14 = v13 + v12;
    counts[i] = v14;
}
