// demo::vector_add<bf16> for elementwise cta=any extent=linear align=16 grid=native on apple9
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

[[kernel]] void demo__vector_add__bf16(
    device const bfloat* a [[buffer(0)]],
    device const bfloat* b [[buffer(1)]],
    device bfloat* c [[buffer(2)]],
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
    const bfloat v1 = a[i];
    const bfloat v2 = b[i];
    const bfloat sum = warpsmith_narrow_bf16(warpsmith_widen_bf16(v1) + warpsmith_widen_bf16(v2));
    // src/demo.rs:6
    c[i] = sum;
}
