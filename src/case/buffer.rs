//! Buffers of a case.
//!
//! What holds: a buffer has a name, a dtype and a shape; its contents are whole elements, or a mistake that
//! [`TestSetup::check`](super::TestSetup::check) reports. Deliberately not here: a device's memory.

use super::Generator;
use super::error::CaseError;
use crate::ir::{DType, Element, Literal, Scalar, host};

/// What a shape can be written as: one length, or one for each axis, outermost first.
pub trait IntoShape {
    /// The lengths.
    fn into_shape(self) -> Vec<u64>;
}

impl IntoShape for usize {
    fn into_shape(self) -> Vec<u64> {
        vec![self as u64]
    }
}

impl<const N: usize> IntoShape for [usize; N] {
    fn into_shape(self) -> Vec<u64> {
        self.map(|axis| axis as u64).to_vec()
    }
}

impl IntoShape for &[usize] {
    fn into_shape(self) -> Vec<u64> {
        self.iter().map(|&axis| axis as u64).collect()
    }
}

impl<const N: usize> IntoShape for &[usize; N] {
    fn into_shape(self) -> Vec<u64> {
        self[..].into_shape()
    }
}

impl IntoShape for &Vec<usize> {
    fn into_shape(self) -> Vec<u64> {
        self[..].into_shape()
    }
}

impl IntoShape for Vec<usize> {
    fn into_shape(self) -> Vec<u64> {
        self[..].into_shape()
    }
}

/// What a buffer holds when the kernel starts.
#[derive(Clone, PartialEq, Debug)]
pub enum Contents {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Nothing the kernel may read: [`canary_byte`] in each byte.
    Canary,
    /// Pieces at element indices, in a buffer that may be larger than memory.
    Sparse {
        /// First element and bytes of each piece.
        pieces: Vec<(u64, Vec<u8>)>,
        /// Whether the rest is zeros; else nobody may read it.
        zeroed: bool,
    },
    /// A value by itself, for a scalar parameter or a buffer of one element.
    Scalar(Scalar),
}

/// A named argument of a case.
#[derive(Clone, PartialEq, Debug)]
pub struct TestBuffer {
    pub(super) name: String,
    pub(super) dtype: DType,
    pub(super) len: u64,
    pub(super) shape: Vec<u64>,
    pub(super) strides: Option<Vec<u64>>,
    pub(super) contents: Contents,
    pub(super) problem: Option<String>,
}

/// An input with generated contents.
pub fn inputs(
    name: impl Into<String>,
    shape: impl IntoShape,
    dtype: DType,
    contents: Generator<'_>,
) -> TestBuffer {
    let (name, shape) = (name.into(), shape.into_shape());
    let mut buffer = TestBuffer::new(name, dtype, shape, Contents::Bytes(Vec::new()));
    let literals = contents.literals(&buffer.name, dtype, buffer.len as usize);
    buffer.contents = Contents::Bytes(bytes_of(&literals));
    if matches!(contents, Generator::FromSlice([])) && buffer.len > 0 {
        buffer.problem = Some("an empty slice gives no elements".into());
    }
    buffer
}

/// The byte that outputs are filled with before a run: an element of it is valid in every dtype, finite, and unlikely
/// as a result.
pub fn canary_byte(dtype: DType) -> u8 {
    if dtype == DType::Bool { 1 } else { 0x5a }
}

impl TestBuffer {
    fn new(name: String, dtype: DType, shape: Vec<u64>, contents: Contents) -> Self {
        let len = shape.iter().product();
        Self { name, dtype, len, shape, strides: None, contents, problem: None }
    }

    /// A scalar by name, or a buffer of one element.
    pub fn scalar(name: impl Into<String>, value: impl Into<Scalar>) -> Self {
        let value = value.into();
        Self::new(name.into(), value.0.dtype, vec![1], Contents::Scalar(value))
    }

    /// Little-endian bytes of whole elements.
    pub fn from_vec(name: impl Into<String>, bytes: Vec<u8>, dtype: DType) -> Self {
        let size = u64::from(dtype.size());
        let (whole, rest) = (bytes.len() as u64 / size, bytes.len() as u64 % size);
        let problem = (rest > 0).then(|| format!("{} bytes are no whole elements of {dtype}", bytes.len()));
        Self { problem, ..Self::new(name.into(), dtype, vec![whole], Contents::Bytes(bytes)) }
    }

