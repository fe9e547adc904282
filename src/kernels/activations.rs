//! Activations in f64 for references, on numbers that an f32 holds. They share nothing with `math`.

/// 1/(1 + e^−x).
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// x/(1 + e^−x), at −∞ as written: NaN.
pub(crate) fn silu(x: f64) -> f64 {
    x / (1.0 + libm::exp(-x))
}

/// ½x(1 + tanh u) = x/(1 + e⁻²ᵘ), which doesn't cancel for negative x; u is held to ±15.
pub(crate) fn gelu(x: f64) -> f64 {
    let u = (0.797_884_560_8 * (x + 0.044_715 * x * x * x)).clamp(-15.0, 15.0);
    x / (1.0 + libm::exp(-2.0 * u))
}

/// ½x(1 + erf(x/√2)) = ½x·erfc(−x/√2), at −∞ as written: NaN.
pub(crate) fn gelu_erf(x: f64) -> f64 {
    0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}
