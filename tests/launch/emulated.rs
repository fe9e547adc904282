//! Launches that run, on the emulator.

use expect_test::expect;
use warpsmith::ir::{DType, Element, Mode};
use warpsmith::runtime::{Device, EmuSettings, LaunchBuilder, Schedule};
use warpsmith::target::Target;

use super::fake::{SCALE, kernel, words};

fn scaled(device: &Device, n: usize) {
    let kernel = kernel(SCALE);
    let values: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let x = device.upload(&values).unwrap();
    let mut out = device.zeros::<f32>(n + 1).unwrap();
    let launch = LaunchBuilder::of(device, &kernel).bind("x", &x).bind_mut("out", &mut out).scalar("s", 0.5);
    let stats = launch.threads_1d(n, 64).run().unwrap();
    assert_eq!(stats.lane_instructions.is_some_and(|count| count > 0), n > 0);
    let mut want: Vec<f32> = values.iter().map(|x| x * 0.5).collect();
    want.push(0.0);
    assert_eq!(device.download(&out).unwrap(), want);
}

#[test]
fn an_elementwise_kernel_runs_at_any_size_for_each_target() {
    for name in ["emu", "emu:sm_80", "emu:sm_121"] {
        let device = Device::open(name).unwrap();
        assert_eq!(device.name(), name);
        for n in [0, 1, 31, 64, 1003] {
            scaled(&device, n);
        }
    }
    let adversarial =
        EmuSettings { schedule: Schedule::Adversarial(7), target: Target::SM_120, ..EmuSettings::default() };
    let device = Device::emulator(adversarial);
    assert_eq!(device.description(), "PTX emulator (sm_120, adversarial schedule 7)");
    scaled(&device, 1003);
}

#[test]
fn extents_views_and_tall_grids_arrive_as_meant() {
    let device = Device::open("emu").unwrap();
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
    LaunchBuilder::of(&device, &kernel_axes)
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
    LaunchBuilder::of(&device, &tall).bind_mut("out", &mut out).grid_3d(1, n, 1, [1, 1, 1]).run().unwrap();
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

#[test]
fn scalars_of_every_type_arrive() {
    let device = Device::open("emu").unwrap();
    round_trip(&device, true);
    round_trip(&device, -3i8);
    round_trip(&device, -300i16);
    round_trip(&device, i32::MIN);
    round_trip(&device, i64::MIN + 1);
    round_trip(&device, 200u8);
    round_trip(&device, 60_000u16);
    round_trip(&device, u32::MAX);
    round_trip(&device, u64::MAX - 1);
    round_trip(&device, half::f16::from_f32(1.5));
    round_trip(&device, half::bf16::from_f32(-2.5));
    round_trip(&device, 0.1f32);
    round_trip(&device, 0.1f64);
}

#[test]
fn a_finding_calls_buffers_by_their_parameters() {
    let device = Device::open("emu").unwrap();
    let next = SCALE.replace("v1 = load x[v0]", "v9 = const 1u32\n v8 = add v0, v9\n v1 = load x[v8]");
    let kernel_next = kernel(&next);
    let x = device.upload(&[1.0f32; 16]).unwrap();
    let mut out = device.zeros::<f32>(16).unwrap();
    let launch =
        LaunchBuilder::of(&device, &kernel_next).bind("x", &x).bind_mut("out", &mut out).scalar("s", 1);
    let text = words(launch.threads_1d(16, 32).run());
    assert!(text.contains("out of bounds") && text.contains("`x` of 64 bytes at offset 64"), "{text}");

    let kernel_scale = kernel(SCALE);
    let unset = device.alloc(DType::F32, 16).unwrap();
    let launch =
        LaunchBuilder::of(&device, &kernel_scale).bind("x", &unset).bind_mut("out", &mut out).scalar("s", 1);
    let text = words(launch.threads_1d(16, 32).run());
    assert!(text.contains("uninitialised") && text.contains("`x`"), "{text}");
}

#[test]
fn a_canary_may_be_seen_but_not_read() {
    let device = Device::open("emu").unwrap();
    let mut raw = device.alloc(DType::U8, 3).unwrap();
    raw.fill(0x5a, false).unwrap();
    assert_eq!(raw.read().unwrap(), [0x5a; 3]);
    raw.write_at(1, &[1]).unwrap();
    assert_eq!(raw.read().unwrap(), [0x5a, 1, 0x5a]);
    let error = raw.write_at(2, &[1, 2]).unwrap_err();
    assert_eq!(error.to_string(), "emu: 2 bytes at offset 2 don't fit a buffer of 3");
    let error = device.alloc(DType::U8, 1 << 60).unwrap_err();
    assert!(error.to_string().contains("over the emulator's"), "{error}");
}

#[test]
fn rows_count_ctas_and_modes_may_come_from_the_launch() {
    let device = Device::open("emu").unwrap();
    let kernel_id = kernel("kernel @id(mut out: global u32) {\n v0 = program_id.x\n store out[v0], v0\n }");
    let mut out = device.zeros::<u32>(5).unwrap();
    let launch = LaunchBuilder::of(&device, &kernel_id).bind_mut("out", &mut out).mode(Mode::Reduction);
    launch.grid_3d(5, 1, 1, [1, 1, 1]).run().unwrap();
    assert_eq!(out.to_vec().unwrap(), [0, 1, 2, 3, 4]);
}

#[test]
fn unknown_devices_are_named() {
    let words = |name| Device::open(name).unwrap_err().to_string();
    expect!["no device `vulkan`: devices are named `cuda:N`, `emu` and `emu:TARGET`"]
        .assert_eq(&words("vulkan"));
    expect!["no device `emu:sm_1`: unknown target `sm_1`"].assert_eq(&words("emu:sm_1"));
    expect!["no device `cuda:x`: GPUs are numbered from 0"].assert_eq(&words("cuda:x"));
}
