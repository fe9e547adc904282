//! Logarithms, powers and the inverse hyperbolic functions.

use super::{Binary, Unary};

/// The rows of one operand.
pub const UNARIES: &[Unary] = &[];

/// The rows of two.
pub const BINARIES: &[Binary] = &[];
