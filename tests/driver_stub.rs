//! The driver module against fake libcudas: no GPU and no CUDA needed.
//!
//! The fakes are `tests/data/stub/*.rs`, built here with the `rustc` that is there when cargo is, or taken prebuilt
//! from the folder that `WARPSMITH_STUB_DIR` names. With neither, each test is ignored with the reason. To build them
//! for another machine, in that folder, for each `<name>` of full, old, ancient, zero_devices, no_device, not_cuda:
//! `rustc --edition 2024 --crate-type cdylib -C panic=abort -o <name>.so <source tree>/tests/data/stub/<name>.rs`.
//! Every test loads a copy of its own, so that none sees another's device memory or faults.

#[path = "driver_stub/fakes.rs"]
mod fakes;
#[path = "driver_stub/launches.rs"]
mod launches;

use std::process::Command;

use fakes::{built, on};
use half::{bf16, f16};
use launches::record_with;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use warpsmith::driver::{
    Argument, Context, DeviceBuffer, Driver, DriverError, Event, LaunchConfig, Module, ParamKind,
    ParamLayout, ResultCode, Sizes, Stream,
};

type Outcome = Result<(), Failed>;

/// Entries that the fake knows how to run, in lines as the fake reads them.
const PTX: &str = "\
.version 8.8
.target sm_121
.address_size 64
.visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{ ret; }
.visible .entry record(.param .u64 out, .param .u8 small, .param .f32 number, .param .u64 large)
.maxntid 256
{ .shared .b8 buf[4096]; ret; }
.visible .entry fault_700()
{ ret; }
";

/// Set in a process that is to say what `Driver::load` finds.
const DEFAULT_VARIABLE: &str = "WARPSMITH_TEST_DEFAULT_DRIVER";

fn main() {
    if std::env::var_os(DEFAULT_VARIABLE).is_some() {
        match Driver::load() {
            Ok(driver) => println!("found {}", driver.library()),
            Err(error) => println!("{error}"),
        }
        return;
    }
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials());
    fakes::clean_up();
    conclusion.exit();
}

fn trials() -> Vec<Trial> {
    vec![
        Trial::test("missing_library", missing_library),
        Trial::test("text_file_is_no_library", text_file_is_no_library),
        Trial::ignorable_test("other_library_is_not_cuda", other_library_is_not_cuda),
        on("full", "later_name_is_taken", later_name_is_taken),
        on("full", "variable_names_the_only_library", variable_names_the_only_library),
        on("zero_devices", "zero_devices", zero_devices),
        on("no_device", "init_without_device", init_without_device),
        on("full", "device_facts", device_facts),
        on("full", "buffers_round_trip", buffers_round_trip),
        on("full", "empty_buffers_allocate_nothing", empty_buffers_allocate_nothing),
        on("full", "buffer_ranges_are_checked", buffer_ranges_are_checked),
        on("full", "allocations_are_freed_and_limited", allocations_are_freed_and_limited),
        on("full", "bad_ptx_names_the_line", bad_ptx_names_the_line),
        on("full", "version_too_new", version_too_new),
        on("full", "nul_in_ptx", nul_in_ptx),
        on("full", "functions_and_layouts", functions_and_layouts),
        on("full", "vector_add_runs", launches::vector_add_runs),
        on("full", "launch_passes_everything_on", launches::launch_passes_everything_on),
        on("full", "arguments_are_checked", launches::arguments_are_checked),
        on("full", "geometry_is_checked", launches::geometry_is_checked),
        on("full", "shared_memory_is_checked", launches::shared_memory_is_checked),
        on("full", "shared_mark_only_rises", launches::shared_mark_only_rises),
        on("full", "handles_of_another_device_are_refused", handles_of_another_device_are_refused),
        on("full", "contexts_nest_and_cross_threads", contexts_nest_and_cross_threads),
        on("full", "events_measure", events_measure),
        on("full", "dead_context_says_so", dead_context_says_so),
        on("old", "old_library_costs_only_what_it_lacks", old_library_costs_only_what_it_lacks),
        on("ancient", "ancient_library_still_has_buffers", ancient_library_still_has_buffers),
    ]
}

