//! What a PTX target can do beyond the common ground of sm_80, one row a feature.
//!
//! A row says which targets have it and since which PTX version; both are from the project's PTX facts sheet, where
//! each form was assembled. Forms that every target from sm_80 up has since PTX 7.0 are listed only where kernels
//! or other modules ask for them by name.
//!
//! Deliberately not here: instruction spellings and their own minimum versions (the rows of `ptx::isa`).

use super::ptx::Target;
use super::version::PtxVersion;

/// Who has a feature.
#[derive(Clone, Copy, Debug)]
enum Owners {
    /// Every target.
    All,
    /// Every target from this chip number up, whatever its suffix.
    From(u32),
    /// These and no others, from the most portable to the least.
    Only(&'static [Target]),
}

const FAMILY_12: &[Target] = &[Target::SM_120F, Target::SM_120A, Target::SM_121F, Target::SM_121A];
const ARCH_10_FAMILY_12: &[Target] =
    &[Target::SM_100A, Target::SM_120F, Target::SM_120A, Target::SM_121F, Target::SM_121A];
const ARCH_9_10_FAMILY_12: &[Target] =
    &[Target::SM_90A, Target::SM_100A, Target::SM_120F, Target::SM_120A, Target::SM_121F, Target::SM_121A];

impl Owners {
    fn floor(self) -> Option<u32> {
        match self {
            Self::All => Some(Target::SM_80.chip().number()),
            Self::From(number) => Some(number),
            Self::Only(_) => None,
        }
    }
}

/// A row of the table of features.
pub(super) struct Row {
    pub(super) feature: Feature,
    pub(super) name: &'static str,
    pub(super) since: PtxVersion,
    owners: Owners,
}

impl Row {
    fn is_owned_by(&self, target: Target) -> bool {
        match self.owners {
            Owners::All => true,
            Owners::From(number) => target.chip().number() >= number,
            Owners::Only(targets) => targets.contains(&target),
        }
    }

    /// The owners in words: `sm_90 or later`, `sm_120f, sm_120a, sm_121f or sm_121a`.
    fn owners_text(&self) -> String {
        match self.owners {
            Owners::All => format!("{} or later", Target::SM_80),
            Owners::From(number) => format!("sm_{number} or later"),
            Owners::Only(targets) => {
                let names: Vec<String> = targets.iter().map(ToString::to_string).collect();
                match names.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                    _ => names.concat(),
                }
            }
        }
    }
}

