//! Arguments of `#[test_kernel]`.
use warpsmith::dsl::prelude::*;

#[test_kernel(dtypes = [f33])]
fn a(dt: DType) -> TestSetup {
    unreachable!()
}

#[test_kernel(dtypes = [f32, f16], tol = [1e-3])]
fn b(dt: DType) -> TestSetup {
    unreachable!()
}

#[test_kernel(dtypes = [f32], tol = close(3))]
fn c(dt: DType) -> TestSetup {
    unreachable!()
}

#[test_kernel(speed = 1)]
fn d(dt: DType) -> TestSetup {
    unreachable!()
}

#[test_kernel(dtypes = [f32])]
fn e(dt: DType, n: usize) -> TestSetup {
    unreachable!()
}

fn main() {}
