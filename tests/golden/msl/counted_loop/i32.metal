// demo::row_sum<i32> for elementwise cta=any extent=linear align=16 grid=native on apple9
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

[[kernel]] void demo__row_sum__i32(
    device const float* x [[buffer(0)]],
    constant int& n [[buffer(1)]],
    constant int& stride [[buffer(2)]],
    device float* out [[buffer(3)]],
    constant uint& extent_x [[buffer(4)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    float acc = 0.0f;
    // src/demo.rs:4
    const uint row = (cta_id.x * cta_dim.x) + thread_id.x;
    // src/demo.rs:5
    acc = 0.0f;
    // src/demo.rs:6
    const int base = int(row);
    const int first = int(uint(base) * uint(n));
    // src/demo.rs:7
    const uint k_trips = warpsmith_trips<int, uint>(0, n, stride);
    #pragma clang loop unroll_count(4)
    for (uint k_round = 0; k_round < k_trips; ++k_round) {
        const int k = int(uint(0) + (k_round * uint(stride)));
        // src/demo.rs:8
        const int v8 = int(uint(first) + uint(k));
        const float v9 = x[v8];
        const float v10 = acc;
        const float v11 = v10 + v9;
        acc = v11;
    }
    // src/demo.rs:10
    const float v12 = acc;
    out[row] = v12;
}
