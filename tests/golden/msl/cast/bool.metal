// demo::cast<bool> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

[[kernel]] void demo__cast__bool(
    device const bool* x [[buffer(0)]],
    device bool* to_bool [[buffer(1)]],
    device char* to_i8 [[buffer(2)]],
    device short* to_i16 [[buffer(3)]],
    device int* to_i32 [[buffer(4)]],
    device long* to_i64 [[buffer(5)]],
    device uchar* to_u8 [[buffer(6)]],
    device ushort* to_u16 [[buffer(7)]],
    device uint* to_u32 [[buffer(8)]],
    device ulong* to_u64 [[buffer(9)]],
    device half* to_f16 [[buffer(10)]],
    device bfloat* to_bf16 [[buffer(11)]],
    device float* to_f32 [[buffer(12)]],
    constant uint& extent_x [[buffer(13)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const bool x_2 = x[i];
    to_bool[i] = x_2;
    const char as_i8 = char(x_2);
    to_i8[i] = as_i8;
    const short as_i16 = short(x_2);
    to_i16[i] = as_i16;
    const int as_i32 = int(x_2);
    to_i32[i] = as_i32;
    const long as_i64 = long(x_2);
    to_i64[i] = as_i64;
    const uchar as_u8 = uchar(x_2);
    to_u8[i] = as_u8;
    const ushort as_u16 = ushort(x_2);
    to_u16[i] = as_u16;
    const uint as_u32 = uint(x_2);
    to_u32[i] = as_u32;
    const ulong as_u64 = ulong(x_2);
    to_u64[i] = as_u64;
    const half as_f16 = x_2 ? half(1.0f) : half(0.0f);
    to_f16[i] = as_f16;
    const bfloat as_bf16 = x_2 ? bfloat(1.0f) : bfloat(0.0f);
    to_bf16[i] = as_bf16;
    const float as_f32 = x_2 ? 1.0f : 0.0f;
    to_f32[i] = as_f32;
}
