//! The cases of sums over K in a fragment: up to 4,096 terms, several tiles, K that ends within an instruction, and
//! inputs whose sum depends on the order and on what each step cuts.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;
use warpsmith::numerics::tensor::Accumulator;

use super::data::{Built, Inputs, Matrices, judged};
use super::form_of;
use super::kernel::{
    mma_k_loop_m8n8k4, mma_k_loop_m8n8k4_rm, mma_k_loop_m8n8k4_rp, mma_k_loop_m8n8k4_rz, mma_k_loop_m8n8k16,
    mma_k_loop_m8n8k16_sat, mma_k_loop_m8n8k32_4bit, mma_k_loop_m8n8k32_4bit_sat, mma_k_loop_m16n8k4,
    mma_k_loop_m16n8k4_rm, mma_k_loop_m16n8k4_rp, mma_k_loop_m16n8k4_rz, mma_k_loop_m16n8k8,
    mma_k_loop_m16n8k8_rm, mma_k_loop_m16n8k8_rp, mma_k_loop_m16n8k8_rz, mma_k_loop_m16n8k16,
    mma_k_loop_m16n8k16_rm, mma_k_loop_m16n8k16_rp, mma_k_loop_m16n8k16_rz, mma_k_loop_m16n8k16_sat,
    mma_k_loop_m16n8k32, mma_k_loop_m16n8k32_4bit, mma_k_loop_m16n8k32_4bit_sat, mma_k_loop_m16n8k32_f8f6f4,
    mma_k_loop_m16n8k32_sat, mma_k_loop_m16n8k64_4bit, mma_k_loop_m16n8k64_4bit_sat, mma_pair_k_loop_col_col,
    mma_pair_k_loop_col_row, mma_pair_k_loop_row_col, mma_pair_k_loop_row_row,
};
use super::reference::Product;

fn kernel(name: &str, [a, b, c]: [DType; 3]) -> Built {
    match name {
        "m8n8k4" => mma_k_loop_m8n8k4::kernel_ir_for(a, b, c),
        "m16n8k4" => mma_k_loop_m16n8k4::kernel_ir_for(a, b, c),
        "m16n8k8" => mma_k_loop_m16n8k8::kernel_ir_for(a, b, c),
        "m8n8k16" => mma_k_loop_m8n8k16::kernel_ir_for(a, b, c),
        "m16n8k16" => mma_k_loop_m16n8k16::kernel_ir_for(a, b, c),
        "m16n8k32" => mma_k_loop_m16n8k32::kernel_ir_for(a, b, c),
        "m8n8k16_sat" => mma_k_loop_m8n8k16_sat::kernel_ir_for(a, b, c),
        "m16n8k16_sat" => mma_k_loop_m16n8k16_sat::kernel_ir_for(a, b, c),
        "m16n8k32_sat" => mma_k_loop_m16n8k32_sat::kernel_ir_for(a, b, c),
        "m8n8k32_4bit" => mma_k_loop_m8n8k32_4bit::kernel_ir_for(a, b, c),
        "m16n8k32_4bit" => mma_k_loop_m16n8k32_4bit::kernel_ir_for(a, b, c),
        "m16n8k64_4bit" => mma_k_loop_m16n8k64_4bit::kernel_ir_for(a, b, c),
        "m8n8k32_4bit_sat" => mma_k_loop_m8n8k32_4bit_sat::kernel_ir_for(a, b, c),
        "m16n8k32_4bit_sat" => mma_k_loop_m16n8k32_4bit_sat::kernel_ir_for(a, b, c),
        "m16n8k64_4bit_sat" => mma_k_loop_m16n8k64_4bit_sat::kernel_ir_for(a, b, c),
        "m8n8k4_rz" => mma_k_loop_m8n8k4_rz::kernel_ir_for(a, b, c),
        "m8n8k4_rm" => mma_k_loop_m8n8k4_rm::kernel_ir_for(a, b, c),
        "m8n8k4_rp" => mma_k_loop_m8n8k4_rp::kernel_ir_for(a, b, c),
        "m16n8k4_rz" => mma_k_loop_m16n8k4_rz::kernel_ir_for(a, b, c),
        "m16n8k4_rm" => mma_k_loop_m16n8k4_rm::kernel_ir_for(a, b, c),
        "m16n8k4_rp" => mma_k_loop_m16n8k4_rp::kernel_ir_for(a, b, c),
        "m16n8k8_rz" => mma_k_loop_m16n8k8_rz::kernel_ir_for(a, b, c),
        "m16n8k8_rm" => mma_k_loop_m16n8k8_rm::kernel_ir_for(a, b, c),
        "m16n8k8_rp" => mma_k_loop_m16n8k8_rp::kernel_ir_for(a, b, c),
        "m16n8k16_rz" => mma_k_loop_m16n8k16_rz::kernel_ir_for(a, b, c),
        "m16n8k16_rm" => mma_k_loop_m16n8k16_rm::kernel_ir_for(a, b, c),
        "m16n8k16_rp" => mma_k_loop_m16n8k16_rp::kernel_ir_for(a, b, c),
        "m8n8k4_row_col" => mma_pair_k_loop_row_col::kernel_ir_for(a, b, c),
        "m8n8k4_row_row" => mma_pair_k_loop_row_row::kernel_ir_for(a, b, c),
        "m8n8k4_col_col" => mma_pair_k_loop_col_col::kernel_ir_for(a, b, c),
        "m8n8k4_col_row" => mma_pair_k_loop_col_row::kernel_ir_for(a, b, c),
        _ => mma_k_loop_m16n8k32_f8f6f4::kernel_ir_for(a, b, c),
    }
}

