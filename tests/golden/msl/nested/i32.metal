// demo::nested<i32> for elementwise cta=any extent=linear align=16 grid=native on apple9
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

[[kernel]] void demo__nested__i32(
    device const int* x [[buffer(0)]],
    constant uint& n [[buffer(1)]],
    device int* out [[buffer(2)]],
    constant uint& extent_x [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    int best = 0;
    uint steps = 0u;
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const int v1 = x[i];
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
            const int v11 = x[i_2];
            const int v12 = best;
            const int best_2 = (v11 > v12) ? v11 : v12;
            best = best_2;
        }
    }
    const int v14 = best;
    out[i] = v14;
}
