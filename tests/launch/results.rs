//! Launches with known results, for any device that runs them.

use warpsmith::ir::{Element, Kernel, parse};
use warpsmith::runtime::{Device, LaunchBuilder};

/// `out[i] = x[i] · s`, elementwise.
pub(crate) const SCALE: &str = "kernel @scale(x: global f32, mut out: global f32, s: f32) {
    v0 = program_id.x
    v1 = load x[v0]
    v2 = scalar s
    v3 = mul v1, v2
    store out[v0], v3
}";

/// The kernel of a text.
pub(crate) fn kernel(text: &str) -> Kernel {
    parse::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs [`SCALE`] over `n` elements and finds the element behind them untouched.
pub(crate) fn scaled(device: &Device, n: usize) {
    let kernel = kernel(SCALE);
    let values: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let x = device.upload(&values).unwrap();
    let mut out = device.zeros::<f32>(n + 1).unwrap();
    let launch = LaunchBuilder::of(device, &kernel).bind("x", &x).bind_mut("out", &mut out).scalar("s", 0.5);
    launch.threads_1d(n, 64).run().unwrap();
    let mut want: Vec<f32> = values.iter().map(|x| x * 0.5).collect();
    want.push(0.0);
    assert_eq!(device.download(&out).unwrap(), want);
}

/// Extents on three axes, strides of a view, and a grid beyond 65,535 on y.
pub(crate) fn extents_views_and_tall_grids(device: &Device) {
    // Writes 1 + x + 10 y + 100 z at the element of its view.
    let text = "kernel @axes(mut out: global u32 rank(3)) mode(grid3d) {
        v0 = global_id.x
        v1 = global_id.y
        v2 = global_id.z
        v3 = stride.0 out
        v4 = stride.1 out
        v5 = stride.2 out
        v6 = cvt.u64 v2
        v7 = cvt.u64 v1
        v8 = cvt.u64 v0
        v9 = mul v6, v3
        v10 = mul v7, v4
        v11 = mul v8, v5
        v12 = add v9, v10
        v13 = add v12, v11
        v14 = const 1u32
        v15 = const 10u32
        v16 = const 100u32
        v17 = mul v1, v15
        v18 = mul v2, v16
        v19 = add v0, v14
        v20 = add v19, v17
        v21 = add v20, v18
        store out[v13], v21
    }";
    let kernel_axes = kernel(text);
    let mut out = device.zeros::<u32>(2 * 3 * 8).unwrap();
    let view = out.strided_mut(&[2, 3, 5], &[24, 8, 1]);
    LaunchBuilder::of(device, &kernel_axes)
        .bind_mut("out", view)
        .threads_3d(5, 3, 2, [4, 2, 2])
        .run()
        .unwrap();
    let want: Vec<u32> = (0..48u32)
        .map(|i| (i / 24, i / 8 % 3, i % 8))
        .map(|(z, y, x)| if x < 5 { 1 + x + 10 * y + 100 * z } else { 0 })
        .collect();
    assert_eq!(out.to_vec().unwrap(), want);

    let tall = kernel(
        "kernel @tall(mut out: global u32) mode(reduction) {
            v0 = cta_id.y
            v1 = grid_dim.y
            v2 = add v0, v1
            store out[v0], v2
        }",
    );
    let n = 66_000u32;
    let mut out = device.zeros::<u32>(n as usize).unwrap();
    LaunchBuilder::of(device, &tall).bind_mut("out", &mut out).grid_3d(1, n, 1, [1, 1, 1]).run().unwrap();
    assert_eq!(out.to_vec().unwrap(), (0..n).map(|y| y + n).collect::<Vec<_>>());
}

/// Copies one element of a type through a kernel that also takes a scalar of it.
fn round_trip<T: Element + PartialEq + std::fmt::Debug>(device: &Device, value: T) {
    let text = "kernel @pick(a: bool, s: T, b: u8, mut out: global T) {
        v0 = program_id.x
        v1 = scalar s
        store out[v0], v1
    }";
    let kernel = kernel(&text.replace('T', T::DTYPE.name()));
    let mut out = device.zeros::<T>(2).unwrap();
    let launch = LaunchBuilder::of(device, &kernel).scalar("a", true).scalar("b", 7).scalar("s", value);
    launch.bind_mut("out", &mut out).threads_1d(2, 32).run().unwrap();
    assert_eq!(out.to_vec().unwrap(), [value; 2]);
}

/// A scalar of each type, between two of a byte.
pub(crate) fn scalars_of_every_type(device: &Device) {
    round_trip(device, true);
    round_trip(device, -3i8);
    round_trip(device, -300i16);
    round_trip(device, i32::MIN);
    round_trip(device, i64::MIN + 1);
    round_trip(device, 200u8);
    round_trip(device, 60_000u16);
    round_trip(device, u32::MAX);
    round_trip(device, u64::MAX - 1);
    round_trip(device, half::f16::from_f32(1.5));
    round_trip(device, half::bf16::from_f32(-2.5));
    round_trip(device, 0.1f32);
    round_trip(device, 0.1f64);
}
