//! Cases where 32 bits are not enough: element indices beyond 2³¹ and 2³², byte offsets beyond 4 GiB, grids that are
//! too tall for the hardware. Buffers are sparse, so only the pieces named here exist.

use warpsmith::case::prelude::*;
use warpsmith::dsl::prelude::*;

use super::kernel::{
    copied_at_i32, copied_at_i64, copied_at_u32, copied_at_u64, copy_2d, copy_range, gather,
};
use super::reference;

/// Indices on both sides of 2³¹ and of 4 GiB. What a truncated offset would read instead has no contents.
#[test_kernel(dtypes = [f32, u8, bf16])]
fn gather_beyond_4_gib(dt: DType) -> TestSetup {
    let elements = if dt == DType::U8 { (1u64 << 32) - 1 } else { (1 << 31) + 100 };
    let limit = (1u64 << 32) / u64::from(dt.size());
    let far = [0, 5, (1 << 31) - 1, 1 << 31, (1 << 31) + 7, limit - 1, limit, elements - 1];
    let mut places: Vec<u64> = far.into_iter().filter(|&place| place < elements).collect();
    places.sort_unstable();
    places.dedup();
    let value = |number: usize| (number + 3) as f64;
    let pieces: Vec<_> =
        places.iter().enumerate().map(|(number, &place)| (place, vec![value(number)])).collect();
    let index: Vec<f64> = places.iter().rev().map(|&place| place as f64).collect();
    let want: Vec<f64> = (0..places.len()).rev().map(value).collect();
    TestSetup::new(gather::kernel_ir_for(dt))
        .input(TestBuffer::sparse("x", elements, dt, &pieces))
        .input(TestBuffer::from_f64("index", &index, DType::U32))
        .output("out", [places.len()], dt)
        .grid_1d(places.len(), 32)
        .expect_bits(TestBuffer::from_f64("out", &want, dt))
}

/// Reads and writes behind element 2³², from an index that is no multiple of anything.
#[test_kernel(dtypes = [u8, f32])]
fn copy_range_beyond_2_32(dt: DType) -> TestSetup {
    let (from, count) = ((1u64 << 32) + 13, 75usize);
    let values: Vec<f64> = (0..count).map(|i| (i * 7 % 251) as f64 + 1.0).collect();
    TestSetup::new(copy_range::kernel_ir_for(dt))
        .input(TestBuffer::sparse("x", from + count as u64, dt, &[(from, values.clone())]))
        .output_buffer(TestBuffer::sparse("out", from + count as u64 + 1, dt, &[]))
        .scalar("from", from)
        .grid_1d(count, 32)
        .expect_at("out", from, TestBuffer::from_f64("out", &values, dt))
}

/// Reads and writes from element `from` on, in buffers that end behind what is copied.
fn copied_from(
    kernel: impl warpsmith::case::IntoKernel,
    from: impl Into<warpsmith::ir::Scalar>,
    first: u64,
    dt: DType,
) -> TestSetup {
    let values: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 251 + 1)).collect();
    let len = first + values.len() as u64;
    TestSetup::new(kernel)
        .input(TestBuffer::sparse("x", len, dt, &[(first, values.clone())]))
        .output_buffer(TestBuffer::sparse("out", len, dt, &[]))
        .scalar("from", from)
        .grid_1d(values.len(), 32)
        .expect_at("out", first, TestBuffer::from_f64("out", &values, dt))
}

/// Element 2³¹ + 17 and those behind it, by each type of index that reaches it; `i32` up to its last.
#[test_kernel(dtypes = [f32, u8, f64], variants(NAME = ["u32", "u64", "i64", "i32"], suffix = "_{NAME}"))]
fn copied_at_2_31(dt: DType) -> TestSetup {
    let far = (1u64 << 31) + 17;
    match NAME {
        "u32" => copied_from(copied_at_u32::kernel_ir_for(dt), far as u32, far, dt),
        "u64" => copied_from(copied_at_u64::kernel_ir_for(dt), far, far, dt),
        "i64" => copied_from(copied_at_i64::kernel_ir_for(dt), far as i64, far, dt),
        _ => {
            let last = (1u64 << 31) - 40;
            copied_from(copied_at_i32::kernel_ir_for(dt), last as i32, last, dt)
        }
    }
}

/// Two rows that lie 2³¹ + 17 elements apart, read and written.
#[test_kernel(dtypes = [f32, u8, f64])]
fn copy_2d_far_rows(dt: DType) -> TestSetup {
    let (far, cols) = ((1u64 << 31) + 17, 37usize);
    let row = |number: usize| (0..cols).map(|i| (number * 100 + i + 1) as f64).collect::<Vec<_>>();
    let view = |buffer: TestBuffer| buffer.strided([2, cols], [far as usize, 1]);
    let len = far + cols as u64;
    TestSetup::new(copy_2d::kernel_ir_for(dt))
        .input(view(TestBuffer::sparse("x", len, dt, &[(0, row(0)), (far, row(1))])))
        .output_buffer(view(TestBuffer::sparse("out", len, dt, &[])))
        .threads_3d(cols, 2u32, 1u32, [32, 2, 1])
        .expect_at("out", 0, TestBuffer::from_f64("out", &row(0), dt))
        .expect_at("out", far, TestBuffer::from_f64("out", &row(1), dt))
}

#[test_kernel(
    dtypes = [f32, f16, bf16],
    variants(NAME = ["odd", "aligned", "tail"], N = [201, 320, 1002], suffix = "_{NAME}")
)]
fn copy_range_near(dt: DType) -> TestSetup {
    let x = inputs("x", [N], dt, Hard);
    let want = reference::picked(&x, 17..N);
    TestSetup::new(copy_range::kernel_ir_for(dt))
        .input(x)
        .output("out", [N], dt)
        .scalar("from", 17u64)
        .grid_1d(N - 17, 256)
        .expect_at("out", 17, want)
}

/// More than 65,535 CTAs along y: the grid is passed along x and unpacked.
#[test_kernel(dtypes = [f32, u8])]
fn copy_2d_tall(dt: DType) -> TestSetup {
    let (rows, cols) = (65_600usize, 3usize);
    let x = inputs("x", [rows * cols], dt, Ints(1, 200));
    let want = reference::copy(&x);
    TestSetup::new(copy_2d::kernel_ir_for(dt))
        .input(x.shaped([rows, cols]))
        .output("out", [rows, cols], dt)
        .threads_3d(cols, rows, 1, [4, 1, 1])
        .expect_bits(want)
}
