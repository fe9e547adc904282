//! A warp's matrix multiplication: its forms, its fragments, and what the hardware's matrix units compute.
//!
//! - [`Form`] names one: shape, element types, scaling;
//! - [`Layout`] says which lane holds which element; [`gather`] and [`scatter`] follow it.

mod form;
mod fragment;
mod layout;

pub use form::{Accumulator, Element, Form, Kind, NotAForm, Scale, Shape};
pub use fragment::{float_value, gather, scale_bytes, scatter};
pub use layout::{LANES, Layout, Operand, container_shift, scale_holder};
