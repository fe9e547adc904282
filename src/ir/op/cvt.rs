//! Conversions.

use smallvec::smallvec;

use super::{ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{Kernel, ValueId};
use crate::ir::types::DType;

op! {
    /// Converts by value. To a float: nearest even. Float to integer: truncated, saturated, NaN to 0. Integer to
    /// integer: wrapped. To `bool`: not equal to zero (NaN is true). From `bool`: 0 or 1.
    Convert = "cvt" [to: DType] {
        /// The operand.
        a: ValueId
    }
}

op! {
    /// The same bits as another type of the same width. From a float to an integer a NaN becomes the canonical one,
    /// unless the operand is directly a load, a constant or a move.
    Bitcast = "bitcast" [to: DType] {
        /// The operand.
        a: ValueId
    }
}

impl Rule for Convert {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(smallvec![self.to])
    }
}

impl Rule for Bitcast {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let found = kernel.dtype(self.a);
        if found.bits() != self.to.bits() || (found == DType::Bool) != (self.to == DType::Bool) {
            return Err(TypeError::Operand { op: "bitcast", takes: "a type of the same width", found });
        }
        Ok(smallvec![self.to])
    }
}
