//! 8×8 matrices of a warp, portable: two elements a lane, spread as `numerics::tensor::simdgroup_position` says.
//!
//! A product is IEEE by default, f32 fused multiply-adds over ascending k on values that lanes exchange; asked for by
//! [`simdgroup_numerics`], it is what the target's matrix unit makes of an m16n8k8 form whose upper 8 rows of A are
//! zero. All 32 lanes of the warp take part in a product. Deliberately not here: tiles of several matrices.

use super::build::with;
use super::error::BuildError;
use super::geometry::simd_lane_id;
use super::lane::of_lane;
use super::local::{Local, Readable, Sa, Traceable};
use super::math::{byte_perm, fma};
use super::matrix::{Fragment, halves_packed, mma, mma_form};
use super::matrix_memory::MatrixMemory;
use super::types::{KernelType, bf16, f16};
use super::val::{HostInt, Int, IntoVal, Val, host_int};
use super::warp::simd_shuffle;
use crate::ir::op::{Numerics, Width};
use crate::ir::{DType, Literal};
use crate::numerics::tensor::{
    Form, Layout, Operand, SIMDGROUP_ELEMENTS, SIMDGROUP_SIDE, simdgroup_holder,
    simdgroup_position as simdgroup_position_of,
};

/// An 8×8 matrix that a warp holds: a name of it, so that a copy is the same matrix; `let mut` makes one of its own.
#[derive(Clone, Copy, Debug)]
pub struct SimdgroupMatrix {
    elements: [Local; SIMDGROUP_ELEMENTS],
}

impl SimdgroupMatrix {
    fn of(values: [Val; SIMDGROUP_ELEMENTS], name: Option<&str>) -> Self {
        let mut index = 0;
        let elements = values.map(|value| {
            let name = name.map(|name| format!("{name}{index}"));
            index += 1;
            Local::new(value, name.as_deref())
        });
        Self { elements }
    }

    /// The element type.
    pub fn dtype(self) -> DType {
        self.elements[0].dtype()
    }

    fn values(self) -> [Val; SIMDGROUP_ELEMENTS] {
        self.elements.map(Local::read)
    }

    fn singles(self) -> [Val; SIMDGROUP_ELEMENTS] {
        self.elements.map(Local::cast::<f32>)
    }

    fn set(self, values: [Val; SIMDGROUP_ELEMENTS]) {
        for (element, value) in self.elements.into_iter().zip(values) {
            element.write(value);
        }
    }
}

impl Traceable for SimdgroupMatrix {
    type Bound = Self;
    fn bind_as(self, name: &str) -> Self {
        Self::of(self.values(), Some(name))
    }
}

impl Readable for SimdgroupMatrix {
    type Value = Self;
    fn read_value(&self) -> Self {
        *self
    }
}

impl Sa<'_, SimdgroupMatrix> {
    /// Gives the matrix the elements of another, converted.
    pub fn set(self, other: SimdgroupMatrix) {
        self.0.set(other.values());
    }
}

/// A matrix of zeros; `ROWS` and `COLUMNS` are 8.
pub fn simdgroup_alloc<D: KernelType, const ROWS: usize, const COLUMNS: usize>() -> SimdgroupMatrix {
    let dtype = D::dtype();
    with(|build| {
        if (ROWS, COLUMNS) != (SIMDGROUP_SIDE, SIMDGROUP_SIDE) {
            let what = format!("a simdgroup matrix of {ROWS}×{COLUMNS}");
            let help = "these matrices are 8×8; make a larger tile of several, or use cooperative tiles";
            build.error(BuildError::Refused { what, help });
        }
        if !matches!(dtype, DType::F16 | DType::BF16 | DType::F32) {
            let what = format!("a simdgroup matrix of `{dtype}`");
            build.error(BuildError::Refused { what, help: "its elements are f16, bf16 or f32" });
        }
    });
    SimdgroupMatrix::of([Val::constant(Literal::from_bits(dtype, 0)); SIMDGROUP_ELEMENTS], None)
}

/// How the products that follow in this kernel are rounded: `Numerics::Ieee`, which they are without this word, or
/// `Numerics::TensorCore`, for f16 and bf16 factors.
pub fn simdgroup_numerics(numerics: Numerics) {
    with(|build| build.simdgroup_numerics = numerics);
}

/// Row and column of the lane's element `e`, 0 or 1; both `u32`.
pub fn simdgroup_position(e: impl HostInt) -> (Val, Val) {
    let (lane, e) = (simd_lane_id(), element(e));
    let at = |lane| simdgroup_position_of(lane, e);
    (of_lane(lane, |lane| at(lane).0), of_lane(lane, |lane| at(lane).1))
}

/// The lane's element `e`, 0 or 1.
pub fn simdgroup_elem_load(m: SimdgroupMatrix, e: impl HostInt) -> Val {
    m.elements[element(e)].read()
}

/// Gives the lane's element `e`, 0 or 1, a value, rounded to the matrix's element type.
pub fn simdgroup_elem_store(m: SimdgroupMatrix, e: impl HostInt, value: impl IntoVal) {
    m.elements[element(e)].write(value);
}

fn element(e: impl HostInt) -> usize {
    let index = host_int(e);
    let found = usize::try_from(index).ok().filter(|&index| index < SIMDGROUP_ELEMENTS);
    found.unwrap_or_else(|| {
        with(|build| build.error(BuildError::HostIndex { index, len: SIMDGROUP_ELEMENTS }));
        0
    })
}

