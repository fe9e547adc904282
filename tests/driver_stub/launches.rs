//! Launches on the fake device: what is passed on, and what is refused before it gets there.

use libtest_mimic::Failed;
use warpsmith::driver::{
    Argument, Context, DeviceBuffer, Driver, DriverError, LaunchConfig, LaunchProblem, Module, ParamKind,
    ParamLayout, Stream,
};

use crate::{Outcome, PTX, add_layout, context_of, record_layout};

pub(crate) fn vector_add_runs(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let function = Module::load(&context, PTX)?.function("vector_add", add_layout())?;
    let stream = Stream::new(&context)?;
    let a = DeviceBuffer::from_slice(&context, &[1.0f32, 2.0, 3.0])?;
    let b = DeviceBuffer::from_slice(&context, &[0.5f32; 3])?;
    let c = DeviceBuffer::<f32>::zeros(&context, 3)?;
    let arguments = [a.argument(), b.argument(), c.argument(), Argument::scalar(3u32)];
    function.launch(&stream, LaunchConfig::linear(1, 32), &arguments)?;
    stream.synchronize()?;
    assert!(stream.is_idle()?);
    assert_eq!(c.to_vec()?, [1.5, 2.5, 3.5]);
    Ok(())
}

pub(crate) fn launch_passes_everything_on(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let function = Module::load(&context, PTX)?.function("record", record_layout())?;
    let out = DeviceBuffer::<u64>::zeros(&context, 12)?;
    let config = LaunchConfig { grid: [2, 3, 4], block: [8, 4, 2], shared_bytes: 640 };
    let large = u64::MAX - 1;
    let arguments =
        [out.argument_from(1)?, Argument::scalar(7u8), Argument::scalar(1.5f32), Argument::scalar(large)];
    function.launch(&Stream::default_of(&context), config, &arguments)?;
    let number = u64::from(1.5f32.to_bits());
    assert_eq!(out.to_vec()?, [0, 2, 3, 4, 8, 4, 2, 640, 0, 7, number, large]);

    let stream = Stream::new(&context)?;
    let by_bytes = [7u8.to_le_bytes().to_vec(), 1.5f32.to_le_bytes().to_vec(), large.to_le_bytes().to_vec()];
    let [small, number_bytes, large_bytes] = &by_bytes;
    let arguments =
        [out.argument(), Argument::bytes(small), Argument::bytes(number_bytes), Argument::bytes(large_bytes)];
    function.launch(&stream, config, &arguments)?;
    assert_eq!(out.to_vec()?[7..11], [1, 7, number, large], "a stream of its own, then the same values");
    Ok(())
}

/// The problem of a launch that must be refused.
fn problem_of(answer: Result<(), DriverError>) -> Result<LaunchProblem, Failed> {
    match answer {
        Err(DriverError::Launch { problem, .. }) => {
            assert!(!problem.help().is_empty());
            Ok(problem)
        }
        other => Err(format!("{other:?}").into()),
    }
}

pub(crate) fn arguments_are_checked(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let function = Module::load(&context, PTX)?.function("vector_add", add_layout())?;
    let stream = Stream::new(&context)?;
    let buffer = DeviceBuffer::<f32>::zeros(&context, 3)?;
    let launch = |arguments: &[Argument<'_>]| {
        problem_of(function.launch(&stream, LaunchConfig::linear(1, 32), arguments))
    };
    let (pointer, n) = (buffer.argument(), Argument::scalar(3u32));
    assert_eq!(launch(&[])?, LaunchProblem::ArgumentCount { expected: 4, got: 0 });
    assert_eq!(launch(&[pointer, pointer, pointer])?, LaunchProblem::ArgumentCount { expected: 4, got: 3 });
    assert_eq!(
        launch(&[pointer, Argument::scalar(3u64), pointer, n])?,
        LaunchProblem::ArgumentKind {
            index: 1,
            parameter: "b".into(),
            expected: ParamKind::Pointer,
            got: ParamKind::Scalar { size: 8 },
        }
    );
    let got = launch(&[pointer, pointer, pointer, pointer])?;
    assert_eq!(got.to_string(), "argument 3 (`n`) must be a scalar of 4 bytes, not a buffer");
    assert_eq!(
        launch(&[pointer, pointer, pointer, Argument::scalar(3u64)])?,
        LaunchProblem::ArgumentSize { index: 3, parameter: "n".into(), expected: 4, got: 8 }
    );
    assert_eq!(buffer.to_vec()?, [0.0; 3], "nothing ran");
    Ok(())
}

