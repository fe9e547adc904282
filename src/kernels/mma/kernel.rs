//! The kernels of the family. Which form of the instruction a kernel uses follows from its name and its dtypes.

use warpsmith::dsl::prelude::*;
use warpsmith::numerics::tensor::Layout;

use super::form_of;

/// `d` = `a` · `b` + `c` of one tile a warp: matrices of the instruction's shape, row-major, one behind the other.
#[kernel(
    mode = Reduction,
    variants(
        NAME = [
            "m8n8k4", "m16n8k4", "m16n8k8", "m8n8k16", "m16n8k16", "m16n8k32", "m8n8k16_sat",
            "m16n8k16_sat", "m16n8k32_sat", "m8n8k32_4bit", "m16n8k32_4bit", "m16n8k64_4bit",
            "m8n8k32_4bit_sat", "m16n8k32_4bit_sat", "m16n8k64_4bit_sat", "m16n8k32_f8f6f4", "m8n8k4_rz",
            "m8n8k4_rm", "m8n8k4_rp", "m16n8k4_rz", "m16n8k4_rm", "m16n8k4_rp", "m16n8k8_rz", "m16n8k8_rm",
            "m16n8k8_rp", "m16n8k16_rz", "m16n8k16_rm", "m16n8k16_rp", "m8n8k4_row_col", "m8n8k4_row_row",
            "m8n8k4_col_col", "m8n8k4_col_row"
        ],
        suffix = "_{NAME}"
    )
)]
pub fn mma_tile<A, B, C>(a: Tensor<A>, b: Tensor<B>, c: Tensor<C>, mut d: Tensor<C>) {
    let form = form_of(NAME, [A::dtype(), B::dtype(), C::dtype()]);
    let tile = program_id::<0>() * warps_per_cta() + warp_id();
    let [left, right, sum] = [
        tile_from(form, Operand::A, a, tile),
        tile_from(form, Operand::B, b, tile),
        tile_from(form, Operand::C, c, tile),
    ];
    tile_to(&mma(&left, &right, &sum), d, tile);
}

/// The same as `mma_tile` by fused multiply-adds of f32, k ascending from C.
#[kernel(
    mode = Reduction,
    variants(NAME = ["m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m16n8k32_f8f6f4"], suffix = "_{NAME}")
)]
pub fn mma_ieee_tile<A, B>(a: Tensor<A>, b: Tensor<B>, c: Tensor<f32>, mut d: Tensor<f32>) {
    let form = form_of(NAME, [A::dtype(), B::dtype(), DType::F32]);
    let tile = program_id::<0>() * warps_per_cta() + warp_id();
    let [left, right, sum] = [
        tile_from(form, Operand::A, a, tile),
        tile_from(form, Operand::B, b, tile),
        tile_from(form, Operand::C, c, tile),
    ];
    tile_to(&mma_ieee(&left, &right, &sum), d, tile);
}

/// `d` = (`a` · scales of its rows) · (`b` · scales of its columns) + `c` of one tile a warp. The scales are bytes, those
/// of a row or column one behind the other; lanes and bytes that should not count hold NaN.
#[kernel(
    mode = Reduction,
    variants(
        NAME = ["m16n8k32_mxf8f6f4", "m16n8k64_mxf4", "m16n8k64_mxf4nvf4x2", "m16n8k64_mxf4nvf4x4"],
        FIRST = [3, 2, 0, 0], LEFT = [1, 0, 1, 1], RIGHT = [2, 3, 0, 1], suffix = "_{NAME}"
    )
)]
pub fn mma_scaled_tile<A, B>(
    a: Tensor<A>,
    b: Tensor<B>,
    c: Tensor<f32>,
    scale_a: Tensor<u8>,
    scale_b: Tensor<u8>,
    mut d: Tensor<f32>,
) {
    let form = form_of(NAME, [A::dtype(), B::dtype(), DType::F32]);
    let tile = program_id::<0>() * warps_per_cta() + warp_id();
    let [left, right, sum] = [
        tile_from(form, Operand::A, a, tile),
        tile_from(form, Operand::B, b, tile),
        tile_from(form, Operand::C, c, tile),
    ];
    let (group, thread) = (simd_lane / 4, simd_lane % 4);
    // Pairs of threads of a quad give the scales of A, single ones those of B.
    let row = tile * 16 + group + thread % 2 * 8;
    let column = tile * 8 + group;
    let count = form.kind.scales();
    let (of_row, of_column) = (word_of(scale_a, row, count, FIRST), word_of(scale_b, column, count, FIRST));
    let scales = [
        BlockScale {
            word: select(thread / 2 == LEFT, of_row, u32::MAX),
            byte: FIRST as u8,
            thread: LEFT as u8,
        },
        BlockScale {
            word: select(thread == RIGHT, of_column, u32::MAX),
            byte: FIRST as u8,
            thread: RIGHT as u8,
        },
    ];
    tile_to(&mma_scaled(&left, &right, &sum, scales), d, tile);
}

