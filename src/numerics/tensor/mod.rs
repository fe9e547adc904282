//! A warp's matrix multiplication: its forms, its fragments, and what the hardware's matrix units compute.
//!
//! - [`Form`] names one: shape, element types, scaling; [`Wgmma`] one of Hopper's warpgroups;
//! - [`Layout`] says which lane holds which element; [`gather`] and [`scatter`] follow it; [`Swizzle`] how
//!   tiles lie in shared memory;
//! - [`TensorModel`] gives the bits of D on a chip, with the [`Evidence`] for them;
//! - [`Golden`] reads files of recorded results, and [`check()`] compares them with a model or a device.

mod check;
mod compute;
mod form;
mod fragment;
mod golden;
mod layout;
mod model;
mod operand;
mod quads;
mod rows;
mod scaled;
mod simdgroup;
mod step;
mod swizzle;
#[cfg(test)]
mod tests;
mod wgmma;

pub use check::{Checked, Difference, NotComputed, Recorded, Source, check, check_section};
pub use form::{Accumulator, Element, Form, Kind, Major, NotAForm, Scale, Shape};
pub use fragment::{float_value, gather, scale_bytes, scatter, spread};
pub use golden::{Golden, GoldenError, Operation, RecordedTile, Section};
pub use layout::{LANES, LaneBits, Layout, Operand, byte_position, container_shift, scale_holder};
pub use model::{Evidence, Operands, Row, TensorModel};
pub use simdgroup::{SIMDGROUP_ELEMENTS, SIMDGROUP_SIDE, simdgroup_holder, simdgroup_position};
pub use swizzle::{CHUNK, LINE, Swizzle};
pub use wgmma::{NotAWgmma, Wgmma};
