// An integer as a float of 24 bits rounded to odd, so that the next rounding, to bf16, is the only one that shows.
inline float warpsmith_int_to_odd(ulong magnitude) {
    const uint length = 64u - uint(metal::clz(magnitude));
    const uint shift = length > 24u ? length - 24u : 0u;
    const ulong kept = magnitude >> shift;
    const ulong odd = (kept << shift) != magnitude ? 1ul : 0ul;
    return float((kept | odd) << shift);
}
