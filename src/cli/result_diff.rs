//! Two results side by side, as text and as JSON.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::error::CliError;
use super::output::Output;
use crate::diag::{Help as _, count};
use crate::ir::DType;
use crate::runfile::npy::{Array, ElementKind, ElementType};
use crate::runfile::results::{Comparison, NotComparable, compare};
use crate::runfile::{RunError, writers_path};

/// One pair of files.
#[derive(Serialize)]
pub(super) struct FileLine {
    a: String,
    b: String,
    /// Why they are not compared element by element: their shapes or types differ.
    reason: Option<String>,
    dtype: Option<&'static str>,
    shape: Vec<u64>,
    elements: u64,
    different: u64,
    nan_against_number: u64,
    infinity_against_other: u64,
    zero_signs: u64,
    /// Finite numbers by distance in units in the last place.
    histogram: Vec<Bin>,
    largest_ulps: u64,
    first: Vec<DifferenceLine>,
}

#[derive(Serialize)]
struct Bin {
    from: u64,
    to: u64,
    elements: u64,
}

#[derive(Serialize)]
struct DifferenceLine {
    index: Vec<u64>,
    bits: [String; 2],
    values: [String; 2],
    ulps: Option<u64>,
    /// Who wrote the element in A and in B, where files say so.
    writers: [Option<WriterLine>; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
struct WriterLine {
    cta: [i32; 3],
    warp: i32,
    lane: i32,
}

impl FileLine {
    pub(super) fn is_equal(&self) -> bool {
        self.reason.is_none() && self.different == 0
    }

    fn incomparable(a: &Path, b: &Path, reason: &NotComparable) -> Self {
        Self {
            a: a.display().to_string(),
            b: b.display().to_string(),
            reason: Some(reason.to_string()),
            dtype: None,
            shape: Vec::new(),
            elements: 0,
            different: 0,
            nan_against_number: 0,
            infinity_against_other: 0,
            zero_signs: 0,
            histogram: Vec::new(),
            largest_ulps: 0,
            first: Vec::new(),
        }
    }
}

/// Compares two files.
pub(super) fn compare_files(
    a: &Path,
    b: &Path,
    dtype: Option<DType>,
    most: usize,
) -> Result<FileLine, CliError> {
    let arrays = [read(a)?, read(b)?];
    let made = match compare(&arrays[0], &arrays[1], dtype, most) {
        Ok(made) => made,
        Err(error @ NotComparable::Size { .. }) => {
            return Err(CliError::usage(error.to_string(), error.help().unwrap_or_default()));
        }
        Err(reason) => return Ok(FileLine::incomparable(a, b, &reason)),
    };
    let writers = [Writers::beside(a, made.elements), Writers::beside(b, made.elements)];
    Ok(line(a, b, made, &writers))
}

fn read(path: &Path) -> Result<Array, RunError> {
    let bytes = fs::read(path).map_err(|error| RunError::Read { path: path.to_owned(), error })?;
    Array::parse(&bytes).map_err(|error| RunError::Array { path: path.to_owned(), error })
}

fn line(a: &Path, b: &Path, made: Comparison, writers: &[Option<Writers>; 2]) -> FileLine {
    let width = made.dtype.size() as usize * 2;
    let bins = made.histogram.iter().enumerate().filter(|(_, elements)| **elements != 0);
    let bin = |(power, &elements): (usize, &u64)| {
        let from = 1_u64 << power;
        Bin { from, to: from + (from - 1), elements }
    };
    let first = made.first.iter().map(|difference| DifferenceLine {
        index: difference.index.clone(),
        bits: difference.bits.map(|bits| format!("{bits:#0digits$x}", digits = width + 2)),
        values: difference.values.clone(),
        ulps: difference.distance,
        writers: [0, 1].map(|side: usize| writers[side].as_ref()?.of(difference.element)),
    });
    FileLine {
        a: a.display().to_string(),
        b: b.display().to_string(),
        reason: None,
        dtype: Some(made.dtype.name()),
        histogram: bins.map(bin).collect(),
        first: first.collect(),
        shape: made.shape.clone(),
        elements: made.elements,
        different: made.different,
        nan_against_number: made.nan_against_number,
        infinity_against_other: made.infinity_against_other,
        zero_signs: made.zero_signs,
        largest_ulps: made.largest,
    }
}

/// What `warpsmith run --who` wrote beside a result.
struct Writers(Array);

impl Writers {
    /// Columns: CTA x, y, z, warp, lane.
    const COLUMNS: u64 = 5;

    /// The file beside a result, if it is there and fits it.
    fn beside(path: &Path, elements: u64) -> Option<Self> {
        let array = Array::parse(&fs::read(writers_path(path)).ok()?).ok()?;
        let fits =
            array.ty == ElementType::new(ElementKind::Signed, 4) && array.shape == [elements, Self::COLUMNS];
        fits.then_some(Self(array))
    }

    fn of(&self, element: u64) -> Option<WriterLine> {
        let number = |column: u64| (self.0.bits(element * Self::COLUMNS + column) as u32).cast_signed();
        let row = [number(0), number(1), number(2), number(3), number(4)];
        let [x, y, z, warp, lane] = row;
        row.iter().all(|&number| number >= 0).then_some(WriterLine { cta: [x, y, z], warp, lane })
    }
}

/// Shows one pair.
pub(super) fn show(file: &FileLine, output: &mut Output) -> Result<(), CliError> {
    let names = format!("{} and {}", file.a, file.b);
    if let Some(reason) = &file.reason {
        return output.line(format!("{names} can't be compared: {reason}"));
    }
    let dtype = file.dtype.unwrap_or_default();
    if file.is_equal() {
        return output.line(format!("{names} are equal ({} of {dtype})", count(file.elements, "element")));
    }
    output.line(format!(
        "{names} differ in {} of {} of {dtype}",
        file.different,
        count(file.elements, "element")
    ))?;
    output.line(format!("{:>12}  difference", "elements"))?;
    for (count, what) in [
        (file.nan_against_number, "NaN against a number"),
        (file.infinity_against_other, "an infinity against something else"),
        (file.zero_signs, "+0 against -0"),
    ] {
        if count != 0 {
            output.line(format!("{count:>12}  {what}"))?;
        }
    }
    let is_exact = dtype == "bool" || (dtype.starts_with(['i', 'u']) && !dtype.starts_with("ue"));
    let unit = if is_exact { "apart" } else { "ulp" };
    for Bin { from, to, elements } in &file.histogram {
        match from == to {
            true => output.line(format!("{elements:>12}  {from} {unit}"))?,
            false => output.line(format!("{elements:>12}  {from} to {to} {unit}"))?,
        }
    }
    if file.largest_ulps != 0 {
        output.line(format!("  at most {} {unit}", file.largest_ulps))?;
    }
    output.line("  first:")?;
    for difference in &file.first {
        output.line(format!("    {}", difference_text(difference, unit)))?;
    }
    Ok(())
}

fn difference_text(difference: &DifferenceLine, unit: &str) -> String {
    let DifferenceLine { index, bits: [a, b], values: [of_a, of_b], ulps, writers } = difference;
    let index: Vec<_> = index.iter().map(u64::to_string).collect();
    let mut text = format!("({}) {a} {b}  {of_a} {of_b}", index.join(", "));
    if let Some(ulps) = ulps.filter(|&ulps| ulps != 0) {
        text.push_str(&format!("  {ulps} {unit}"));
    }
    let who = |WriterLine { cta: [x, y, z], warp, lane }: WriterLine| {
        format!("CTA ({x}, {y}, {z}) warp {warp} lane {lane}")
    };
    match *writers {
        [None, None] => {}
        [Some(a), Some(b)] if a == b => text.push_str(&format!("  by {}", who(a))),
        [a, b] => {
            for (side, writer) in [("A", a), ("B", b)] {
                if let Some(writer) = writer {
                    text.push_str(&format!("  in {side} by {}", who(writer)));
                }
            }
        }
    }
    text
}
