//! Ten wrong programs, and all of what each is told: what is wrong, where, and what to do.
//!
//! `UPDATE_EXPECT=1 cargo test --test messages` rewrites the texts.

#[path = "messages/kernels.rs"]
mod kernels;

use std::process::Command;

use expect_test::{Expect, expect};
use warpsmith::backend::Emitted;
use warpsmith::diag::Help;
use warpsmith::ir::{DType, Kernel, Launch, LaunchClass, Mode};
use warpsmith::runtime::{Device, LaunchBuilder, LaunchError, compile};
use warpsmith::target::TargetProfile;

fn device() -> Device {
    Device::open("emu").expect("the emulator is always there")
}

fn scaled() -> Kernel {
    kernels::scaled::kernel_ir_for(DType::F32).expect("it is a kernel")
}

/// An error with its help, as the command shows it.
fn shown(error: &(impl Help + std::fmt::Display)) -> String {
    match error.help() {
        Some(help) => {
            format!("error[{}]: {error}\n  = help: {}\n", error.code(), help.replace('\n', "\n          "))
        }
        None => format!("error[{}]: {error}\n", error.code()),
    }
}

#[track_caller]
fn launch_says<T>(result: Result<T, LaunchError>, expected: &Expect) {
    match result {
        Ok(_) => panic!("the launch is wrong, but it ran"),
        // A report of the compiler says `error:` itself, under each line.
        Err(error @ LaunchError::Compile(_)) => expected.assert_eq(&format!("{error}\n")),
        Err(error) => expected.assert_eq(&shown(&error)),
    }
}

#[track_caller]
fn command_says(arguments: &[&str], variables: &[(&str, &str)], expected: &Expect) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsmith"));
    for variable in ["DEVICE", "TARGET", "SCHEDULE", "PTXAS", "LIBCUDA"] {
        command.env_remove(format!("WARPSMITH_{variable}"));
    }
    let output =
        command.args(arguments).envs(variables.iter().copied()).output().expect("the command starts");
    assert!(!output.status.success(), "{arguments:?} is wrong");
    assert!(output.stdout.is_empty(), "messages are no data");
    expected.assert_eq(&String::from_utf8(output.stderr).expect("messages are text"));
}

#[track_caller]
fn compile_says(kernel: &Kernel, class: &LaunchClass, target: &str, expected: &Expect) {
    let target = TargetProfile::parse(target).expect("it is a target");
    let error = compile(kernel, class, target).expect_err("the kernel is wrong");
    expected.assert_eq(&format!("{error}\n"));
}

