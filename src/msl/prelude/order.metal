// The bits of a float of type F, held by the integer U, at the top of 32.
template <typename F, typename U>
inline uint warpsmith_top_bits(F x) {
    return uint(as_type<U>(x)) << (32u - 8u * uint(sizeof(U)));
}

// Tested on bits, so that no compiler option decides it.
template <uint INFINITY_BITS>
inline bool warpsmith_is_nan(uint bits) {
    return (bits & 0x7fffffffu) > INFINITY_BITS;
}

// Increases with the number, -0 below +0; keeps subnormals apart where a float comparison flushes them.
inline int warpsmith_order(uint bits) {
    return as_type<int>((bits & 0x80000000u) != 0u ? bits ^ 0x7fffffffu : bits);
}
