//! The fused step: products and an addend summed at once on a common grid, and rounded once.
//!
//! On entry: numbers as `operand` decodes them. On exit: the bits of f32 or f16. Everything is integer work: a term is
//! `significand · 2^(exponent − places)`, the grid's unit is `2^(T − F)`, T the largest exponent of a term. Which
//! products make a step, and F, are the table's (`rows`). What was settled by measurement about the step itself is in
//! [`Corners`], each a field, so that the tests can break one at a time and see results differ.

use super::form::Accumulator;
use super::operand::{INFINITE, Line, NAN, Number, ZERO};
use super::rows::Steps;
use crate::numerics::{Format, Rounding, shift_right};

/// What implementations of such a step could do otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners {
    /// T never falls below this.
    pub(super) floor: i32,
    /// Whether a zero operand raises T by the other factor's exponent.
    pub(super) zero_has_exponent: bool,
    /// Whether a product of 2 and more counts with one more in T.
    pub(super) normalises_products: bool,
    /// Whether a subnormal operand enters with its true exponent.
    pub(super) normalises_operands: bool,
    /// Whether terms are cut toward −∞ instead of toward zero.
    pub(super) floors_terms: bool,
    /// Whether C is added to the finished sum of the products.
    pub(super) adds_c_last: bool,
    /// Whether the steps of converted fp8 begin with C instead.
    pub(super) converted_starts_from_c: bool,
    /// How an f32 result is rounded.
    pub(super) rounding: Rounding,
    /// Whether subnormal operands count as zero.
    pub(super) flushes_operands: bool,
    /// Whether subnormal results become zero.
    pub(super) flushes_results: bool,
    /// Whether a sum of zeros that are all −0 is −0.
    pub(super) keeps_negative_zero: bool,
    /// Whether all 32 bits of a tf32 operand count.
    pub(super) reads_low_bits: bool,
    /// Whether infinity times zero is NaN.
    pub(super) zero_times_infinity_is_nan: bool,
    /// Whether +∞ and −∞ in one step give NaN.
    pub(super) unlike_infinities_are_nan: bool,
    /// Whether every NaN comes out as the canonical one; else as the quiet one without payload.
    pub(super) nan_is_canonical: bool,
    /// Whether a product beyond f32's range is infinite by itself.
    pub(super) checks_products: bool,
    /// Whether a saturating integer sum is clamped after each product.
    pub(super) clamps_each: bool,
    /// Which NaN of b, the running sum and a wins in an f64 step.
    pub(super) f64_nan: [Source; 3],
}

/// Where the NaN of an f64 step comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    A,
    B,
    Sum,
}

impl Corners {
    /// As an H200 was measured to do.
    pub(super) const MEASURED: Self = Self {
        floor: -133,
        zero_has_exponent: false,
        normalises_products: false,
        normalises_operands: false,
        floors_terms: false,
        adds_c_last: false,
        converted_starts_from_c: false,
        rounding: Rounding::TowardZero,
        flushes_operands: false,
        flushes_results: false,
        keeps_negative_zero: false,
        reads_low_bits: false,
        zero_times_infinity_is_nan: true,
        unlike_infinities_are_nan: true,
        nan_is_canonical: true,
        checks_products: false,
        clamps_each: false,
        f64_nan: [Source::B, Source::Sum, Source::A],
    };
}

/// Where the corners come from: a constant, which the compiler folds, or in tests a value.
pub(super) trait Rules: Copy {
    fn corners(&self) -> Corners;
}

/// The corners as measured.
#[derive(Clone, Copy)]
pub(super) struct Measured;

impl Rules for Measured {
    #[inline(always)]
    fn corners(&self) -> Corners {
        Corners::MEASURED
    }
}

/// Places that a significand is brought to before it is cut: at least those of any product (46, of whole f32) and F. Above
/// it are at most 11 bits (the sums of scaled groups), so everything fits in 63.
const PLACES: i32 = 46;

/// The common grid of a step.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    top: i32,
    fraction: i32,
}

