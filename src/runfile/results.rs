//! How two results differ: a histogram of distances, and the first elements that are not equal.
//!
//! Entry: two arrays, and what their elements are where the files can't say (bf16, fp8). Exit: counts of every kind of
//! difference. Two NaN are equal whatever their bits, as everywhere in this crate; −0 and +0 differ, at a distance of 0.
//! Deliberately not here: tolerances, which belong to a kernel and its cases.

use super::npy::{Array, ElementKind, ElementType};
use crate::diag::{Code, Help};
use crate::ir::{DType, Literal};
use crate::numerics::{FAR, Format, ulp_distance_bits};

/// Differences by distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What elements were taken for.
    pub dtype: DType,
    /// The shape of both.
    pub shape: Vec<u64>,
    /// Elements compared.
    pub elements: u64,
    /// Those that differ.
    pub different: u64,
    /// NaN against a number.
    pub nan_against_number: u64,
    /// An infinity against something finite, or against the other one.
    pub infinity_against_other: u64,
    /// +0 against −0.
    pub zero_signs: u64,
    /// Finite numbers by distance: at position n those whose distance is at least 2ⁿ and less than 2ⁿ⁺¹ units in the last
    /// place, or of integers in the value.
    pub histogram: Vec<u64>,
    /// The largest distance of finite numbers.
    pub largest: u64,
    /// The first differences.
    pub first: Vec<Difference>,
}

/// One element that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where, counted in C order.
    pub element: u64,
    /// The same as an index for each axis.
    pub index: Vec<u64>,
    /// The bits in both.
    pub bits: [u64; 2],
    /// The values as text.
    pub values: [String; 2],
    /// Their distance; `None` where there is none.
    pub distance: Option<u64>,
}

/// Why two arrays can't be compared element by element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotComparable {
    /// Different types of elements.
    #[error("elements of `{}` against elements of `{}`", .0, .1)]
    Types(ElementType, ElementType),
    /// Different shapes.
    #[error("the shape {} against {}", super::npy::shape_text(.0), super::npy::shape_text(.1))]
    Shapes(Vec<u64>, Vec<u64>),
    /// A type of another size than the elements.
    #[error("`{dtype}` has {}, the elements `{ty}` have {}", crate::diag::count(dtype.size(), "byte"), ty.bytes)]
    Size {
        /// What they were to be taken for.
        dtype: DType,
        /// What the file has.
        ty: ElementType,
    },
}

impl Help for NotComparable {
    fn code(&self) -> Code {
        Code::NotComparable
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Types(..) | Self::Shapes(..) => "compare results of the same launch".into(),
            Self::Size { .. } => "name a type of that size with `--as`".into(),
        })
    }
}

/// What a file's elements are unless said otherwise.
pub fn dtype_of(ty: ElementType) -> DType {
    match (ty.kind, ty.bytes) {
        (ElementKind::Bool, _) => DType::Bool,
        (ElementKind::Signed, 1) => DType::I8,
        (ElementKind::Signed, 2) => DType::I16,
        (ElementKind::Signed, 4) => DType::I32,
        (ElementKind::Signed, _) => DType::I64,
        (ElementKind::Unsigned, 1) => DType::U8,
        (ElementKind::Unsigned, 2) => DType::U16,
        (ElementKind::Unsigned, 4) => DType::U32,
        (ElementKind::Unsigned, _) => DType::U64,
        (ElementKind::Float, 2) => DType::F16,
        (ElementKind::Float, 4) => DType::F32,
        (ElementKind::Float, _) => DType::F64,
    }
}

/// Compares two arrays, with at most `most` differences in full.
///
/// # Errors
/// Their types or shapes differ, or `dtype` has another size than their elements.
pub fn compare(a: &Array, b: &Array, dtype: Option<DType>, most: usize) -> Result<Comparison, NotComparable> {
    // Raw bits of a file may be compared with floats of NumPy's own, where they are said to be that.
    if a.ty != b.ty && (dtype.is_none() || a.ty.bytes != b.ty.bytes) {
        return Err(NotComparable::Types(a.ty, b.ty));
    }
    if a.shape != b.shape {
        return Err(NotComparable::Shapes(a.shape.clone(), b.shape.clone()));
    }
    let dtype = dtype.unwrap_or_else(|| dtype_of(a.ty));
    if dtype.size() != a.ty.bytes {
        return Err(NotComparable::Size { dtype, ty: a.ty });
    }
    let mut made = Comparison {
        dtype,
        shape: a.shape.clone(),
        elements: a.len(),
        different: 0,
        nan_against_number: 0,
        infinity_against_other: 0,
        zero_signs: 0,
        histogram: Vec::new(),
        largest: 0,
        first: Vec::new(),
    };
    for element in 0..a.len() {
        let bits = [a.bits(element) & dtype.mask(), b.bits(element) & dtype.mask()];
        if bits[0] == bits[1] {
            continue;
        }
        let values = bits.map(|bits| Literal::from_bits(dtype, bits));
        let is_nan = values.map(|value| value.as_f64().is_some_and(f64::is_nan));
        if is_nan == [true, true] {
            continue;
        }
        let distance = Some(distance(bits, dtype)).filter(|&distance| distance != FAR);
        made.different += 1;
        match distance {
            None if is_nan != [false, false] => made.nan_against_number += 1,
            None => made.infinity_against_other += 1,
            Some(0) => made.zero_signs += 1,
            Some(far) => {
                let at = far.ilog2() as usize;
                let room = made.histogram.len().max(at + 1);
                made.histogram.resize(room, 0);
                made.histogram[at] += 1;
                made.largest = made.largest.max(far);
            }
        }
        if made.first.len() < most {
            let index = index(element, &a.shape);
            made.first.push(Difference { element, index, bits, values: values.map(text), distance });
        }
    }
    Ok(made)
}