// ---- libraries

fn missing_library() -> Outcome {
    let names = ["libnothing-of-the-kind.so.1", "/no/such/folder/libcuda.so"];
    let error = Driver::load_from(&names).expect_err("neither exists");
    let DriverError::LibraryNotFound { tried } = &error else { return Err(format!("{error:?}").into()) };
    assert_eq!(tried.iter().map(|attempt| attempt.name.as_str()).collect::<Vec<_>>(), names);
    assert!(tried.iter().all(|attempt| attempt.reason.contains("No such file")), "{error}");
    assert!(error.help().contains("WARPSMITH_LIBCUDA"));
    assert!(error.is_absence());
    let none: [&str; 0] = [];
    assert_eq!(Driver::load_from(&none).err(), Some(DriverError::LibraryNotFound { tried: Vec::new() }));
    Ok(())
}

fn text_file_is_no_library() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("libcuda.so.1");
    std::fs::write(&path, "this is no library\n".repeat(20))?;
    let error = Driver::load_from(&[&path]).expect_err("a text file");
    let DriverError::LibraryNotFound { tried } = &error else { return Err(format!("{error:?}").into()) };
    assert!(tried[0].reason.contains("invalid ELF header"), "{error}");
    Ok(())
}

fn other_library_is_not_cuda() -> Result<Completion, Failed> {
    let path = match built("not_cuda") {
        Ok(path) => path,
        Err(reason) => return Ok(Completion::ignored_with(reason)),
    };
    let error = Driver::load_from(&[&path]).expect_err("it has no cuInit");
    let DriverError::LibraryNotFound { tried } = &error else { return Err(format!("{error:?}").into()) };
    assert!(tried[0].reason.contains("no cuInit"), "{error}");
    Ok(Completion::Completed)
}

fn later_name_is_taken(driver: Driver) -> Outcome {
    let again = Driver::load_from(&["libnothing-of-the-kind.so.1", driver.library()])?;
    assert_eq!(again.library(), driver.library());
    assert_eq!(again.version()?.to_string(), "13.0");
    assert!(again.has_symbol("cuEventElapsedTime") && !again.has_symbol("cuNothingOfTheKind"));
    Ok(())
}

/// In processes of their own, because a process reads the variable once.
fn variable_names_the_only_library(driver: Driver) -> Outcome {
    let default_with = |library: &str| -> Result<String, Failed> {
        let mut command = Command::new(std::env::current_exe()?);
        let output = command.env(DEFAULT_VARIABLE, "1").env("WARPSMITH_LIBCUDA", library).output()?;
        Ok(String::from_utf8(output.stdout)?)
    };
    assert_eq!(default_with(driver.library())?, format!("found {}\n", driver.library()));
    let missing = default_with("/no/such/libcuda.so")?;
    assert!(missing.contains("/no/such/libcuda.so") && !missing.contains("nvcuda.dll"), "{missing}");
    // An empty variable is as good as none: either the machine has a driver, or all names were tried.
    let none = default_with("")?;
    assert!(none.starts_with("found ") || none.contains("nvcuda.dll"), "{none}");
    Ok(())
}

// ---- devices

fn zero_devices(driver: Driver) -> Outcome {
    let error = driver.device_count().expect_err("there are none");
    assert_eq!(error, DriverError::NoDevice { library: driver.library().into(), cause: None });
    assert!(error.is_absence() && error.help().contains("nvidia-smi"));
    assert!(matches!(driver.device(0), Err(DriverError::NoDevice { .. })));
    Ok(())
}

fn init_without_device(driver: Driver) -> Outcome {
    assert_eq!(driver.version()?.major, 13, "the version needs no device");
    let error = driver.devices().expect_err("there are none");
    assert_eq!(error.code(), Some(ResultCode::ERROR_NO_DEVICE));
    assert!(error.is_absence());
    assert!(error.to_string().contains("CUDA_ERROR_NO_DEVICE (100)"), "{error}");
    Ok(())
}

