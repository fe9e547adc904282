//! Results of two sources compared form by form: a file's, a model's, or a device's.
//!
//! On entry: a file of recorded operands. On exit: for each of its forms how many results agree, or why there are none
//! to compare. A device takes part by being a [`Source`]. Deliberately not here: how results are shown.

use super::form::Kind;
use super::golden::{Golden, Operation, RecordedTile, Section};
use super::model::{Operands, TensorModel};

/// Where results come from.
pub trait Source {
    /// D of each tile of a form, as many elements as C.
    ///
    /// # Errors
    /// Where the source has not the form, or failed.
    fn results(&self, section: &Section<'_>) -> Result<Vec<Vec<u64>>, NotComputed>;
}

/// The results that stand in the file.
#[derive(Clone, Copy, Debug)]
pub struct Recorded;

/// Why a form has no results.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotComputed {
    /// The name stands for nothing here.
    #[error("the form is not known")]
    Unknown,
    /// The chip has not the instruction, or the model no row for it.
    #[error("{0} has no such form")]
    Absent(String),
    /// The file's layout has no place for scales.
    #[error("the form is scaled, and the file has no scales")]
    Scaled,
    /// A device said why.
    #[error("{0}")]
    Failed(String),
}

/// One result that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The tile, from 0.
    pub tile: usize,
    /// The row of D.
    pub row: usize,
    /// The column of D.
    pub column: usize,
    /// The bits of the first source.
    pub expected: u64,
    /// The bits of the second.
    pub given: u64,
}

/// What came of one form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// As the file names it.
    pub name: String,
    /// What the name stands for.
    pub operation: Option<Operation>,
    /// Results with the same bits in both; 0 where there are none.
    pub matched: usize,
    /// Results in the file.
    pub total: usize,
    /// The first that differs.
    pub first: Option<Difference>,
    /// Why nothing was compared.
    pub reason: Option<NotComputed>,
}

impl Checked {
    /// Whether every result was compared and agrees.
    pub fn is_match(&self) -> bool {
        self.reason.is_none() && self.matched == self.total
    }
}

/// Compares two sources over the operands of a file. NaN are compared by their bits.
pub fn check(file: &Golden<'_>, expected: &dyn Source, given: &dyn Source) -> Vec<Checked> {
    file.sections().iter().map(|section| check_section(section, expected, given)).collect()
}

/// Compares two sources over the operands of one form.
pub fn check_section(section: &Section<'_>, expected: &dyn Source, given: &dyn Source) -> Checked {
    let (operation, total) = (section.operation(), section.results());
    let name = section.name().to_owned();
    let mut checked = Checked { name, operation, matched: 0, total, first: None, reason: None };
    let both = given.results(section).and_then(|given| Ok((expected.results(section)?, given)));
    let (expected, given) = match both {
        Ok(both) => both,
        Err(reason) => return Checked { reason: Some(reason), ..checked },
    };
    let columns = section.shape()[1];
    for (tile, (expected, given)) in expected.iter().zip(&given).enumerate() {
        for (at, (&expected, &given)) in expected.iter().zip(given).enumerate() {
            if expected == given {
                checked.matched += 1;
            } else if checked.first.is_none() {
                let (row, column) = (at / columns, at % columns);
                checked.first = Some(Difference { tile, row, column, expected, given });
            }
        }
    }
    checked
}

impl Source for Recorded {
    fn results(&self, section: &Section<'_>) -> Result<Vec<Vec<u64>>, NotComputed> {
        Ok(section.each().map(|tile| tile.d).collect())
    }
}

impl Source for TensorModel {
    fn results(&self, section: &Section<'_>) -> Result<Vec<Vec<u64>>, NotComputed> {
        let absent = || NotComputed::Absent(self.to_string());
        let each = |multiply: &dyn Fn(&Operands<'_>) -> Vec<u64>| {
            let d = |tile: RecordedTile| multiply(&Operands::plain(&tile.a, &tile.b, &tile.c));
            Ok(section.each().map(d).collect())
        };
        match section.operation() {
            None => Err(NotComputed::Unknown),
            Some(Operation::Mma(form)) if !self.has(&form) => Err(absent()),
            Some(Operation::Mma(form)) if is_scaled(form.kind) => Err(NotComputed::Scaled),
            Some(Operation::Mma(form)) => each(&|operands| self.multiply(&form, operands)),
            Some(Operation::Wgmma(form)) if !self.has_wgmma(&form) => Err(absent()),
            Some(Operation::Wgmma(form)) => each(&|operands| self.wgmma(&form, operands)),
        }
    }
}

fn is_scaled(kind: Kind) -> bool {
    kind.scale().is_some()
}