/// `d` = `a` · `b` of row-major matrices, `a` with `k` columns, `b` and `d` with `n`; a warp a tile of the instruction's
/// shape, warps of a CTA side by side. The sum stays in the fragment, k ascending by the depth of the instruction;
/// elements beyond `k` are zeros.
#[kernel(
    mode = Reduction,
    variants(
        NAME = [
            "m8n8k4", "m16n8k4", "m16n8k8", "m8n8k16", "m16n8k16", "m16n8k32", "m8n8k16_sat",
            "m16n8k16_sat", "m16n8k32_sat", "m8n8k32_4bit", "m16n8k32_4bit", "m16n8k64_4bit",
            "m8n8k32_4bit_sat", "m16n8k32_4bit_sat", "m16n8k64_4bit_sat", "m16n8k32_f8f6f4", "m8n8k4_rz",
            "m8n8k4_rm", "m8n8k4_rp", "m16n8k4_rz", "m16n8k4_rm", "m16n8k4_rp", "m16n8k8_rz", "m16n8k8_rm",
            "m16n8k8_rp", "m16n8k16_rz", "m16n8k16_rm", "m16n8k16_rp"
        ],
        suffix = "_{NAME}"
    )
)]
pub fn mma_k_loop<A, B, C>(a: Tensor<A>, b: Tensor<B>, mut d: Tensor<C>, #[scalar] n: u32, #[scalar] k: u32) {
    let form = form_of(NAME, [A::dtype(), B::dtype(), C::dtype()]);
    let place = place_of(form);
    let mut sum = Fragment::zeros(form);
    for depth in range(0u32, k, u32::from(form.shape.k)) {
        let left = left_slice(form, a, place[0], depth, k);
        let right = right_slice(form, b, place[1], depth, [k, n]);
        sum = mma(&left, &right, &sum);
    }
    result_to(&sum, d, place, n);
}

/// `d` = `a` · `b` of four products a warp, those of one warp after those of another: 8 × `k`, `k` × 8 and 8 × 8, row-major.
#[kernel(
    mode = Reduction,
    variants(NAME = ["row_col", "row_row", "col_col", "col_row"], suffix = "_{NAME}")
)]
pub fn mma_pair_k_loop<A, B, C>(a: Tensor<A>, b: Tensor<B>, mut d: Tensor<C>, #[scalar] k: u32) {
    let form = form_of(&format!("m8n8k4_{NAME}"), [A::dtype(), B::dtype(), C::dtype()]);
    let batch = program_id::<0>() * warps_per_cta() + warp_id();
    let mut sum = Fragment::zeros(form);
    for depth in range(0u32, k, u32::from(form.shape.k)) {
        let left = left_slice(form, a, batch * 32, depth, k);
        let right = Fragment::from_elements(form, Operand::B, |row, column| {
            let at = depth + row;
            let product = batch * 4 + column / 8;
            select(at < k, load(b[(product * k + at) * 8 + column % 8]), cast::<B>(0))
        });
        sum = mma(&left, &right, &sum);
    }
    tile_to(&sum, d, batch);
}

/// `d` = (`a` · scales) · (`b` · scales) of one tile, the sum in the fragment: `steps` instructions, each with its own scales
/// of every row and column, those of one row or column one behind the other.
#[kernel(
    mode = Reduction,
    variants(
        NAME = ["m16n8k32_mxf8f6f4", "m16n8k64_mxf4", "m16n8k64_mxf4nvf4x2", "m16n8k64_mxf4nvf4x4"],
        suffix = "_{NAME}"
    )
)]
pub fn mma_scaled_k_loop<A, B>(
    a: Tensor<A>,
    b: Tensor<B>,
    scale_a: Tensor<u8>,
    scale_b: Tensor<u8>,
    mut d: Tensor<f32>,
    #[scalar] steps: u32,
) {
    let form = form_of(NAME, [A::dtype(), B::dtype(), DType::F32]);
    let count = form.kind.scales();
    let (group, thread) = (simd_lane / 4, simd_lane % 4);
    let k = steps * u32::from(form.shape.k);
    let mut sum = Fragment::zeros(form);
    for step in range(0u32, steps, 1u32) {
        let depth = step * u32::from(form.shape.k);
        let left = left_slice(form, a, 0u32.val(), depth, k);
        let right = right_slice(form, b, 0u32.val(), depth, [k, 8u32.val()]);
        let of_row = word_of(scale_a, (group + thread % 2 * 8) * steps + step, count, 0);
        let of_column = word_of(scale_b, group * steps + step, count, 0);
        let scales = [of_row, of_column].map(lowest);
        sum = mma_scaled(&left, &right, &sum, scales);
    }
    tile_to(&sum, d, 0u32.val());
}