fn device_facts(driver: Driver) -> Outcome {
    assert_eq!(driver.device_count()?, 4);
    assert_eq!(driver.devices()?.len(), 4);
    let device = driver.device(1)?;
    assert_eq!((device.name(), device.ordinal(), device.compute_capability()), ("Fake Device 1", 1, (12, 1)));
    let limits = device.limits();
    assert_eq!(limits.max_block, [1024, 1024, 64]);
    assert_eq!(limits.max_grid, [2_147_483_647, 65535, 65535]);
    assert_eq!((limits.shared_per_cta, limits.shared_per_cta_opt_in), (49152, 101_376));
    assert_eq!((limits.multiprocessors, limits.warp_size, device.memory_bytes()), (48, 32, 64 << 20));
    assert_eq!(driver.device(4).err(), Some(DriverError::NoSuchDevice { ordinal: 4, count: 4 }));
    assert_eq!(
        driver.device(u32::MAX).err(),
        Some(DriverError::NoSuchDevice { ordinal: u32::MAX, count: 4 })
    );
    Ok(())
}

// ---- buffers

fn context_of(driver: &Driver) -> Result<Context, DriverError> {
    Context::new(&driver.device(0)?)
}

fn buffers_round_trip(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let mut numbers = DeviceBuffer::from_slice(&context, &[1u32, 2, 3, 4, 5])?;
    numbers.write(1, &[20, 30])?;
    let mut tail = [0; 2];
    numbers.read(2, &mut tail)?;
    assert_eq!(tail, [30, 4]);
    assert_eq!((numbers.len(), numbers.byte_len()), (5, 20));

    let mut other = DeviceBuffer::<u32>::zeros(&context, 3)?;
    assert_eq!(other.to_vec()?, [0, 0, 0]);
    other.copy_from(1, &numbers, 3, 2)?;
    assert_eq!(other.to_vec()?, [0, 4, 5]);
    other.fill_bytes(0xFF)?;
    assert_eq!(other.to_vec()?, [u32::MAX; 3]);

    let halves = [f16::from_f32(1.5), f16::NEG_INFINITY];
    assert_eq!(DeviceBuffer::from_slice(&context, &halves)?.to_vec()?, halves);
    let brains = [bf16::from_f32(-2.0); 3];
    assert_eq!(DeviceBuffer::from_slice(&context, &brains)?.to_vec()?, brains);
    Ok(())
}

fn empty_buffers_allocate_nothing(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let before = context.memory_info()?;
    let mut empty = DeviceBuffer::<f64>::zeros(&context, 0)?;
    assert_eq!(context.memory_info()?, before);
    assert!(empty.is_empty() && empty.address() == 0);
    empty.write(0, &[])?;
    empty.fill_bytes(1)?;
    assert!(empty.to_vec()?.is_empty());
    let other = DeviceBuffer::<f64>::from_slice(&context, &[])?;
    empty.copy_from(0, &other, 0, 0)?;
    assert_eq!(empty.argument().kind(), ParamKind::Pointer);
    Ok(())
}

fn buffer_ranges_are_checked(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let mut buffer = DeviceBuffer::<u16>::zeros(&context, 4)?;
    let source = DeviceBuffer::<u16>::zeros(&context, 9)?;
    let refused = |offset, count, len| Err(DriverError::OutOfRange { offset, count, len });
    assert_eq!(buffer.write(3, &[1, 2]), refused(3, 2, 4));
    assert_eq!(buffer.read(5, &mut []), refused(5, 0, 4));
    assert_eq!(buffer.read(usize::MAX, &mut [0]), refused(usize::MAX, 1, 4));
    assert_eq!(buffer.copy_from(0, &source, 0, 5), refused(0, 5, 4));
    assert_eq!(buffer.copy_from(0, &source, 8, 2), refused(8, 2, 9));
    assert_eq!(buffer.argument_from(5).err(), refused(5, 0, 4).err());
    buffer.argument_from(4)?;
    buffer.write(4, &[])?;
    assert_eq!(buffer.to_vec()?, [0; 4]);
    Ok(())
}

