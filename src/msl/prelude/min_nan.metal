// The lesser, or NaN where either is.
template <typename F, typename U, uint INFINITY_BITS>
inline F warpsmith_min_nan(F a, F b) {
    const uint x = warpsmith_top_bits<F, U>(a);
    const uint y = warpsmith_top_bits<F, U>(b);
    if (warpsmith_is_nan<INFINITY_BITS>(x)) {
        return a;
    }
    if (warpsmith_is_nan<INFINITY_BITS>(y)) {
        return b;
    }
    return warpsmith_order(x) <= warpsmith_order(y) ? a : b;
}