#[test]
fn a_buffer_of_another_dtype() {
    let (device, kernel) = (device(), scaled());
    let x = device.upload(&[1i32; 8]).expect("there is memory");
    let mut out = device.zeros::<f32>(8).expect("there is memory");
    let launch = LaunchBuilder::of(&device, &kernel).threads_1d(8, 32);
    launch_says(
        launch.bind("x", &x).bind_mut("out", &mut out).scalar("factor", 2.0).run(),
        &expect![[r#"
        error[W0805]: can't launch `messages::kernels::scaled<f32>`: `x` takes elements of f32, but the buffer holds i32
          = help: give a buffer of f32
    "#]],
    );
}

#[test]
fn an_unknown_name() {
    let (device, kernel) = (device(), scaled());
    let x = device.upload(&[1f32; 8]).expect("there is memory");
    let launch = LaunchBuilder::of(&device, &kernel).threads_1d(8, 32);
    launch_says(
        launch.bind("input", &x).run(),
        &expect![[r#"
        error[W0803]: can't launch `messages::kernels::scaled<f32>`: it has no parameter `input`
          = help: its parameters are x, out, factor
    "#]],
    );
}

#[test]
fn a_missing_input() {
    let (device, kernel) = (device(), scaled());
    let mut out = device.zeros::<f32>(8).expect("there is memory");
    let launch = LaunchBuilder::of(&device, &kernel).threads_1d(8, 32);
    launch_says(
        launch.bind_mut("out", &mut out).scalar("factor", 2.0).run(),
        &expect![[r#"
        error[W0802]: can't launch `messages::kernels::scaled<f32>`: parameter `x` has no argument
          = help: add `.x(…)`
    "#]],
    );
}

#[test]
fn buffers_that_overlap() {
    let (device, kernel) = (device(), scaled());
    let mut out = device.zeros::<f32>(8).expect("there is memory");
    let again = out.share();
    let launch = LaunchBuilder::of(&device, &kernel).threads_1d(8, 32);
    launch_says(
        launch.bind("x", &again).bind_mut("out", &mut out).scalar("factor", 2.0).run(),
        &expect![[r#"
        error[W0814]: can't launch `messages::kernels::scaled<f32>`: `out` is written and overlaps `x`
          = help: give another buffer, or declare the parameter `#[alias]`
    "#]],
    );
}

#[test]
fn a_barrier_in_a_divergent_branch() {
    let kernel = kernels::barrier_of_some::kernel_ir().expect("it is a kernel");
    let class = Launch::ctas(Mode::Reduction, [1, 1, 1], [64, 1, 1]).class(16);
    compile_says(
        &kernel,
        &class,
        "sm_90",
        &expect![[r#"
        `messages::kernels::barrier_of_some` can't be compiled
        error[W0314]: this CTA barrier stands in divergent flow: in a CTA of [1024, 1, 1] threads, some pass the `if` on line 14 and some don't
          --> tests/messages/kernels.rs:16:9
           |
        16 |         threadgroup_barrier();
           |         ^
           |
           = help: move the barrier out of the branch; or, if every launch has a CTA shape in which all threads agree, fix the shape on the kernel
    "#]],
    );
}

/// What `fn main() -> Result<(), Box<dyn Error>>` shows of an error that it returns.
fn of_main<T>(result: Result<T, impl Into<Box<dyn std::error::Error>>>) -> String {
    let error = result.map(drop).map_err(Into::into).expect_err("the program is wrong");
    format!("Error: {error:?}\n")
}

#[test]
fn main_shows_an_argument_with_its_help() {
    let (device, kernel) = (device(), scaled());
    let mut out = device.zeros::<f32>(8).expect("there is memory");
    let launch = LaunchBuilder::of(&device, &kernel).threads_1d(8, 32);
    expect![[r#"
        Error: can't launch `messages::kernels::scaled<f32>`: parameter `x` has no argument
          = help: add `.x(…)`
          = code: W0802
    "#]]
    .assert_eq(&of_main(launch.bind_mut("out", &mut out).scalar("factor", 2.0).run()));
    expect![[r#"
        Error: emu: 4 bytes at offset 32 don't fit a buffer of 32
          = help: free buffers, or use a smaller one
          = code: W0821
    "#]]
    .assert_eq(&of_main(out.write(8, &[1.0])));
}

#[test]
fn main_shows_a_kernel_with_its_lines() {
    let device = device();
    let x = device.upload(&[1f32; 64]).expect("there is memory");
    let mut out = device.zeros::<f32>(64).expect("there is memory");
    let launch = kernels::barrier_of_some::launch(&device).x(&x).out(&mut out);
    expect![[r#"
        Error: `messages::kernels::barrier_of_some` can't be compiled
        error[W0314]: this CTA barrier stands in divergent flow: in a CTA of [1024, 1, 1] threads, some pass the `if` on line 14 and some don't
          --> tests/messages/kernels.rs:16:9
           |
        16 |         threadgroup_barrier();
           |         ^
           |
           = help: move the barrier out of the branch; or, if every launch has a CTA shape in which all threads agree, fix the shape on the kernel
    "#]].assert_eq(&of_main(launch.grid_3d(1, 1, 1, [64, 1, 1]).prepare()));
    expect![[r#"
        Error: the kernel can't be built
        error[W0123]: a size of 0 elements
          --> tests/messages/kernels.rs:32:5
           |
        32 |     let tile = shared::<f32>(0);
           |     ^
           |
           = help: a size is at least 1 and fits 32 bits
    "#]]
    .assert_eq(&of_main(kernels::empty_tile::kernel_ir()));
    let launch = kernels::empty_tile::launch(&device).x(&x).out(&mut out);
    expect![[r#"
        Error: `messages::kernels::empty_tile` can't be built
        error[W0123]: a size of 0 elements
          --> tests/messages/kernels.rs:32:5
           |
        32 |     let tile = shared::<f32>(0);
           |     ^
           |
           = help: a size is at least 1 and fits 32 bits
    "#]]
    .assert_eq(&of_main(launch.threads_1d(64, 64).run()));
}

#[test]
fn too_much_shared_memory() {
    let kernel = kernels::too_much_shared::kernel_ir().expect("it is a kernel");
    let class = Launch::ctas(Mode::Reduction, [1, 1, 1], [64, 1, 1]).class(16);
    compile_says(
        &kernel,
        &class,
        "sm_90",
        &expect![[r#"
            `messages::kernels::too_much_shared` can't be compiled
            error[W0321]: the shared arrays of `messages::kernels::too_much_shared` take 240000 bytes, each array a multiple of 16; a CTA has at most 232448 on sm_90
              --> tests/messages/kernels.rs:22:8
               |
            22 | pub fn too_much_shared(x: Tensor<f32>, mut out: Tensor<f32>) {
               |        ^
               |
               = help: stage smaller tiles, or compile for a target with more: `warpsmith targets` lists them
        "#]],
    );
}

#[test]
fn too_big_a_cta() {
    let (device, kernel) = (device(), scaled());
    let x = device.upload(&[1f32; 8]).expect("there is memory");
    let mut out = device.zeros::<f32>(8).expect("there is memory");
    let launch = LaunchBuilder::of(&device, &kernel).threads_1d(8, 2048);
    launch_says(
        launch.bind("x", &x).bind_mut("out", &mut out).scalar("factor", 2.0).run(),
        &expect![[r#"
            `messages::kernels::scaled<f32>` can't be compiled
            error[W0317]: a CTA has 2048 threads on axis x; sm_90 takes 1024
             --> tests/messages/kernels.rs:6:8
              |
            6 | pub fn scaled<T>(x: Tensor<T>, mut out: Tensor<T>, #[scalar] factor: f32) {
              |        ^
              |
              = help: launch more and smaller CTAs
        "#]],
    );
}

#[test]
fn a_wrong_target_name() {
    command_says(
        &["dump", "vector_add", "--target", "sm_91"],
        &[],
        &expect![[r#"
            error: invalid value 'sm_91' for '--target <TARGET,…>': unknown target `sm_91`; did you mean `sm_90`?
            known targets: sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_120, sm_120f, sm_120a, sm_121, sm_121f, sm_121a, apple7, apple8, apple9

            For more information, try '--help'.
        "#]],
    );
}

#[test]
fn text_that_is_no_ptx() {
    let (device, kernel) = (device(), scaled());
    let class = Launch::linear(8, 32).class(16);
    let emitted = compile(&kernel, &class, device.target()).expect("it compiles");
    let text = emitted.text.replace("mul.rn.f32", "mul.rn.f23");
    let line = text.lines().position(|line| line.contains("f23")).expect("the kernel multiplies") + 1;
    let error =
        device.backend().load(&kernel, &Emitted { text, ..emitted }).expect_err("the text is damaged");
    // The number of the line depends on the code around it.
    let shown = shown(&error);
    assert!(shown.contains(&line.to_string()), "line {line} is named in\n{shown}");
    expect![[r#"
        error[W0819]: emu refused the module of `messages__kernels__scaled__f32`: line LINE, column 5: no form `mul.rn.f23`
          mul.rn.f23          %f1, %f0, %f_factor;                    // v3
        help: accepted forms:
          mul{.lo|.hi|.wide}{.u16|.u32|.u64|.s16|.s32|.s64} dst a b
          mul{.rn|.rz|.rm|.rp}?.ftz?.sat?{.f16|.f16x2|.bf16|.bf16x2|.f32|.f64} dst a b
          mul{.rn|.rz|.rm|.rp}?.ftz?.f32x2 dst a b
          = help: `warpsmith dump KERNEL` shows the text; a module that was not edited is a bug to report
    "#]]
    .assert_eq(&shown.replace(&line.to_string(), "LINE"));
}

#[test]
fn no_driver() {
    let variables = [("WARPSMITH_LIBCUDA", "/nonexistent/libcuda.so")];
    command_says(
        &["test", "--device", "cuda:0"],
        &variables,
        &expect![[r#"
            error[W0818]: no device `cuda:0`: no CUDA driver library found (/nonexistent/libcuda.so: cannot open shared object file: No such file or directory)
              = help: `warpsmith doctor` says what is missing; without a GPU, `emu` runs the same text
        "#]],
    );
}