fn allocations_are_freed_and_limited(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let (free, total) = context.memory_info()?;
    let buffer = DeviceBuffer::<u8>::zeros(&context, 1000)?;
    assert_eq!(context.memory_info()?, (free - 1000, total));
    drop(buffer);
    assert_eq!(context.memory_info()?, (free, total));
    let bytes = usize::try_from(total)? + 1;
    assert_eq!(DeviceBuffer::<u8>::uninit(&context, bytes).err(), Some(DriverError::OutOfMemory { bytes }));
    let too_large = DriverError::TooLarge { len: usize::MAX, element_bytes: 8 };
    assert_eq!(DeviceBuffer::<u64>::uninit(&context, usize::MAX).err(), Some(too_large));
    Ok(())
}

// ---- modules

fn jit_error(
    context: &Context,
    ptx: &str,
) -> Result<(ResultCode, Option<u32>, Option<String>, String), Failed> {
    match Module::load(context, ptx) {
        Err(DriverError::Jit(error)) => {
            Ok((error.code, error.line, error.source_line.clone(), error.log.clone()))
        }
        other => Err(format!("{other:?}").into()),
    }
}

fn bad_ptx_names_the_line(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let text = ".version 8.8\n.target sm_121\n.address_size 64\n.entry k()\n{\n  .reg .b32 r;\n  bogus.b32 r, r;\n}\n";
    let (code, line, source, log) = jit_error(&context, text)?;
    assert_eq!(code, ResultCode::ERROR_INVALID_PTX);
    assert_eq!((line, source.as_deref()), (Some(7), Some("  bogus.b32 r, r;")));
    assert!(log.contains("Not a name of any known instruction"));
    let shown = Module::load(&context, text).expect_err("as before").to_string();
    assert!(shown.contains("line 7 `bogus.b32 r, r;`") && shown.contains("Not a name"), "{shown}");
    assert!(Module::load(&context, PTX).is_ok(), "a refused text harms nothing");
    Ok(())
}

fn version_too_new(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let (code, line, source, _) = jit_error(&context, "// head\n.version 9.1\n.target sm_121\n")?;
    assert_eq!(code, ResultCode::ERROR_UNSUPPORTED_PTX_VERSION);
    assert_eq!((line, source.as_deref()), (Some(2), Some(".version 9.1")));
    Ok(())
}

fn nul_in_ptx(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let error = Module::load(&context, ".version 8.8\n.tar\0get").expect_err("a NUL");
    assert_eq!(error, DriverError::NulInPtx { line: 2 });
    Ok(())
}

fn add_layout() -> ParamLayout {
    ParamLayout::new().pointer("a").pointer("b").pointer("c").scalar("n", 4)
}

fn record_layout() -> ParamLayout {
    ParamLayout::new().pointer("out").scalar("small", 1).scalar("number", 4).scalar("large", 8)
}

