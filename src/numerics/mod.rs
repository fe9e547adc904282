//! stub
/// x
pub fn f16_from_f64(x: f64) -> u16 {
    half::f16::from_f64(x).to_bits()
}
/// x
pub fn bf16_from_f64(x: f64) -> u16 {
    half::bf16::from_f64(x).to_bits()
}
