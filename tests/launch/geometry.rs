//! Grids that don't fit, and those that are none.

use expect_test::expect;
use warpsmith::ir::{GridForm, Mode};
use warpsmith::runtime::LaunchBuilder;

use super::fake::{ROWS, device, words};
use super::results::{SCALE, kernel};

#[test]
fn limits_of_the_grid_are_checked() {
    let (device, _) = device();
    let kernel = kernel(SCALE);
    let x = device.upload(&[1.0f32; 1]).unwrap();
    let mut out = device.zeros::<f32>(1).unwrap();
    let mut launch = |change: fn(LaunchBuilder<'_>) -> LaunchBuilder<'_>| {
        let launch =
            LaunchBuilder::of(&device, &kernel).bind("x", &x).bind_mut("out", &mut out).scalar("s", 1);
        words(change(launch).run())
    };
    expect![[r#"
        can't launch `scale`: the launch has no grid
        help: add `.threads_1d(n, cta)` or `.grid_3d(x, y, z, [tx, ty, tz])`"#]]
    .assert_eq(&launch(|launch| launch));
    expect![[r#"
        can't launch `scale`: a grid can't be negative
        help: count from 0"#]]
    .assert_eq(&launch(|launch| launch.threads_1d(-1, 32)));
    expect![[r#"
        can't launch `scale`: an elementwise launch is one-dimensional, but it has [2, 2, 1] CTAs of [8, 8, 1] threads
        help: use `.threads_1d(n, cta)`, or give the kernel another mode"#]]
    .assert_eq(&launch(|launch| launch.grid_2d(2, 2, [8, 8])));
    expect![[r#"
        can't launch `scale`: the grid [3000000000, 1, 1] has 3000000000 CTAs; a grid takes 2147483647
        help: use larger CTAs, or several launches"#]]
    .assert_eq(&launch(|launch| launch.grid_3d(3_000_000_000u64, 1, 1, [1, 1, 1])));
    expect![[r#"
        can't launch `scale`: the grid [70000, 70000, 1] has 4900000000 CTAs; a grid takes 2147483647
        help: use larger CTAs, or several launches"#]]
    .assert_eq(&launch(|launch| launch.mode(Mode::Grid3D).grid_3d(70_000, 70_000, 1, [1, 1, 1])));
    expect![[r#"
        can't launch `scale`: 4294967552 threads on axis x are over 2^32
        help: give a thread several elements, or use several launches"#]]
    .assert_eq(&launch(|launch| launch.threads_1d((1u64 << 32) + 1, 256)));
    expect![[r#"
        can't launch `scale`: an extent of 4294967296 threads on axis x is over 2^32 - 1
        help: give a thread several elements, or use several launches"#]]
    .assert_eq(&launch(|launch| launch.threads_1d(1u64 << 32, 256)));
}

#[test]
fn what_contradicts_the_kernel_is_a_compile_error() {
    let (device, _) = device();
    let kernel = kernel(ROWS);
    let mut out = device.zeros::<u32>(4).unwrap();
    let mut launch = |mode, cta| {
        let launch = LaunchBuilder::of(&device, &kernel).bind_mut("out", &mut out).mode(mode);
        words(launch.grid_3d(4, 1, 1, [cta, 1, 1]).run())
    };
    expect![[r#"
        `rows` can't be compiled
        error[W0316]: the kernel is for mode `reduction`, but the launch has mode `grid3d`
          = help: launch the kernel as it declares"#]]
    .assert_eq(&launch(Mode::Grid3D, 32));
    expect![[r#"
        `rows` can't be compiled
        error[W0317]: a CTA has 2048 threads on axis x; sm_90 takes 1024
          = help: launch more and smaller CTAs"#]]
    .assert_eq(&launch(Mode::Reduction, 2048));
    expect![[r#"
        `rows` can't be compiled
        error[W0317]: a CTA of [0, 1, 1] has no threads
          = help: give every axis at least one thread"#]]
    .assert_eq(&launch(Mode::Reduction, 0));
}

#[test]
fn an_empty_grid_succeeds_and_runs_nothing() {
    let (device, log) = device();
    let kernel = kernel(SCALE);
    let x = device.upload::<f32>(&[]).unwrap();
    let mut out = device.zeros::<f32>(0).unwrap();
    let launch = LaunchBuilder::of(&device, &kernel).bind("x", &x).bind_mut("out", &mut out).scalar("s", 1);
    launch.threads_1d(0, 256).run().unwrap();
    assert!(log.launches.lock().unwrap().is_empty() && log.loads.lock().unwrap().is_empty());
    // Arguments are checked all the same.
    expect![[r#"
        can't launch `scale`: parameter `x` has no argument
        help: add `.x(…)`"#]]
    .assert_eq(&words(LaunchBuilder::of(&device, &kernel).threads_1d(0, 256).run()));
}

#[test]
fn a_tall_grid_is_linearised() {
    let (device, log) = device();
    let kernel = kernel(
        "kernel @tall(mut out: global u32) mode(reduction) {
            v0 = cta_id.y
            store out[v0], v0
        }",
    );
    let mut out = device.zeros::<u32>(70_000).unwrap();
    let launch = LaunchBuilder::of(&device, &kernel).bind_mut("out", &mut out);
    let prepared = launch.grid_3d(2, 70_000, 1, [32, 1, 1]).prepare().unwrap();
    assert_eq!(prepared.loaded().map(|loaded| loaded.class().grid), Some(GridForm::Linear));
    prepared.run().unwrap();
    let launches = log.launches.lock().unwrap();
    // The grid follows the address: two u32 a word.
    assert_eq!(launches[0].1[1..], [70_000 << 32 | 2, 1]);
}
