// To nearest even, in integers: the rounding of a `bfloat` conversion is not the language's promise.
inline bfloat warpsmith_narrow_bf16(float x) {
    const uint bits = as_type<uint>(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return as_type<bfloat>(ushort(0x7fffu));
    }
    return as_type<bfloat>(ushort((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16));
}
