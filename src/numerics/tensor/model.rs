//! Stands in for the model of the matrix units until that is merged: D is C.

use std::fmt;

use super::form::Form;

/// The matrix units of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorModel {
    sm: u32,
}

/// The matrices of one instruction, row-major.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// M × K.
    pub a: &'a [u64],
    /// K × N.
    pub b: &'a [u64],
    /// M × N.
    pub c: &'a [u64],
    /// M × scales.
    pub scale_a: &'a [u8],
    /// N × scales.
    pub scale_b: &'a [u8],
}

impl TensorModel {
    /// The model of the chip `sm_NN`.
    pub const fn of(sm: u32) -> Option<Self> {
        Some(Self { sm })
    }

    /// Whether the row has a form.
    pub fn has(&self, form: &Form) -> bool {
        form.exists()
    }

    /// D of one instruction.
    pub fn multiply(&self, _form: &Form, operands: &Operands<'_>) -> Vec<u64> {
        operands.c.to_vec()
    }
}

impl fmt::Display for TensorModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.sm)
    }
}
