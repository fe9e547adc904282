// demo::clamp<u8> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__clamp__u8(
    device const uchar* x [[buffer(0)]],
    constant uchar& low [[buffer(1)]],
    constant uchar& high [[buffer(2)]],
    device uchar* out [[buffer(3)]],
    device uchar* picked [[buffer(4)]],
    constant uint& extent_x [[buffer(5)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const uchar x_2 = x[i];
    const uchar v4 = (x_2 > low) ? x_2 : low;
    const uchar clamped = (v4 < high) ? v4 : high;
    out[i] = clamped;
    const bool inside = low <= x_2;
    const uchar v7 = inside ? x_2 : clamped;
    picked[i] = v7;
}