fn functions_and_layouts(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let module = Module::load(&context, PTX)?;
    for name in ["vector_sub", "", "vector\0add"] {
        let missing = DriverError::NoSuchFunction { name: name.into() };
        assert_eq!(module.function(name, add_layout()).err(), Some(missing));
    }
    let mismatch = |found: &[usize], declared: &[usize]| DriverError::LayoutMismatch {
        function: "vector_add".into(),
        found: Sizes(found.to_vec()),
        declared: Sizes(declared.to_vec()),
    };
    let short = ParamLayout::new().pointer("a").pointer("b").pointer("c");
    // One more than declared is asked for.
    assert_eq!(module.function("vector_add", short).err(), Some(mismatch(&[8, 8, 8, 4], &[8, 8, 8])));
    let wide = ParamLayout::new().pointer("a").pointer("b").pointer("c").scalar("n", 8);
    assert_eq!(module.function("vector_add", wide).err(), Some(mismatch(&[8, 8, 8, 4], &[8, 8, 8, 8])));
    let long = add_layout().scalar("m", 4);
    assert_eq!(module.function("vector_add", long).err(), Some(mismatch(&[8, 8, 8, 4], &[8, 8, 8, 4, 4])));

    let record = module.function("record", record_layout())?;
    drop(module);
    let attributes = record.attributes();
    assert_eq!((attributes.max_threads_per_cta, attributes.shared_static), (256, 4096));
    assert_eq!((attributes.registers, attributes.local_bytes, attributes.binary_version), (24, 16, 121));
    assert_eq!(record.max_dynamic_shared(), 101_376 - 4096);
    Ok(())
}

// ---- contexts

fn handles_of_another_device_are_refused(driver: Driver) -> Outcome {
    let (zero, one) = (Context::new(&driver.device(0)?)?, Context::new(&driver.device(1)?)?);
    let function = Module::load(&zero, PTX)?.function("vector_add", add_layout())?;
    let (stream, event) = (Stream::new(&zero)?, Event::new(&zero)?);
    let mut here = DeviceBuffer::<f32>::zeros(&zero, 3)?;
    let there = DeviceBuffer::<f32>::zeros(&one, 3)?;
    let refused = |what| Err(DriverError::ForeignHandle { what, belongs_to: 1, used_on: 0 });

    let arguments = [here.argument(), there.argument(), here.argument(), Argument::scalar(3u32)];
    assert_eq!(function.launch(&stream, LaunchConfig::linear(1, 32), &arguments), refused("buffer"));
    let arguments = [here.argument(), here.argument(), here.argument(), Argument::scalar(3u32)];
    let other_stream = Stream::new(&one)?;
    assert_eq!(function.launch(&other_stream, LaunchConfig::linear(1, 32), &arguments), refused("stream"));
    assert_eq!(here.copy_from(0, &there, 0, 3), refused("buffer"));
    assert_eq!(event.record(&other_stream), refused("stream"));
    assert_eq!(stream.wait_for(&Event::new(&one)?), refused("event"));
    assert_eq!(event.milliseconds_since(&Event::new(&one)?), refused("event").map(|()| 0.0));

    // The same device's context by another `new` is the same context.
    let again = DeviceBuffer::<f32>::from_slice(&Context::new(&driver.device(0)?)?, &[1.0; 3])?;
    here.copy_from(0, &again, 0, 3)?;
    assert_eq!(here.to_vec()?, [1.0; 3]);
    Ok(())
}

/// The fake refuses an address of a device whose context is not current, so this fails unless every call binds its own.
fn contexts_nest_and_cross_threads(driver: Driver) -> Outcome {
    let contexts: Vec<Context> =
        driver.devices()?.iter().map(Context::new).collect::<Result<_, DriverError>>()?;
    let buffers: Vec<DeviceBuffer<u32>> = contexts
        .iter()
        .map(|context| DeviceBuffer::from_slice(context, &[context.device().ordinal()]))
        .collect::<Result<_, _>>()?;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..100 {
                        for (expected, buffer) in (0u32..).zip(&buffers) {
                            assert_eq!(buffer.to_vec(), Ok(vec![expected]));
                        }
                    }
                })
            })
            .collect();
        assert!(threads.into_iter().all(|thread| thread.join().is_ok()));
    });
    std::thread::spawn(move || drop(buffers)).join().map_err(|_| "a drop on another thread panicked")?;
    for context in &contexts {
        let (free, total) = context.memory_info()?;
        assert_eq!(free, total, "freed on another thread");
    }
    Ok(())
}

