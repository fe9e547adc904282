// Truncates and saturates, NaN to 0. `below` is T's least value and `above` one more than its greatest; both are exact.
template <typename T>
inline T warpsmith_float_to_int(float x, float below, float above, T least, T greatest) {
    if ((as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u) {
        return T(0);
    }
    return x < below ? least : x >= above ? greatest : T(x);
}
