// demo::int_ops<u64> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

// x / 0 is all ones.
template <typename T>
inline T warpsmith_div_unsigned(T a, T b) {
    return b == T(0) ? T(~T(0)) : T(a / b);
}

// x % 0 is x.
template <typename T>
inline T warpsmith_rem_unsigned(T a, T b) {
    return b == T(0) ? a : T(a % b);
}

[[kernel]] void demo__int_ops__u64(
    device const ulong* a [[buffer(0)]],
    device const ulong* b [[buffer(1)]],
    device ulong* out [[buffer(2)]],
    constant uint& extent_x [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const ulong a_2 = a[i];
    const ulong b_2 = b[i];
    const ulong sum = a_2 + b_2;
    const ulong difference = a_2 - b_2;
    const ulong product = a_2 * b_2;
    const ulong quotient = warpsmith_div_unsigned<ulong>(a_2, b_2);
    const ulong rest = warpsmith_rem_unsigned<ulong>(a_2, b_2);
    const ulong lesser = (a_2 < b_2) ? a_2 : b_2;
    const ulong greater = (a_2 > b_2) ? a_2 : b_2;
    const ulong high = metal::mulhi(a_2, b_2);
    const ulong negated = 0ul - a_2;
    const uint base = i * 10u;
    out[base] = sum;
    const uint v16 = base + 1u;
    out[v16] = difference;
    const uint v18 = base + 2u;
    out[v18] = product;
    const uint v20 = base + 3u;
    out[v20] = quotient;
    const uint v22 = base + 4u;
    out[v22] = rest;
    const uint v24 = base + 5u;
    out[v24] = lesser;
    const uint v26 = base + 6u;
    out[v26] = greater;
    const uint v28 = base + 7u;
    out[v28] = high;
    const uint v30 = base + 8u;
    out[v30] = negated;
    const uint v32 = base + 9u;
    out[v32] = a_2;
}
