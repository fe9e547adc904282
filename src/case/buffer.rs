//! Buffers of a case: a name, a dtype, a shape, and contents.

use super::setup::{Count, Number};
use super::tolerance::{rounded, value_of};
use crate::ir::{DType, Literal};

/// A buffer or scalar of a case, bound to the kernel's parameter of that name.
#[derive(Clone, PartialEq, Debug)]
pub struct TestBuffer {
    /// The parameter's name.
    pub name: String,
    /// The dtype of its elements.
    pub dtype: DType,
    /// Its extent on each axis; empty for a scalar.
    pub shape: Vec<u64>,
    /// The strides of a strided parameter, in elements; row-major where not given.
    pub strides: Option<Vec<u64>>,
    /// What it holds at the launch.
    pub contents: Contents,
}

/// What a buffer holds at the launch.
#[derive(Clone, PartialEq, Debug)]
pub enum Contents {
    /// Every byte, in element order.
    Dense(Vec<u8>),
    /// Zeros, but for some pieces: the first element of each and its bytes. It may be larger than memory.
    Sparse(Vec<(u64, Vec<u8>)>),
    /// A scalar parameter's value.
    Scalar(Number),
}

/// An extent on each axis.
pub trait Shape {
    /// The extents, outermost first.
    fn extents(self) -> Vec<u64>;
}

impl<C: Count> Shape for C {
    fn extents(self) -> Vec<u64> {
        vec![self.count()]
    }
}

impl<C: Count, const N: usize> Shape for [C; N] {
    fn extents(self) -> Vec<u64> {
        self.map(Count::count).to_vec()
    }
}

impl Shape for Vec<usize> {
    fn extents(self) -> Vec<u64> {
        self.into_iter().map(|extent| extent as u64).collect()
    }
}

impl TestBuffer {
    /// A buffer of literals, one for each element of the shape.
    pub(crate) fn of_literals(name: &str, shape: Vec<u64>, dtype: DType, values: impl Iterator<Item = Literal>) -> Self {
        let mut bytes = Vec::new();
        for value in values {
            push(&mut bytes, value);
        }
        Self { name: name.into(), dtype, shape, strides: None, contents: Contents::Dense(bytes) }
    }

    /// A buffer of bytes as they stand in memory, little-endian.
    pub fn from_vec(name: &str, bytes: Vec<u8>, dtype: DType) -> Self {
        let shape = vec![bytes.len() as u64 / u64::from(dtype.size())];
        Self { name: name.into(), dtype, shape, strides: None, contents: Contents::Dense(bytes) }
    }

    /// A buffer of numbers, each rounded to the dtype.
    pub fn from_f64(name: &str, values: &[f64], dtype: DType) -> Self {
        let literals = values.iter().map(|&value| rounded(value, dtype));
        Self::of_literals(name, vec![values.len() as u64], dtype, literals)
    }

    /// A buffer of zeros.
    pub fn zeros(name: &str, shape: impl Shape, dtype: DType) -> Self {
        let shape = shape.extents();
        let bytes = shape.iter().product::<u64>() * u64::from(dtype.size());
        let contents = Contents::Dense(vec![0; bytes as usize]);
        Self { name: name.into(), dtype, shape, strides: None, contents }
    }

    /// A scalar parameter's value; it takes the parameter's type when it is bound.
    pub fn scalar(name: &str, value: impl Into<Number>) -> Self {
        let value = value.into();
        let dtype = value.dtype();
        Self { name: name.into(), dtype, shape: Vec::new(), strides: None, contents: Contents::Scalar(value) }
    }

    /// A buffer of `len` elements that is zero but for pieces of numbers from given elements on.
    ///
    /// It may be larger than memory: that is how the overflow of 32-bit indices is tested.
    pub fn sparse(name: &str, len: u64, dtype: DType, pieces: &[(u64, &[f64])]) -> Self {
        let pieces = pieces.iter().map(|(first, values)| {
            let mut bytes = Vec::new();
            for &value in *values {
                push(&mut bytes, rounded(value, dtype));
            }
            (*first, bytes)
        });
        let contents = Contents::Sparse(pieces.collect());
        Self { name: name.into(), dtype, shape: vec![len], strides: None, contents }
    }

    /// The same memory seen with other strides, in elements, one for each axis of `shape`.
    pub fn strided(mut self, shape: impl Shape, strides: impl Shape) -> Self {
        self.shape = shape.extents();
        self.strides = Some(strides.extents());
        self
    }

    /// Elements that the memory holds; more than the shape's where strides leave gaps.
    pub fn len(&self) -> u64 {
        match &self.contents {
            Contents::Dense(bytes) => bytes.len() as u64 / u64::from(self.dtype.size()),
            Contents::Sparse(_) => self.shape.iter().product(),
            Contents::Scalar(_) => 1,
        }
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Strides in elements, outermost first.
    pub fn strides(&self) -> Vec<u64> {
        self.strides.clone().unwrap_or_else(|| row_major(&self.shape))
    }

    /// The elements as numbers, in memory order; empty for a sparse buffer.
    pub fn as_f64(&self) -> Vec<f64> {
        self.literals().into_iter().map(value_of).collect()
    }

    /// The elements, in memory order; empty for a sparse buffer.
    pub fn literals(&self) -> Vec<Literal> {
        match &self.contents {
            Contents::Dense(bytes) => bytes.chunks_exact(self.dtype.size() as usize).map(|chunk| pull(chunk, self.dtype)).collect(),
            Contents::Scalar(value) => value.literal(self.dtype).into_iter().collect(),
            Contents::Sparse(_) => Vec::new(),
        }
    }
}

fn row_major(shape: &[u64]) -> Vec<u64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

fn push(bytes: &mut Vec<u8>, value: Literal) {
    bytes.extend_from_slice(&value.bits.to_le_bytes()[..value.dtype.size() as usize]);
}

fn pull(chunk: &[u8], dtype: DType) -> Literal {
    let mut bits = [0; 8];
    bits[..chunk.len()].copy_from_slice(chunk);
    Literal::from_bits(dtype, u64::from_le_bytes(bits))
}

/// What every element of an output is before the launch: a number of the type that no kernel gives by chance.
pub fn canary(dtype: DType) -> Literal {
    Literal::from_bits(dtype, 0xa5a5_a5a5_a5a5_a5a5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_the_dtype_and_read_back() {
        let buffer = TestBuffer::from_f64("x", &[0.1, -3.0, 1e9], DType::F16);
        assert_eq!(buffer.as_f64(), [0.0999755859375, -3.0, f64::INFINITY]);
        assert_eq!(TestBuffer::from_f64("i", &[-3.7, 300.0], DType::I8).as_f64(), [-3.0, 127.0]);
        assert_eq!(buffer.len(), 3);
    }

    #[test]
    fn strides_are_row_major_unless_given() {
        let zeros = TestBuffer::zeros("x", [2, 3, 4], DType::U8);
        assert_eq!((zeros.strides(), zeros.len()), (vec![12, 4, 1], 24));
        let transposed = TestBuffer::zeros("x", [2, 3], DType::F32).strided([3, 2], [1, 3]);
        assert_eq!((transposed.strides(), transposed.len()), (vec![1, 3], 6));
    }
}
