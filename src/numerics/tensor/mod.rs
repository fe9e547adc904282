//! A warp's matrix multiplication: its forms, its fragments, and what the hardware's matrix units compute.
//!
//! - [`Form`] names one: shape, element types, scaling;
//! - [`Layout`] says which lane holds which element.

mod form;
mod layout;
mod model;

pub use form::{Accumulator, Element, Form, Kind, NotAForm, Scale, Shape};
pub use layout::{LANES, Layout, Operand, byte_position, container_shift, scale_holder};
pub use model::{Operands, TensorModel};
