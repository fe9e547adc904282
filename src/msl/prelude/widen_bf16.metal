// Exact: a bf16 is the upper half of a float.
inline float warpsmith_widen_bf16(bfloat x) {
    return as_type<float>(uint(as_type<ushort>(x)) << 16);
}
