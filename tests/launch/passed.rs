//! What reaches the device.

use warpsmith::ir::ExtentKind;
use warpsmith::runtime::LaunchBuilder;

use super::fake::{device, device_at};
use super::results::{SCALE, kernel};

#[test]
fn parameters_are_packed_in_the_order_of_the_entry() {
    let (device, log) = device();
    let kernel = kernel(SCALE);
    let x = device.upload(&[1.0f32; 100]).unwrap();
    let mut out = device.zeros::<f32>(100).unwrap();
    // Bound in another order than declared.
    let launch = LaunchBuilder::of(&device, &kernel).scalar("s", 0.5).bind_mut("out", &mut out).bind("x", &x);
    launch.threads_1d(100, 32).run().unwrap();
    let launches = log.launches.lock().unwrap();
    let (launch, params, buffers) = &launches[0];
    assert_eq!((launch.grid, launch.cta, *buffers), ([4, 1, 1], [32, 1, 1], 2));
    let scalar_and_extent = 100u64 << 32 | u64::from(0.5f32.to_bits());
    assert_eq!(params[..], [0x1000, 0x3000, scalar_and_extent]);
}

#[test]
fn the_class_tells_the_alignment_of_the_buffers() {
    let align = |offset: u64, first: u64| {
        let (device, _) = device_at(offset);
        let kernel = kernel(SCALE);
        let x = device.upload(&[1.0f32; 100]).unwrap();
        let mut out = device.zeros::<f32>(100).unwrap();
        let launch = LaunchBuilder::of(&device, &kernel).scalar("s", 0.5).bind_mut("out", &mut out);
        let prepared = launch.bind("x", x.slice(first..100)).threads_1d(10, 32).prepare().unwrap();
        let class = *prepared.loaded().unwrap().class();
        assert_eq!(class.extent, ExtentKind::Linear);
        class.align
    };
    assert_eq!(align(0, 0), 16);
    assert_eq!(align(8, 0), 8);
    assert_eq!(align(0, 1), 4);
    assert_eq!(align(0, 4), 16);
}

#[test]
fn buffers_hold_what_was_uploaded() {
    let (device, _) = device();
    let flags = [true, false, true];
    let mut buffer = device.upload(&flags).unwrap();
    assert_eq!(device.download(&buffer).unwrap(), flags);
    buffer.write(1, &[true]).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [true; 3]);
    assert_eq!(device.zeros::<f64>(2).unwrap().to_vec().unwrap(), [0.0; 2]);
    let error = device.upload_as(warpsmith::ir::DType::F32, &[0; 6]).unwrap_err();
    assert_eq!(error.to_string(), "fake: 6 bytes are no whole elements of f32");
}