impl Grid {
    /// A grid whose largest term has the exponent `top`.
    #[inline(always)]
    pub(super) fn new(top: i32, fraction: i32) -> Self {
        Self { top, fraction }
    }

    /// A term in units of the grid. Its exponent is at most `top`, so the shift is to the right.
    #[inline(always)]
    pub(super) fn cut<R: Rules>(self, rules: R, significand: i64, exponent: i32, places: i32) -> i64 {
        let shift = (self.top - exponent + PLACES - self.fraction).min(63) as u32;
        let aligned = significand << (PLACES - places);
        if rules.corners().floors_terms {
            return aligned >> shift;
        }
        // Toward zero: the magnitude is shifted, and the sign put back.
        let sign = aligned >> 63;
        let magnitude = (aligned ^ sign) - sign;
        ((magnitude >> shift) ^ sign) - sign
    }

    /// The exponent of a unit.
    #[inline(always)]
    pub(super) fn unit(self) -> i32 {
        self.top - self.fraction
    }
}

/// The factors of a step's products: two lines, and what is added to each product's exponent.
#[derive(Clone, Copy)]
pub(super) struct Products<'a> {
    pub(super) a: Line<'a>,
    pub(super) b: Line<'a>,
    /// Of the scales; 0 without.
    pub(super) scale: i32,
    /// Fraction bits of a product's significand.
    pub(super) places: i32,
}

impl Products<'_> {
    #[inline(always)]
    fn product(&self, at: usize) -> (i64, i32) {
        let significand = self.a.significands[at] as i64 * self.b.significands[at] as i64;
        (significand, self.a.exponents[at] + self.b.exponents[at] + self.scale)
    }

    /// The largest exponent of a product.
    #[inline(always)]
    fn top<R: Rules>(&self, rules: R) -> i32 {
        let mut top = ZERO;
        for at in 0..self.a.exponents.len() {
            let (significand, exponent) = self.product(at);
            let is_large = significand.unsigned_abs() >> (self.places + 1) != 0;
            let more = rules.corners().normalises_products && is_large;
            top = top.max(exponent + more as i32);
        }
        top
    }

    #[inline(always)]
    fn sum<R: Rules>(&self, rules: R, grid: Grid) -> i64 {
        let mut sum = 0;
        for at in 0..self.a.exponents.len() {
            let (significand, exponent) = self.product(at);
            sum += grid.cut(rules, significand, exponent, self.places);
        }
        sum
    }
}

/// What a step's result is rounded to.
#[derive(Clone, Copy)]
pub(super) struct Output {
    format: Format,
    /// Low bits of the fraction that are cleared.
    dropped: u32,
    is_f32: bool,
}

impl Output {
    #[inline(always)]
    pub(super) fn of(acc: Accumulator, keep: u32) -> Self {
        match acc {
            Accumulator::F16 => Self { format: Format::F16, dropped: 0, is_f32: false },
            // Steps of integers and f64 there are none.
            Accumulator::F32 | Accumulator::S32 | Accumulator::F64 => {
                Self { format: Format::F32, dropped: 23 - keep, is_f32: true }
            }
        }
    }

    /// The number of some bits of C.
    #[inline(always)]
    pub(super) fn decode(self, bits: u64) -> Number {
        Number::decode(bits, self.format, &Corners::MEASURED)
    }

    /// Fraction bits of a significand of C.
    #[inline(always)]
    pub(super) fn places(self) -> i32 {
        self.format.mantissa_bits as i32
    }

    pub(super) fn nan<R: Rules>(self, rules: R) -> u64 {
        let nan = self.format.magnitude_mask();
        if rules.corners().nan_is_canonical { nan } else { nan & !(self.format.mantissa_mask() >> 1) }
    }

    pub(super) fn infinity(self, is_negative: bool) -> u64 {
        let sign = if is_negative { self.format.sign_mask() } else { 0 };
        sign | (self.format.max_finite() + 1)
    }