/// A launch over tiles of C, so many down and across, and what the reference needs.
pub(super) fn launched(
    name: &str,
    dtypes: [DType; 3],
    tiles: [usize; 2],
    k: usize,
    contents: Inputs,
    kernel: Built,
) -> (Form, Product, TestSetup) {
    let form = form_of(name, dtypes);
    let [down, across] = tiles;
    let (m, n) = (down * usize::from(form.shape.m), across * usize::from(form.shape.n));
    let matrices = Matrices::new(&form, dtypes, 1, [m, n, k], contents);
    let product = Product { c: Vec::new(), ..matrices.product([m, n, k]) };
    let warps = if across % 2 == 0 { 2 } else { 1 };
    let setup = TestSetup::new(kernel)
        .input(matrices.a)
        .input(matrices.b)
        .output("d", [m, n], dtypes[2])
        .scalar("n", n as u32)
        .scalar("k", k as u32)
        .grid_3d(across / warps, down, 1u32, [32 * warps as u32, 1, 1]);
    (form, product, setup)
}

fn summed(name: &str, dtypes: [DType; 3], tiles: [usize; 2], k: usize, contents: Inputs) -> TestSetup {
    let (form, product, setup) = launched(name, dtypes, tiles, k, contents, kernel(name, dtypes));
    // Half as many digits, and a step of the shortest depth more often.
    if contents == Inputs::Positive && form.acc == Accumulator::F16 {
        return setup.tol(rel((k + 32) as f64 * 6e-4)).expect("d", product.sums());
    }
    if contents == Inputs::Positive && form.acc == Accumulator::F32 {
        return setup.tol(rel((k + 32) as f64 * 1.5e-7)).expect("d", product.sums());
    }
    judged(setup, &form, &product, contents)
}

/// Four products in a fragment, and as many after them.
fn pairs_summed(name: &str, dtypes: [DType; 3], k: usize, contents: Inputs) -> TestSetup {
    let form = form_of(name, dtypes);
    let matrices = Matrices::new(&form, dtypes, 8, [8, 8, k], contents);
    let product = Product { c: Vec::new(), ..matrices.product([8, 8, k]) };
    let setup = TestSetup::new(kernel(name, dtypes))
        .input(matrices.a)
        .input(matrices.b)
        .output("d", [8 * 8, 8], dtypes[2])
        .scalar("k", k as u32)
        .grid_3d(1u32, 1u32, 1u32, [64, 1, 1]);
    if contents == Inputs::Positive {
        return setup.tol(rel((k + 32) as f64 * 1.5e-7)).expect("d", product.sums());
    }
    judged(setup, &form, &product, contents)
}

/// Cases of one form, for each dtype of A.
macro_rules! loop_cases {
    ($($case:ident: $a:tt * $b:tt => $c:tt by $name:literal;)*) => {$(
        #[test_kernel(
            dtypes = $a,
            variants(NAME = ["odd", "tail", "aligned", "many_row", "wide"], DOWN = [1, 1, 1, 4, 1],
                ACROSS = [1, 1, 1, 4, 1], K = [27, 100, 256, 50, 4096], suffix = "_{NAME}")
        )]
        fn $case(dt: DType) -> TestSetup {
            let dtypes = [dt, <$b as KernelType>::dtype(), <$c as KernelType>::dtype()];
            summed($name, dtypes, [DOWN, ACROSS], K, Inputs::Exact)
        }
    )*};
}

