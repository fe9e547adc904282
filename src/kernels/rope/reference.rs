//! What the kernels should compute: frequencies and angles with the kernel's roundings to f32, because a rounding of an
//! angle of 10⁵ moves its sine by 10⁻²; the rest in f64.

use super::super::rounding::real;
use crate::ir::DType;

pub(super) fn single(x: f64) -> f64 {
    real(x, DType::F32)
}

/// base^(−2 · pair / dim).
pub(super) fn frequency(pair: usize, dim: usize, log2_base: f32) -> f64 {
    let share = single((2 * pair) as f64 / dim as f64);
    single((-single(share * f64::from(log2_base))).exp2())
}

/// What Llama 3 makes of a frequency.
#[derive(Clone, Copy)]
pub(super) struct Llama3 {
    pub(super) factor: f32,
    pub(super) low: f32,
    pub(super) high: f32,
    pub(super) context: f32,
}

impl Llama3 {
    pub(super) fn scaled(self, plain: f64) -> f64 {
        let [factor, low, high, context] = [self.factor, self.low, self.high, self.context].map(f64::from);
        let turns = context * plain / std::f64::consts::TAU;
        if turns < low {
            return single(plain / factor);
        }
        if turns > high {
            return plain;
        }
        let blend = (turns - low) / (high - low);
        (1.0 - blend) * plain / factor + blend * plain
    }
}

/// What YaRN makes of a frequency.
#[derive(Clone, Copy)]
pub(super) struct Yarn {
    pub(super) factor: f32,
    pub(super) start: f32,
    pub(super) end: f32,
}

impl Yarn {
    /// The pairs that turn `fast` and `slow` times within the context (Peng et al. 2023, "YaRN", eq. 17 and 22 solved for
    /// the pair), as the ends of the ramp.
    pub(super) fn new(factor: f32, dim: usize, base: f64, context: f64, fast: f64, slow: f64) -> Self {
        let pair =
            |turns: f64| dim as f64 * (context / (turns * std::f64::consts::TAU)).ln() / (2.0 * base.ln());
        let (start, end) = (pair(fast).floor().max(0.0), pair(slow).ceil().min(dim as f64 - 1.0));
        Self { factor, start: start as f32, end: end as f32 }
    }

    /// What the turned pair is stretched by: 0.1 · ln(factor) + 1.
    pub(super) fn stretch(self) -> f32 {
        (0.1 * f64::from(self.factor).ln() + 1.0) as f32
    }

    pub(super) fn scaled(self, pair: usize, plain: f64) -> f64 {
        let [factor, start, end] = [self.factor, self.start, self.end].map(f64::from);
        let ramp = single((pair as f64 - start) / (end - start)).clamp(0.0, 1.0);
        single(single(single(plain / factor) * ramp) + single(plain * single(1.0 - ramp)))
    }
}

/// Two elements of a head, and the angle that turns them.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub(super) at: [usize; 2],
    pub(super) angle: f64,
}

impl Turn {
    /// At a position, by a frequency.
    pub(super) fn new(at: [usize; 2], position: f64, frequency: f64) -> Self {
        Self { at, angle: single(position * single(frequency)) }
    }

    /// The other way.
    pub(super) fn back(self) -> Self {
        Self { angle: -self.angle, ..self }
    }
}

/// Every head of every token with its pairs turned and stretched; what is in no pair stays. `turns` says which a token's are.
pub(super) fn turned(
    x: &[f64],
    [heads, dim]: [usize; 2],
    stretch: f64,
    turns: impl Fn(usize) -> Vec<Turn>,
) -> Vec<f64> {
    let mut out = x.to_vec();
    for (number, head) in out.chunks_mut(dim).enumerate() {
        for Turn { at: [first, second], angle } in turns(number / heads) {
            let (a, b) = (head[first], head[second]);
            let (along, across) = (angle.cos() * stretch, angle.sin() * stretch);
            head[first] = a * along - b * across;
            head[second] = b * along + a * across;
        }
    }
    out
}
