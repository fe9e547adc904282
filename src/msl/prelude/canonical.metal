// The bits of a float, a NaN's replaced by the canonical one: sign 0, all other bits 1.
template <typename U, U INFINITY_BITS>
inline U warpsmith_canonical(U bits) {
    const U magnitude = U(U(~U(0)) >> 1);
    return U(bits & magnitude) > INFINITY_BITS ? magnitude : bits;
}
