//! Conversions.

use smallvec::smallvec;

use super::field::Modifier;
use super::{ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{Kernel, ValueId};
use crate::ir::types::DType;
use crate::numerics::CastMode;

op! {
    /// Converts by value. To a float: nearest even. Float to integer: truncated, saturated, NaN to 0. Integer to
    /// integer: wrapped. To `bool`: not equal to zero (NaN is true). From `bool`: 0 or 1. From a storage format: exactly
    /// what it holds, rounded once to the target. To one: nearest even, the largest number for what is beyond it; or by
    /// the mode, which e8m0 always names.
    Convert = "cvt" [to: DType, mode: CastMode] {
        /// The operand.
        a: ValueId
    }
}

op! {
    /// The same bits as another type of the same size; a storage format has the bits of the unsigned integer of its
    /// size, and of an integer takes those bits that it has. From a float to an integer a NaN becomes the canonical one,
    /// unless the operand is directly a load, a constant or a move.
    Bitcast = "bitcast" [to: DType] {
        /// The operand.
        a: ValueId
    }
}

impl Convert {
    /// A conversion in the default mode.
    pub fn new(to: DType, a: ValueId) -> Self {
        Self { to, mode: CastMode::Default, a }
    }
}

impl Modifier for CastMode {
    fn print_suffix(&self, head: &mut String) {
        head.push_str(self.suffix());
    }

    fn parse_suffix(rest: &str) -> Option<(Self, &str)> {
        let named = Self::ALL.iter().filter(|mode| **mode != Self::Default);
        let found = named.filter_map(|&mode| Some((mode, rest.strip_prefix(mode.suffix())?))).next();
        Some(found.unwrap_or((Self::Default, rest)))
    }
}

impl Rule for Convert {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let (to, mode) = (self.to, self.mode);
        let is_move = kernel.dtype(self.a) == to;
        let takes = match to.storage() {
            Some(storage) if !is_move => storage.takes(mode),
            Some(_) | None => mode == CastMode::Default,
        };
        if takes { Ok(smallvec![to]) } else { Err(TypeError::NoMode { to, mode }) }
    }
}

impl Rule for Bitcast {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let found = kernel.dtype(self.a);
        let storage = found != self.to && (found.storage().is_some() || self.to.storage().is_some());
        if storage {
            let is_word = |dtype: DType| dtype.is_int() && !dtype.is_signed();
            if found.size() != self.to.size() || !(is_word(found) || is_word(self.to)) {
                let takes = "the unsigned integer of the same size, where a storage format is involved";
                return Err(TypeError::Operand { op: "bitcast", takes, found });
            }
        } else if found.bits() != self.to.bits() || (found == DType::Bool) != (self.to == DType::Bool) {
            return Err(TypeError::Operand { op: "bitcast", takes: "a type of the same width", found });
        }
        Ok(smallvec![self.to])
    }
}
