//! Calls of other kernels as functions: the callee's body is built in place, its inputs bound to values or buffers, its
//! first store taken as the result.

use smallvec::SmallVec;

use super::build::{inside, with};
use super::error::BuildError;
use super::tensor::{Base, Tensor};
use super::types::KernelType;
use super::val::{Int, IntoVal, Val};
use crate::ir::DType;

/// What a caller gives for a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    base: Base,
    dtype: DType,
}

impl Given {
    /// Its element type, which the callee's type parameters follow.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// As a buffer of the callee.
    pub fn tensor<T: KernelType>(&self) -> Tensor<T> {
        Tensor::new(self.base)
    }

    /// As a scalar of the callee, converted to its type.
    pub fn scalar<T: KernelType>(&self) -> Val {
        let dtype = T::dtype();
        with(|build| match self.base {
            Base::Given(val) => build.adopt(val, dtype),
            Base::Param(_) | Base::Captured(_) => {
                build.error(BuildError::Refused {
                    what: "a buffer is given for a scalar of a called kernel".into(),
                    help: "give a value",
                });
                Int(0).val()
            }
        })
    }
}

/// What can be given for a parameter: a buffer, or a value that replaces its loads.
pub trait CallArg {
    /// As given.
    fn given(self) -> Given;
}

impl<T: KernelType> CallArg for Tensor<T> {
    fn given(self) -> Given {
        Given { base: self.base, dtype: T::dtype() }
    }
}

impl<V: IntoVal> CallArg for V {
    fn given(self) -> Given {
        let val = self.val();
        Given { base: Base::Given(val), dtype: val.dtype() }
    }
}

/// The output of a kernel called as a function.
pub fn captured<T: KernelType>() -> Tensor<T> {
    with(|build| {
        build.captures.push(None);
        Tensor::new(Base::Captured(build.captures.len() - 1))
    })
}

/// Builds a callee's body, which stands in this file, in place and returns its result.
pub fn call(file: &str, dtypes: &[DType], body: impl FnOnce()) -> Val {
    let slot = with(|build| {
        build.frames.push(SmallVec::from_slice(dtypes));
        build.captures.len()
    });
    let depth = with(|build| build.ir.depth());
    let inside = inside(file);
    body();
    drop(inside);
    with(|build| {
        debug_assert_eq!(build.ir.depth(), depth, "a body closes what it opens");
        build.frames.pop();
        let stored = build.captures.get(slot).copied().flatten();
        build.captures.truncate(slot);
        stored.unwrap_or_else(|| {
            build.error(BuildError::NoResult);
            Int(0).val()
        })
    })
}
