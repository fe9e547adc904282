// demo::strided_copy<bool> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

// x / 0 is all ones.
template <typename T>
inline T warpsmith_div_unsigned(T a, T b) {
    return b == T(0) ? T(~T(0)) : T(a / b);
}

// x % 0 is x.
template <typename T>
inline T warpsmith_rem_unsigned(T a, T b) {
    return b == T(0) ? a : T(a % b);
}

[[kernel]] void demo__strided_copy__bool(
    device const bool* x [[buffer(0)]],
    device bool* out [[buffer(1)]],
    constant ulong& x_shape_0 [[buffer(2)]],
    constant ulong& x_shape_1 [[buffer(3)]],
    constant ulong& x_stride_0 [[buffer(4)]],
    constant ulong& x_stride_1 [[buffer(5)]],
    constant ulong& out_shape_0 [[buffer(6)]],
    constant ulong& out_shape_1 [[buffer(7)]],
    constant ulong& out_stride_0 [[buffer(8)]],
    constant ulong& out_stride_1 [[buffer(9)]],
    constant uint& extent_x [[buffer(10)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const ulong i_2 = ulong(i);
    const ulong row = warpsmith_div_unsigned<ulong>(i_2, x_shape_1);
    const ulong column = warpsmith_rem_unsigned<ulong>(i_2, x_shape_1);
    const ulong v6 = row * x_stride_0;
    const ulong v8 = column * x_stride_1;
    const ulong from = v6 + v8;
    const bool v10 = x[from];
    const ulong v12 = row * out_stride_0;
    const ulong v14 = column * out_stride_1;
    const ulong to = v12 + v14;
    out[to] = v10;
}
