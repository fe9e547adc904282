// demo::bit_ops<i16> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__bit_ops__i16(
    device const short* a [[buffer(0)]],
    device const short* b [[buffer(1)]],
    device short* out [[buffer(2)]],
    device uint* counts [[buffer(3)]],
    constant uint& extent_x [[buffer(4)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const short a_2 = a[i];
    const short b_2 = b[i];
    const short v3 = short(a_2 & b_2);
    const short v4 = short(a_2 | b_2);
    const short v5 = short(v3 ^ v4);
    const short v6 = short(~v5);
    const short left = (ushort(b_2) < ushort(16)) ? short(uint(v6) << ushort(b_2)) : short(0);
    const short right = short(v6 >> ((ushort(b_2) < ushort(16)) ? ushort(b_2) : ushort(15)));
    const short v9 = short(left ^ right);
    out[i] = v9;
    const uint v10 = uint(metal::popcount(ushort(a_2)));
    const uint v11 = uint(metal::clz(ushort(a_2)));
    const uint v12 = uint(metal::ctz(ushort(a_2)));
    const uint v13 = v10 + v11;
    const uint v14 = v13 + v12;
    counts[i] = v14;
}
