// demo::axpy<f32> for elementwise cta=256x1x1 extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel, max_total_threads_per_threadgroup(256)]] void demo__axpy__f32(
    constant float& alpha [[buffer(0)]],
    device const float* x [[buffer(1)]],
    device float* y [[buffer(2)]],
    constant uint& extent_x [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]]) {
    if (((ulong(cta_id.x) * ulong(256u)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    // src/demo.rs:4
    const uint i = (cta_id.x * 256u) + thread_id.x;
    // src/demo.rs:5
    const float xi = x[i];
    // src/demo.rs:6
    const float yi = y[i];
    // src/demo.rs:7
    const float v4 = alpha * xi;
    const float v5 = v4 + yi;
    // src/demo.rs:8
    y[i] = v5;
}
