// x / 0 is all ones.
template <typename T>
inline T warpsmith_div_unsigned(T a, T b) {
    return b == T(0) ? T(~T(0)) : T(a / b);
}