    /// These elements.
    pub fn from_slice<T: Element>(name: impl Into<String>, values: &[T]) -> Self {
        Self::new(name.into(), T::DTYPE, vec![values.len() as u64], Contents::Bytes(host::to_bytes(values)))
    }

    /// These numbers, rounded to the dtype.
    pub fn from_f64(name: impl Into<String>, values: &[f64], dtype: DType) -> Self {
        let literals: Vec<_> = values.iter().map(|&value| host::literal_of(value, dtype)).collect();
        Self::new(name.into(), dtype, vec![values.len() as u64], Contents::Bytes(bytes_of(&literals)))
    }

    /// Zeros.
    pub fn zeros(name: impl Into<String>, shape: impl IntoShape, dtype: DType) -> Self {
        let mut buffer = Self::new(name.into(), dtype, shape.into_shape(), Contents::Canary);
        buffer.contents = Contents::Bytes(vec![0; (buffer.len * u64::from(dtype.size())) as usize]);
        buffer
    }

    /// An output: filled with the canary, which the kernel may not read.
    pub fn uninitialised(name: impl Into<String>, shape: impl IntoShape, dtype: DType) -> Self {
        Self::new(name.into(), dtype, shape.into_shape(), Contents::Canary)
    }

    /// `len` elements, of which only `pieces` (first element, values rounded to the dtype) have contents. It may be
    /// larger than memory: that is how overflow of an index is tested.
    pub fn sparse(name: impl Into<String>, len: u64, dtype: DType, pieces: &[(u64, Vec<f64>)]) -> Self {
        let outside = pieces
            .iter()
            .find(|(first, values)| first.checked_add(values.len() as u64).is_none_or(|end| end > len));
        let problem = outside.map(|(first, values)| {
            format!("a piece of {} elements at {first} is outside its {len} elements", values.len())
        });
        let bytes = |values: &[f64]| {
            bytes_of(&values.iter().map(|&value| host::literal_of(value, dtype)).collect::<Vec<_>>())
        };
        let pieces = pieces.iter().map(|(first, values)| (*first, bytes(values))).collect();
        let contents = Contents::Sparse { pieces, zeroed: false };
        Self { problem, ..Self::new(name.into(), dtype, vec![len], contents) }
    }

    /// A sparse buffer that is zero between its pieces.
    #[must_use]
    pub fn zeroed(mut self) -> Self {
        match &mut self.contents {
            Contents::Sparse { zeroed, .. } => *zeroed = true,
            Contents::Bytes(_) | Contents::Canary | Contents::Scalar(_) => {
                self.problem = Some("only a sparse buffer has something to fill with zeros".into());
            }
        }
        self
    }

    /// The same elements with other axes.
    #[must_use]
    pub fn shaped(mut self, shape: impl IntoShape) -> Self {
        let shape = shape.into_shape();
        if shape.iter().product::<u64>() != self.len {
            self.problem = Some(format!("shape {shape:?} does not have its {} elements", self.len));
        }
        self.shape = shape;
        self
    }

    /// A view of the elements: element (i₀, i₁, …) is number Σ iₖ · strideₖ of the buffer.
    #[must_use]
    pub fn strided(mut self, shape: impl IntoShape, strides: impl IntoShape) -> Self {
        self.shape = shape.into_shape();
        self.strides = Some(strides.into_shape());
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its elements' type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Elements of the memory behind it.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its lengths, outermost first.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Its strides in elements: those given, else those of rows one after the other.
    pub fn strides(&self) -> Vec<u64> {
        self.strides.clone().unwrap_or_else(|| contiguous(&self.shape))
    }

    /// Whether strides were given that skip or permute elements.
    pub fn is_strided(&self) -> bool {
        self.strides.as_ref().is_some_and(|strides| *strides != contiguous(&self.shape))
    }

    /// What it holds.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Its bytes, where it has contents of its own and not only pieces.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.contents {
            Contents::Bytes(bytes) => Some(bytes),
            Contents::Canary | Contents::Sparse { .. } | Contents::Scalar(_) => None,
        }
    }

    /// Its elements in memory order; none where it has no contents of its own.
    pub fn literals(&self) -> Vec<Literal> {
        match &self.contents {
            Contents::Bytes(bytes) => {
                let elements = bytes.chunks_exact(self.dtype.size() as usize);
                elements.map(|element| Literal::from_bits(self.dtype, host::element_bits(element))).collect()
            }
            Contents::Scalar(Scalar(literal)) => vec![*literal],
            Contents::Canary | Contents::Sparse { .. } => Vec::new(),
        }
    }

    /// Its elements in memory order as numbers: what a reference is computed from.
    pub fn as_f64(&self) -> Vec<f64> {
        self.literals().into_iter().map(host::value_of).collect()
    }

    /// Its elements in memory order as integers; none for floats.
    pub fn as_int(&self) -> Vec<i128> {
        self.literals().into_iter().filter_map(Literal::as_int).collect()
    }

    /// What is wrong with shape, strides and contents by themselves.
    pub(super) fn check(&self, errors: &mut Vec<CaseError>) {
        let name = || self.name.clone();
        if let Some(why) = &self.problem {
            errors.push(CaseError::Contents { name: name(), why: why.clone() });
        }
        let Some(strides) = &self.strides else { return };
        if strides.len() != self.shape.len() {
            let why = format!("{} strides for {} axes", strides.len(), self.shape.len());
            errors.push(CaseError::Shape { name: name(), why });
        } else if !fits(&self.shape, strides, self.len) {
            let why =
                format!("shape {:?} with strides {strides:?} leaves its {} elements", self.shape, self.len);
            errors.push(CaseError::Shape { name: name(), why });
        }
    }
}