fn events_measure(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let record = record_with(&driver)?;
    let stream = Stream::new(&context)?;
    let (start, end) = (Event::new(&context)?, Event::new(&context)?);
    start.record(&stream)?;
    let unrecorded = end.milliseconds_since(&start).expect_err("not recorded yet");
    assert_eq!(unrecorded.code(), Some(ResultCode::ERROR_INVALID_HANDLE));
    record(&context, 0)?;
    record(&context, 0)?;
    end.record(&stream)?;
    end.synchronize()?;
    assert_eq!(end.milliseconds_since(&start)?, 1.0);
    Ok(())
}

fn dead_context_says_so(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let module = Module::load(&context, PTX)?;
    let fault = module.function("fault_700", ParamLayout::new())?;
    let (stream, event) = (Stream::new(&context)?, Event::new(&context)?);
    let buffer = DeviceBuffer::<u8>::zeros(&context, 8)?;
    fault.launch(&stream, LaunchConfig::linear(1, 1), &[])?;
    assert!(!context.is_dead(), "the fault shows at the next call");

    let first = stream.synchronize().expect_err("the kernel faulted");
    let cause = ResultCode::ERROR_ILLEGAL_ADDRESS;
    assert_eq!(first, DriverError::Call { call: "cuStreamSynchronize", code: cause });
    assert!(first.help().contains("context is dead"));
    assert!(context.is_dead());

    let dead = DriverError::ContextDead { device: 0, cause, during: "cuStreamSynchronize" };
    assert!(
        dead.to_string().contains("is dead since cuStreamSynchronize answered CUDA_ERROR_ILLEGAL_ADDRESS")
    );
    assert_eq!(buffer.to_vec(), Err(dead.clone()));
    assert_eq!(DeviceBuffer::<u8>::zeros(&context, 8).err(), Some(dead.clone()));
    assert_eq!(fault.launch(&stream, LaunchConfig::linear(1, 1), &[]), Err(dead.clone()));
    assert_eq!(Module::load(&context, PTX).err(), Some(dead.clone()));
    assert_eq!(event.record(&stream), Err(dead.clone()));
    assert_eq!(context.synchronize(), Err(dead.clone()));
    assert_eq!(
        Context::new(&driver.device(0)?)?.synchronize(),
        Err(dead),
        "known to every user of the context"
    );

    let other = Context::new(&driver.device(1)?)?;
    assert_eq!(DeviceBuffer::from_slice(&other, &[7u8])?.to_vec()?, [7], "another device lives on");
    drop((buffer, event, stream, fault, module, context));
    Ok(())
}

// ---- old libraries

fn old_library_costs_only_what_it_lacks(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let record = record_with(&driver)?;
    assert_eq!(record(&context, 48 * 1024 - 4096)?, 48 * 1024 - 4096, "the default needs no opt-in");

    let error = record(&context, 48 * 1024 - 4095).expect_err("no opt-in call");
    let DriverError::NotAvailable { symbol, tried, reason } = &error else {
        return Err(format!("{error:?}").into());
    };
    assert_eq!((*symbol, tried.len()), ("cuFuncSetAttribute", 1));
    assert!(tried[0].contains(driver.library()) && reason.contains("undefined symbol"), "{error}");
    assert!(error.help().contains("older"));

    let error = Event::new(&context).expect_err("no events");
    assert!(matches!(error, DriverError::NotAvailable { symbol: "cuEventCreate", .. }), "{error}");
    assert!(!context.is_dead());
    assert_eq!(record(&context, 0)?, 0, "and launches still work");
    Ok(())
}

fn ancient_library_still_has_buffers(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    assert_eq!(context.device().limits().shared_per_cta_opt_in, 49152, "no opt-in attribute, so no opt-in");
    let error = Module::load(&context, PTX).expect_err("no module calls");
    assert!(matches!(error, DriverError::NotAvailable { symbol: "cuModuleLoadDataEx", .. }), "{error}");
    let buffer = DeviceBuffer::from_slice(&context, &[1i64, -2])?;
    assert_eq!(buffer.to_vec()?, [1, -2]);
    Ok(())
}