loop_cases! {
    f16_loop: [f16] * f16 => f32 by "m16n8k16";
    f16_short_loop: [f16] * f16 => f32 by "m16n8k8";
    f16_to_f16_loop: [f16] * f16 => f16 by "m16n8k16";
    bf16_loop: [bf16] * bf16 => f32 by "m16n8k16";
    tf32_loop: [tf32] * tf32 => f32 by "m16n8k8";
    fp8_loop: [e4m3, e5m2] * e4m3 => f32 by "m16n8k32";
    fp8_to_f16_loop: [e4m3, e5m2] * e5m2 => f16 by "m16n8k32";
    byte_loop: [i8, u8] * i8 => i32 by "m16n8k32";
    nibble_loop: [i8, u8] * u8 => i32 by "m16n8k64_4bit";
    f64_loop: [f64] * f64 => f64 by "m16n8k8";
}

/// Cases whose bits depend on the order of the sum, for each dtype with its kernel.
macro_rules! rounded_loop_cases {
    ($($positive:ident, $cancelling:ident, $hard:ident: $a:tt => $c:tt by $name:literal;)*) => {$(
        #[test_kernel(
            dtypes = $a,
            variants(NAME = ["odd", "tail", "many_row", "wide"], DOWN = [1, 1, 3, 1], ACROSS = [1, 1, 2, 1],
                K = [27, 100, 80, 4096], suffix = "_{NAME}")
        )]
        fn $positive(dt: DType) -> TestSetup {
            summed($name, [dt, dt, <$c as KernelType>::dtype()], [DOWN, ACROSS], K, Inputs::Positive)
        }

        #[test_kernel(
            dtypes = $a,
            variants(NAME = ["odd", "aligned", "wide"], DOWN = [1, 1, 1], ACROSS = [1, 1, 1], K = [31, 256, 4096],
                suffix = "_{NAME}")
        )]
        fn $cancelling(dt: DType) -> TestSetup {
            summed($name, [dt, dt, <$c as KernelType>::dtype()], [DOWN, ACROSS], K, Inputs::Cancelling)
        }

        /// Rows and columns long enough that some hold no NaN.
        #[test_kernel(dtypes = $a)]
        fn $hard(dt: DType) -> TestSetup {
            summed($name, [dt, dt, <$c as KernelType>::dtype()], [4, 6], 20, Inputs::Hard)
        }
    )*};
}

rounded_loop_cases! {
    halves_positive, halves_cancelling, halves_hard: [f16, bf16] => f32 by "m16n8k16";
    tf32_positive, tf32_cancelling, tf32_hard: [tf32] => f32 by "m16n8k8";
    f64_positive, f64_cancelling, f64_hard: [f64] => f64 by "m16n8k16";
}

/// Cases of the forms that have none above, K divided by no depth, for A of each dtype with each zipped (form, B, C).
macro_rules! form_loop_cases {
    ($($($case:ident = $contents:ident by $k:literal),* for $a:tt with $name:tt, $b:tt, $c:tt;)*) => {$($(
        #[test_kernel(dtypes = $a, variants(NAME = $name, Right = $b, Sum = $c, suffix = "_{NAME}_{Right}_{Sum}"))]
        fn $case(dt: DType) -> TestSetup {
            let dtypes = [dt, <Right as KernelType>::dtype(), <Sum as KernelType>::dtype()];
            summed(NAME, dtypes, [2, 1], $k, Inputs::$contents)
        }
    )*)*};
}

