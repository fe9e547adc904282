//! A second implementation, written from the published model apart from the first, on adversarial tiles.
//!
//! It decodes with the format-driven codec and rounds with it, cuts by division of wide integers, and has the numbers of
//! the architectures once more, so that a slip in the table shows too. Slow and plain on purpose.

use proptest::prelude::*;

use super::super::{Accumulator, Element, Form, Kind, Operands, Scale, TensorModel};
use crate::numerics::{Exact, Format, Overflow, Rounding, Storage, decode, encode};

/// The fused step's term: `± magnitude · 2^(exponent − places)`.
#[derive(Clone, Copy)]
enum Term {
    Nan,
    Infinite(bool),
    Finite { negative: bool, magnitude: u128, exponent: i32, places: i32 },
}

fn format(element: Element) -> Format {
    match element {
        Element::F16 => Format::F16,
        Element::BF16 => Format::BF16,
        Element::TF32 => Storage::TF32.format(),
        Element::E4M3 => Storage::E4M3.format(),
        Element::E5M2 => Storage::E5M2.format(),
        Element::E3M2 => Storage::E3M2.format(),
        Element::E2M3 => Storage::E2M3.format(),
        Element::E2M1 => Storage::E2M1.format(),
        other => panic!("{other} has no steps"),
    }
}

/// A number and the fraction bits of its significand.
fn term(bits: u64, format: Format) -> Term {
    let places = format.mantissa_bits as i32;
    match decode(bits, format) {
        Exact::Nan => Term::Nan,
        Exact::Infinite { negative } => Term::Infinite(negative),
        Exact::Finite { negative, significand, exponent } => {
            Term::Finite { negative, magnitude: significand, exponent: exponent + places, places }
        }
    }
}

fn product(a: Term, b: Term) -> Term {
    match (a, b) {
        (Term::Nan, _) | (_, Term::Nan) => Term::Nan,
        (Term::Infinite(x), Term::Infinite(y)) => Term::Infinite(x != y),
        (Term::Infinite(_), Term::Finite { magnitude: 0, .. })
        | (Term::Finite { magnitude: 0, .. }, Term::Infinite(_)) => Term::Nan,
        (Term::Infinite(x), Term::Finite { negative, .. })
        | (Term::Finite { negative, .. }, Term::Infinite(x)) => Term::Infinite(x != negative),
        (
            Term::Finite { negative: s, magnitude: g, exponent: e, places: p },
            Term::Finite { negative: t, magnitude: h, exponent: f, places: q },
        ) => Term::Finite { negative: s != t, magnitude: g * h, exponent: e + f, places: p + q },
    }
}

fn step(terms: &[Term], fraction: i32, keep: u32, acc: Accumulator) -> u64 {
    let target = if acc == Accumulator::F16 { Format::F16 } else { Format::F32 };
    let nan = target.canonical_nan().unwrap();
    let infinite =
        |negative| encode(Exact::Infinite { negative }, target, Rounding::TowardZero, Overflow::Special);
    if terms.iter().any(|term| matches!(term, Term::Nan)) {
        return nan;
    }
    let has =
        |sign: bool| terms.iter().any(|term| matches!(term, Term::Infinite(negative) if *negative == sign));
    match (has(false), has(true)) {
        (true, true) => return nan,
        (true, false) => return infinite(false),
        (false, true) => return infinite(true),
        (false, false) => {}
    }
    let exponents = terms.iter().filter_map(|term| match term {
        Term::Finite { magnitude, exponent, .. } if *magnitude != 0 => Some(*exponent),
        _ => None,
    });
    let top = exponents.fold(-133, i32::max);
    let mut sum = 0_i128;
    for term in terms {
        let Term::Finite { negative, magnitude, exponent, places } = *term else { unreachable!() };
        if magnitude == 0 {
            continue;
        }
        let scaled = magnitude << fraction;
        let by = top - exponent + places;
        let cut = if by > 126 { 0 } else { (scaled / (1 << by)) as i128 };
        sum += if negative { -cut } else { cut };
    }
    let rounding = if acc == Accumulator::F16 { Rounding::NearestEven } else { Rounding::TowardZero };
    let value =
        Exact::Finite { negative: sum < 0, significand: sum.unsigned_abs(), exponent: top - fraction };
    let bits = encode(value, target, rounding, Overflow::Special);
    // Toward zero the codec stops at the largest number; the unit does not.
    let whole = 127 - sum.unsigned_abs().leading_zeros().min(127) as i32 + top - fraction;
    if acc == Accumulator::F32 && sum != 0 && whole >= 128 {
        return infinite(sum < 0);
    }
    let bits = if acc == Accumulator::F32 { bits >> (23 - keep) << (23 - keep) } else { bits };
    if bits & target.magnitude_mask() == 0 { 0 } else { bits }
}

