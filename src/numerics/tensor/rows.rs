//! What differs between architectures: for each row and form, how D is computed, and how that is known.
//!
//! One table, read top down: the first line that fits a form holds. Settling an unmeasured line on a device means
//! changing its numbers or its evidence here and nothing else. Deliberately not here: what a step does (`step`).

use super::form::{Accumulator as Acc, Element as El, Form, Kind, Major};
use super::model::{Evidence, Row};
use super::wgmma::Wgmma;
use crate::numerics::soft::Direction;

use Evidence::{Inferred, Literature, Measured};
use Row::{Sm80, Sm89, Sm90, Sm120};

/// A run of fused steps over ascending k, the result of each being the addend of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// Products that a step takes, or all of K where that is less.
    pub(super) group: usize,
    /// Fraction bits of the grid that terms are cut to, counted from the largest term's exponent.
    pub(super) fraction: i32,
    /// Fraction bits that an f32 result keeps; an f16 result keeps all it has.
    pub(super) keep: u32,
}

/// How an instruction computes D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Fused steps, beginning with C.
    Steps(Steps),
    /// fp8 operands are converted to f16. One step sums the k that `first` has a bit for, from +0; one adds the others;
    /// an IEEE addition adds C.
    Converted { first: u64, fraction: i32 },
    /// The exact sum, wrapped or clamped once.
    Integers,
    /// IEEE fused multiply-adds over ascending k, beginning with C.
    Chain,
    /// f32 arithmetic that the assembler writes in an instruction's place (`quads`).
    QuadPairs,
    /// A step whose products carry their scales in their exponents.
    Scaled(Steps),
    /// Exact sums of `products` products, each a term of one step with the exponent of its scales alone.
    ScaledGroups { products: usize, fraction: i32, zero_has_exponent: bool },
}

/// A line of the table.
#[derive(Clone, Copy)]
struct Line {
    rows: &'static [Row],
    kinds: &'static [Kind],
    /// The depths, or none for any.
    depths: &'static [u8],
    /// The rows of A, or none for any.
    heights: &'static [u8],
    /// What A and B both have to be among.
    elements: &'static [El],
    accumulators: &'static [Acc],
    /// Saturating forms only, or the others only, or both.
    saturates: Option<bool>,
    /// Forms rounded to nearest only.
    is_nearest: bool,
    way: Way,
    evidence: Evidence,
}

impl Line {
    fn fits(&self, row: Row, form: &Form) -> bool {
        let among = |list: &[u8], number: u8| list.is_empty() || list.contains(&number);
        self.rows.contains(&row)
            && self.kinds.contains(&form.kind)
            && self.elements.contains(&form.a)
            && self.elements.contains(&form.b)
            && self.accumulators.contains(&form.acc)
            && among(self.depths, form.shape.k)
            && among(self.heights, form.shape.m)
            && self.saturates.is_none_or(|saturates| saturates == form.saturates)
            && (!self.is_nearest || form.rounding == Direction::Rn)
    }
}

/// A line of plain floats without limits on the shape.
const fn line(
    rows: &'static [Row],
    elements: &'static [El],
    accumulators: &'static [Acc],
    way: Way,
    evidence: Evidence,
) -> Line {
    let kinds = &[Kind::Plain];
    let (depths, heights) = (&[], &[]);
    let (saturates, is_nearest) = (None, false);
    Line { rows, kinds, depths, heights, elements, accumulators, saturates, is_nearest, way, evidence }
}

const fn steps(group: usize, fraction: i32) -> Way {
    Way::Steps(Steps { group, fraction, keep: 23 })
}

/// Products of fp8 whose sum is held in a narrow accumulator.
const fn narrow(group: usize) -> Way {
    Way::Steps(Steps { group, fraction: 13, keep: 13 })
}

/// What CUDA 13's assembler makes of fp8 on sm_90: k mod 4 in {0, 1}, then the others, then C.
const CONVERTED: Way = Way::Converted { first: 0x3333_3333_3333_3333, fraction: 25 };

