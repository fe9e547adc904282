//! The shape class of a case: a case counts as new if its (kernel, dtype, shape class) is.

use std::fmt;

use super::check::Case;

/// What is special about a case's sizes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ShapeClass {
    /// No threads, or no elements.
    Empty,
    /// A view that skips or permutes elements.
    Strided,
    /// One element.
    Scalar,
    /// 32 rows or more.
    ManyRow,
    /// Rows of 4,096 or more.
    Wide,
    /// Rows of whole warps.
    Aligned,
    /// An odd length of less than a CTA.
    Odd,
    /// Rows that end within a warp.
    Tail,
}

impl ShapeClass {
    /// The word that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Strided => "strided",
            Self::Scalar => "scalar",
            Self::ManyRow => "many-row",
            Self::Wide => "wide",
            Self::Aligned => "aligned",
            Self::Odd => "odd",
            Self::Tail => "tail",
        }
    }

    /// The class of a case, by its largest buffer: the last axis is a row.
    pub(super) fn of(case: &Case) -> Self {
        let buffers = || case.buffers.iter().map(|bound| &bound.buffer);
        let empty_output =
            buffers().zip(&case.buffers).any(|(buffer, bound)| bound.written && buffer.is_empty());
        if case.launch.cta_count() == 0 || empty_output {
            return Self::Empty;
        }
        if buffers().any(super::TestBuffer::is_strided) {
            return Self::Strided;
        }
        let Some(largest) = buffers().max_by_key(|buffer| buffer.len()) else { return Self::Scalar };
        let row = largest.shape().last().copied().unwrap_or(1);
        let rows = largest.len().checked_div(row).unwrap_or(0);
        match largest.len() {
            1 => Self::Scalar,
            _ if rows >= 32 => Self::ManyRow,
            _ if row >= 4096 => Self::Wide,
            _ if row % 32 == 0 => Self::Aligned,
            _ if row % 2 == 1 && row < case.launch.cta_threads() => Self::Odd,
            _ => Self::Tail,
        }
    }
}

impl fmt::Display for ShapeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
