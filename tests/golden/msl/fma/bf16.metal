// demo::fma<bf16> for elementwise cta=any extent=linear align=16 grid=native on apple9
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

// a x b + c with one rounding, in integers: fma in float and then to bf16 would round twice.
inline bfloat warpsmith_fma_bf16(bfloat a, bfloat b, bfloat c) {
    const uint x = as_type<ushort>(a);
    const uint y = as_type<ushort>(b);
    const uint z = as_type<ushort>(c);
    const bool special = (x & 0x7f80u) == 0x7f80u || (y & 0x7f80u) == 0x7f80u || (z & 0x7f80u) == 0x7f80u;
    if (special || (x & 0x7fffu) == 0u || (y & 0x7fffu) == 0u) {
        // Infinities, NaNs and products of zero are exact in float, signs of zero included.
        return warpsmith_narrow_bf16(
            metal::fma(warpsmith_widen_bf16(a), warpsmith_widen_bf16(b), warpsmith_widen_bf16(c)));
    }
    // Each operand is its significand times 2 to its exponent; subnormals have no hidden bit.
    const int x_exponent = metal::max(int((x >> 7) & 0xffu), 1) - 134;
    const int y_exponent = metal::max(int((y >> 7) & 0xffu), 1) - 134;
    const int z_exponent = metal::max(int((z >> 7) & 0xffu), 1) - 134;
    const ulong x_significand = (x & 0x7fu) | ((x & 0x7f80u) != 0u ? 0x80u : 0u);
    const ulong y_significand = (y & 0x7fu) | ((y & 0x7f80u) != 0u ? 0x80u : 0u);
    const ulong z_significand = (z & 0x7fu) | ((z & 0x7f80u) != 0u ? 0x80u : 0u);
    // Both summands with 40 bits below the greater exponent; what falls off the lesser one leaves its lowest bit set.
    const int p_exponent = x_exponent + y_exponent;
    const int exponent = metal::max(p_exponent, z_exponent);
    const uint p_shift = uint(metal::min(exponent - p_exponent, 63));
    const uint z_shift = uint(metal::min(exponent - z_exponent, 63));
    const ulong p_wide = (x_significand * y_significand) << 40;
    const ulong z_wide = z_significand << 40;
    const ulong p = (p_wide >> p_shift) | (((p_wide >> p_shift) << p_shift) != p_wide ? 1ul : 0ul);
    const ulong q = (z_wide >> z_shift) | (((z_wide >> z_shift) << z_shift) != z_wide ? 1ul : 0ul);
    const bool p_negative = ((x ^ y) & 0x8000u) != 0u;
    const bool q_negative = (z & 0x8000u) != 0u;
    const bool p_greater = p >= q;
    const ulong sum = p_negative == q_negative ? p + q : p_greater ? p - q : q - p;
    if (sum == 0ul) {
        return as_type<bfloat>(ushort(0u));
    }
    const uint sign = (p_greater ? p_negative : q_negative) ? 0x8000u : 0u;
    // Eight bits are kept, fewer where the result is subnormal.
    const int sum_exponent = exponent - 40;
    const int last = metal::max(sum_exponent + 56 - int(metal::clz(sum)), -133);
    const int drop = last - sum_exponent;
    ulong kept = drop > 0 ? sum >> uint(drop) : sum << uint(-drop);
    if (drop > 0) {
        const ulong rest = sum - (kept << uint(drop));
        const ulong tie = 1ul << uint(drop - 1);
        kept += rest > tie || (rest == tie && (kept & 1ul) != 0ul) ? 1ul : 0ul;
    }
    // The hidden bit, where there is one, counts the exponent up by one; so does a carry.
    const uint bits = (uint(last + 133) << 7) + uint(kept);
    return as_type<bfloat>(ushort(sign | (bits < 0x7f80u ? bits : 0x7f80u)));
}

[[kernel]] void demo__fma__bf16(
    device const bfloat* a [[buffer(0)]],
    device const bfloat* b [[buffer(1)]],
    device const bfloat* c [[buffer(2)]],
    device bfloat* out [[buffer(3)]],
    constant uint& extent_x [[buffer(4)]],
    uint3 thread_id [[thread_position_in_threadgroup]],
    uint3 cta_id [[threadgroup_position_in_grid]],
    uint3 cta_dim [[threads_per_threadgroup]]) {
    if (((ulong(cta_id.x) * ulong(cta_dim.x)) + ulong(thread_id.x)) >= ulong(extent_x)) {
        return;
    }
    const uint i = (cta_id.x * cta_dim.x) + thread_id.x;
    const bfloat a_2 = a[i];
    const bfloat b_2 = b[i];
    const bfloat c_2 = c[i];
    const bfloat v4 = warpsmith_fma_bf16(a_2, b_2, c_2);
    out[i] = v4;
}
