//! Where text meets a device: compiling, devices and their buffers, typed launches.
//!
//! [`Device`] is a GPU or the emulator; [`Buffer`]s live on it; a [`LaunchBuilder`] binds them to a kernel's parameters
//! by name, checks everything that can be checked before a thread runs, and caches what it compiled. [`compile()`] is the
//! one way from a kernel to text, for launches and for `dump` alike.
//!
//! On entry: any kernel, any arguments. On exit: results in the buffers, or an error that names the parameter or the
//! limit and says what to do. Deliberately not here: what a kernel computes and which cases there are.
//!
//! ```
//! use warpsmith::ir::parse;
//! use warpsmith::runtime::{Device, LaunchBuilder};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let kernel = parse::parse(
//!     "kernel @double(x: global u32, mut out: global u32) {
//!         v0 = program_id.x
//!         v1 = load x[v0]
//!         v2 = add v1, v1
//!         store out[v0], v2
//!     }",
//! )?;
//! let device = Device::open("emu")?;
//! let x = device.upload(&[1u32, 2, 3])?;
//! let mut out = device.zeros::<u32>(3)?;
//! LaunchBuilder::of(&device, &kernel).bind("x", &x).bind_mut("out", &mut out).threads_1d(3, 32).run()?;
//! assert_eq!(device.download(&out)?, [2, 4, 6]);
//! # Ok(())
//! # }
//! ```

mod buffer;
mod check;
pub mod compile;
mod cuda;
mod device;
mod emu;
mod error;
mod launch;
mod length;
mod matrix;
mod pack;
mod source;

pub use buffer::{Buffer, RawBuffer, View, ViewMut};
pub use compile::{CompileError, compile};
pub use cuda::CudaBackend;
pub use device::{Device, LoadedKernel};
pub use emu::{EmuBackend, EmuSettings};
pub use error::{ArgumentProblem, GeometryProblem, LaunchError};
pub use launch::{LaunchBuilder, PreparedLaunch};
pub use matrix::{MatrixUnit, mma_kernel};
pub use source::{BuildError, ElementSpec, KernelSource, ParamSpec};

pub use crate::__forward_geometry as forward_geometry;
pub use crate::ptx::emu::Schedule;