const GROUPS: Way = Way::ScaledGroups { products: 16, fraction: 35, zero_has_exponent: false };

const HALVES: &[El] = &[El::F16, El::BF16];
const FP8: &[El] = &[El::E4M3, El::E5M2];
/// The narrow floats whose steps on sm_120 are published.
const PUBLISHED: &[El] = &[El::E4M3, El::E5M2, El::E2M1];
const NARROW: &[El] = &[El::E4M3, El::E5M2, El::E3M2, El::E2M3, El::E2M1];
const BYTES: &[El] = &[El::S8, El::U8];
const INTEGERS: &[El] = &[El::S8, El::U8, El::S4, El::U4];
const EVERY: &[Row] = &[Sm80, Sm89, Sm90, Sm120];
const FLOATS: &[Acc] = &[Acc::F16, Acc::F32];

const QUAD_PAIRS: &[Kind] = &[
    Kind::QuadPairs { a: Major::Row, b: Major::Row },
    Kind::QuadPairs { a: Major::Row, b: Major::Column },
    Kind::QuadPairs { a: Major::Column, b: Major::Row },
    Kind::QuadPairs { a: Major::Column, b: Major::Column },
];
const F8F6F4: &[Kind] = &[Kind::F8F6F4];
const MX_F8F6F4: &[Kind] = &[Kind::MxF8F6F4];
const MX_F4: &[Kind] = &[Kind::MxF4, Kind::MxF4NvF4X2, Kind::MxF4NvF4X4];

/// The table of section 2 of the published and measured model (`docs/tensor-cores.md`). Measured is a line only for the
/// forms whose results were compared with a device; the neighbours that share its steps are inferred.
const TABLE: &[Line] = &[
    // The same subroutine stands in the machine code of every target.
    Line { kinds: QUAD_PAIRS, ..line(&[Sm90], &[El::F16], FLOATS, Way::QuadPairs, Measured) },
    Line { kinds: QUAD_PAIRS, ..line(EVERY, &[El::F16], FLOATS, Way::QuadPairs, Inferred) },
    line(&[Sm80, Sm89], HALVES, FLOATS, steps(8, 24), Literature),
    line(&[Sm90], HALVES, FLOATS, steps(16, 25), Measured),
    line(&[Sm120], HALVES, FLOATS, steps(16, 25), Literature),
    line(&[Sm80, Sm89], &[El::TF32], &[Acc::F32], steps(4, 24), Literature),
    line(&[Sm90], &[El::TF32], &[Acc::F32], steps(8, 25), Measured),
    line(&[Sm120], &[El::TF32], &[Acc::F32], steps(8, 25), Literature),
    // fp8, plain. Of an f16 accumulator only the depth of 32 is published.
    Line { depths: &[32], ..line(&[Sm89], FP8, &[Acc::F16], narrow(16), Literature) },
    line(&[Sm89], FP8, &[Acc::F32], narrow(16), Literature),
    line(&[Sm89], FP8, &[Acc::F16], narrow(16), Inferred),
    Line { depths: &[32], ..line(&[Sm90], FP8, &[Acc::F32], CONVERTED, Measured) },
    Line { depths: &[32], ..line(&[Sm90], &[El::E4M3], &[Acc::F16], CONVERTED, Measured) },
    Line { depths: &[32], ..line(&[Sm90], &[El::E5M2], &[Acc::F16], CONVERTED, Measured) },
    Line { depths: &[16], ..line(&[Sm90], &[El::E4M3], &[Acc::F32], CONVERTED, Measured) },
    line(&[Sm90], FP8, FLOATS, CONVERTED, Inferred),
    Line { depths: &[32], ..line(&[Sm120], FP8, FLOATS, steps(32, 25), Literature) },
    line(&[Sm120], FP8, &[Acc::F32], steps(32, 25), Literature),
    line(&[Sm120], FP8, &[Acc::F16], steps(32, 25), Inferred),
    // kind::f8f6f4, which for fp8 assembles to the same instruction as the plain form.
    Line { kinds: F8F6F4, ..line(&[Sm120], FP8, FLOATS, steps(32, 25), Literature) },
    Line { kinds: F8F6F4, ..line(&[Sm120], PUBLISHED, &[Acc::F32], steps(32, 25), Literature) },
    Line { kinds: F8F6F4, ..line(&[Sm120], NARROW, FLOATS, steps(32, 25), Inferred) },
    // Block scales: nothing is measured.
    Line { kinds: MX_F8F6F4, ..line(&[Sm120], PUBLISHED, &[Acc::F32], SCALED, Literature) },
    Line { kinds: MX_F8F6F4, ..line(&[Sm120], NARROW, &[Acc::F32], SCALED, Inferred) },
    Line { kinds: MX_F4, ..line(&[Sm120], &[El::E2M1], &[Acc::F32], GROUPS, Literature) },
    Line {
        depths: &[32],
        heights: &[16],
        saturates: Some(false),
        ..line(&[Sm90], BYTES, &[Acc::S32], Way::Integers, Measured)
    },
    Line {
        depths: &[32],
        heights: &[16],
        saturates: Some(true),
        ..line(&[Sm90], &[El::S8], &[Acc::S32], Way::Integers, Measured)
    },
    Line {
        depths: &[16],
        heights: &[16],
        saturates: Some(false),
        ..line(&[Sm90], &[El::S8], &[Acc::S32], Way::Integers, Measured)
    },
    line(EVERY, INTEGERS, &[Acc::S32], Way::Integers, Inferred),
    Line {
        heights: &[8],
        is_nearest: true,
        ..line(&[Sm80, Sm89], &[El::F64], &[Acc::F64], Way::Chain, Literature)
    },
    Line { heights: &[8], ..line(&[Sm80, Sm89], &[El::F64], &[Acc::F64], Way::Chain, Inferred) },
    line(&[Sm90], &[El::F64], &[Acc::F64], Way::Chain, Measured),
    line(&[Sm120], &[El::F64], &[Acc::F64], Way::Chain, Inferred),
];

