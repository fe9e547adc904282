//! Contents of inputs, by counting.
//!
//! Element i of a buffer is a function of (case, buffer, seed, i) and nothing else, so a case has the same inputs in
//! any shard and order, on any host: only integer steps and correctly rounded f64 operations are used, no `ln` or `cos`
//! whose last bit is the host library's. The case and the seed come from the registry entry being made, which sets
//! them for its thread ([`keyed`]); outside of one they are empty and 0.

use std::cell::RefCell;

use crate::ir::types::int_range;
use crate::ir::{DType, Literal, host};
use crate::numerics::Format;

/// What an input holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Generator<'a> {
    /// Uniform in lo ≤ x < hi, rounded to the dtype; integers truncate.
    Range(f64, f64),
    /// What breaks kernels: zeros of both signs, subnormals, powers and their neighbours, the largest, ∞, NaN, random
    /// bit patterns; extreme integers.
    Hard,
    /// The same without ∞ and NaN.
    HardFinite,
    /// About normally distributed, mean 0 and deviation 1 (twelve uniforms less six, so within ±6).
    Normal,
    /// Uniform integers lo ≤ x ≤ hi, clamped to the dtype.
    Ints(i64, i64),
    /// One value.
    Fill(f64),
    /// These values, again and again.
    FromSlice(&'a [f64]),
}

impl Generator<'_> {
    /// `len` elements for the buffer of that name.
    pub(super) fn literals(&self, buffer: &str, dtype: DType, len: usize) -> Vec<Literal> {
        let key = KEY.with_borrow(|(case, seed)| key(case, buffer, *seed));
        let hard = match self {
            Self::Hard | Self::HardFinite => hard_values(dtype),
            Self::Range(..) | Self::Normal | Self::Ints(..) | Self::Fill(_) | Self::FromSlice(_) => {
                Vec::new()
            }
        };
        (0..len as u64).map(|index| self.element(key, index, dtype, &hard)).collect()
    }

    fn element(&self, key: u64, index: u64, dtype: DType, hard: &[Literal]) -> Literal {
        let random = mix(key.wrapping_add(index.wrapping_mul(GOLDEN)));
        match *self {
            Self::Range(low, high) => host::literal_of(low + unit(random) * (high - low), dtype),
            Self::Normal => host::literal_of(normal(random), dtype),
            Self::Ints(low, high) => integer(random, low, high, dtype),
            Self::Fill(value) => host::literal_of(value, dtype),
            Self::FromSlice([]) => host::literal_of(0.0, dtype),
            Self::FromSlice(values) => {
                host::literal_of(values[(index % values.len() as u64) as usize], dtype)
            }
            Self::Hard => hard_element(key, index, random, dtype, hard),
            Self::HardFinite => {
                let literal = hard_element(key, index, random, dtype, hard);
                let finite = literal.as_f64().is_none_or(f64::is_finite);
                if finite { literal } else { Self::Range(-8.0, 8.0).element(key, index, dtype, hard) }
            }
        }
    }
}

thread_local! {
    static KEY: RefCell<(String, u64)> = const { RefCell::new((String::new(), 0)) };
}

/// Runs `make` with the key that generators use.
pub(super) fn keyed<T>(case: &str, seed: u64, make: impl FnOnce() -> T) -> T {
    /// Puts the outer key back, also when `make` panics.
    struct Restore((String, u64));
    impl Drop for Restore {
        fn drop(&mut self) {
            KEY.set(std::mem::take(&mut self.0));
        }
    }
    let _restore = Restore(KEY.replace((case.to_owned(), seed)));
    make()
}

