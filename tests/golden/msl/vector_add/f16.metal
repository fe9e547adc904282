// demo::vector_add<f16> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__vector_add__f16(
    device const half* a [[buffer(0)]],
    device const half* b [[buffer(1)]],
    device half* c [[buffer(2)]],
    constant uint& extent_x [[buffer(3)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    // src/demo.rs:4
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    // src/demo.rs:5
    const half v1 = a[i];
    const half v2 = b[i];
    const half sum = v1 + v2;
    // src/demo.rs:6
    c[i] = sum;
}
