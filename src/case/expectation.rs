//! What must come out.

use super::error::CaseError;
use super::{TestBuffer, Tolerance};
use crate::ir::{DType, Element, Literal, host};

/// What a reference can be given as.
#[derive(Clone, PartialEq, Debug)]
pub enum Wanted {
    /// Numbers, which the output may miss by the tolerance.
    Real(Vec<f64>),
    /// Integers; an integer output must have them exactly.
    Integers(Vec<i128>),
    /// The elements of a buffer: integers exactly, floats within the tolerance.
    Buffer(TestBuffer),
    /// The elements of a buffer bit for bit; a float NaN is still equal to any.
    Bits(TestBuffer),
}

/// What `expect` takes as values.
pub trait IntoExpected {
    /// The reference.
    fn into_expected(self) -> Wanted;
}

impl<T: Element> IntoExpected for &[T] {
    fn into_expected(self) -> Wanted {
        let literals = self.iter().map(|value| Literal::from_bits(T::DTYPE, value.bits()));
        if T::DTYPE.is_real() {
            Wanted::Real(literals.map(host::value_of).collect())
        } else {
            Wanted::Integers(literals.filter_map(Literal::as_int).collect())
        }
    }
}

impl<T: Element> IntoExpected for Vec<T> {
    fn into_expected(self) -> Wanted {
        self[..].into_expected()
    }
}

impl<T: Element> IntoExpected for &Vec<T> {
    fn into_expected(self) -> Wanted {
        self[..].into_expected()
    }
}

impl<T: Element, const N: usize> IntoExpected for [T; N] {
    fn into_expected(self) -> Wanted {
        self[..].into_expected()
    }
}

impl IntoExpected for TestBuffer {
    fn into_expected(self) -> Wanted {
        Wanted::Buffer(self)
    }
}

/// An expectation as written.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) first: u64,
    pub(super) wanted: Wanted,
}

/// The reference of an output, in its type.
#[derive(Clone, PartialEq, Debug)]
pub enum Expected {
    /// Within the tolerance of these numbers.
    Values(Vec<f64>),
    /// These bytes.
    Bits(Vec<u8>),
}

/// What an output must hold from element `first` on.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The output.
    pub name: String,
    /// Its type.
    pub dtype: DType,
    /// The first element spoken of.
    pub first: u64,
    /// What it and those after it must be.
    pub expected: Expected,
    /// How far [`Expected::Values`] may be missed; `None` where neither case nor attribute says.
    pub tolerance: Option<Tolerance>,
}

impl Expectation {
    /// How many elements it speaks of.
    pub fn len(&self) -> u64 {
        match &self.expected {
            Expected::Values(values) => values.len() as u64,
            Expected::Bits(bytes) => bytes.len() as u64 / u64::from(self.dtype.size()),
        }
    }

    /// Whether it speaks of no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Draft {
    /// The expectation of `output`.
    pub(super) fn resolve(
        self,
        output: &TestBuffer,
        tolerance: Option<Tolerance>,
    ) -> Result<Expectation, CaseError> {
        let (dtype, name) = (output.dtype(), self.name);
        let wrong = |why: String| CaseError::Expectation { name: name.clone(), why };
        let of_type = |buffer: &TestBuffer| {
            let given = buffer.dtype();
            if given == dtype {
                Ok(())
            } else {
                Err(wrong(format!("it is of {given}, the output of {dtype}")))
            }
        };
        let exact = |integers: &[i128]| match integers.iter().find(|&&int| integer(dtype, int).is_none()) {
            Some(int) => Err(wrong(format!("{int} is no {dtype}"))),
            None => {
                let literals: Vec<_> = integers.iter().filter_map(|&int| integer(dtype, int)).collect();
                Ok(Expected::Bits(super::buffer::bytes_of(&literals)))
            }
        };
        let expected = match self.wanted {
            Wanted::Real(values) => Expected::Values(values),
            Wanted::Integers(integers) if dtype.is_real() => {
                Expected::Values(integers.into_iter().map(|int| int as f64).collect())
            }
            Wanted::Integers(integers) => exact(&integers)?,
            Wanted::Buffer(buffer) if dtype.is_real() => {
                of_type(&buffer)?;
                Expected::Values(buffer.as_f64())
            }
            Wanted::Buffer(buffer) | Wanted::Bits(buffer) => {
                of_type(&buffer)?;
                let bytes = buffer.bytes().ok_or_else(|| wrong("the buffer has no contents".into()))?;
                Expected::Bits(bytes.to_vec())
            }
        };
        let found = Expectation { name: name.clone(), dtype, first: self.first, expected, tolerance };
        let (count, len) = (found.len(), output.len());
        if found.first.checked_add(count).is_none_or(|end| end > len) {
            return Err(wrong(format!("{count} values from element {}, but it has {len}", found.first)));
        }
        Ok(found)
    }
}

fn integer(dtype: DType, int: i128) -> Option<Literal> {
    if dtype == DType::Bool {
        (0..=1).contains(&int).then(|| Literal::bool(int == 1))
    } else {
        Literal::int(dtype, int)
    }
}
