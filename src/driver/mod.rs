//! CUDA devices through libcuda, opened at run time.
//!
//! What this is: owners with `Drop` over the CUDA driver API. Nothing is linked: [`Driver::load`] opens the library
//! and each symbol is looked up when the first call needs it, so that an old or missing driver costs the feature that
//! lacks, never the program.
//!
//! On entry: PTX comes as `&str`, and what a kernel's parameters are comes as a [`ParamLayout`] beside it.
//!
//! On exit: every failure is a [`DriverError`] with a [`help`](DriverError::help). No panic starts from what the
//! library, the device, the text or the caller hands in. Handles are `Send + Sync` and bind their context on entry,
//! and `Drop` ignores what it can't repair.
//!
//! Not here: which kernel to run, how its text came to be, caching, typed launches (the `runtime` module), pinned
//! memory and graphs.
//!
//! ```no_run
//! use warpsmith::driver::{Argument, Context, DeviceBuffer, Driver, LaunchConfig, Module, ParamLayout, Stream};
//!
//! # fn main() -> Result<(), warpsmith::driver::DriverError> {
//! let driver = Driver::load()?;
//! let context = Context::new(&driver.device(0)?)?;
//! let module = Module::load(&context, include_str!("../../tests/data/ptx/vector_add.ptx"))?;
//! let layout = ParamLayout::new().pointer("a").pointer("b").pointer("c").scalar("n", 4);
//! let vector_add = module.function("vector_add", layout)?;
//!
//! let stream = Stream::new(&context)?;
//! let a = DeviceBuffer::from_slice(&context, &[1.0f32, 2.0])?;
//! let b = DeviceBuffer::from_slice(&context, &[3.0f32, 4.0])?;
//! let c = DeviceBuffer::<f32>::zeros(&context, 2)?;
//! let arguments = [a.argument(), b.argument(), c.argument(), Argument::scalar(2u32)];
//! vector_add.launch(&stream, LaunchConfig::linear(1, 256), &arguments)?;
//! assert_eq!(c.to_vec()?, [4.0, 6.0]);
//! # Ok(())
//! # }
//! ```

#![expect(unsafe_code, reason = "libcuda is a C library: calling it is the point of this module")]

mod argument;
mod buffer;
mod context;
mod device;
mod error;
mod event;
mod function;
mod jit;
mod launch;
mod loader;
mod module;
mod result;
mod stream;
mod sys;

pub use argument::{Argument, ParamKind, ParamLayout, Parameter};
pub use buffer::{DeviceBuffer, DevicePod};
pub use context::Context;
pub use device::{CudaDevice, DeviceLimits};
pub use error::{DriverError, LibraryAttempt, Sizes};
pub use event::Event;
pub use function::{Function, FunctionAttributes};
pub use jit::JitError;
pub use launch::{LaunchConfig, LaunchProblem};
pub use loader::{Driver, DriverVersion};
pub use module::Module;
pub use result::ResultCode;
pub use stream::Stream;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_may_cross_threads() {
        fn crosses<T: Send + Sync>() {}
        crosses::<Driver>();
        crosses::<CudaDevice>();
        crosses::<Context>();
        crosses::<Stream>();
        crosses::<Event>();
        crosses::<Module>();
        crosses::<Function>();
        crosses::<DeviceBuffer<f32>>();
        crosses::<DriverError>();
    }
}
