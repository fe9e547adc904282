// x % 0 is x.
template <typename T>
inline T warpsmith_rem_unsigned(T a, T b) {
    return b == T(0) ? a : T(a % b);
}
