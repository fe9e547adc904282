//! The memory that matrix words read and write: a flat buffer or a shared array, by name or by handle.

use super::build::{Build, with};
use super::error::BuildError;
use super::memory::Shared;
use super::tensor::{Base, Tensor};
use super::types::KernelType;
use crate::ir::ArraySpace;
use crate::ir::op::MemBase;

/// A flat buffer or a shared array, by name or by handle.
pub trait MatrixMemory {
    /// The memory; `None` after a mistake, which is recorded.
    fn matrix_memory(self) -> Option<MemBase>;
}

impl MatrixMemory for &str {
    fn matrix_memory(self) -> Option<MemBase> {
        with(|build| {
            let found = named(build, self);
            if found.is_none() {
                let what = format!("`{self}` is no flat buffer and no shared array");
                let help = "give the name or the handle of a buffer of the kernel or of a shared array declared before";
                build.error(BuildError::Refused { what, help });
            }
            found
        })
    }
}

fn named(build: &Build, name: &str) -> Option<MemBase> {
    let kernel = build.ir.kernel();
    let is_flat = |&param: &crate::ir::ParamId| {
        let param = &kernel.params[param];
        param.rank() == 0 && !matches!(param.kind, crate::ir::ParamKind::Scalar)
    };
    if let Some(param) = kernel.param(name).filter(is_flat) {
        return Some(MemBase::Param(param));
    }
    let arrays = kernel.arrays.iter().rev();
    let mut found = arrays.filter(|(_, array)| array.name == name && array.space == ArraySpace::Shared);
    found.next().map(|(id, _)| MemBase::Array(id))
}

impl<T: KernelType> MatrixMemory for Tensor<T> {
    fn matrix_memory(self) -> Option<MemBase> {
        let flat = |param| with(|build| build.ir.kernel().params[param].rank() == 0);
        match self.base {
            Base::Param(param) if flat(param) => Some(MemBase::Param(param)),
            Base::Param(_) | Base::Given(_) | Base::Captured(_) => {
                with(|build| {
                    build.error(BuildError::Refused {
                        what: "a matrix in a strided view, or in a buffer given by a calling kernel".into(),
                        help: "take a flat buffer of the kernel that is launched, or stage it in a shared array",
                    });
                });
                None
            }
        }
    }
}

impl<T: KernelType> MatrixMemory for &Tensor<T> {
    fn matrix_memory(self) -> Option<MemBase> {
        (*self).matrix_memory()
    }
}

impl<T: KernelType> MatrixMemory for Shared<T> {
    fn matrix_memory(self) -> Option<MemBase> {
        Some(self.base())
    }
}

impl<T: KernelType> MatrixMemory for &Shared<T> {
    fn matrix_memory(self) -> Option<MemBase> {
        Some(self.base())
    }
}
