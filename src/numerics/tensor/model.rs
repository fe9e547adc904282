//! What the matrix units compute, bit by bit: D of one instruction, for each architecture row.
//!
//! On entry: a form that the row has, and matrices as raw bits. On exit: the bits that such a device gives, NaN
//! included, as far as [`Evidence`] goes: measured on a device, published by others, or inferred from a neighbour.
//! NVIDIA documents none of this; `docs/tensor-cores.md` has the arithmetic in words and its sources. Deliberately not
//! here: which lane holds what (`layout`), and which numbers belong to which row (`rows`).

use std::fmt;

use super::compute::{Problem, compute};
use super::form::Form;
use super::rows::{self, Way};
use super::step::Measured;
use super::wgmma::Wgmma;

/// An architecture whose units compute alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Row {
    /// sm_80, and sm_86 and sm_87.
    Sm80,
    /// sm_89.
    Sm89,
    /// sm_90; `mma.sync` of sm_100.
    Sm90,
    /// sm_120 and sm_121.
    Sm120,
}

impl Row {
    /// Every row.
    pub const ALL: [Self; 4] = [Self::Sm80, Self::Sm89, Self::Sm90, Self::Sm120];

    /// The target that it is named after.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sm80 => "sm_80",
            Self::Sm89 => "sm_89",
            Self::Sm90 => "sm_90",
            Self::Sm120 => "sm_120",
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How it is known what a row computes. From the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// Every bit of many results was compared with a device.
    Measured,
    /// Published by others who tested that device.
    Literature,
    /// Concluded from a neighbour, or from what the assembler makes of the form.
    Inferred,
}

impl Evidence {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Literature => "literature",
            Self::Inferred => "inferred",
        }
    }

    /// The weaker of two.
    pub(super) fn weaker(self, other: Self) -> Self {
        self.max(other)
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The matrix units of a device.
///
/// ```
/// use warpsmith::numerics::tensor::{Evidence, Form, Operands, TensorModel};
///
/// let form: Form = "m16n8k16.f32.f16.f16.f32".parse().unwrap();
/// let (one, tiny) = (0x3C00, 0x0001); // 1 and 2⁻²⁴ as f16
/// let (a, mut b) = ([one; 16 * 16], [0; 16 * 8]);
/// b[..8].fill(tiny);
/// let operands = Operands::plain(&a, &b, &[0x3F80_0000; 16 * 8]);
///
/// let hopper = TensorModel::of(90).unwrap();
/// assert_eq!(hopper.evidence(&form), Evidence::Measured);
/// // 1 + 2⁻²⁴ is cut to 1, not rounded to even.
/// assert_eq!(hopper.multiply(&form, &operands)[0], 0x3F80_0000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorModel {
    sm: u32,
    row: Row,
    /// The best that can be known of this chip: a row that it borrows says nothing sure about it.
    at_best: Evidence,
}

/// The matrices of one instruction, row-major: each element's bits stand in the low bits of a word, as many as its type
/// has (four for e2m1 and s4, 32 for tf32) and whatever its container. Bits above are ignored.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// M × K, those of several products one below the other.
    pub a: &'a [u64],
    /// K × N, side by side.
    pub b: &'a [u64],
    /// M × N, one below the other.
    pub c: &'a [u64],
    /// M × [`Kind::scales`](super::Kind::scales), the scale of the lowest k first in each row.
    pub scale_a: &'a [u8],
    /// N × [`Kind::scales`](super::Kind::scales), the scale of the lowest k first for each column.
    pub scale_b: &'a [u8],
}

impl<'a> Operands<'a> {
    /// Operands of a form without scales.
    pub const fn plain(a: &'a [u64], b: &'a [u64], c: &'a [u64]) -> Self {
        Self { a, b, c, scale_a: &[], scale_b: &[] }
    }
}

impl Default for TensorModel {
    /// That of sm_90, the one that was measured.
    fn default() -> Self {
        Self { sm: 90, row: Row::Sm90, at_best: Evidence::Measured }
    }
}

impl TensorModel {
    /// The model of the chip `sm_NN`: 80, 86, 87, 89, 90, 100, 120 or 121.
    pub const fn of(sm: u32) -> Option<Self> {
        let (row, at_best) = match sm {
            80 => (Row::Sm80, Evidence::Measured),
            // A published study found an RTX 3060 equal to an A100.
            86 => (Row::Sm80, Evidence::Literature),
            87 => (Row::Sm80, Evidence::Inferred),
            89 => (Row::Sm89, Evidence::Measured),
            90 => (Row::Sm90, Evidence::Measured),
            100 => (Row::Sm90, Evidence::Inferred),
            120 => (Row::Sm120, Evidence::Measured),
            // Both assemble to the same instructions.
            121 => (Row::Sm120, Evidence::Inferred),
            _ => return None,
        };
        Some(Self { sm, row, at_best })
    }

    /// The row that it computes with.
    pub const fn row(&self) -> Row {
        self.row
    }

    /// Whether the row has a form.
    pub fn has(&self, form: &Form) -> bool {
        form.exists() && self.way(form).is_some()
    }

    /// How it is known what this chip makes of a form; the weakest for one that it has not.
    pub fn evidence(&self, form: &Form) -> Evidence {
        self.way(form).map_or(Evidence::Inferred, |(_, evidence)| evidence)
    }

    /// D of one instruction, as many elements as C.
    ///
    /// # Panics
    /// Where the model [has not](Self::has) the form, or a matrix has another size.
    pub fn multiply(&self, form: &Form, operands: &Operands<'_>) -> Vec<u64> {
        let (way, _) = self.way(form).expect("the caller asked `has` for the form");
        compute(&Problem::of(form), way, Measured, operands)
    }

    /// Whether the chip has `wgmma` of a form.
    pub fn has_wgmma(&self, form: &Wgmma) -> bool {
        self.wgmma_way(form).is_some()
    }

    /// How it is known what this chip makes of a `wgmma` form; the weakest for one that it has not.
    pub fn wgmma_evidence(&self, form: &Wgmma) -> Evidence {
        self.wgmma_way(form).map_or(Evidence::Inferred, |(_, evidence)| evidence)
    }

    /// D of one `wgmma`, C added: 64 × N elements.
    ///
    /// # Panics
    /// Where the model [has not](Self::has_wgmma) the form, or a matrix has another size.
    pub fn wgmma(&self, form: &Wgmma, operands: &Operands<'_>) -> Vec<u64> {
        let (way, _) = self.wgmma_way(form).expect("the caller asked `has_wgmma` for the form");
        compute(&Problem::of_wgmma(form), way, Measured, operands)
    }

    fn way(&self, form: &Form) -> Option<(Way, Evidence)> {
        let (way, evidence) = rows::find(self.row, form)?;
        Some((way, evidence.weaker(self.at_best)))
    }

    fn wgmma_way(&self, form: &Wgmma) -> Option<(Way, Evidence)> {
        if self.sm == 90 { rows::find_wgmma(form) } else { None }
    }
}

impl fmt::Display for TensorModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.sm)?;
        let borrowed = self.row.name().strip_prefix("sm_") != Some(self.sm.to_string().as_str());
        if borrowed { write!(f, " (row {})", self.row) } else { Ok(()) }
    }
}
