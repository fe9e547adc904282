//! Launches through the runtime on a real GPU.
//!
//! The binary stands alone: it needs libcuda and a device, and neither cargo nor the source tree. Without a device each
//! test is ignored with the reason; `WARPSMITH_REQUIRE_GPU=1` turns that into a failure.

#![allow(clippy::unwrap_used, reason = "a trial may panic as a test may")]

#[path = "launch/results.rs"]
mod results;

use libtest_mimic::{Arguments, Completion, Trial};
use warpsmith::backend::DeviceError;
use warpsmith::runtime::{Device, LaunchBuilder, LaunchError};

fn main() {
    let trials = vec![
        on_gpu("an_elementwise_kernel_of_any_size", |device| {
            for n in [0, 1, 31, 64, 1003, 1 << 20] {
                results::scaled(device, n);
            }
        }),
        on_gpu("extents_views_and_tall_grids", results::extents_views_and_tall_grids),
        on_gpu("scalars_of_every_type", results::scalars_of_every_type),
        on_gpu("a_launch_is_timed", a_launch_is_timed),
        on_gpu("memory_is_checked", memory_is_checked),
        on_gpu("buffers_of_other_devices_are_refused", buffers_of_other_devices_are_refused),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn on_gpu(name: &'static str, test: fn(&Device)) -> Trial {
    let is_required = std::env::var_os("WARPSMITH_REQUIRE_GPU").is_some_and(|value| value == "1");
    Trial::ignorable_test(name, move || match Device::open("cuda:0") {
        Ok(device) => {
            test(&device);
            Ok(Completion::Completed)
        }
        Err(error @ DeviceError::NoDevice { .. }) if !is_required => Ok(Completion::ignored_with(error)),
        Err(error) => Err(error.into()),
    })
}

fn a_launch_is_timed(device: &Device) {
    let kernel = results::kernel(results::SCALE);
    let x = device.zeros::<f32>(1 << 20).unwrap();
    let mut out = device.zeros::<f32>(1 << 20).unwrap();
    let launch = LaunchBuilder::of(device, &kernel).bind("x", &x).bind_mut("out", &mut out).scalar("s", 1);
    let prepared = launch.threads_1d(1 << 20, 256).prepare().unwrap();
    for _ in 0..3 {
        assert!(prepared.run().unwrap().milliseconds.is_some_and(|time| time > 0.0));
    }
}

fn memory_is_checked(device: &Device) {
    let mut raw = device.alloc(warpsmith::ir::DType::U16, 5).unwrap();
    raw.fill(0x5a, false).unwrap();
    assert_eq!(raw.read().unwrap(), [0x5a; 10]);
    raw.write_at(9, &[1]).unwrap();
    assert_eq!(raw.read().unwrap()[8..], [0x5a, 1]);
    assert!(matches!(raw.write_at(9, &[1, 2]), Err(DeviceError::Memory { .. })));
    assert!(matches!(device.alloc(warpsmith::ir::DType::U8, 1 << 50), Err(DeviceError::Memory { .. })));
}

fn buffers_of_other_devices_are_refused(device: &Device) {
    let kernel = results::kernel(results::SCALE);
    let elsewhere = Device::open("emu").unwrap();
    let x = elsewhere.zeros::<f32>(4).unwrap();
    let mut out = device.zeros::<f32>(4).unwrap();
    let launch = LaunchBuilder::of(device, &kernel).bind("x", &x).bind_mut("out", &mut out).scalar("s", 1);
    assert!(matches!(launch.threads_1d(4, 32).run(), Err(LaunchError::Argument { .. })));
}