form_loop_cases! {
    other_half_loop = Exact by 101, other_half_positive = Positive by 33, other_half_hard = Hard by 21
        for [f16] with ["m16n8k8"], [f16], [f16];
    other_bf16_loop = Exact by 101, other_bf16_positive = Positive by 99, other_bf16_cancelling = Cancelling by 4096,
        other_bf16_hard = Hard by 21 for [bf16] with ["m16n8k8"], [bf16], [f32];
    other_tf32_loop = Exact by 101, other_tf32_positive = Positive by 99, other_tf32_cancelling = Cancelling by 4096,
        other_tf32_hard = Hard by 21 for [tf32] with ["m16n8k4"], [tf32], [f32];
    other_fp8_loop = Exact by 101, other_fp8_hard = Hard by 21 for [e4m3, e5m2]
        with ["m16n8k16", "m16n8k16", "m16n8k16", "m16n8k16", "m16n8k32", "m16n8k32"],
        [e4m3, e5m2, e4m3, e5m2, e5m2, e4m3], [f32, f32, f16, f16, f32, f16];
    other_f64_loop = Exact by 101, other_f64_positive = Positive by 33, other_f64_cancelling = Cancelling by 101,
        other_f64_hard = Hard by 21 for [f64]
        with ["m8n8k4", "m16n8k4", "m16n8k16"], [f64, f64, f64], [f64, f64, f64];
    directed_loop = Exact by 101, directed_positive = Positive by 33, directed_cancelling = Cancelling by 101,
        directed_hard = Hard by 21 for [f64]
        with ["m8n8k4_rz", "m8n8k4_rm", "m8n8k4_rp", "m16n8k4_rz", "m16n8k4_rm", "m16n8k4_rp", "m16n8k8_rz", "m16n8k8_rm", "m16n8k8_rp", "m16n8k16_rz", "m16n8k16_rm", "m16n8k16_rp"], [f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64], [f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64];
    other_byte_loop = Exact by 101 for [i8, u8]
        with ["m8n8k16", "m16n8k16", "m8n8k16", "m16n8k16", "m16n8k32", "m8n8k16_sat", "m16n8k16_sat",
            "m16n8k32_sat", "m8n8k16_sat", "m16n8k16_sat", "m16n8k32_sat"],
        [i8, i8, u8, u8, u8, i8, i8, i8, u8, u8, u8],
        [i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32];
    other_nibble_loop = Exact by 101 for [i8, u8]
        with ["m8n8k32_4bit", "m16n8k32_4bit", "m8n8k32_4bit", "m16n8k32_4bit", "m16n8k64_4bit",
            "m8n8k32_4bit_sat", "m16n8k32_4bit_sat", "m16n8k64_4bit_sat", "m8n8k32_4bit_sat",
            "m16n8k32_4bit_sat", "m16n8k64_4bit_sat"],
        [i8, i8, u8, u8, i8, i8, i8, i8, u8, u8, u8],
        [i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32];
    narrow_loop = Exact by 101, narrow_positive = Positive by 99 for [e4m3, e5m2, e3m2, e2m3, e2m1]
        with ["m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4"],
        [e4m3, e5m2, e3m2, e2m3, e2m1], [f32, f32, f32, f32, f32];
    narrow_to_half_loop = Exact by 101 for [e4m3, e5m2, e3m2, e2m3, e2m1]
        with ["m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4"],
        [e4m3, e5m2, e3m2, e2m3, e2m1], [f16, f16, f16, f16, f16];
    narrow_hard = Hard by 21 for [e4m3, e5m2]
        with ["m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4"],
        [e4m3, e5m2, e3m2, e2m3, e2m1], [f32, f32, f32, f32, f32];
    narrow_to_half_hard = Hard by 21 for [e4m3, e5m2]
        with ["m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4", "m16n8k32_f8f6f4"],
        [e4m3, e5m2, e3m2, e2m3, e2m1], [f16, f16, f16, f16, f16];
}

/// Cases of four products at once, each factor by rows and by columns.
macro_rules! pair_loop_cases {
    ($($case:ident = $contents:ident into $sum:ident by $k:literal;)*) => {$(
        #[test_kernel(
            dtypes = [f16],
            variants(NAME = ["m8n8k4_row_col", "m8n8k4_row_row", "m8n8k4_col_col", "m8n8k4_col_row"],
                suffix = "_{NAME}")
        )]
        fn $case(dt: DType) -> TestSetup {
            pairs_summed(NAME, [dt, dt, DType::$sum], $k, Inputs::$contents)
        }
    )*};
}

pair_loop_cases! {
    pair_loop = Exact into F32 by 101;
    pair_positive = Positive into F32 by 99;
    pair_cancelling = Cancelling into F32 by 512;
    pair_hard = Hard into F32 by 21;
    pair_to_f16_loop = Exact into F16 by 50;
    pair_to_f16_hard = Hard into F16 by 21;
}

/// The longest sum.
#[test_kernel(dtypes = [f16])]
fn pair_cancelling_wide(dt: DType) -> TestSetup {
    pairs_summed("m8n8k4_row_col", [dt, dt, DType::F32], 4096, Inputs::Cancelling)
}