/// The number of products a step takes, F and keep, as the published table has them.
fn numbers(sm: u32, form: &Form) -> (usize, i32, u32) {
    let k = form.shape.k as usize;
    match (sm, form.a) {
        (80 | 89, Element::F16 | Element::BF16) => (8, 24, 23),
        (80 | 89, Element::TF32) => (4, 24, 23),
        (89, _) => (16, 13, 13),
        (90 | 120, _) => (k, 25, 23),
        _ => panic!("sm_{sm} has no {form}"),
    }
}

/// One element of D.
fn element(sm: u32, form: &Form, a: &[u64], b: &[u64], c: u64, scales: [&[u8]; 2]) -> u64 {
    let acc = form.acc;
    let addend = |c: u64| term(c, if acc == Accumulator::F16 { Format::F16 } else { Format::F32 });
    let read = |element: Element, bits: u64| {
        let bits = if element == Element::TF32 { bits >> 13 } else { bits };
        term(bits, format(element))
    };
    let products: Vec<Term> =
        a.iter().zip(b).map(|(&a, &b)| product(read(form.a, a), read(form.b, b))).collect();
    match form.kind {
        Kind::MxF8F6F4 => {
            let scale = product(scale(Scale::UE8M0, scales[0][0]), scale(Scale::UE8M0, scales[1][0]));
            let mut terms: Vec<Term> = products.iter().map(|&term| product(term, scale)).collect();
            terms.extend([scale_nan(scale), addend(c)]);
            step(&terms, 25, 23, acc)
        }
        Kind::MxF4 | Kind::MxF4NvF4X2 | Kind::MxF4NvF4X4 => {
            let mut terms = vec![addend(c)];
            for (group, products) in products.chunks(16).enumerate() {
                let at = group * scales[0].len() / 4;
                let kind = form.kind.scale().unwrap();
                let both = product(scale(kind, scales[0][at]), scale(kind, scales[1][at]));
                // Quarters, of which each product is a whole number.
                let quarters = products.iter().map(|term| match *term {
                    Term::Finite { negative, magnitude, exponent, places } => {
                        let quarters = (magnitude << (exponent + 2)) as i32 >> places;
                        if negative { -quarters } else { quarters }
                    }
                    _ => panic!("e2m1 has no special values"),
                });
                let sum: i32 = quarters.sum();
                let magnitude = sum.unsigned_abs() as u128;
                let sum = Term::Finite { negative: sum < 0, magnitude, exponent: 0, places: 2 };
                terms.push(product(sum, both));
            }
            step(&terms, 35, 23, acc)
        }
        Kind::Plain if sm == 90 && matches!(form.a, Element::E4M3 | Element::E5M2) => {
            let half = |element: Element, bits: u64| {
                let value = decode(bits, format(element));
                term(encode(value, Format::F16, Rounding::NearestEven, Overflow::Special), Format::F16)
            };
            let halves: Vec<Term> =
                a.iter().zip(b).map(|(&a, &b)| product(half(form.a, a), half(form.b, b))).collect();
            let part = |first: bool| halves.iter().enumerate().filter(move |(k, _)| (k % 4 < 2) == first);
            let mut terms: Vec<Term> = part(true).map(|(_, term)| *term).collect();
            let sum = step(&terms, 25, 23, acc);
            terms = part(false).map(|(_, term)| *term).chain([addend(sum)]).collect();
            added(acc, step(&terms, 25, 23, acc), c)
        }
        Kind::QuadPairs { .. } => panic!("its arithmetic is no step; see `rules`"),
        Kind::Plain | Kind::F8F6F4 => {
            let (group, fraction, keep) = numbers(sm, form);
            products.chunks(group).fold(c, |c, group| {
                let terms: Vec<Term> = group.iter().copied().chain([addend(c)]).collect();
                step(&terms, fraction, keep, acc)
            })
        }
    }
}

