//! The cases of the family.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::vector_add;
use super::reference;

fn vector_add_of(n: usize, cta: u32, dt: DType) -> TestSetup {
    let a = inputs("a", [n], dt, Range(-2.0, 2.0));
    let b = inputs("b", [n], dt, Range(-2.0, 2.0));
    let want = reference::add(&a.as_f64(), &b.as_f64());
    TestSetup::new(vector_add::kernel_ir_for(dt))
        .input(a)
        .input(b)
        .output("c", [n], dt)
        .grid_1d(n, cta)
        .expect("c", want)
}

#[test_kernel(dtypes = [f32, f16, bf16], tol = [f32: ulp(1), f16: ulp(1), bf16: ulp(1)])]
fn vector_add_aligned(dt: DType) -> TestSetup {
    vector_add_of(1024, 256, dt)
}
