//! Devices as data: what a target is called, what it can do, and how much of everything it has.
//!
//! Lowering and validation ask here ("may I?", "how much?") instead of comparing version numbers. A [`Target`] is
//! one PTX `.target`; a [`MetalFamily`] is one Apple GPU family; a [`TargetProfile`] is either.
//!
//! Sources: PTX versions, feature rows and shared-memory sizes are the project's PTX facts sheet (assembled with
//! ptxas 13.5); warps and CTAs per SM are NVIDIA's compute-capability table, documented and not measured here.
//!
//! On entry: names and device numbers from a user or a driver. On exit: a known target or an error that lists what
//! is known. Deliberately not here: limits read from a live device (the driver), and how an instruction is spelled.

mod error;
mod feature;
mod limits;
mod metal;
mod profile;
mod ptx;
#[cfg(test)]
mod tests;
mod version;

pub use error::{DeviceTooOld, UnknownTarget, Unsupported};
pub use feature::Feature;
pub use limits::{GridLimits, Limits, Occupancy};
pub use metal::MetalFamily;
pub use profile::TargetProfile;
pub use ptx::{Chip, DeviceTarget, Family, Suffix, Target};
pub use version::{NotAVersion, PtxVersion};