/// Strides of rows one after the other.
fn contiguous(shape: &[u64]) -> Vec<u64> {
    let mut strides = vec![1u64; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis].max(1));
    }
    strides
}

/// Whether the last element of a view lies in a buffer of `len` elements; an empty view fits any.
fn fits(shape: &[u64], strides: &[u64], len: u64) -> bool {
    if shape.contains(&0) {
        return true;
    }
    let last: u128 =
        shape.iter().zip(strides).map(|(&axis, &stride)| u128::from(axis - 1) * u128::from(stride)).sum();
    last < u128::from(len)
}

/// Literals as a device holds them.
pub(super) fn bytes_of(literals: &[Literal]) -> Vec<u8> {
    literals
        .iter()
        .flat_map(|literal| literal.bits.to_le_bytes().into_iter().take(literal.dtype.size() as usize))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Generator::{FromSlice, Range};

    fn errors(buffer: &TestBuffer) -> Vec<String> {
        let mut errors = Vec::new();
        buffer.check(&mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn contents_are_rounded_to_the_dtype() {
        let x = inputs("x", [2, 2], DType::BF16, FromSlice(&[1.003, -2.0, 300.0]));
        assert_eq!(x.as_f64(), [1.0, -2.0, 300.0, 1.0]);
        assert_eq!((x.len(), x.bytes().map(<[u8]>::len)), (4, Some(8)));
        assert_eq!(inputs("x", 0, DType::F32, Range(0.0, 1.0)).as_f64(), Vec::<f64>::new());
    }

    #[test]
    fn mistakes_are_kept_for_the_check() {
        assert_eq!(
            errors(&TestBuffer::from_vec("x", vec![0; 7], DType::F32)),
            ["`x`: 7 bytes are no whole elements of f32"]
        );
        assert_eq!(
            errors(&inputs("x", 3, DType::F32, FromSlice(&[]))),
            ["`x`: an empty slice gives no elements"]
        );
        let x = TestBuffer::zeros("x", 10, DType::F32);
        assert_eq!(errors(&x.clone().strided([2, 5], [5, 1])), [""; 0]);
        assert_eq!(
            errors(&x.clone().strided([2, 5], [6, 1])),
            ["`x`: shape [2, 5] with strides [6, 1] leaves its 10 elements"]
        );
        assert_eq!(errors(&x.clone().strided([2, 5], [1])), ["`x`: 1 strides for 2 axes"]);
        assert_eq!(errors(&x.strided([0, 5], [600, 1])), [""; 0]);
        let far = TestBuffer::sparse("x", 1 << 33, DType::F32, &[((1 << 33) - 1, vec![1.0, 2.0])]);
        assert_eq!(
            errors(&far),
            ["`x`: a piece of 2 elements at 8589934591 is outside its 8589934592 elements"]
        );
    }

    #[test]
    fn a_view_knows_whether_it_skips() {
        let x = TestBuffer::zeros("x", [3, 4], DType::F32);
        assert!(!x.is_strided());
        assert_eq!(x.strides(), [4, 1]);
        assert!(!x.clone().strided([3, 4], [4, 1]).is_strided());
        assert!(x.strided([4, 3], [1, 4]).is_strided());
    }
}