    /// `sum · 2^exponent`, rounded: f32 toward zero, f16 to nearest even; a zero is +0.
    #[inline(always)]
    pub(super) fn round<R: Rules>(self, rules: R, sum: i64, exponent: i32) -> u64 {
        let corners = rules.corners();
        if sum == 0 {
            return 0;
        }
        let (format, magnitude) = (self.format, sum.unsigned_abs());
        let rounding = if self.is_f32 { corners.rounding } else { Rounding::NearestEven };
        let top = 63 - magnitude.leading_zeros() as i32;
        // The exponent of the result's last place, never below that of the subnormals.
        let place = (top + exponent - format.mantissa_bits as i32).max(format.least_exponent());
        let cut = place - exponent;
        let kept =
            if cut <= 0 { magnitude << -cut } else { shift_right(magnitude, cut as u32, rounding) };
        let field = (place - format.least_exponent()) as u64;
        // The hidden bit of a normal number, and a carry out of the fraction, both count up the exponent field.
        let bits = (field << format.mantissa_bits) + kept;
        if bits > format.max_finite() {
            return self.infinity(sum < 0);
        }
        let bits = bits & (u64::MAX << self.dropped);
        let is_flushed = corners.flushes_results && bits < format.implicit_bit();
        let is_zero = bits == 0 || is_flushed;
        match (is_zero, sum < 0) {
            (true, true) if corners.keeps_negative_zero => format.sign_mask(),
            (true, _) => 0,
            (false, true) => bits | format.sign_mask(),
            (false, false) => bits,
        }
    }
}

/// One step. `is_special` says that a line may hold an infinity or a NaN.
#[inline(always)]
pub(super) fn step<R: Rules>(
    rules: R,
    steps: Steps,
    output: Output,
    products: Products<'_>,
    is_special: bool,
    c_bits: u64,
) -> u64 {
    let corners = rules.corners();
    let c = output.decode(c_bits);
    if (is_special || c.exponent >= INFINITE || corners.checks_products)
        && let Some(special) = special(rules, output, products, c)
    {
        return special;
    }
    let top = products.top(rules).max(corners.floor);
    let grid = Grid::new(top.max(c.exponent), steps.fraction);
    let sum = products.sum(rules, grid) + grid.cut(Measured, c.significand as i64, c.exponent, output.places());
    if sum == 0 && corners.keeps_negative_zero && is_all_negative(products, output, c_bits) {
        return output.format.sign_mask();
    }
    output.round(rules, sum, grid.unit())
}

/// Whether each product and C have a minus sign.
#[cold]
fn is_all_negative(products: Products<'_>, output: Output, c_bits: u64) -> bool {
    let is_negative = |at: usize| products.a.is_negative(at) != products.b.is_negative(at);
    c_bits & output.format.sign_mask() != 0 && (0..products.a.exponents.len()).all(is_negative)
}

/// The result where a term is infinite or no number.
#[cold]
fn special<R: Rules>(rules: R, output: Output, products: Products<'_>, c: Number) -> Option<u64> {
    let corners = rules.corners();
    let (mut positive, mut negative) = (false, false);
    let mut infinite = |is_negative: bool| {
        if is_negative { negative = true } else { positive = true }
    };
    match c.exponent {
        NAN => return Some(output.nan(rules)),
        INFINITE => infinite(c.significand < 0),
        _ => {}
    }
    for at in 0..products.a.exponents.len() {
        let factors = [products.a.number(at), products.b.number(at)];
        if factors.iter().any(|factor| factor.exponent == NAN) {
            return Some(output.nan(rules));
        }
        let (significand, exponent) = products.product(at);
        if factors.iter().any(|factor| factor.exponent == INFINITE) {
            if significand != 0 {
                infinite(significand < 0);
            } else if corners.zero_times_infinity_is_nan {
                return Some(output.nan(rules));
            }
        } else if corners.checks_products && significand != 0 {
            let top = 63 - significand.unsigned_abs().leading_zeros() as i32;
            if exponent + top - products.places >= 128 {
                infinite(significand < 0);
            }
        }
    }
    match (positive, negative) {
        (true, true) if corners.unlike_infinities_are_nan => Some(output.nan(rules)),
        (true, _) => Some(output.infinity(false)),
        (false, true) => Some(output.infinity(true)),
        (false, false) => None,
    }
}
