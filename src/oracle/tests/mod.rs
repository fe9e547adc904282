//! Tests of the oracle: small kernels in the IR's text form, with what they must give.

mod arithmetic;
mod control;
mod divergence;
mod faults;
mod geometry;
mod memory;
mod warp;

use super::{Arguments, Buffer, Config, Failure, Stats, run};
use crate::diag::Help;
use crate::ir::{DType, Kernel, Launch, Literal, parse};

/// The kernel of that text.
fn kernel(text: &str) -> Kernel {
    parse::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Arguments by name.
fn arguments(kernel: &Kernel, buffers: Vec<(&str, Buffer)>) -> Arguments {
    let mut args = Arguments::new(kernel);
    for (name, buffer) in buffers {
        args.buffer(name, buffer).unwrap();
    }
    args
}

/// Runs a kernel with default settings.
fn run_text(text: &str, launch: Launch, buffers: Vec<(&str, Buffer)>) -> Result<Arguments, Box<Failure>> {
    let kernel = kernel(text);
    let mut args = arguments(&kernel, buffers);
    run(&kernel, &launch, &mut args, &Config::default())?;
    Ok(args)
}

/// All elements' bits; those that nobody wrote are `None`.
fn bits(args: &Arguments, name: &str) -> Vec<Option<u64>> {
    let buffer = args.get(name).unwrap();
    (0..buffer.len())
        .map(|index| buffer.is_initialised(index).then(|| buffer.get(index).unwrap().bits))
        .collect()
}

/// All elements' bits, all of them written.
fn written(args: &Arguments, name: &str) -> Vec<u64> {
    bits(args, name).into_iter().map(|bits| bits.expect("every element was written")).collect()
}

fn u32s(len: u64) -> Buffer {
    Buffer::uninitialised(DType::U32, len)
}

/// The message and the help of a run that must fail.
fn failure(result: Result<Arguments, Box<Failure>>) -> String {
    let failure = result.expect_err("the run must fail");
    format!("{failure}\nhelp: {}\n", failure.help().unwrap_or_default())
}
