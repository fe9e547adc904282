// demo::axpy<bf16> for elementwise cta=256x1x1 extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

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

[[kernel, max_total_threads_per_threadgroup(256)]] void demo__axpy__bf16(
    constant bfloat& alpha [[buffer(0)]],
    device const bfloat* x [[buffer(1)]],
    device bfloat* y [[buffer(2)]],
    constant uint& extent_x [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]]) {
    if (((ulong(cta_id.x) * ulong(256u)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    // src/demo.rs:4
    const uint i = (cta_id.x * 256u) + thread_id.x;
    // src/demo.rs:5
    const bfloat xi = x[i];
    // src/demo.rs:6
    const bfloat yi = y[i];
    // src/demo.rs:7
    const bfloat v4 = warpsmith_narrow_bf16(warpsmith_widen_bf16(alpha) * warpsmith_widen_bf16(xi));
    const bfloat v5 = warpsmith_narrow_bf16(warpsmith_widen_bf16(v4) + warpsmith_widen_bf16(yi));
    // src/demo.rs:8
    y[i] = v5;
}