/// 2⁶⁴ divided by the golden ratio, odd: consecutive multiples are far apart.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// FNV-1a over both names with a byte between that neither can hold, mixed with the seed.
fn key(case: &str, buffer: &str, seed: u64) -> u64 {
    let bytes = case.bytes().chain([0xff]).chain(buffer.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    mix(hash ^ mix(seed.wrapping_add(GOLDEN)))
}

/// In 0 ≤ x < 1, with 53 bits.
fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

fn normal(random: u64) -> f64 {
    let uniforms = (1..=12u64).map(|draw| unit(mix(random.wrapping_add(draw.wrapping_mul(GOLDEN)))));
    uniforms.fold(-6.0, |sum, uniform| sum + uniform)
}

fn integer(random: u64, low: i64, high: i64, dtype: DType) -> Literal {
    let (least, greatest) = int_range(dtype).unwrap_or((i128::MIN, i128::MAX));
    let [low, high] = [low.min(high), low.max(high)].map(|bound| i128::from(bound).clamp(least, greatest));
    let span = (high - low + 1) as u128;
    let value = low + ((u128::from(random) * span) >> 64) as i128;
    Literal::int(dtype, value).unwrap_or_else(|| host::literal_of(value as f64, dtype))
}

/// The table first, once around from a place that depends on the buffer so that two inputs don't pair the same entries;
/// then table, bit patterns and ordinary numbers mixed.
fn hard_element(key: u64, index: u64, random: u64, dtype: DType, hard: &[Literal]) -> Literal {
    let entry = |at: u64| hard[(at % hard.len() as u64) as usize];
    let again = mix(random ^ GOLDEN);
    if index < hard.len() as u64 {
        return entry(index.wrapping_add(key % hard.len() as u64));
    }
    match random % 4 {
        0 => entry(again),
        1 => Literal::from_bits(dtype, again),
        _ => host::literal_of(unit(again) * 16.0 - 8.0, dtype),
    }
}

fn hard_values(dtype: DType) -> Vec<Literal> {
    if let Some(storage) = dtype.storage() {
        // Few codes: all of them, or all that can break something of tf32, which has the edges of f32.
        let codes = if storage.bits() <= 8 { 0..=storage.mask() } else { 0..=255 };
        let bits = |code: u32| if storage.bits() <= 8 { code } else { code << 24 | code.reverse_bits() >> 8 };
        return codes.map(|code| Literal::from_bits(dtype, u64::from(bits(code)))).collect();
    }
    let format = match dtype {
        DType::F16 => Format::F16,
        DType::BF16 => Format::BF16,
        DType::F32 => Format::F32,
        DType::F64 => Format::F64,
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::Storage(_) => return hard_integers(dtype),
    };
    let (normal, one) = (format.implicit_bit(), host::literal_of(1.0, dtype).bits);
    let largest = format.max_finite();
    let magnitudes = [0, 1, normal - 1, normal, normal + 1, one - 1, one, one + 1, largest, largest + 1];
    let mut all: Vec<u64> = magnitudes.iter().flat_map(|&bits| [bits, bits | format.sign_mask()]).collect();
    all.extend(format.canonical_nan());
    // Ties of `round`, edges of exp and of the 16-bit formats, and the first integers that a format skips.
    let numbers =
        [0.1, 0.5, 1.5, 2.5, 3.0, 88.7, 104.0, 709.0, 65_504.0, 2_049.0, 257.0, 16_777_216.0, 1e-20];
    all.extend(
        numbers.iter().flat_map(|&x| [host::literal_of(x, dtype).bits, host::literal_of(-x, dtype).bits]),
    );
    all.into_iter().map(|bits| Literal::from_bits(dtype, bits)).collect()
}

fn hard_integers(dtype: DType) -> Vec<Literal> {
    let top = 1u64 << (dtype.bits() - 1);
    let values = [0, 1, 2, 3, 7, 10, u64::MAX, u64::MAX - 1, top, top - 1, top + 1, 0x5555_5555_5555_5555];
    values.iter().map(|&bits| Literal::from_bits(dtype, bits)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(generator: Generator<'_>, case: &str, buffer: &str, seed: u64) -> Vec<u64> {
        let literals = keyed(case, seed, || generator.literals(buffer, DType::F32, 64));
        literals.iter().map(|literal| literal.bits).collect()
    }

    #[test]
    fn elements_depend_on_the_whole_key_and_on_nothing_else() {
        let range = Generator::Range(-2.0, 2.0);
        let first = bits(range, "case", "x", 0);
        assert_eq!(first, bits(range, "case", "x", 0));
        for other in [bits(range, "case2", "x", 0), bits(range, "case", "y", 0), bits(range, "case", "x", 1)]
        {
            assert_ne!(first, other);
        }
        let longer = keyed("case", 0, || range.literals("x", DType::F32, 100));
        assert_eq!(first, longer[..64].iter().map(|literal| literal.bits).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_elements_are_the_same_on_every_host() {
        assert_eq!(key("a", "b", 0), 12_096_508_037_226_352_970);
    }

    #[test]
    fn values_lie_where_they_should() {
        for literal in Generator::Range(-2.0, 3.0).literals("x", DType::F64, 1000) {
            assert!((-2.0..3.0).contains(&literal.as_f64().expect("f64")));
        }
        let ints = Generator::Ints(-3, 3).literals("x", DType::I8, 1000);
        let mut seen: Vec<_> = ints.iter().filter_map(|literal| literal.as_int()).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, (-3..=3).collect::<Vec<_>>());
        let clamped = Generator::Ints(-5, -1).literals("x", DType::U8, 4);
        assert!(clamped.iter().all(|literal| literal.bits == 0));
        let normals = Generator::Normal.literals("x", DType::F64, 10_000);
        let mean: f64 = normals.iter().filter_map(|literal| literal.as_f64()).sum::<f64>() / 1e4;
        let variance: f64 =
            normals.iter().filter_map(|literal| literal.as_f64()).map(|x| x * x).sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }

    #[test]
    fn hard_inputs_hold_what_they_promise() {
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
            let values: Vec<f64> = Generator::Hard
                .literals("x", dtype, 256)
                .iter()
                .filter_map(|literal| literal.as_f64())
                .collect();
            assert!(values.iter().any(|x| x.is_nan()) && values.contains(&f64::INFINITY));
            assert!(values.iter().any(|x| *x == 0.0 && x.is_sign_negative()));
            let finite = Generator::HardFinite.literals("x", dtype, 4096);
            assert!(finite.iter().all(|literal| literal.as_f64().is_some_and(f64::is_finite)));
        }
        let ints = Generator::Hard.literals("x", DType::I32, 64);
        assert!(ints.iter().any(|literal| literal.as_int() == Some(i128::from(i32::MIN))));
        assert!(Generator::Hard.literals("x", DType::Bool, 64).iter().any(|literal| literal.bits == 1));
    }

    #[test]
    fn a_panic_puts_the_key_back() {
        let caught = std::panic::catch_unwind(|| keyed("inner", 7, || panic!("on purpose")));
        assert!(caught.is_err());
        KEY.with_borrow(|key| assert_eq!(*key, (String::new(), 0)));
    }
}