const SCALED: Way = Way::Scaled(Steps { group: 32, fraction: 25, keep: 23 });

/// How a row computes a form, and how that is known; nothing where it has not the form.
pub(super) fn find(row: Row, form: &Form) -> Option<(Way, Evidence)> {
    let found = TABLE.iter().find(|line| line.fits(row, form))?;
    Some((found.way, found.evidence))
}

/// Forms of `wgmma`, which sm_90 alone has: elements of A and B, accumulator, steps, evidence for N = 8.
const WGMMA: &[(&[El], Acc, Way, Evidence)] = &[
    (&[El::F16], Acc::F32, steps(16, 25), Measured),
    (&[El::F16], Acc::F16, steps(16, 25), Measured),
    (&[El::BF16], Acc::F32, steps(16, 25), Measured),
    (&[El::TF32], Acc::F32, steps(8, 25), Measured),
    (FP8, Acc::F32, narrow(32), Measured),
    (&[El::E4M3], Acc::F16, narrow(32), Measured),
    (&[El::E5M2], Acc::F16, narrow(32), Measured),
    (FP8, Acc::F16, narrow(32), Inferred),
];

/// How `wgmma` computes a form. What is measured is so for eight columns.
pub(super) fn find_wgmma(form: &Wgmma) -> Option<(Way, Evidence)> {
    let fits = |elements: &[El], acc: Acc| {
        elements.contains(&form.a) && elements.contains(&form.b) && acc == form.acc
    };
    let (_, _, way, evidence) = WGMMA.iter().find(|(elements, acc, _, _)| fits(elements, *acc))?;
    Some((*way, if form.columns == 8 { *evidence } else { evidence.weaker(Inferred) }))
}