/// Steps from one value to the other.
fn distance(bits: [u64; 2], dtype: DType) -> u64 {
    if let Some(format) = format(dtype) {
        return ulp_distance_bits(bits[0], bits[1], format);
    }
    let [a, b] = bits.map(|bits| Literal::from_bits(dtype, bits).as_int().unwrap_or_default());
    // Of 64-bit integers the distance may be one more than fits below `FAR`.
    u64::try_from(a.abs_diff(b)).unwrap_or(FAR).min(FAR - 1)
}

fn format(dtype: DType) -> Option<Format> {
    match dtype {
        DType::F16 => Some(Format::F16),
        DType::BF16 => Some(Format::BF16),
        DType::F32 => Some(Format::F32),
        DType::F64 => Some(Format::F64),
        DType::Storage(storage) => Some(storage.format()),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => None,
    }
}

fn text(value: Literal) -> String {
    match (value.dtype, value.as_f64(), value.as_int()) {
        // The shortest decimal of an f32 tells it from its neighbours; that of its f64 has digits that mean nothing.
        (DType::F32, Some(float), _) => format!("{:?}", float as f32),
        (_, Some(float), _) => format!("{float:?}"),
        (_, None, Some(int)) => int.to_string(),
        (_, None, None) => value.to_string(),
    }
}

/// An index for each axis.
fn index(element: u64, shape: &[u64]) -> Vec<u64> {
    let mut rest = element;
    let mut index: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let at = rest % extent;
            rest /= extent;
            at
        })
        .collect();
    index.reverse();
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Array {
        let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let ty = ElementType::new(ElementKind::Float, 4);
        Array { ty, shape: vec![2, values.len() as u64 / 2], data }
    }

    #[test]
    fn each_kind_of_difference_is_counted() {
        let a = floats(&[1.0, 0.0, f32::NAN, 1.0, f32::INFINITY, f32::NAN, 2.0, 1.0]);
        let b = [1.0, -0.0, -f32::NAN, f32::NAN, 3.0, f32::NAN, 2.0_f32.next_up(), 1.0 + 5.0 * f32::EPSILON];
        let made = compare(&a, &floats(&b), None, 2).unwrap();
        assert_eq!((made.elements, made.different), (8, 5), "two NaN are equal");
        assert_eq!((made.zero_signs, made.nan_against_number, made.infinity_against_other), (1, 1, 1));
        assert_eq!((made.histogram, made.largest), (vec![1, 0, 1], 5));
        assert_eq!(made.first.len(), 2);
        let first = &made.first[0];
        assert_eq!((first.element, &first.index[..], first.bits), (1, &[0, 1][..], [0, 0x8000_0000]));
        assert_eq!((&first.values, first.distance), (&["0.0".to_owned(), "-0.0".to_owned()], Some(0)));
        assert_eq!((made.first[1].index.as_slice(), made.first[1].distance), (&[0, 3][..], None));
    }

    #[test]
    fn raw_bits_are_what_they_are_said_to_be() {
        let ty = ElementType::new(ElementKind::Unsigned, 2);
        let raw = |bits: [u16; 2]| {
            let data = bits.iter().flat_map(|bits| bits.to_le_bytes()).collect();
            Array { ty, shape: vec![2], data }
        };
        let (a, b) = (raw([0x3f80, 0x4000]), raw([0x3f81, 0x4000]));
        let made = compare(&a, &b, Some(DType::BF16), 9).unwrap();
        assert_eq!(made.first[0].values, ["1.0", "1.0078125"]);
        assert_eq!(made.largest, 1);
        let made = compare(&a, &b, None, 9).unwrap();
        assert_eq!(made.first[0].values, ["16256", "16257"]);
        let small = compare(&a, &b, Some(DType::E4M3), 9).unwrap_err();
        assert_eq!(small.to_string(), "`e4m3` has 1 byte, the elements `<u2` have 2");
    }

    #[test]
    fn integers_differ_by_their_values() {
        let ty = ElementType::new(ElementKind::Signed, 8);
        let of = |value: i64| Array { ty, shape: vec![], data: value.to_le_bytes().to_vec() };
        let made = compare(&of(-1), &of(2), None, 1).unwrap();
        assert_eq!((made.largest, made.first[0].index.len()), (3, 0));
        assert_eq!(compare(&of(i64::MIN), &of(i64::MAX), None, 1).unwrap().histogram.len(), 64);
    }

    #[test]
    fn other_shapes_and_types_are_named() {
        let (a, mut b) = (floats(&[1.0, 2.0]), floats(&[1.0, 2.0]));
        b.shape = vec![2];
        assert_eq!(compare(&a, &b, None, 1).unwrap_err().to_string(), "the shape (2, 1) against (2,)");
        b.ty = ElementType::new(ElementKind::Unsigned, 4);
        let error = compare(&a, &b, None, 1).unwrap_err();
        assert_eq!(error.to_string(), "elements of `<f4` against elements of `<u4`");
        b.shape = vec![2, 1];
        assert_eq!(compare(&a, &b, Some(DType::F32), 1).unwrap().different, 0);
        let none = Array { ty: a.ty, shape: vec![0, 3], data: Vec::new() };
        assert_eq!(compare(&none, &none, None, 1).unwrap().elements, 0);
    }
}
