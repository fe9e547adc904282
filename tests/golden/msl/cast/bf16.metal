// demo::cast<bf16> for elementwise cta=any extent=linear align=16 grid=native on apple9
#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
using namespace metal;

// Truncates and saturates, NaN to 0. `below` is T's least value and `above` one more than its greatest; both are exact.
template <typename T>
inline T warpsmith_float_to_int(float x, float below, float above, T least, T greatest) {
    if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u) {
        return T(0);
    }
    return x < below ? least : x >= above ? greatest : T(x);
}

// Exact: a bf16 is the upper half of a float.
inline float warpsmith_widen_bf16(bfloat x) {
    return as_type<float>(uint(as_type<ushort>(x)) << 16);
}

[[kernel]] void demo__cast__bf16(
    device const bfloat* x [[buffer(0)]],
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
    const bfloat x_2 = x[i];
    const bool as_bool = (as_type<ushort>(x_2) & ushort(0x7fffu)) != 0u;
    to_bool[i] = as_bool;
    const char as_i8 = warpsmith_float_to_int<char>(warpsmith_widen_bf16(x_2), -128.0f, 128.0f, char(-128), char(127));
    to_i8[i] = as_i8;
    const short as_i16 = warpsmith_float_to_int<short>(warpsmith_widen_bf16(x_2), -32768.0f, 32768.0f, short(-32768), short(32767));
    to_i16[i] = as_i16;
    const int as_i32 = warpsmith_float_to_int<int>(warpsmith_widen_bf16(x_2), -2147483648.0f, 2147483648.0f, as_type<int>(0x80000000u), 2147483647);
    to_i32[i] = as_i32;
    const long as_i64 = warpsmith_float_to_int<long>(warpsmith_widen_bf16(x_2), -9223372036854775808.0f, 9223372036854775808.0f, as_type<long>(0x8000000000000000ul), 9223372036854775807l);
    to_i64[i] = as_i64;
    const uchar as_u8 = warpsmith_float_to_int<uchar>(warpsmith_widen_bf16(x_2), 0.0f, 256.0f, uchar(0), uchar(255));
    to_u8[i] = as_u8;
    const ushort as_u16 = warpsmith_float_to_int<ushort>(warpsmith_widen_bf16(x_2), 0.0f, 65536.0f, ushort(0), ushort(65535));
    to_u16[i] = as_u16;
    const uint as_u32 = warpsmith_float_to_int<uint>(warpsmith_widen_bf16(x_2), 0.0f, 4294967296.0f, 0u, 4294967295u);
    to_u32[i] = as_u32;
    const ulong as_u64 = warpsmith_float_to_int<ulong>(warpsmith_widen_bf16(x_2), 0.0f, 18446744073709551616.0f, 0ul, 18446744073709551615ul);
    to_u64[i] = as_u64;
    const half as_f16 = half(warpsmith_widen_bf16(x_2));
    to_f16[i] = as_f16;
    to_bf16[i] = x_2;
    const float as_f32 = warpsmith_widen_bf16(x_2);
    to_f32[i] = as_f32;
}
