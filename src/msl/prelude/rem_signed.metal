// x % 0 is x, MIN % -1 is 0.
template <typename T>
inline T warpsmith_rem_signed(T a, T b) {
    return b == T(0) ? a : b == T(-1) ? T(0) : T(a % b);
}
