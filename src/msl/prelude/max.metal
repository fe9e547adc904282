// The greater; the other operand where one is NaN.
template <typename F, typename U, uint INFINITY_BITS>
inline F warpsmith_max(F a, F b) {
    const uint x = warpsmith_top_bits<F, U>(a);
    const uint y = warpsmith_top_bits<F, U>(b);
    if (warpsmith_is_nan<INFINITY_BITS>(x)) {
        return b;
    }
    if (warpsmith_is_nan<INFINITY_BITS>(y)) {
        return a;
    }
    return warpsmith_order(x) >= warpsmith_order(y) ? a : b;
}
