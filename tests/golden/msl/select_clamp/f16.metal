// demo::clamp<f16> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

// The bits of a float of type F, held by the integer U, at the top of 32.
template <typename F, typename U>
inline uint warpsmith_top_bits(F x) {
    return uint(as_type<U>(x)) << (32u - 8u * uint(sizeof(U)));
}

// Tested on bits, so that no compiler option decides it.
template <uint INFINITY_BITS>
inline bool warpsmith_is_nan(uint bits) {
    return (bits & 0x7fffffffu) > INFINITY_BITS;
}

// Increases with the number, -0 below +0; keeps subnormals apart where a float comparison flushes them.
inline int warpsmith_order(uint bits) {
    return as_type<int>((bits & 0x80000000u) != 0u ? bits ^ 0x7fffffffu : bits);
}

// The lesser; the other operand where one is NaN.
template <typename F, typename U, uint INFINITY_BITS>
inline F warpsmith_min(F a, F b) {
    const uint x = warpsmith_top_bits<F, U>(a);
    const uint y = warpsmith_top_bits<F, U>(b);
    if (warpsmith_is_nan<INFINITY_BITS>(x)) {
        return b;
    }
    if (warpsmith_is_nan<INFINITY_BITS>(y)) {
        return a;
    }
    return warpsmith_order(x) <= warpsmith_order(y) ? a : b;
}

// The greater; the other operand where one is NaN.
template <typename F, typename U, uint INFINITY_BITS>
inline F warpsmith_max(F a, F b) {
    const uint x = warpsmith_top_bits<F, U>(a);
    const uint y = warpsmith_top_bits<F, U>(b);
    if (warpsmith_is_nan<INFINITY_BITS>(x)) {
        return b;
    }
    if (warpsmith_is_nan<INFINITY_BITS>(y)) {
        return a;
    }
    return warpsmith_order(x) >= warpsmith_order(y) ? a : b;
}

[[kernel]] void demo__clamp__f16(
    device const half* x [[buffer(0)]],
    constant half& low [[buffer(1)]],
    constant half& high [[buffer(2)]],
    device half* out [[buffer(3)]],
    device half* picked [[buffer(4)]],
    constant uint& extent_x [[buffer(5)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const half x_2 = x[i];
    const half v4 = warpsmith_max<half, ushort, 0x7c000000u>(x_2, low);
    const half clamped = warpsmith_min<half, ushort, 0x7c000000u>(v4, high);
    out[i] = clamped;
    const bool inside = low <= x_2;
    const half v7 = inside ? x_2 : clamped;
    picked[i] = v7;
}
