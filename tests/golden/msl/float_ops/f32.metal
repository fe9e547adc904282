// demo::float_ops<f32> for elementwise cta=any extent=linear align=16 grid=native on apple9
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

// The lesser, or NaN where either is.
template <typename F, typename U, uint INFINITY_BITS>
inline F warpsmith_min_nan(F a, F b) {
    const uint x = warpsmith_top_bits<F, U>(a);
    const uint y = warpsmith_top_bits<F, U>(b);
    if (warpsmith_is_nan<INFINITY_BITS>(x)) {
        return a;
    }
    if (warpsmith_is_nan<INFINITY_BITS>(y)) {
        return b;
    }
    return warpsmith_order(x) <= warpsmith_order(y) ? a : b;
}

// The greater, or NaN where either is.
template <typename F, typename U, uint INFINITY_BITS>
inline F warpsmith_max_nan(F a, F b) {
    const uint x = warpsmith_top_bits<F, U>(a);
    const uint y = warpsmith_top_bits<F, U>(b);
    if (warpsmith_is_nan<INFINITY_BITS>(x)) {
        return a;
    }
    if (warpsmith_is_nan<INFINITY_BITS>(y)) {
        return b;
    }
    return warpsmith_order(x) >= warpsmith_order(y) ? a : b;
}

[[kernel]] void demo__float_ops__f32(
    device const float* a [[buffer(0)]],
    device const float* b [[buffer(1)]],
    device float* out [[buffer(2)]],
    constant uint& extent_x [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const float a_2 = a[i];
    const float b_2 = b[i];
    const float difference = a_2 - b_2;
    const float quotient = difference / b_2;
    const float root = metal::precise::sqrt(quotient);
    const float v6 = metal::floor(a_2);
    const float v7 = metal::ceil(a_2);
    const float v8 = metal::trunc(b_2);
    const float v9 = metal::rint(b_2);
    const float v10 = warpsmith_min_nan<float, uint, 0x7f800000u>(v6, v7);
    const float v11 = warpsmith_max_nan<float, uint, 0x7f800000u>(v8, v9);
    const float v12 = as_type<float>(uint((as_type<uint>(v10) & 0x7fffffffu) | (as_type<uint>(v11) & 0x80000000u)));
    const float v13 = as_type<float>(as_type<uint>(v12) ^ 0x80000000u);
    const float v14 = as_type<float>(as_type<uint>(root) & 0x7fffffffu);
    const bool less = v13 < v14;
    if (less) {
        out[i] = v13;
    } else {
        out[i] = v14;
    }
}
