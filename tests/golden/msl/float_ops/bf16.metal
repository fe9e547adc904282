// demo::float_ops<bf16> for elementwise cta=any extent=linear align=16 grid=native on apple9
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

// Exact: a bf16 is the upper half of a float.
inline float warpsmith_widen_bf16(bfloat x) {
    return as_type<float>(uint(as_type<ushort>(x)) << 16);
}

// To nearest even, in integers: the rounding of a `bfloat` conversion is not the language's promise.
inline bfloat warpsmith_narrow_bf16(float x) {
    const uint bits = as_type<uint>(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return as_type<bfloat>(ushort(0x7fffu));
    }
    return as_type<bfloat>(ushort((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16));
}

[[kernel]] void demo__float_ops__bf16(
    device const bfloat* a [[buffer(0)]],
    device const bfloat* b [[buffer(1)]],
    device bfloat* out [[buffer(2)]],
    constant uint& extent_x [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const bfloat a_2 = a[i];
    const bfloat b_2 = b[i];
    const bfloat difference = warpsmith_narrow_bf16(warpsmith_widen_bf16(a_2) - warpsmith_widen_bf16(b_2));
    const bfloat quotient = warpsmith_narrow_bf16(warpsmith_widen_bf16(difference) / warpsmith_widen_bf16(b_2));
    const bfloat root = warpsmith_narrow_bf16(metal::precise::sqrt(warpsmith_widen_bf16(quotient)));
    const bfloat v6 = warpsmith_narrow_bf16(metal::floor(warpsmith_widen_bf16(a_2)));
    const bfloat v7 = warpsmith_narrow_bf16(metal::ceil(warpsmith_widen_bf16(a_2)));
    const bfloat v8 = warpsmith_narrow_bf16(metal::trunc(warpsmith_widen_bf16(b_2)));
    const bfloat v9 = warpsmith_narrow_bf16(metal::rint(warpsmith_widen_bf16(b_2)));
    const bfloat v10 = warpsmith_min_nan<bfloat, ushort, 0x7f800000u>(v6, v7);
    const bfloat v11 = warpsmith_max_nan<bfloat, ushort, 0x7f800000u>(v8, v9);
    const bfloat v12 = as_type<bfloat>(ushort((as_type<ushort>(v10) & ushort(0x7fffu)) | (as_type<ushort>(v11) & ushort(0x8000u))));
    const bfloat v13 = as_type<bfloat>(ushort(as_type<ushort>(v12) ^ ushort(0x8000u)));
    const bfloat v14 = as_type<bfloat>(ushort(as_type<ushort>(root) & ushort(0x7fffu)));
    const bool less = warpsmith_widen_bf16(v13) < warpsmith_widen_bf16(v14);
    if (less) {
        out[i] = v13;
    } else {
        out[i] = v14;
    }
}
