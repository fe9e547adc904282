//! The forms of Hopper's warpgroup multiply that the model has.
//!
//! Only what is needed to compute with them: golden files hold their results, which tell the widths of accumulators
//! apart. Deliberately not here: descriptors and fragments; no kernel uses `wgmma`.

use std::fmt;
use std::str::FromStr;

use super::form::{Accumulator, Element};

/// One dense floating form of `wgmma.mma_async`, C added: D = A · B + C with 64 rows.
///
/// ```
/// use warpsmith::numerics::tensor::Wgmma;
///
/// let form: Wgmma = "wgmma.m64n8k32.f32.e4m3.e5m2".parse().unwrap();
/// assert_eq!((form.columns, form.depth()), (8, 32));
/// assert_eq!(form.to_string(), "wgmma.m64n8k32.f32.e4m3.e5m2");
/// assert!("wgmma.m64n12k32.f32.e4m3.e5m2".parse::<Wgmma>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Wgmma {
    /// Columns of B and C: a multiple of 8 up to 256.
    pub columns: u16,
    /// Elements of A.
    pub a: Element,
    /// Elements of B.
    pub b: Element,
    /// Elements of C and D.
    pub acc: Accumulator,
}

/// A text that names no form of `wgmma`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` is no form of `wgmma`: a name is like `wgmma.m64n8k16.f32.bf16.bf16`, shape, then the types of D, A, B"
)]
pub struct NotAWgmma(pub String);

impl Wgmma {
    /// Rows of A and C.
    pub const ROWS: usize = 64;

    /// Columns of A and rows of B: 32 bytes of them.
    pub const fn depth(&self) -> usize {
        match self.a {
            Element::TF32 => 8,
            Element::F16 | Element::BF16 => 16,
            Element::E4M3 | Element::E5M2 => 32,
            // Not forms of floats that `wgmma` has; no name gives one.
            Element::F64
            | Element::E3M2
            | Element::E2M3
            | Element::E2M1
            | Element::S8
            | Element::U8
            | Element::S4
            | Element::U4 => 0,
        }
    }

    fn pairs() -> impl Iterator<Item = (Element, Element, Accumulator)> {
        use Accumulator::{F16, F32};
        use Element as El;
        let same = [(El::F16, F32), (El::F16, F16), (El::BF16, F32), (El::TF32, F32)];
        let fp8 = [El::E4M3, El::E5M2];
        let mixed = fp8.into_iter().flat_map(move |a| fp8.into_iter().map(move |b| (a, b)));
        let mixed = mixed.flat_map(|(a, b)| [F32, F16].map(|acc| (a, b, acc)));
        same.into_iter().map(|(element, acc)| (element, element, acc)).chain(mixed)
    }
}

impl fmt::Display for Wgmma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (columns, depth) = (self.columns, self.depth());
        write!(f, "wgmma.m64n{columns}k{depth}.{}.{}.{}", self.acc, self.a, self.b)
    }
}

impl FromStr for Wgmma {
    type Err = NotAWgmma;

    fn from_str(text: &str) -> Result<Self, NotAWgmma> {
        let wrong = || NotAWgmma(text.to_owned());
        let rest = text.strip_prefix("wgmma.m64n").ok_or_else(wrong)?;
        let digits = rest.split('k').next().unwrap_or_default();
        let columns = digits.parse().ok().filter(|columns| (1..=32).any(|eights| eights * 8 == *columns));
        let columns = columns.ok_or_else(wrong)?;
        // Written back, so that nothing but the one spelling of a name is taken.
        Self::pairs()
            .map(|(a, b, acc)| Self { columns, a, b, acc })
            .find(|form| form.to_string() == text)
            .ok_or_else(wrong)
    }
}