/// Defines the flags and the rows from one list, so that neither can lack what the other has.
macro_rules! features {
    ($($(#[doc = $doc:literal])* $flag:ident = $bit:literal, $name:literal, ptx($major:literal, $minor:literal), $owners:expr;)*) => {
        bitflags::bitflags! {
            /// What a PTX target may or may not be able to do; also a set of needs.
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct Feature: u64 {
                $($(#[doc = $doc])* const $flag = 1 << $bit;)*
            }
        }

        const ROWS: &[Row] = &[$(Row {
            feature: Feature::$flag,
            name: $name,
            since: PtxVersion::new($major, $minor),
            owners: $owners,
        },)*];
    };
}

features! {
    /// `cp.async` from global to shared memory.
    CP_ASYNC = 0, "cp.async", ptx(7, 0), Owners::All;
    /// `ldmatrix` of 16-bit elements.
    LDMATRIX = 1, "ldmatrix", ptx(7, 0), Owners::All;
    /// `fma`, `neg`, `abs`, `min`, `max` of bf16.
    BF16_FMA = 2, "bf16 fma", ptx(7, 0), Owners::All;
    /// `mma.sync` of f16, bf16, tf32 and integers.
    MMA = 3, "mma.sync", ptx(7, 0), Owners::All;
    /// `atom.add.f32` and `atom.add.f64`.
    F32_ATOMICS = 4, "f32 atomic add", ptx(7, 0), Owners::All;
    /// `redux.sync` of 32-bit integers.
    REDUX_INT = 5, "integer warp reduction by redux", ptx(7, 0), Owners::All;
    /// `mbarrier.init`, `arrive` and `test_wait`.
    MBARRIER = 6, "mbarrier", ptx(7, 0), Owners::All;
    /// `movmatrix`.
    MOVMATRIX = 7, "movmatrix", ptx(7, 8), Owners::All;
    /// `min`, `max` with `.xorsign.abs`.
    XORSIGN = 8, "min and max with .xorsign.abs", ptx(7, 2), Owners::From(86);
    /// Conversions between f32 or f16x2 and e4m3x2 or e5m2x2.
    FP8_CVT = 9, "fp8 conversion", ptx(8, 1), Owners::From(89);
    /// `mma.sync` m16n8k32 of fp8 with f32 accumulators.
    FP8_MMA = 10, "fp8 mma", ptx(8, 4), Owners::From(89);
    /// `mma.sync` of fp8 with f16 accumulators, or m16n8k16.
    FP8_MMA_SMALL = 11, "fp8 mma with f16 accumulators or k16", ptx(8, 7), Owners::From(89);
    /// `add`, `sub`, `mul` of bf16.
    BF16_ARITH = 12, "bf16 add, sub and mul", ptx(7, 8), Owners::From(90);
    /// `setp` of bf16.
    BF16_COMPARE = 13, "bf16 comparison", ptx(7, 8), Owners::From(90);
    /// bf16 to and from everything but f32.
    BF16_CVT = 14, "bf16 conversion other than with f32", ptx(7, 8), Owners::From(90);
    /// `ex2` and `tanh` of bf16.
    BF16_APPROX = 15, "bf16 ex2 and tanh", ptx(7, 8), Owners::From(90);
    /// f32 to tf32 with `.rn` or `.rz`; `.rna` is everywhere.
    TF32_RN = 16, "tf32 conversion with rn or rz", ptx(7, 8), Owners::From(90);
    /// `stmatrix` of 16-bit elements.
    STMATRIX = 17, "stmatrix", ptx(7, 8), Owners::From(90);
    /// `mbarrier.try_wait`, and `arrive` with a count.
    MBARRIER_TRY_WAIT = 18, "mbarrier.try_wait", ptx(7, 8), Owners::From(90);
    /// `mbarrier.expect_tx`, bulk copies and tensor-map copies.
    TMA = 19, "bulk and tensor copies", ptx(8, 0), Owners::From(90);
    /// `.shared::cta` as the destination of a bulk copy.
    TMA_SHARED_CTA = 20, "bulk copies to .shared::cta", ptx(8, 6), Owners::From(90);
    /// Clusters of CTAs.
    CLUSTERS = 21, "clusters", ptx(7, 8), Owners::From(90);
    /// `elect.sync`.
    ELECT = 22, "elect.sync", ptx(8, 0), Owners::From(90);
    /// `griddepcontrol`.
    GRID_DEPENDENCY = 23, "griddepcontrol", ptx(7, 8), Owners::From(90);
    /// `add`, `min`, `max` of s16x2 and u16x2.
    PACKED_INT16 = 24, "packed 16-bit integer arithmetic", ptx(8, 0), Owners::From(90);
    /// `atom.add.noftz` of bf16.
    BF16_ATOMICS = 25, "bf16 atomic add", ptx(7, 8), Owners::From(90);
    /// `atom.add` of vectors in global memory.
    VECTOR_ATOMICS = 26, "vector atomic add", ptx(8, 1), Owners::From(90);
    /// `atom.cas` and `atom.exch` of 128 bits.
    ATOMICS_128 = 27, "128-bit compare and swap", ptx(8, 3), Owners::From(90);
    /// `mma.sync` m16n8k4, k8 and k16 of f64.
    F64_MMA_WIDE = 28, "f64 mma wider than m8n8k4", ptx(7, 8), Owners::From(90);
    /// `add`, `mul`, `fma` of f32x2.
    F32X2 = 29, "packed f32x2 arithmetic", ptx(8, 6), Owners::From(100);
    /// `add.f32.f16` and its like.
    MIXED_F32 = 30, "f32 arithmetic with a 16-bit source", ptx(8, 6), Owners::From(100);
    /// `min` and `max` of three operands.
    MIN_MAX3 = 31, "min and max of three operands", ptx(8, 8), Owners::From(100);
    /// Loads and stores of 256 bits in global memory.
    VECTOR_256 = 32, "256-bit vector access", ptx(8, 8), Owners::From(100);
    /// Conversions of e2m3, e3m2, e2m1 and ue8m0.
    NARROW_CVT = 33, "fp6, fp4 and ue8m0 conversion", ptx(8, 6), Owners::Only(ARCH_10_FAMILY_12);
    /// `ldmatrix` and `stmatrix` of 8-bit elements.
    LDMATRIX_B8 = 34, "ldmatrix and stmatrix of 8-bit elements", ptx(8, 6), Owners::Only(ARCH_10_FAMILY_12);
    /// `mma.sync` `kind::f8f6f4` of two fp8 operands.
    F8F6F4_MMA_FP8 = 35, "kind::f8f6f4 mma of fp8", ptx(8, 6), Owners::Only(ARCH_10_FAMILY_12);
    /// `mma.sync` `kind::f8f6f4` with an fp6 or fp4 operand.
    F8F6F4_MMA = 36, "kind::f8f6f4 mma of fp6 or fp4", ptx(8, 7), Owners::Only(FAMILY_12);
    /// `mma.sync` with block scales: mxf8f6f4, mxf4, mxf4nvf4.
    BLOCK_SCALED_MMA = 37, "block-scaled mma", ptx(8, 7), Owners::Only(FAMILY_12);
    /// Sparse `mma.sync` `kind::mxf4nvf4`: the one form that the family target lacks. The version is that of the
    /// dense form, since the sheet names no other.
    SPARSE_NVFP4_MMA = 38, "sparse mxf4nvf4 mma", ptx(8, 7), Owners::Only(&[Target::SM_120A, Target::SM_121A]);
    /// `setmaxnreg`.
    SETMAXNREG = 39, "setmaxnreg", ptx(8, 0), Owners::Only(ARCH_9_10_FAMILY_12);
    /// `tensormap.replace`.
    TENSORMAP_REPLACE = 40, "tensormap.replace", ptx(8, 3), Owners::Only(ARCH_9_10_FAMILY_12);
    /// `wgmma`.
    WGMMA = 41, "wgmma", ptx(8, 0), Owners::Only(&[Target::SM_90A]);
    /// `tcgen05`.
    TCGEN05 = 42, "tcgen05", ptx(8, 6), Owners::Only(&[Target::SM_100A]);
    /// `redux.sync` of f32, min and max only.
    REDUX_F32 = 43, "f32 warp reduction by redux", ptx(8, 6), Owners::Only(&[Target::SM_100A]);
    /// Conversions with stochastic rounding.
    STOCHASTIC_CVT = 44, "stochastic rounding", ptx(8, 7), Owners::Only(&[Target::SM_100A]);
}

impl Feature {
    pub(super) fn rows(self) -> impl Iterator<Item = &'static Row> {
        ROWS.iter().filter(move |row| self.contains(row.feature))
    }

    /// The names of the features in this set, as a user reads them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.rows().map(|row| row.name)
    }

    /// The lowest chip number from which every target has the feature; `None` where only those named have it. For a set
    /// of one.
    pub(crate) fn floor(self) -> Option<u32> {
        self.rows().map(|row| row.owners.floor()).next()?
    }

    /// The lowest `.version` that has all of the set.
    pub(crate) fn since(self) -> Option<PtxVersion> {
        self.rows().map(|row| row.since).max()
    }

    /// Who has the features of this set, in words; for a set of one.
    pub(crate) fn owners_text(self) -> String {
        self.rows().map(Row::owners_text).collect::<Vec<_>>().join("; ")
    }
}

pub(super) fn features_of(target: Target) -> Feature {
    ROWS.iter().filter(|row| row.is_owned_by(target)).map(|row| row.feature).collect()
}
