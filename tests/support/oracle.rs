//! Random cases on the oracle.

use warpsmith::ir::{Kernel, Literal};
use warpsmith::oracle::{self, Arguments, Buffer, Config, Failure};

use super::random_kernel::{Content, RandomCase};

/// The case's arguments for the oracle.
pub(crate) fn arguments(case: &RandomCase) -> Arguments {
    let mut arguments = Arguments::new(&case.kernel);
    for argument in &case.arguments {
        let literal = |bits: u64| Literal::from_bits(argument.dtype, bits);
        let bound = match &argument.content {
            Content::Scalar(bits) => arguments.scalar(&argument.name, literal(*bits)),
            Content::Buffer(elements) => {
                let elements: Vec<Literal> = elements.iter().copied().map(literal).collect();
                let buffer = Buffer::from_literals(argument.dtype, &elements);
                arguments.strided(&argument.name, buffer, &argument.shape, &argument.strides)
            }
        };
        bound.expect("a case has an argument for each parameter, of its type");
    }
    arguments
}

/// What `kernel`, which takes the case's arguments, makes of them.
pub(crate) fn run(case: &RandomCase, kernel: &Kernel) -> Result<Arguments, Box<Failure>> {
    let mut arguments = arguments(case);
    oracle::run(kernel, &case.launch, &mut arguments, &Config::default())?;
    Ok(arguments)
}