/// The same as `mma_k_loop` by fused multiply-adds of f32.
#[kernel(
    mode = Reduction,
    variants(NAME = ["m16n8k8", "m16n8k16", "m16n8k32"], suffix = "_{NAME}")
)]
pub fn mma_ieee_k_loop<A, B>(
    a: Tensor<A>,
    b: Tensor<B>,
    mut d: Tensor<f32>,
    #[scalar] n: u32,
    #[scalar] k: u32,
) {
    let form = form_of(NAME, [A::dtype(), B::dtype(), DType::F32]);
    let place = place_of(form);
    let mut sum = Fragment::zeros(form);
    for depth in range(0u32, k, u32::from(form.shape.k)) {
        let left = left_slice(form, a, place[0], depth, k);
        let right = right_slice(form, b, place[1], depth, [k, n]);
        sum = mma_ieee(&left, &right, &sum);
    }
    result_to(&sum, d, place, n);
}

/// Operand `operand` of the tile of that number. Of several products the B stand one below the other in memory.
#[kernel_fn]
fn tile_from<T: KernelType>(form: Form, operand: Operand, matrix: Tensor<T>, tile: Val) -> Fragment {
    let layout = Layout::of(&form, operand);
    let (rows, columns) = (layout.rows(), layout.columns());
    let width = if operand == Operand::B { usize::from(form.shape.n) } else { columns };
    Fragment::from_elements(form, operand, |row, column| {
        let inner = row * width + if width == columns { column } else { column % width };
        let product = if width == columns { tile } else { tile * (columns / width) + column / width };
        load(matrix[product * (rows * width) + inner])
    })
}

/// Stores the result of the tile of that number.
#[kernel_fn]
fn tile_to<T: KernelType>(fragment: &Fragment, matrix: Tensor<T>, tile: Val) {
    let (rows, columns) = (fragment.layout().rows(), fragment.layout().columns());
    for (row, column, value) in fragment.elements() {
        store(matrix[tile * (rows * columns) + row * columns + column], value);
    }
}

/// Scales from the lowest byte on, of the first threads of a quad.
fn lowest(word: Val) -> BlockScale {
    BlockScale { word, byte: 0, thread: 0 }
}

/// The word with the `count` scales of a line from byte `first` on, all ones elsewhere.
#[kernel_fn]
fn word_of(scales: Tensor<u8>, line: Val, count: usize, first: usize) -> Val {
    let counted = (u32::MAX >> (32 - 8 * count as u32)) << (8 * first as u32);
    let mut word = (!counted).val();
    for place in 0..count {
        word = word | load(scales[line * count + place]).cast::<u32>() << (8 * (first + place) as u32);
    }
    word
}

/// First row and column of the warp's tile.
#[kernel_fn]
fn place_of(form: Form) -> [Val; 2] {
    let across = program_id::<0>() * warps_per_cta() + warp_id();
    [program_id::<1>() * u32::from(form.shape.m), across * u32::from(form.shape.n)]
}

#[kernel_fn]
fn left_slice<T: KernelType>(form: Form, matrix: Tensor<T>, top: Val, depth: Val, k: Val) -> Fragment {
    Fragment::from_elements(form, Operand::A, |row, column| {
        let at = depth + column;
        select(at < k, load(matrix[(top + row) * k + at]), cast::<T>(0))
    })
}

#[kernel_fn]
fn right_slice<T: KernelType>(
    form: Form,
    matrix: Tensor<T>,
    left: Val,
    depth: Val,
    shape: [Val; 2],
) -> Fragment {
    let [k, n] = shape;
    Fragment::from_elements(form, Operand::B, |row, column| {
        let at = depth + row;
        select(at < k, load(matrix[at * n + left + column]), cast::<T>(0))
    })
}

#[kernel_fn]
fn result_to<T: KernelType>(fragment: &Fragment, matrix: Tensor<T>, place: [Val; 2], n: Val) {
    let [top, left] = place;
    for (row, column, value) in fragment.elements() {
        store(matrix[(top + row) * n + left + column], value);
    }
}