/// `simdgroup_load(m, memory, offset, stride)`: element (r, c) is `memory[offset + r · stride + c]`, converted.
pub fn simdgroup_load_4(
    m: SimdgroupMatrix,
    memory: impl MatrixMemory,
    offset: impl IntoVal,
    stride: impl IntoVal,
) {
    simdgroup_load_5(m, memory, offset, stride, false);
}

/// `simdgroup_load(m, memory, offset, stride, transpose)`: with `transpose`, element (r, c) is
/// `memory[offset + c · stride + r]`, converted.
pub fn simdgroup_load_5(
    m: SimdgroupMatrix,
    memory: impl MatrixMemory,
    offset: impl IntoVal,
    stride: impl IntoVal,
    transpose: bool,
) {
    let (offset, stride) = (offset.val(), stride.val());
    let Some(memory) = memory.matrix_memory() else { return };
    for e in 0..SIMDGROUP_ELEMENTS {
        let (row, column) = simdgroup_position(e);
        let (outer, inner) = if transpose { (column, row) } else { (row, column) };
        // A row number times a row's length, and an offset into a buffer, may pass 32 bits.
        let index = if is_global(memory) {
            let [offset, stride] = [offset, stride].map(Val::cast::<u64>);
            offset + (outer.cast::<u64>() * stride + inner)
        } else {
            offset + (outer * stride + inner)
        };
        let value = with(|build| build.load(memory, index, Width::X1)[0]);
        m.elements[e].write(value);
    }
}

fn is_global(memory: crate::ir::op::MemBase) -> bool {
    matches!(memory, crate::ir::op::MemBase::Param(_))
}

/// c += a · b, rounded as [`simdgroup_numerics`] says, in f32, and then to c's element type. Gives `c`.
pub fn simdgroup_matmul(a: SimdgroupMatrix, b: SimdgroupMatrix, c: SimdgroupMatrix) -> SimdgroupMatrix {
    match with(|build| build.simdgroup_numerics) {
        Numerics::Ieee => multiply_ieee(a, b, c),
        Numerics::TensorCore => {
            if let Some(form) = native_form(a.dtype(), b.dtype()) {
                multiply_native(&form, a, b, c);
            }
        }
    }
    c
}

/// Each sum over ascending k: a lane asks for the element of its row and those of its columns.
fn multiply_ieee(a: SimdgroupMatrix, b: SimdgroupMatrix, c: SimdgroupMatrix) {
    let lane = simd_lane_id();
    let (left, right) = (a.singles(), b.singles());
    let mut sums = c.singles();
    let row = |lane| simdgroup_position_of(lane, 0).0;
    let column = |lane, e| simdgroup_position_of(lane, e).1;
    for pair in 0..SIMDGROUP_SIDE / 2 {
        // Both elements of a pair of columns of A lie in one lane.
        let left_lane = of_lane(lane, |lane| simdgroup_holder(row(lane), 2 * pair).0);
        for k in [2 * pair, 2 * pair + 1] {
            let factor = simd_shuffle(left[k % 2], left_lane);
            let right_lane = of_lane(lane, |lane| simdgroup_holder(k, column(lane, 0)).0);
            for (e, sum) in sums.iter_mut().enumerate() {
                *sum = fma(factor, simd_shuffle(right[e], right_lane), *sum);
            }
        }
    }
    c.set(sums);
}

fn native_form(a: DType, b: DType) -> Option<Form> {
    match (a, b) {
        (DType::F16, DType::F16) => Some(mma_form::<f16, f16, f32>(16, 8, 8)),
        (DType::BF16, DType::BF16) => Some(mma_form::<bf16, bf16, f32>(16, 8, 8)),
        _ => {
            with(|build| {
                let what = format!("`simdgroup_matmul` of `{a}` and `{b}` by the matrix unit");
                let help = "both factors are f16, or both bf16; others have `Numerics::Ieee` only \
                            (tf32 is asked for by name, with `mma`)";
                build.error(BuildError::Refused { what, help });
            });
            None
        }
    }
}

/// By m16n8k8: rows 8 to 15 of A and C are zero, and what comes out for them is dropped.
fn multiply_native(form: &Form, a: SimdgroupMatrix, b: SimdgroupMatrix, c: SimdgroupMatrix) {
    let lane = simd_lane_id();
    let [rows, columns, sums] = [Operand::A, Operand::B, Operand::C].map(|operand| Layout::of(form, operand));
    let holder = |layout: Layout, index: usize| {
        of_lane(lane, move |lane| {
            let (row, column) = layout.position(lane, index);
            simdgroup_holder(row, column).0
        })
    };
    let zero = Val::constant(Literal::u32(0));
    let [left, right] = [a, b].map(|m| halves_packed(m.values()));
    let left = Fragment::of(*form, Operand::A, [simd_shuffle(left, holder(rows, 0)), zero]);
    // A register of B holds neighbours of a column, which lie in two lanes: in the lower halves of their words where
    // the column is even, else in the upper ones.
    let [upper, lower] = [1, 0].map(|index| simd_shuffle(right, holder(columns, index)));
    let is_odd = of_lane(lane, |lane| columns.position(lane, 0).1 % 2);
    let right = byte_perm(lower, upper, is_odd * Int(0x2222) + Int(0x5410));
    let right = Fragment::of(*form, Operand::B, [right]);
    let home = holder(sums, 0);
    let zero = Val::constant(Literal::f32(0.0));
    let [low, high] = c.singles().map(|value| simd_shuffle(value, home));
    let product = mma(&left, &right, &Fragment::of(*form, Operand::C, [low, high, zero, zero]));
    let back = of_lane(lane, |lane| {
        let (row, column) = simdgroup_position_of(lane, 0);
        sums.holder(row, column).0
    });
    c.set(std::array::from_fn(|e| simd_shuffle(product.registers()[e], back)));
}
