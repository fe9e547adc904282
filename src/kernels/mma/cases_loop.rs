//! The cases of sums over K in a fragment: up to 4,096 terms, several tiles, K that ends within an instruction, and
//! inputs whose sum depends on the order and on what each step cuts.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;
use warpsmith::numerics::tensor::Accumulator;

use super::data::{Built, Inputs, Matrices, judged};
use super::form_of;
use super::kernel::{mma_k_loop_m16n8k8, mma_k_loop_m16n8k16, mma_k_loop_m16n8k32, mma_k_loop_m16n8k64_4bit};
use super::reference::Product;

fn kernel(name: &str, [a, b, c]: [DType; 3]) -> Built {
    match name {
        "m16n8k8" => mma_k_loop_m16n8k8::kernel_ir_for(a, b, c),
        "m16n8k16" => mma_k_loop_m16n8k16::kernel_ir_for(a, b, c),
        "m16n8k32" => mma_k_loop_m16n8k32::kernel_ir_for(a, b, c),
        _ => mma_k_loop_m16n8k64_4bit::kernel_ir_for(a, b, c),
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
    if contents == Inputs::Positive && form.acc == Accumulator::F32 {
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
