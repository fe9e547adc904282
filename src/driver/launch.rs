//! Launches: the geometry, the checks, the call.
//!
//! What this is: `Function::launch` and its raw form. On entry: anything. On exit: a queued launch, or a
//! [`LaunchProblem`] that names the one limit or parameter in the way, found before libcuda was called: libcuda has one
//! code for all of them. Not here: waiting for the launch, and what it computes.

use std::ffi::c_void;

use super::argument::{Argument, ParamKind, Value};
use super::error::DriverError;
use super::function::Function;
use super::stream::Stream;

const AXES: [char; 3] = ['x', 'y', 'z'];

/// How many threads a launch starts, and with how much dynamic shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchConfig {
    /// CTAs of the grid along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a CTA along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a CTA.
    pub shared_bytes: u32,
}

impl LaunchConfig {
    /// `ctas` CTAs of `threads` threads along x.
    pub const fn linear(ctas: u32, threads: u32) -> Self {
        Self { grid: [ctas, 1, 1], block: [threads, 1, 1], shared_bytes: 0 }
    }

    /// The same with this much dynamic shared memory.
    #[must_use]
    pub const fn with_shared(self, shared_bytes: u32) -> Self {
        Self { shared_bytes, ..self }
    }
}

/// Why a launch was refused before it reached the driver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchProblem {
    /// A grid or CTA of no threads.
    #[error("the {of} has no extent along {axis}")]
    ZeroExtent {
        /// "grid" or "CTA".
        of: &'static str,
        /// x, y or z.
        axis: char,
    },
    /// A grid that is too long along an axis.
    #[error("a grid of {got} CTAs along {axis} is over the device's {limit}")]
    GridTooLong {
        /// x, y or z.
        axis: char,
        /// CTAs asked for.
        got: u32,
        /// CTAs allowed.
        limit: u32,
    },
    /// A CTA that is too long along an axis.
    #[error("a CTA of {got} threads along {axis} is over the device's {limit}")]
    BlockTooLong {
        /// x, y or z.
        axis: char,
        /// Threads asked for.
        got: u32,
        /// Threads allowed.
        limit: u32,
    },
    /// A CTA of too many threads for the device.
    #[error("a CTA of {got} threads is over the device's {limit}")]
    TooManyThreads {
        /// Threads asked for.
        got: u64,
        /// Threads allowed.
        limit: u32,
    },
    /// A CTA of too many threads for the function.
    #[error(
        "a CTA of {got} threads is over the {limit} that the kernel was assembled for, at {registers} registers"
    )]
    TooManyThreadsForFunction {
        /// Threads asked for.
        got: u64,
        /// Threads allowed.
        limit: u32,
        /// Registers of one thread.
        registers: u32,
    },
    /// More shared memory than a CTA can have.
    #[error(
        "{fixed} bytes of static and {dynamic} of dynamic shared memory are over the device's {limit} a CTA"
    )]
    TooMuchShared {
        /// Static bytes, of the function.
        fixed: u32,
        /// Dynamic bytes, of the launch.
        dynamic: u32,
        /// Bytes allowed together.
        limit: u32,
    },
    /// Too few or too many arguments.
    #[error("it takes {expected} arguments, not {got}")]
    ArgumentCount {
        /// Parameters of the layout.
        expected: usize,
        /// Arguments given.
        got: usize,
    },
    /// A buffer for a scalar, or the other way round.
    #[error("argument {index} (`{parameter}`) must be {expected}, not {got}")]
    ArgumentKind {
        /// From 0.
        index: usize,
        /// The parameter's name.
        parameter: String,
        /// What the layout says.
        expected: ParamKind,
        /// What was given.
        got: ParamKind,
    },
    /// A scalar of another size.
    #[error("argument {index} (`{parameter}`) must have {expected} bytes, not {got}")]
    ArgumentSize {
        /// From 0.
        index: usize,
        /// The parameter's name.
        parameter: String,
        /// What the layout says.
        expected: usize,
        /// What was given.
        got: usize,
    },
}

