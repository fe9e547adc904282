//! What the short words mean in each mode, in CTAs of one to three axes: section 2.

use warpsmith::dsl::prelude::*;
use warpsmith::ir::{Kernel, Launch, Mode};
use warpsmith::oracle::{Arguments, Buffer, Config, run};

/// Runs a kernel without inputs over `len` words.
fn words(kernel: &Kernel, launch: &Launch, len: u64) -> Vec<Option<u64>> {
    let mut args = Arguments::new(kernel);
    args.buffer("out", Buffer::uninitialised(DType::U32, len)).unwrap();
    run(kernel, launch, &mut args, &Config::default())
        .unwrap_or_else(|failure| panic!("{failure}\n{kernel}"));
    let out = args.get("out").unwrap();
    (0..len).map(|at| out.is_initialised(at).then(|| out.get(at).unwrap().bits)).collect()
}

#[kernel(mode = Elementwise)]
pub fn elementwise(mut out: Tensor<u32>) {
    out[program_id::<0>()] = tid * 100 + program_id::<1>() + program_id::<2>() + tid_x;
}

#[test]
fn elementwise_counts_threads_of_the_launch() {
    let kernel = elementwise::kernel_ir().unwrap();
    // Any CTA shape: 3 CTAs of 24 threads, of which 70 are within the extent.
    let found = words(&kernel, &Launch::linear(70, 24), 72);
    let want = (0..72u64).map(|at| (at < 70).then_some(at * 100 + at % 24));
    assert_eq!(found, want.collect::<Vec<_>>());
}

#[kernel(mode = Grid3D)]
pub fn grid_3d(mut out: Tensor<u32>) {
    let (x, y, z) = (program_id::<0>(), program_id::<1>(), program_id::<2>());
    out[(z * 4 + y) * 7 + x] = x * 100 + y * 10 + z;
}

#[test]
fn grid_3d_counts_threads_on_each_axis() {
    let kernel = grid_3d::kernel_ir().unwrap();
    let mut launch = Launch::ctas(Mode::Grid3D, [2, 2, 1], [5, 3, 2]);
    launch.extent = Some([7, 4, 2]);
    let found = words(&kernel, &launch, 56);
    let want = (0..56u64).map(|at| Some(at % 7 * 100 + at / 7 % 4 * 10 + at / 28));
    assert_eq!(found, want.collect::<Vec<_>>());
}

#[kernel(mode = Reduction)]
pub fn reduction(mut out: Tensor<u32>) {
    out[program_id::<0>() * lsize + tid] = program_id::<0>() * 100 + tid + program_id::<1>();
}

#[test]
fn reduction_counts_ctas() {
    let kernel = reduction::kernel_ir().unwrap();
    let found = words(&kernel, &Launch::ctas(Mode::Reduction, [3, 1, 1], [10, 1, 1]), 30);
    assert_eq!(found, (0..30u64).map(|at| Some(at / 10 * 100 + at % 10)).collect::<Vec<_>>());
}

macro_rules! planes {
    ($($name:ident: $mode:ident;)*) => {$(
        #[kernel(mode = $mode)]
        pub fn $name(mut out: Tensor<u32>) {
            let cta = program_id::<0>() + grid_dim::<0>() * (program_id::<1>() + grid_dim::<1>() * tgid_z);
            let thread = tid_x + lsize * (tid_y + cta_dim::<1>() * tid_z);
            let same = (thread == simd_id * 32 + simd_lane) & (thread == simd_group_id() * 32 + simd_lane_id());
            let far = tgid_x * 100 + tgid_y * 10 + tgid_z;
            out[cta * 105 + thread] = select(same, far * 10 + n_simd, 0xffff_ffffu32);
        }
    )*};
}

planes! {
    simd_group_2d: SimdGroup2D;
    tile_2d: Tile2D;
}

#[test]
fn simd_group_2d_and_tile_2d_have_every_axis() {
    for kernel in [simd_group_2d::kernel_ir(), tile_2d::kernel_ir()] {
        let kernel = kernel.unwrap();
        let launch = Launch::ctas(kernel.mode.unwrap(), [2, 3, 2], [7, 5, 3]);
        // 105 threads are four warps, whose lanes cross rows.
        let cta = |cta: u64| (cta % 2 * 100 + cta / 2 % 3 * 10 + cta / 6) * 10 + 4;
        let want = (0..12 * 105u64).map(|at| Some(cta(at / 105)));
        assert_eq!(words(&kernel, &launch, 12 * 105), want.collect::<Vec<_>>());
    }
}

#[kernel(mode = Grid3D)]
pub fn no_tid(mut out: Tensor<u32>) {
    out[0] = tid;
}

#[test]
fn a_mode_without_tid_says_so() {
    let kernel = no_tid::kernel_ir().unwrap();
    let class = warpsmith::ir::LaunchClass::new(Mode::Grid3D, None);
    let target = warpsmith::target::TargetProfile::parse("sm_90").unwrap();
    let errors = warpsmith::ir::validate::validate_for(&kernel, &class, target).unwrap_err();
    assert_eq!(errors[0].error.to_string(), "`tid` has no meaning in mode `grid3d`");
}