/// An IEEE addition by the codec: both as whole numbers of the least unit.
fn added(acc: Accumulator, x: u64, y: u64) -> u64 {
    let format = if acc == Accumulator::F16 { Format::F16 } else { Format::F32 };
    match acc {
        // Of two f16 every sum is a whole number of 2^-24 far below 2^127.
        Accumulator::F16 => match (decode(x, format), decode(y, format)) {
            (
                Exact::Finite { negative: s, significand: g, exponent: e },
                Exact::Finite { negative: t, significand: h, exponent: f },
            ) => {
                let [x, y] = [(s, g, e), (t, h, f)].map(|(negative, significand, exponent)| {
                    let units = (significand << (exponent + 24)) as i128;
                    if negative { -units } else { units }
                });
                let (negative, significand) = (x + y < 0, (x + y).unsigned_abs());
                let value = Exact::Finite { negative, significand, exponent: -24 };
                encode(value, format, Rounding::NearestEven, Overflow::Special)
            }
            (Exact::Infinite { negative: s }, Exact::Infinite { negative: t }) if s != t => 0x7FFF,
            (Exact::Nan, _) | (_, Exact::Nan) => 0x7FFF,
            (Exact::Infinite { .. }, _) => x,
            (_, Exact::Infinite { .. }) => y,
        },
        // The host's addition is IEEE's.
        _ => {
            let sum = f32::from_bits(x as u32) + f32::from_bits(y as u32);
            if sum.is_nan() { 0x7FFF_FFFF } else { sum.to_bits() as u64 }
        }
    }
}

fn scale(kind: Scale, code: u8) -> Term {
    match kind {
        Scale::UE4M3 => term(code as u64 & 0x7F, Storage::UE4M3.format()),
        Scale::UE8M0 if code == 0xFF => Term::Nan,
        Scale::UE8M0 => {
            Term::Finite { negative: false, magnitude: 1, exponent: code as i32 - 127, places: 0 }
        }
    }
}

/// A scale that is no number spoils a result without products too.
fn scale_nan(scale: Term) -> Term {
    match scale {
        Term::Nan => Term::Nan,
        _ => Term::Finite { negative: false, magnitude: 0, exponent: 0, places: 0 },
    }
}

/// Numbers of a seed.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Bits of a format: any, near one exponent, subnormal, zero, or special, as `style` has it.
    fn bits(&mut self, format: Format, style: u64) -> u64 {
        let any = self.next() & (format.sign_mask() | format.magnitude_mask());
        let mantissa = any & (format.sign_mask() | format.mantissa_mask());
        let fields = 1_u64 << format.exponent_bits;
        match (style, self.below(16)) {
            (0, _) => any,
            // A few exponents around the middle: long carries and cancellation.
            (1, _) => mantissa | (fields / 2 - 1 + self.below(3).min(fields / 2 - 1)) << format.mantissa_bits,
            // Exponents within the grid's reach, mantissas mostly empty.
            (2, _) => {
                let field = (fields / 2).saturating_sub(self.below(16)).max(1);
                (any & format.sign_mask()) | field << format.mantissa_bits | (mantissa & 1)
            }
            (3, 0..8) => mantissa,
            (3, 8) => any & format.sign_mask(),
            (3, 9) => format.max_finite() | any & format.sign_mask(),
            (3, 10..) => any,
            (4, 0..6) => any & format.sign_mask(),
            (4, 6) => format.max_finite() | any & format.sign_mask(),
            (4, 7..) => mantissa | 1 << format.mantissa_bits,
            (5, 0) => (format.magnitude_mask() & !format.mantissa_mask()) | (any & format.sign_mask()),
            (5, 1) => format.magnitude_mask(),
            (_, _) => mantissa | (fields / 2 - 1) << format.mantissa_bits,
        }
    }
}

fn floats(form: &Form) -> bool {
    matches!(form.acc, Accumulator::F16 | Accumulator::F32) && form.kind.products() == 1
}

