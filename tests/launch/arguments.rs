//! Arguments that don't fit, each with its words.

use std::sync::atomic::{AtomicUsize, Ordering};

use expect_test::expect;
use warpsmith::ir::{DType, Kernel};
use warpsmith::runtime::{BuildError, Device, ElementSpec, KernelSource, LaunchBuilder, ParamSpec};

use super::fake::{device, words};
use super::results::{SCALE, kernel};

#[test]
fn names_and_kinds_are_checked() {
    let (device, log) = device();
    let kernel = kernel(SCALE);
    let x = device.upload(&[1.0f32; 8]).unwrap();
    let mut out = device.zeros::<f32>(8).unwrap();
    let launch = || LaunchBuilder::of(&device, &kernel).threads_1d(8, 32);
    expect![[r#"
        can't launch `scale`: parameter `x` has no argument
        help: add `.x(…)`"#]]
    .assert_eq(&words(launch().run()));
    expect![[r#"
        can't launch `scale`: it has no parameter `y`
        help: its parameters are x, out, s"#]]
    .assert_eq(&words(launch().bind("y", &x).run()));
    expect![[r#"
        can't launch `scale`: `x` is given twice
        help: remove one"#]]
    .assert_eq(&words(launch().bind("x", &x).bind("x", &x).run()));
    expect![[r#"
        can't launch `scale`: `s` is a scalar, but a buffer is given for it
        help: give a number"#]]
    .assert_eq(&words(launch().bind("s", &x).run()));
    expect![[r#"
        can't launch `scale`: `x` is a buffer, but a scalar is given for it
        help: give a buffer"#]]
    .assert_eq(&words(launch().scalar("x", 1).run()));
    expect![[r#"
        can't launch `scale`: `s`: true can't be given for a scalar of type f32
        help: give a value of type f32"#]]
    .assert_eq(&words(launch().scalar("s", true).run()));
    expect![[r#"
        can't launch `scale`: `out` is written, but it is bound for reading only
        help: bind it by an exclusive borrow: `.out(&mut …)`"#]]
    .assert_eq(&words(launch().bind("out", &out).run()));
    launch().bind("x", &x).bind_mut("out", &mut out).scalar("s", 2).run().unwrap();
    assert_eq!(log.launches.lock().unwrap().len(), 1);
}

#[test]
fn dtypes_devices_lengths_and_overlaps_are_checked() {
    let (device, log) = device();
    let kernel = kernel(SCALE);
    let x = device.upload(&[1.0f32; 8]).unwrap();
    let mut out = device.zeros::<f32>(8).unwrap();
    let half = device.upload(&[half::f16::ONE; 8]).unwrap();
    let (elsewhere, _) = super::fake::device();
    let foreign = elsewhere.upload(&[1.0f32; 8]).unwrap();
    let mut again = out.share();
    let launch = || LaunchBuilder::of(&device, &kernel).scalar("s", 1.0f32).threads_1d(8, 32);
    expect![[r#"
        can't launch `scale`: `x` takes elements of f32, but the buffer holds f16
        help: give a buffer of f32"#]]
    .assert_eq(&words(launch().bind("x", &half).bind_mut("out", &mut out).run()));
    expect![[r#"
        can't launch `scale`: the buffer for `x` is on another fake device, but the launch is on fake
        help: upload it to the launch's device: each that is opened has memory of its own"#]]
    .assert_eq(&words(launch().bind("x", &foreign).bind_mut("out", &mut out).run()));
    expect![[r#"
        can't launch `scale`: `x` has 8 elements, but the launch touches element 8
        help: give a buffer of at least 9 elements, or launch fewer threads"#]]
    .assert_eq(&words(launch().bind("x", &x).bind_mut("out", &mut out).threads_1d(9, 32).run()));
    expect![[r#"
        can't launch `scale`: `out` is written and overlaps `x`
        help: give another buffer, or declare the parameter `#[alias]`"#]]
    .assert_eq(&words(launch().bind("x", &out).bind_mut("out", &mut again).run()));
    expect![[r#"
        can't launch `scale`: the view for `x` reaches to element 12, but the buffer has 8
        help: check range, shape and strides"#]]
    .assert_eq(&words(launch().bind("x", x.slice(4..12)).bind_mut("out", &mut out).run()));
    expect![[r#"
        can't launch `scale`: `x` is not `#[strided]`, but the view has 2 axes
        help: bind the buffer itself, or declare `x` `#[strided]`"#]]
    .assert_eq(&words(launch().bind("x", x.strided(&[2, 4], &[4, 1])).bind_mut("out", &mut out).run()));
    // Halves of one buffer don't overlap.
    let halves = launch().bind("x", out.slice(0..4)).bind_mut("out", again.slice_mut(4..8)).threads_1d(4, 32);
    halves.run().unwrap();
    assert_eq!(log.launches.lock().unwrap().len(), 1);
}

#[test]
fn an_alias_may_overlap() {
    let (device, log) = device();
    let text = SCALE.replace("x: global f32", "alias x: global f32");
    let kernel = kernel(&text);
    let mut out = device.zeros::<f32>(8).unwrap();
    let same = out.share();
    let launch = LaunchBuilder::of(&device, &kernel).bind("x", &same).bind_mut("out", &mut out);
    launch.scalar("s", 1.0f32).threads_1d(8, 32).run().unwrap();
    assert_eq!(log.launches.lock().unwrap().len(), 1);
}

#[test]
fn strided_views_need_the_rank_and_must_fit() {
    let (device, log) = device();
    let kernel = kernel(
        "kernel @corner(x: global f32 rank(2), mut out: global f32) {
            v0 = program_id.x
            v1 = stride.0 x
            v2 = load x[v1]
            store out[v0], v2
        }",
    );
    let x = device.upload(&[1.0f32; 12]).unwrap();
    let mut out = device.zeros::<f32>(1).unwrap();
    let launch = || LaunchBuilder::of(&device, &kernel).threads_1d(1, 32);
    expect![[r#"
        can't launch `corner`: `x` takes 2 axes, but the view has 1
        help: bind `buffer.strided(&[…], &[…])` with 2 lengths each"#]]
    .assert_eq(&words(launch().bind("x", &x).bind_mut("out", &mut out).run()));
    expect![[r#"
        can't launch `corner`: the view for `x` reaches to element 13, but the buffer has 12
        help: check range, shape and strides"#]]
    .assert_eq(&words(launch().bind("x", x.strided(&[4, 4], &[3, 1])).bind_mut("out", &mut out).run()));
    launch().bind("x", x.strided(&[3, 4], &[4, 1])).bind_mut("out", &mut out).run().unwrap();
    let launches = log.launches.lock().unwrap();
    assert_eq!(launches[0].1[1..5], [3, 4, 4, 1]);
}

static BUILDS: AtomicUsize = AtomicUsize::new(0);

/// `out[0] = x[0]` for any `T`.
fn build_first(dtypes: &[DType]) -> Result<Kernel, BuildError> {
    BUILDS.fetch_add(1, Ordering::Relaxed);
    if dtypes[0] == DType::F64 {
        return Err("no f64 here".into());
    }
    let text = "kernel @first<T>(x: global T, mut out: global T) {
        v0 = const 0u32
        v1 = load x[v0]
        store out[v0], v1
    }";
    Ok(kernel(&text.replace('T', dtypes[0].name())))
}

const FIRST: KernelSource = KernelSource {
    module: "",
    name: "first",
    type_params: 1,
    params: &[
        ParamSpec { name: "x", element: ElementSpec::Type(0) },
        ParamSpec { name: "out", element: ElementSpec::Type(0) },
    ],
    build: build_first,
};

#[test]
fn type_parameters_follow_from_the_buffers_and_builds_are_kept() {
    let (device, log) = device();
    let launch = |device: &Device, cta| {
        let x = device.upload(&[1.0f32]).unwrap();
        let mut out = device.zeros::<f32>(1).unwrap();
        LaunchBuilder::new(device, FIRST)
            .bind("x", &x)
            .bind_mut("out", &mut out)
            .threads_1d(1, cta)
            .run()
            .unwrap();
    };
    launch(&device, 32);
    launch(&device, 32);
    launch(&device.clone(), 64);
    assert_eq!(BUILDS.load(Ordering::Relaxed), 1);
    assert_eq!(*log.loads.lock().unwrap(), ["first__f32", "first__f32"]);
    assert_eq!(log.launches.lock().unwrap().len(), 3);

    let x = device.upload(&[1i8]).unwrap();
    let mut out = device.zeros::<i16>(1).unwrap();
    expect![[r#"
        can't launch `first`: `out` holds i16, but `x`, which is of the same type parameter, holds i8
        help: give a buffer of i8 for both"#]]
    .assert_eq(&words(
        LaunchBuilder::new(&device, FIRST).bind("x", &x).bind_mut("out", &mut out).threads_1d(1, 32).run(),
    ));
    expect![[r#"
        can't launch `first`: parameter `x` has no argument
        help: add `.x(…)`"#]]
    .assert_eq(&words(LaunchBuilder::new(&device, FIRST).threads_1d(1, 32).run()));
    expect![[r#"
        can't launch `first`: it has 1 type parameters, but 2 dtypes are given
        help: name them all: `.dtypes(&[…])`"#]]
    .assert_eq(&words(LaunchBuilder::new(&device, FIRST).dtypes(&[DType::F32; 2]).threads_1d(1, 32).run()));
    let x = device.upload(&[1.0f64]).unwrap();
    let mut out = device.zeros::<f64>(1).unwrap();
    expect!["`first` can't be built: no f64 here"].assert_eq(&words(
        LaunchBuilder::new(&device, FIRST).bind("x", &x).bind_mut("out", &mut out).threads_1d(1, 32).run(),
    ));
}