pub(crate) fn geometry_is_checked(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let module = Module::load(&context, PTX)?;
    let fault = module.function("fault_700", ParamLayout::new())?;
    let stream = Stream::new(&context)?;
    let launch =
        |grid, block| problem_of(fault.launch(&stream, LaunchConfig { grid, block, shared_bytes: 0 }, &[]));
    let one = [1, 1, 1];
    assert_eq!(launch([1, 0, 1], one)?, LaunchProblem::ZeroExtent { of: "grid", axis: 'y' });
    assert_eq!(launch(one, [0, 1, 1])?, LaunchProblem::ZeroExtent { of: "CTA", axis: 'x' });
    assert_eq!(
        launch([1, 1, 65536], one)?,
        LaunchProblem::GridTooLong { axis: 'z', got: 65536, limit: 65535 }
    );
    assert_eq!(launch(one, [1, 1, 65])?, LaunchProblem::BlockTooLong { axis: 'z', got: 65, limit: 64 });
    assert_eq!(launch(one, [32, 33, 1])?, LaunchProblem::TooManyThreads { got: 1056, limit: 1024 });
    assert_eq!(
        launch(one, [u32::MAX; 3])?,
        LaunchProblem::BlockTooLong { axis: 'x', got: u32::MAX, limit: 1024 }
    );
    assert!(!context.is_dead(), "nothing was launched");

    let record = module.function("record", record_layout())?;
    let out = DeviceBuffer::<u64>::zeros(&context, 16)?;
    let arguments = [out.argument(), Argument::scalar(0u8), Argument::scalar(0f32), Argument::scalar(0u64)];
    assert_eq!(
        problem_of(record.launch(&stream, LaunchConfig::linear(1, 257), &arguments))?,
        LaunchProblem::TooManyThreadsForFunction { got: 257, limit: 256, registers: 24 }
    );
    record.check(LaunchConfig::linear(1, 256), &arguments)?;
    assert_eq!(out.to_vec()?, [0; 16], "a check launches nothing");
    Ok(())
}

/// `record` on `out`, with this much dynamic shared memory.
pub(crate) fn record_with(
    driver: &Driver,
) -> Result<impl Fn(&Context, u32) -> Result<u64, DriverError> + use<>, DriverError> {
    let context = context_of(driver)?;
    let module = Module::load(&context, PTX)?;
    let record = module.function("record", record_layout())?;
    Ok(move |context: &Context, shared| {
        let out = DeviceBuffer::<u64>::zeros(context, 11)?;
        let arguments =
            [out.argument(), Argument::scalar(0u8), Argument::scalar(0f32), Argument::scalar(0u64)];
        let config = LaunchConfig::linear(1, 32).with_shared(shared);
        record.launch(&Stream::default_of(context), config, &arguments)?;
        Ok(out.to_vec()?[6])
    })
}

pub(crate) fn shared_memory_is_checked(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let record = record_with(&driver)?;
    let limit = 101_376 - 4096;
    assert_eq!(record(&context, limit)?, u64::from(limit));
    let over = problem_of(record(&context, limit + 1).map(drop))?;
    assert_eq!(over, LaunchProblem::TooMuchShared { fixed: 4096, dynamic: limit + 1, limit: 101_376 });
    assert!(over.help().contains(&limit.to_string()), "{}", over.help());
    assert!(matches!(problem_of(record(&context, u32::MAX).map(drop))?, LaunchProblem::TooMuchShared { .. }));
    Ok(())
}

pub(crate) fn shared_mark_only_rises(driver: Driver) -> Outcome {
    let context = context_of(&driver)?;
    let module = Module::load(&context, PTX)?;
    let out = DeviceBuffer::<u64>::zeros(&context, 11)?;
    let arguments = [out.argument(), Argument::scalar(0u8), Argument::scalar(0f32), Argument::scalar(0u64)];
    let stream = Stream::default_of(&context);
    // Two look-ups of one function share the driver's number, so the second must not lower the first one's.
    let first = module.function("record", record_layout())?;
    let second = module.function("record", record_layout())?;
    for (function, shared) in [(&first, 90_000), (&second, 60_000), (&first, 90_000), (&second, 0)] {
        function.launch(&stream, LaunchConfig::linear(1, 32).with_shared(shared), &arguments)?;
        assert_eq!(out.to_vec()?[6], u64::from(shared));
    }
    Ok(())
}
