// x / 0 is all ones, MIN / -1 is MIN: division by -1 is a negation that wraps in the unsigned type U.
template <typename T, typename U>
inline T warpsmith_div_signed(T a, T b) {
    return b == T(0) ? T(-1) : b == T(-1) ? T(U(0) - U(a)) : T(a / b);
}