impl LaunchProblem {
    /// What the reader can do about it.
    pub fn help(&self) -> String {
        match self {
            Self::ZeroExtent { .. } => {
                "skip the launch where there is nothing to do; CUDA has no empty grid".into()
            }
            Self::GridTooLong { .. } => "fold the grid into x, which takes 2147483647 CTAs".into(),
            Self::BlockTooLong { limit, .. } | Self::TooManyThreads { limit, .. } => {
                format!("use at most {limit} threads, and more CTAs")
            }
            Self::TooManyThreadsForFunction { limit, .. } => {
                format!(
                    "use at most {limit} threads, or emit the kernel with a `.maxntid` of the CTA you want"
                )
            }
            Self::TooMuchShared { fixed, limit, .. } => {
                format!(
                    "ask for at most {} dynamic bytes: smaller tiles or fewer stages",
                    limit.saturating_sub(*fixed)
                )
            }
            Self::ArgumentCount { .. } => {
                "give one argument for each parameter, shapes and extents included".into()
            }
            Self::ArgumentKind { .. } | Self::ArgumentSize { .. } => {
                "give the argument in the type of the kernel's parameter; integers are not widened".into()
            }
        }
    }
}

impl Function {
    /// Checks a launch against the layout, the function and the device, and queues it. An error of the kernel itself
    /// shows in a later call: [`Stream::synchronize`] waits for it.
    ///
    /// # What the caller promises
    /// No check can see inside a kernel, so this call is as safe as the text that was loaded:
    /// - the kernel reads and writes only through its pointer parameters, and inside the buffers given for them. On
    ///   most machines the device can't reach host memory, so a stray store damages other buffers, whose every bit
    ///   pattern is a value, or kills the context; on one with a shared address space (GB10) it can reach the process;
    /// - buffers that the kernel writes are not read or written by launches that run at the same time on other streams;
    /// - `layout` was that of this kernel, where the driver is too old to tell.
    ///
    /// Buffers may be dropped before the launch is done: freeing waits for it.
    ///
    /// # Errors
    /// [`DriverError::Launch`] with the problem; [`DriverError::ForeignHandle`] for a stream or a buffer of another
    /// context; [`DriverError::NotAvailable`] for dynamic shared memory over the default on an old driver;
    /// [`DriverError::Call`], [`DriverError::ContextDead`].
    pub fn launch(
        &self,
        stream: &Stream,
        config: LaunchConfig,
        arguments: &[Argument<'_>],
    ) -> Result<(), DriverError> {
        self.check_arguments(arguments)?;
        let mut packed = Packed::new(arguments);
        // SAFETY: each pointer leads to as many bytes as the layout gives that parameter. What the kernel does is the
        // promise above.
        unsafe { self.launch_raw(stream, config, &mut packed.pointers()) }
    }

    /// Queues a launch whose parameters are read from raw addresses. Geometry, shared memory and the number of
    /// parameters are checked, nothing else.
    ///
    /// # Safety
    /// Each pointer must lead to as many readable bytes as the compiled kernel's parameter has, and what the kernel
    /// does with them must be sound for the length of its run: see [`launch`](Self::launch).
    ///
    /// # Errors
    /// As for [`launch`](Self::launch).
    pub unsafe fn launch_raw(
        &self,
        stream: &Stream,
        config: LaunchConfig,
        parameters: &mut [*mut c_void],
    ) -> Result<(), DriverError> {
        let context = &self.module.context;
        context.require_same(&stream.context, "stream")?;
        self.check_count(parameters.len())?;
        self.check_geometry(config)?;
        self.raise_shared_mark(config.shared_bytes)?;
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (config.grid, config.block);
        context.call(|api| {
            // SAFETY: function and stream are live and of this context; the caller answers for the parameters.
            unsafe {
                api.launch_kernel(
                    self.handle,
                    grid_x,
                    grid_y,
                    grid_z,
                    block_x,
                    block_y,
                    block_z,
                    config.shared_bytes,
                    stream.handle,
                    parameters.as_mut_ptr(),
                    std::ptr::null_mut(),
                )
            }
        })
    }

    /// Checks everything that [`launch`](Self::launch) checks, and launches nothing.
    ///
    /// # Errors
    /// [`DriverError::Launch`], [`DriverError::ForeignHandle`].
    pub fn check(&self, config: LaunchConfig, arguments: &[Argument<'_>]) -> Result<(), DriverError> {
        self.check_arguments(arguments)?;
        self.check_geometry(config)
    }

    fn check_count(&self, got: usize) -> Result<(), DriverError> {
        let expected = self.layout().parameters().len();
        if got == expected {
            Ok(())
        } else {
            Err(self.problem(LaunchProblem::ArgumentCount { expected, got }))
        }
    }

    fn check_arguments(&self, arguments: &[Argument<'_>]) -> Result<(), DriverError> {
        self.check_count(arguments.len())?;
        for (index, (argument, parameter)) in arguments.iter().zip(self.layout().parameters()).enumerate() {
            let name = || parameter.name.clone();
            match (parameter.kind, argument.kind()) {
                (ParamKind::Pointer, ParamKind::Pointer) => {}
                (ParamKind::Scalar { size: expected }, ParamKind::Scalar { size: got })
                    if expected == got => {}
                (ParamKind::Scalar { size: expected }, ParamKind::Scalar { size: got }) => {
                    return Err(self.problem(LaunchProblem::ArgumentSize {
                        index,
                        parameter: name(),
                        expected,
                        got,
                    }));
                }
                (expected @ ParamKind::Pointer, got @ ParamKind::Scalar { .. })
                | (expected @ ParamKind::Scalar { .. }, got @ ParamKind::Pointer) => {
                    return Err(self.problem(LaunchProblem::ArgumentKind {
                        index,
                        parameter: name(),
                        expected,
                        got,
                    }));
                }
            }
            if let Value::Buffer { context, .. } = argument.0 {
                self.module.context.require_same(context, "buffer")?;
            }
        }
        Ok(())
    }

    fn check_geometry(&self, config: LaunchConfig) -> Result<(), DriverError> {
        let limits = self.module.context.device().limits();
        for (index, axis) in AXES.into_iter().enumerate() {
            let (grid, block) = (config.grid[index], config.block[index]);
            let (max_grid, max_block) = (limits.max_grid[index], limits.max_block[index]);
            let problem = if grid == 0 {
                LaunchProblem::ZeroExtent { of: "grid", axis }
            } else if block == 0 {
                LaunchProblem::ZeroExtent { of: "CTA", axis }
            } else if grid > max_grid {
                LaunchProblem::GridTooLong { axis, got: grid, limit: max_grid }
            } else if block > max_block {
                LaunchProblem::BlockTooLong { axis, got: block, limit: max_block }
            } else {
                continue;
            };
            return Err(self.problem(problem));
        }

        let attributes = self.attributes();
        // Three numbers below 2^32 can overflow 64 bits, but no product is over a limit and then under it again.
        let threads =
            config.block.iter().fold(1u64, |product, extent| product.saturating_mul(u64::from(*extent)));
        if threads > u64::from(limits.max_threads_per_cta) {
            let limit = limits.max_threads_per_cta;
            return Err(self.problem(LaunchProblem::TooManyThreads { got: threads, limit }));
        }
        if threads > u64::from(attributes.max_threads_per_cta) {
            return Err(self.problem(LaunchProblem::TooManyThreadsForFunction {
                got: threads,
                limit: attributes.max_threads_per_cta,
                registers: attributes.registers,
            }));
        }
        if config.shared_bytes > self.max_dynamic_shared() {
            return Err(self.problem(LaunchProblem::TooMuchShared {
                fixed: attributes.shared_static,
                dynamic: config.shared_bytes,
                limit: limits.shared_per_cta_opt_in,
            }));
        }
        Ok(())
    }

    fn problem(&self, problem: LaunchProblem) -> DriverError {
        DriverError::Launch { function: self.name().to_owned(), problem }
    }
}

/// Argument values side by side, each at an address that suits any type of up to 8 bytes.
struct Packed {
    words: Vec<u64>,
    starts: Vec<usize>,
}

impl Packed {
    fn new(arguments: &[Argument<'_>]) -> Self {
        let mut packed = Self { words: Vec::new(), starts: Vec::new() };
        for argument in arguments {
            packed.starts.push(packed.words.len());
            match argument.0 {
                Value::Buffer { address, .. } => packed.words.push(address),
                Value::Scalar { bytes, .. } => packed.words.push(u64::from_ne_bytes(bytes)),
                Value::Bytes(bytes) => {
                    for chunk in bytes.chunks(8) {
                        let mut word = [0u8; 8];
                        word[..chunk.len()].copy_from_slice(chunk);
                        packed.words.push(u64::from_ne_bytes(word));
                    }
                }
            }
        }
        // A last value of no bytes must still have an address.
        packed.words.push(0);
        packed
    }

    fn pointers(&mut self) -> Vec<*mut c_void> {
        let base = self.words.as_mut_ptr();
        // `wrapping_add` stays inside the vector: every start is at most its last index.
        self.starts.iter().map(|start| base.wrapping_add(*start).cast()).collect()
    }
}
