// demo::nested<f32> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

// ceil((end - start) / step), or 0 where that is not positive; U is T's unsigned type, in which no difference overflows.
template <typename T, typename U>
inline U warpsmith_trips(T start, T end, T step) {
    if (step > T(0) && start < end) {
        return (U(end) - U(start) - U(1)) / U(step) + U(1);
    }
    if (step < T(0) && start > end) {
        return (U(start) - U(end) - U(1)) / (U(0) - U(step)) + U(1);
    }
    return U(0);
}

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

[[kernel]] void demo__nested__f32(
    device const float* x [[buffer(0)]],
    constant uint& n [[buffer(1)]],
    device float* out [[buffer(2)]],
    constant uint& extent_x [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    float best = 0.0f;
    uint steps = 0u;
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const float v1 = x[i];
    best = v1;
    steps = 0u;
    const uint i_trips = warpsmith_trips<uint, uint>(0u, n, 1u);
    for (uint i_round = 0; i_round < i_trips; ++i_round) {
        const uint i_2 = 0u + (i_round * 1u);
        const bool v7 = i_2 == i;
        if (v7) {
            continue;
        }
        // walk until the local settles
        while (true) {
            const uint steps_2 = steps;
            const bool done = steps_2 >= i_2;
            if (done) {
                break;
            } else {
                const uint v10 = steps_2 + 1u;
                steps = v10;
            }
            const float v11 = x[i_2];
            const float v12 = best;
            const float best_2 = warpsmith_max<float, uint, 0x7f800000u>(v11, v12);
            best = best_2;
        }
    }
    const float v14 = best;
    out[i] = v14;
}
