//! Storage formats: buffers of them, conversions that name their mode, codes packed into words.

use crate::{body, refused};
use warpsmith::diag::Help;
use warpsmith::dsl::prelude::*;
use warpsmith::runtime::Device;

#[kernel]
pub fn scaled<T>(x: Tensor<T>, mut out: Tensor<e4m3>, #[scalar] factor: f32) {
    let i = program_id::<0>();
    store(out[i], load(x[i]).cast::<f32>() * factor);
}

#[test]
fn a_launch_takes_and_gives_codes() {
    let device = Device::open("emu").unwrap();
    let x = device.upload(&[1.0625f32, 500.0, -0.0, f32::NAN].map(e5m2::from_f32)).unwrap();
    let mut out = device.zeros::<e4m3>(4).unwrap();
    scaled::launch(&device).x(&x).out(&mut out).factor(1.0f32).threads_1d(4, 32).run().unwrap();
    let bits: Vec<u8> = device.download(&out).unwrap().into_iter().map(e4m3::to_bits).collect();
    assert_eq!(bits, [0x38, 0x7e, 0x80, 0x7f]);
}

#[kernel]
pub fn modes(x: Tensor<f32>, mut a: Tensor<e5m2>, mut b: Tensor<e8m0>, mut c: Tensor<tf32>) {
    let i = program_id::<0>();
    let value = load(x[i]);
    a[i] = value.cast_nonsat::<e5m2>();
    b[i] = value.cast_rp::<e8m0>();
    b[i] = value.cast_rz::<e8m0>();
    c[i] = value.cast_rz::<tf32>();
    c[i] = value;
    c[i] = 1.5;
}

#[test]
fn a_mode_stands_behind_the_type() {
    let text = body(modes::kernel_ir());
    for conversion in ["cvt.e5m2.nonsat", "cvt.e8m0.rp", "cvt.e8m0.rz", "cvt.tf32.rz", "cvt.tf32 "] {
        assert!(text.contains(conversion), "{conversion} in\n{text}");
    }
    assert!(text.contains("const tf32:0x3fc00000"), "{text}");
}

#[kernel]
pub fn words<D>(x: Tensor<D>, mut word: Tensor<u32>, mut out: Tensor<f32>) {
    let codes = unpack::<D>(pack::<D, _>((0..4).map(|k| load(x[k]))));
    word[0] = pack::<D, _>(codes.clone());
    for k in 0..4 {
        out[k] = codes[k].cast::<f32>();
    }
}

#[test]
fn the_first_code_is_the_lowest() {
    let device = Device::open("emu").unwrap();
    let codes = [0x38u8, 0x40, 0xb8, 0x01].map(e4m3::from_bits);
    let (x, mut word) = (device.upload(&codes).unwrap(), device.zeros::<u32>(1).unwrap());
    let mut out = device.zeros::<f32>(4).unwrap();
    words::launch(&device).x(&x).word(&mut word).out(&mut out).threads_1d(1, 32).run().unwrap();
    assert_eq!(device.download(&word).unwrap(), [0x01b8_4038]);
    assert_eq!(device.download(&out).unwrap(), [1.0, 2.0, -1.0, 2f32.powi(-9)]);
    let said = refused(words::kernel_ir_for(DType::E2M1));
    assert!(said.contains("4 values of `e2m1` in a word"), "{said}");
    let said = refused(words::kernel_ir_for(DType::F16));
    assert!(said.contains("`f16` does not share a word"), "{said}");
}

#[kernel]
pub fn sum<T>(x: Tensor<T>, mut out: Tensor<T>) {
    out[0] = x[0] + x[1];
}

#[kernel]
pub fn mixed(x: Tensor<e4m3>, mut out: Tensor<f32>) {
    out[0] = x[0] * 2.0;
}

#[kernel]
pub fn less(x: Tensor<e4m3>, mut out: Tensor<u32>) {
    if x[0] < x[1] {
        out[0] = 1;
    }
}

#[test]
fn there_is_no_arithmetic_and_no_order() {
    for (kernel, what) in [
        (sum::kernel_ir_for(DType::E4M3), "`add` takes a number, not `e4m3`"),
        (mixed::kernel_ir(), "`mul` takes operands of one type"),
        (less::kernel_ir(), "`lt` takes a number, not `e4m3`"),
    ] {
        let said = refused(kernel);
        assert!(said.contains(what), "{said}");
    }
    let errors = sum::kernel_ir_for(DType::E4M3).unwrap_err();
    let help = errors.errors[0].error.help().unwrap();
    assert!(help.contains(".cast::<f32>()"), "{help}");
}

#[kernel]
pub fn unnamed(x: Tensor<f32>, mut out: Tensor<e8m0>) {
    out[0] = x[0];
}

#[kernel]
pub fn wrong_mode(x: Tensor<f32>, mut out: Tensor<e2m1>) {
    out[0] = x[0].cast_nonsat::<e2m1>();
}

#[test]
fn e8m0_names_its_rounding() {
    let errors = unnamed::kernel_ir().unwrap_err();
    assert_eq!(errors.errors[0].error.to_string(), "a conversion to `e8m0` has no default rounding");
    let help = errors.errors[0].error.help().unwrap();
    assert!(help.contains(".cast_rz::<e8m0>()") && help.contains(".cast_rp::<e8m0>()"), "{help}");
    assert_eq!(refused(wrong_mode::kernel_ir()), "a conversion to `e2m1` has no unsaturated form");
}
