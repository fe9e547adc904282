//! The driver module on a real GPU.
//!
//! The binary stands alone: it needs libcuda and a device, and neither cargo nor the source tree. Without a device each
//! test is ignored with the reason; `WARPSMITH_REQUIRE_GPU=1` turns that into a failure. The test of a fault runs in a
//! process of its own, because CUDA gives a process no way back from one.

use std::process::Command;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use warpsmith::driver::{
    Argument, Context, DeviceBuffer, Driver, DriverError, Event, LaunchConfig, LaunchProblem, Module,
    ParamLayout, ResultCode, Stream,
};

type Outcome = Result<(), Failed>;

const VECTOR_ADD: &str = include_str!("data/ptx/vector_add.ptx");
const DYNAMIC_SHARED: &str = include_str!("data/ptx/dynamic_shared.ptx");
const STRAY_STORE: &str = include_str!("data/ptx/stray_store.ptx");

/// Set in the process that is to fault.
const FAULT_VARIABLE: &str = "WARPSMITH_TEST_FAULT";

fn main() {
    if std::env::var_os(FAULT_VARIABLE).is_some() {
        match fault() {
            Ok(()) => std::process::exit(0),
            Err(failed) => {
                eprintln!("{}", failed.message().unwrap_or("failed"));
                std::process::exit(1);
            }
        }
    }
    let trials = vec![
        on_gpu("device_facts", device_facts),
        on_gpu("vector_add_of_any_length", vector_add_of_any_length),
        on_gpu("buffers_round_trip", buffers_round_trip),
        on_gpu("bad_ptx_names_the_line", bad_ptx_names_the_line),
        on_gpu("version_too_new", version_too_new),
        on_gpu("layout_is_compared_with_the_kernel", layout_is_compared_with_the_kernel),
        on_gpu("dynamic_shared_to_the_limit", dynamic_shared_to_the_limit),
        on_gpu("bad_geometry", bad_geometry),
        on_gpu("events_measure", events_measure),
        on_gpu("threads_share_handles", threads_share_handles),
        on_gpu("another_device_is_refused", another_device_is_refused),
        on_gpu("a_fault_kills_the_context", a_fault_kills_the_context),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A test that needs a device; `Err` of the outer test is only for what the device did wrong.
fn on_gpu(name: &'static str, test: fn(&Context) -> Outcome) -> Trial {
    Trial::ignorable_test(name, move || {
        let context =
            Driver::load().and_then(|driver| driver.device(0)).and_then(|device| Context::new(&device));
        match context {
            Ok(context) => {
                test(&context)?;
                Ok(Completion::Completed)
            }
            Err(error) if error.is_absence() && !gpu_is_required() => Ok(Completion::ignored_with(error)),
            Err(error) => Err(format!("{error}\nhelp: {}", error.help()).into()),
        }
    })
}

fn gpu_is_required() -> bool {
    std::env::var_os("WARPSMITH_REQUIRE_GPU").is_some_and(|value| value == "1")
}

fn add_layout() -> ParamLayout {
    ParamLayout::new().pointer("a").pointer("b").pointer("c").scalar("n", 4)
}

fn device_facts(context: &Context) -> Outcome {
    let device = context.device();
    let (driver, limits) = (device.driver(), device.limits());
    println!("{} (CUDA {}): {} {limits:?}", driver.library(), driver.version()?, device.name());
    assert!(driver.version()?.major >= 11);
    assert!(!device.name().is_empty());
    assert!(device.compute_capability() >= (5, 0));
    assert_eq!(limits.warp_size, 32);
    assert_eq!(limits.max_threads_per_cta, 1024);
    assert_eq!(limits.max_grid, [2_147_483_647, 65535, 65535]);
    assert!(limits.shared_per_cta >= 48 << 10 && limits.shared_per_cta_opt_in >= limits.shared_per_cta);
    let (free, total) = context.memory_info()?;
    assert!(free > 0 && free <= total && device.memory_bytes() > 0);
    Ok(())
}

fn vector_add_of_any_length(context: &Context) -> Outcome {
    let function = Module::load(context, VECTOR_ADD)?.function("vector_add", add_layout())?;
    let stream = Stream::new(context)?;
    for n in [0usize, 1, 1000, 1 << 20] {
        let a: Vec<f32> = (0..n).map(|index| index as f32 * 0.5).collect();
        let b: Vec<f32> = (0..n).map(|index| 1e6 - index as f32).collect();
        let (on_a, on_b) = (DeviceBuffer::from_slice(context, &a)?, DeviceBuffer::from_slice(context, &b)?);
        // One element more than the kernel may write.
        let on_c = DeviceBuffer::from_slice(context, &vec![-7.0f32; n + 1])?;
        let count = u32::try_from(n)?;
        let arguments = [on_a.argument(), on_b.argument(), on_c.argument(), Argument::scalar(count)];
        let config = LaunchConfig::linear(count.div_ceil(256), 256);
        let answer = function.launch(&stream, config, &arguments);
        if n == 0 {
            let Err(DriverError::Launch { problem, .. }) = answer else {
                return Err(format!("{answer:?}").into());
            };
            assert_eq!(problem, LaunchProblem::ZeroExtent { of: "grid", axis: 'x' });
            // A grid that overhangs an empty extent is the other way to launch nothing.
            function.launch(&stream, LaunchConfig::linear(1, 256), &arguments)?;
        } else {
            answer?;
        }
        stream.synchronize()?;
        assert!(stream.is_idle()?);
        let c = on_c.to_vec()?;
        let expected = a.iter().zip(&b).map(|(a, b)| a + b).chain([-7.0]);
        assert!(c.iter().copied().eq(expected), "n = {n}");
    }
    Ok(())
}

fn buffers_round_trip(context: &Context) -> Outcome {
    let values: Vec<u64> = (0..5000u64).map(|index| index.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    let source = DeviceBuffer::from_slice(context, &values)?;
    assert_eq!(source.address() % 256, 0);
    let mut target = DeviceBuffer::<u64>::zeros(context, 5000)?;
    target.copy_from(1, &source, 3, 4990)?;
    target.write(4999, &[42])?;
    let copied = target.to_vec()?;
    assert_eq!(copied[0], 0);
    assert_eq!(copied[1..4991], values[3..4993]);
    assert_eq!(copied[4991..], [0, 0, 0, 0, 0, 0, 0, 0, 42]);
    target.fill_bytes(0x5A)?;
    assert_eq!(target.to_vec()?, vec![0x5A5A_5A5A_5A5A_5A5A; 5000]);

    let empty = DeviceBuffer::<f32>::zeros(context, 0)?;
    assert_eq!((empty.to_vec()?, empty.address()), (vec![], 0));
    let bytes = 1usize << 45;
    assert_eq!(DeviceBuffer::<u8>::uninit(context, bytes).err(), Some(DriverError::OutOfMemory { bytes }));
    Ok(())
}

fn refused(context: &Context, ptx: &str) -> Result<warpsmith::driver::JitError, Failed> {
    match Module::load(context, ptx) {
        Err(DriverError::Jit(error)) => Ok(*error),
        other => Err(format!("{other:?}").into()),
    }
}

fn bad_ptx_names_the_line(context: &Context) -> Outcome {
    let text = VECTOR_ADD.replace("add.rn.f32  %f3, %f1, %f2;", "add.rn.f32  %f3, %f1, %rd5;");
    let at = text.lines().position(|line| line.contains("%f3, %f1, %rd5")).ok_or("the text has changed")?;
    let error = refused(context, &text)?;
    println!("{error}");
    assert_eq!(error.code, ResultCode::ERROR_INVALID_PTX);
    assert_eq!(error.line, Some(u32::try_from(at)? + 1));
    assert_eq!(error.source_line.as_deref().map(str::trim), Some("add.rn.f32  %f3, %f1, %rd5;"));
    assert!(error.log.contains("add"), "{}", error.log);
    Module::load(context, VECTOR_ADD)?;
    Ok(())
}

fn version_too_new(context: &Context) -> Outcome {
    let error = refused(context, &VECTOR_ADD.replace(".version 7.0", ".version 99.0"))?;
    println!("{error}");
    assert_eq!(error.code, ResultCode::ERROR_UNSUPPORTED_PTX_VERSION);
    assert!(error.log.contains("99.0"), "{}", error.log);
    Ok(())
}

fn layout_is_compared_with_the_kernel(context: &Context) -> Outcome {
    let module = Module::load(context, VECTOR_ADD)?;
    let missing = module.function("vector_sub", add_layout()).expect_err("no such entry");
    assert_eq!(missing, DriverError::NoSuchFunction { name: "vector_sub".into() });
    let attributes = module.function("vector_add", add_layout())?.attributes().clone();
    println!("{attributes:?}");
    assert_eq!(
        (attributes.max_threads_per_cta, attributes.shared_static, attributes.local_bytes),
        (1024, 0, 0)
    );
    assert!(attributes.registers > 0);
    let wrong = ParamLayout::new().pointer("a").pointer("b").pointer("c").scalar("n", 8);
    let answer = module.function("vector_add", wrong);
    if context.device().driver().has_symbol("cuFuncGetParamInfo") {
        assert!(matches!(answer, Err(DriverError::LayoutMismatch { .. })), "{answer:?}");
    } else {
        answer?;
    }
    Ok(())
}

fn dynamic_shared_to_the_limit(context: &Context) -> Outcome {
    let layout = ParamLayout::new().pointer("out").scalar("bytes", 4);
    let function = Module::load(context, DYNAMIC_SHARED)?.function("touch_last_word", layout)?;
    let stream = Stream::new(context)?;
    let out = DeviceBuffer::<u32>::zeros(context, 1)?;
    let limit = function.max_dynamic_shared();
    assert_eq!(limit, context.device().limits().shared_per_cta_opt_in);
    // Up, down and up again: the opt-in must stay at its highest.
    for bytes in [1024, limit, 48 << 10, limit] {
        let config = LaunchConfig::linear(1, 32).with_shared(bytes);
        function.launch(&stream, config, &[out.argument(), Argument::scalar(bytes)])?;
        assert_eq!(out.to_vec()?, [bytes]);
    }
    let config = LaunchConfig::linear(1, 32).with_shared(limit + 1);
    let answer = function.launch(&stream, config, &[out.argument(), Argument::scalar(limit + 1)]);
    let Err(DriverError::Launch { problem, .. }) = answer else { return Err(format!("{answer:?}").into()) };
    assert_eq!(problem, LaunchProblem::TooMuchShared { fixed: 0, dynamic: limit + 1, limit });
    Ok(())
}

fn bad_geometry(context: &Context) -> Outcome {
    let function = Module::load(context, VECTOR_ADD)?.function("vector_add", add_layout())?;
    let stream = Stream::new(context)?;
    let buffer = DeviceBuffer::<f32>::zeros(context, 1)?;
    let arguments = [buffer.argument(), buffer.argument(), buffer.argument(), Argument::scalar(0u32)];
    let launch =
        |grid, block| function.launch(&stream, LaunchConfig { grid, block, shared_bytes: 0 }, &arguments);
    for (grid, block) in [
        ([0, 1, 1], [32, 1, 1]),
        ([1, 1, 1], [32, 0, 1]),
        ([1, 65536, 1], [32, 1, 1]),
        ([1, 1, 1], [1025, 1, 1]),
        ([1, 1, 1], [1, 1, 65]),
        ([1, 1, 1], [64, 64, 1]),
    ] {
        let answer = launch(grid, block);
        assert!(matches!(answer, Err(DriverError::Launch { .. })), "{grid:?} {block:?}: {answer:?}");
    }
    launch([1, 65535, 1], [16, 1, 64])?;
    Ok(stream.synchronize()?)
}

fn events_measure(context: &Context) -> Outcome {
    let function = Module::load(context, VECTOR_ADD)?.function("vector_add", add_layout())?;
    let stream = Stream::new(context)?;
    let n = 1u32 << 20;
    let buffer = DeviceBuffer::<f32>::zeros(context, n as usize)?;
    let arguments = [buffer.argument(), buffer.argument(), buffer.argument(), Argument::scalar(n)];
    let (start, end) = (Event::new(context)?, Event::new(context)?);
    start.record(&stream)?;
    for _ in 0..10 {
        function.launch(&stream, LaunchConfig::linear(n / 256, 256), &arguments)?;
    }
    end.record(&stream)?;
    end.synchronize()?;
    let milliseconds = end.milliseconds_since(&start)?;
    println!("10 launches took {milliseconds} ms");
    assert!(milliseconds > 0.0 && milliseconds < 10_000.0);
    Ok(())
}

fn threads_share_handles(context: &Context) -> Outcome {
    let function = Module::load(context, VECTOR_ADD)?.function("vector_add", add_layout())?;
    let add = |value: f32| -> Result<Vec<f32>, DriverError> {
        let stream = Stream::new(context)?;
        let a = DeviceBuffer::from_slice(context, &vec![value; 5000])?;
        let c = DeviceBuffer::<f32>::zeros(context, 5000)?;
        let arguments = [a.argument(), a.argument(), c.argument(), Argument::scalar(5000u32)];
        function.launch(&stream, LaunchConfig::linear(20, 256), &arguments)?;
        c.to_vec()
    };
    std::thread::scope(|scope| {
        let threads = [1.0f32, 2.0, 3.0, 4.0].map(|value| (value, scope.spawn(move || add(value))));
        for (value, thread) in threads {
            let answer = thread.join().map_err(|_| "a thread panicked")??;
            assert_eq!(answer, vec![value * 2.0; 5000]);
        }
        Ok(())
    })
}

fn another_device_is_refused(context: &Context) -> Outcome {
    let other = match context.device().driver().device(1) {
        Ok(device) => Context::new(&device)?,
        Err(DriverError::NoSuchDevice { .. }) => {
            println!("only one device here");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let mut here = DeviceBuffer::<f32>::zeros(context, 4)?;
    let there = DeviceBuffer::from_slice(&other, &[1.0f32; 4])?;
    assert!(matches!(here.copy_from(0, &there, 0, 4), Err(DriverError::ForeignHandle { .. })));
    assert_eq!(there.to_vec()?, [1.0; 4]);
    Ok(())
}

fn a_fault_kills_the_context(_: &Context) -> Outcome {
    let output = Command::new(std::env::current_exe()?).env(FAULT_VARIABLE, "1").output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)).into())
}

/// Stores to an address that nobody owns, and looks at what is left. Runs in a process of its own.
fn fault() -> Outcome {
    let context = Context::new(&Driver::load()?.device(0)?)?;
    let module = Module::load(&context, STRAY_STORE)?;
    let function = module.function("stray_store", ParamLayout::new().scalar("address", 8))?;
    let stream = Stream::new(&context)?;
    let mut buffer = DeviceBuffer::<u32>::zeros(&context, 16)?;
    function.launch(&stream, LaunchConfig::linear(1, 1), &[Argument::scalar(64u64)])?;
    let first = stream.synchronize().err().ok_or("the fault went unseen")?;
    let code = first.code().ok_or("no code")?;
    if !(code.is_sticky() && first.help().contains("context is dead") && context.is_dead()) {
        return Err(format!("not told as a fault: {first}").into());
    }
    for answer in
        [buffer.to_vec().map(drop), buffer.fill_bytes(0), stream.synchronize(), context.synchronize()]
    {
        let Err(DriverError::ContextDead { device: 0, cause, during: "cuStreamSynchronize" }) = answer else {
            return Err(format!("not told as dead: {answer:?}").into());
        };
        if cause != code {
            return Err(format!("died of {code}, told as {cause}").into());
        }
    }
    Ok(())
}
