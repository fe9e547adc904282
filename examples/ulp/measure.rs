//! The error of a result, and the sweep over all inputs.

use astro_float::BigFloat;
use rayon::prelude::*;

use crate::functions::Unary;
use crate::precise::{self, Precise};

/// What a sweep found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The greatest error, in ulps.
    pub max_ulp: f64,
    /// The input it was found at.
    pub worst: String,
    /// The share of results that are correctly rounded.
    pub correct: f64,
}

/// The error of one result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Error {
    pub ulps: f64,
    pub is_correct: bool,
}

const WRONG: Error = Error { ulps: f64::INFINITY, is_correct: false };
const RIGHT: Error = Error { ulps: 0.0, is_correct: true };

/// 2 to `exponent`, within f64's normal range.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The exponent of the last place of an f32 of this magnitude.
fn place(value: f64) -> i32 {
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    exponent.max(-126) - 23
}

/// One step beyond the greatest f32.
const BEYOND: f64 = (1u128 << 127) as f64 * 2.0;

/// Compares a result with the reference in f64, asking `precise` where the rounding can't be told from it.
pub(crate) fn error(got: f32, reference: f64, precise: impl FnOnce(&mut Precise) -> BigFloat) -> Error {
    if reference.is_nan() || got.is_nan() {
        return if reference.is_nan() && got.is_nan() { RIGHT } else { WRONG };
    }
    if reference.is_infinite() || reference == 0.0 {
        let same = got.to_bits() == (reference as f32).to_bits();
        return if same {
            RIGHT
        } else if reference.is_infinite() {
            finite_for_infinite(got, reference)
        } else {
            zero(got, reference)
        };
    }
    let place = place(reference);
    let scale = power_of_two(-place);
    let scaled = reference.abs() * scale;
    let below = scaled.floor();
    let from_tie = scaled - below - 0.5;
    // More than any reference is off by: gelu's, the worst, by 2⁻⁴⁶·⁸.
    let is_hard = from_tie.abs() < scaled * 2f64.powi(-46);
    let is_above = if is_hard {
        precise::with(|context| {
            let value = precise(context);
            let tie = context.f64((below + 0.5) / scale);
            context.magnitude_exceeds(&value, &tie)
        })
    } else {
        Some(from_tie > 0.0)
    };
    let rounded = match is_above {
        Some(true) => below + 1.0,
        Some(false) => below,
        // Exactly a tie.
        None => below + below % 2.0,
    };
    let right = ((rounded / scale) as f32).copysign(reference as f32);
    if got.to_bits() == right.to_bits() {
        // An overflow that was right has no distance.
        let ulps = if right.is_infinite() { 0.0 } else { (f64::from(got).abs() * scale - scaled).abs() };
        return Error { ulps, is_correct: true };
    }
    if got.is_sign_negative() != (reference < 0.0) && got != 0.0 {
        return Error { ulps: f64::from(got).abs() * scale + scaled, is_correct: false };
    }
    if got == 0.0 && got.is_sign_negative() != (reference < 0.0) {
        return WRONG;
    }
    let magnitude = if got.is_infinite() { BEYOND } else { f64::from(got).abs() };
    let most = scaled.min(BEYOND * scale);
    Error { ulps: (magnitude * scale - most).abs(), is_correct: false }
}

fn finite_for_infinite(got: f32, reference: f64) -> Error {
    if got.is_sign_negative() != (reference < 0.0) || got.is_infinite() {
        return WRONG;
    }
    Error { ulps: (BEYOND - f64::from(got).abs()) / power_of_two(104), is_correct: false }
}

fn zero(got: f32, reference: f64) -> Error {
    if got == 0.0 && got.is_sign_negative() != reference.is_sign_negative() {
        return WRONG;
    }
    Error { ulps: f64::from(got).abs() / power_of_two(-149), is_correct: false }
}

/// The greatest error so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Worst<I> {
    pub ulps: f64,
    pub input: I,
    pub correct: u64,
    pub count: u64,
}

impl<I: Copy> Worst<I> {
    pub(crate) fn note(&mut self, error: Error, input: I) {
        self.count += 1;
        self.correct += u64::from(error.is_correct);
        if error.ulps > self.ulps {
            self.ulps = error.ulps;
            self.input = input;
        }
    }

    pub(crate) fn merge(self, other: Self) -> Self {
        let (ulps, input) =
            if other.ulps > self.ulps { (other.ulps, other.input) } else { (self.ulps, self.input) };
        Self { ulps, input, correct: self.correct + other.correct, count: self.count + other.count }
    }
}

/// Inputs of one step of the sweep.
const BLOCK: usize = 1 << 12;

/// Runs a function over all 2³² inputs, or over a part that has every sign, exponent and leading mantissa bit.
pub(crate) fn sweep(function: &Unary, stratified: bool) -> Found {
    let blocks = if stratified { 1 << 11 } else { 1 << 20 };
    let worst = (0..blocks)
        .into_par_iter()
        .map(|block| one_block(function, block, stratified))
        .reduce(Worst::default, Worst::merge);
    // The last places of the distance, from the precise value.
    let input = f32::from_bits(worst.input);
    let max_ulp = exact_distance(function, input).unwrap_or(worst.ulps);
    Found {
        max_ulp: if worst.ulps.is_finite() { max_ulp } else { worst.ulps },
        worst: format!("{:08X} = {input:e}", worst.input),
        correct: worst.correct as f64 / worst.count as f64,
    }
}

fn one_block(function: &Unary, block: u32, stratified: bool) -> Worst<u32> {
    let mut inputs = [0f32; BLOCK];
    let mut results = [0f32; BLOCK];
    for (index, input) in inputs.iter_mut().enumerate() {
        let index = (block << 12) | index as u32;
        let bits = if stratified {
            // The upper 16 bits in full; of the lower ones the ends and numbers spread by a hash.
            let low = match index & 0x7f {
                0 => 0,
                1 => 0xffff,
                2 => 1,
                _ => index.wrapping_mul(0x9e37_79b1) >> 16,
            };
            ((index >> 7) << 16) | (low & 0xffff)
        } else {
            index
        };
        *input = f32::from_bits(bits);
    }
    (function.block)(&inputs, &mut results);
    let mut worst = Worst::default();
    for (&input, &got) in inputs.iter().zip(&results) {
        let precise = |context: &mut Precise| (function.precise)(context, input);
        worst.note(error(got, (function.reference)(f64::from(input)), precise), input.to_bits());
    }
    worst
}

fn exact_distance(function: &Unary, input: f32) -> Option<f64> {
    let mut result = [0f32];
    (function.block)(&[input], &mut result);
    let reference = (function.reference)(f64::from(input));
    if !result[0].is_finite() || !reference.is_finite() || reference == 0.0 {
        return None;
    }
    precise::with(|context| {
        let value = (function.precise)(context, input);
        Some(context.distance(&value, result[0], place(reference)))
    })
}
