// ceil((end - start) / step), or 0 where that is not positive; U is T's unsigned type, in which no difference overflows.
template <typename T, typename U>
inline U warpsmith_trips(T start, T end, T step) {
    if (step > T(0) && start < end) {
        return (U(end) - U(start) - U(1)) / U(step) + U(1);
    }
    if (step < T(0) && start > end) {
        return (U(start) - U(end) - U(1)) / (U(0) - U(step)) + U(1);
    }
    return U(0);
}