/// Compares a tile of a form on a row.
fn compare(sm: u32, form: &Form, seed: u64) {
    let mut draw = Draw(seed);
    let [m, n, k] = [form.shape.m, form.shape.n, form.shape.k].map(usize::from);
    let styles = [draw.below(7), draw.below(7), draw.below(7)];
    let mut matrix = |count: usize, format: Format, style: u64, shift: u32| -> Vec<u64> {
        // Junk stands below a tf32.
        (0..count).map(|_| draw.bits(format, style) << shift | draw.below(1 << shift)).collect()
    };
    let shift = |element| if element == Element::TF32 { 13 } else { 0 };
    let a = matrix(m * k, format(form.a), styles[0], shift(form.a));
    let b = matrix(k * n, format(form.b), styles[1], shift(form.b));
    let c = matrix(m * n, if form.acc == Accumulator::F16 { Format::F16 } else { Format::F32 }, styles[2], 0);
    let scales = form.kind.scales();
    let is_wide = draw.below(4) == 0;
    let mut codes = |count: usize| -> Vec<u8> {
        let code = |draw: &mut Draw| match (is_wide, form.kind.scale()) {
            (false, Some(Scale::UE8M0)) => 120 + draw.below(12),
            (true, _) | (false, _) => draw.below(256),
        };
        (0..count).map(|_| code(&mut draw) as u8).collect()
    };
    let (scale_a, scale_b) = (codes(m * scales), codes(n * scales));
    let operands = Operands { a: &a, b: &b, c: &c, scale_a: &scale_a, scale_b: &scale_b };
    let d = TensorModel::of(sm).unwrap().multiply(form, &operands);
    for row in 0..m {
        for column in 0..n {
            let column_of_b: Vec<u64> = (0..k).map(|depth| b[depth * n + column]).collect();
            let codes = [&scale_a[row * scales..][..scales], &scale_b[column * scales..][..scales]];
            let at = row * n + column;
            let wanted = element(sm, form, &a[row * k..][..k], &column_of_b, c[at], codes);
            assert_eq!(d[at], wanted, "{form} of sm_{sm}, row {row}, column {column}, seed {seed}");
        }
    }
}

proptest! {
    #[test]
    fn both_implementations_agree(seed: u64, choice: prop::sample::Index) {
        let pairs: Vec<(u32, Form)> = [80, 89, 90, 120]
            .into_iter()
            .flat_map(|sm| Form::all().filter(floats).map(move |form| (sm, form)))
            .filter(|(sm, form)| TensorModel::of(*sm).unwrap().has(form))
            .collect();
        let (sm, form) = choice.get(&pairs);
        compare(*sm, form, seed);
    }

    #[test]
    fn both_implementations_agree_on_the_common_forms(seed: u64, choice: prop::sample::Index) {
        let names = [
            "m16n8k16.f32.f16.f16.f32",
            "m16n8k16.f32.bf16.bf16.f32",
            "m16n8k16.f16.f16.f16.f16",
            "m16n8k8.f32.tf32.tf32.f32",
            "m16n8k32.f32.e4m3.e4m3.f32",
            "m16n8k32.f16.e5m2.e4m3.f16",
        ];
        let form = choice.get(&names).parse().unwrap();
        compare(90, &form, seed);
    }

    #[test]
    fn integers_are_exact(seed: u64, choice: prop::sample::Index) {
        let forms: Vec<Form> = Form::all().filter(|form| form.acc == Accumulator::S32).collect();
        let form = choice.get(&forms);
        let mut draw = Draw(seed);
        let [m, n, k] = [form.shape.m, form.shape.n, form.shape.k].map(usize::from);
        // Bits above an element are junk.
        let mut matrix = |count: usize| -> Vec<u64> { (0..count).map(|_| draw.next()).collect() };
        let (a, b) = (matrix(m * k), matrix(k * n));
        let c: Vec<u64> = matrix(m * n).iter().map(|bits| (*bits as i32 | 0x7FFF_0000) as u32 as u64).collect();
        let d = TensorModel::of(90).unwrap().multiply(form, &Operands::plain(&a, &b, &c));
        let value = |element: Element, bits: u64| match element {
            Element::S8 => (bits & 0x7F) as i128 - (bits & 0x80) as i128,
            Element::U8 => (bits & 0xFF) as i128,
            Element::S4 => (bits & 0x7) as i128 - (bits & 0x8) as i128,
            Element::U4 => (bits & 0xF) as i128,
            other => panic!("{other} is no integer"),
        };
        for (at, &d) in d.iter().enumerate() {
            let (row, column) = (at / n, at % n);
            let products = (0..k).map(|depth| {
                value(form.a, a[row * k + depth]) * value(form.b, b[depth * n + column])
            });
            let total = products.sum::<i128>() + c[at] as i32 as i128;
            let range = i32::MIN as i128..=i32::MAX as i128;
            let wanted = if form.saturates { total.clamp(*range.start(), *range.end()) } else { total };
            prop_assert_eq!(d, wanted.rem_euclid(1 << 32) as u64, "{} {}", form, at);
        }
    }
}
