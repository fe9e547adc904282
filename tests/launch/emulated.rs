//! Launches that run, on the emulator.

use expect_test::expect;
use warpsmith::ir::{DType, Mode};
use warpsmith::runtime::{Device, EmuSettings, LaunchBuilder, Schedule};
use warpsmith::target::Target;

use super::fake::{ROWS, words};
use super::results::{self, SCALE, kernel, scaled};

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
    results::extents_views_and_tall_grids(&Device::open("emu").unwrap());
}

#[test]
fn scalars_of_every_type_arrive() {
    results::scalars_of_every_type(&Device::open("emu").unwrap());
}

#[test]
fn the_emulator_counts_lane_instructions() {
    let device = Device::open("emu").unwrap();
    let kernel_rows = kernel(ROWS);
    let mut out = device.zeros::<u32>(4).unwrap();
    let mut run = |ctas: u32| {
        let launch = LaunchBuilder::of(&device, &kernel_rows).bind_mut("out", &mut out);
        launch.grid_3d(ctas, 1, 1, [1, 1, 1]).run().unwrap().lane_instructions
    };
    let one = run(1).expect("the emulator counts");
    assert_eq!((run(0), run(4)), (None, Some(4 * one)));
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
    let far = raw.read_at(u64::MAX, &mut [0; 2]).unwrap_err();
    assert_eq!(far.to_string(), format!("emu: 2 bytes at offset {} don't fit a buffer of 3", u64::MAX));
    let error = device.alloc(DType::U8, 1 << 60).unwrap_err();
    assert!(error.to_string().contains("over the emulator's"), "{error}");
}

#[test]
fn an_offset_beyond_an_address_writes_nothing() {
    for device in [Device::open("emu").unwrap(), super::fake::device().0] {
        let mut z = device.upload(&[1.0f32, 2.0]).unwrap();
        // Four bytes an element: unchecked, this is offset 0.
        let error = z.write(1 << 62, &[9.0]).unwrap_err();
        let said = format!("{}: 4 bytes at offset {} don't fit a buffer of 8", device.name(), 1u128 << 64);
        assert_eq!(error.to_string(), said);
        assert!(z.write(usize::MAX, &[9.0]).is_err() && z.write(2, &[9.0]).is_err());
        assert_eq!(z.to_vec().unwrap(), [1.0, 2.0]);
        z.write(1, &[3.0]).unwrap();
        z.write(2, &[]).unwrap();
        assert_eq!(z.to_vec().unwrap(), [1.0, 3.0]);
    }
}

#[test]
fn views_and_grids_of_any_numbers_are_refused_and_not_multiplied() {
    let device = Device::open("emu").unwrap();
    let kernel_rows = kernel(
        "kernel @far(x: global f32 rank(2), mut out: global f32) mode(reduction) {
            v0 = const 0u32
            v1 = stride.0 x
            v2 = load x[v1]
            store out[v0], v2
        }",
    );
    let x = device.upload(&[1.0f32; 8]).unwrap();
    let mut out = device.zeros::<f32>(8).unwrap();
    let m = usize::MAX;
    let launch = LaunchBuilder::of(&device, &kernel_rows).bind("x", x.strided(&[m, m], &[m, m]));
    let text = words(launch.bind_mut("out", &mut out).grid_3d(1, 1, 1, [1, 1, 1]).run());
    assert!(text.contains("the view for `x` reaches to element"), "{text}");
    let launch = LaunchBuilder::of(&device, &kernel_rows).bind("x", x.slice(u64::MAX - 1..u64::MAX));
    let text = words(launch.bind_mut("out", &mut out).grid_3d(1, 1, 1, [1, 1, 1]).run());
    assert!(text.contains("`x`"), "{text}");
    let launch = LaunchBuilder::of(&device, &kernel_rows).bind("x", x.strided(&[2, 4], &[4, 1]));
    let text = words(launch.bind_mut("out", &mut out).grid_3d(u64::MAX, u64::MAX, u64::MAX, [1; 3]).run());
    assert!(text.contains("CTAs; a grid takes"), "{text}");
    let launch = LaunchBuilder::of(&device, &kernel_rows).bind("x", x.strided(&[2, 4], &[4, 1]));
    let text = words(launch.bind_mut("out", &mut out).grid_3d(1, 1, 1, [u32::MAX; 3]).run());
    assert!(text.contains("sm_90 takes"), "{text}");
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
