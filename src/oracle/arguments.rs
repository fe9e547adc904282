//! The arguments of a run: buffers with shape and strides, and scalars, bound by name or by id.
//!
//! On entry: nothing is known of the kernel until something is bound. On exit [`Arguments::check`] said that every
//! parameter has an argument of its kind, type and rank, that views stay inside their buffers, and that no written
//! buffer is shared without leave.

use super::error::ArgumentError;
use super::memory::Buffer;
use crate::entity::EntityId;
use crate::ir::{DType, Kernel, Literal, ParamId, ParamKind};

/// What is bound to one parameter.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Buffer { buffer: usize, shape: Vec<u64>, strides: Vec<u64> },
    Scalar(Literal),
}

/// The arguments of a run, by parameter.
#[derive(Clone, Debug)]
pub struct Arguments {
    kernel: String,
    names: Vec<String>,
    bound: Vec<Option<Bound>>,
    pub(crate) buffers: Vec<Buffer>,
}

impl Arguments {
    /// No arguments yet, for that kernel.
    pub fn new(kernel: &Kernel) -> Self {
        let names: Vec<_> = kernel.params.values().map(|param| param.name.clone()).collect();
        Self { kernel: kernel.path(), bound: vec![None; names.len()], names, buffers: Vec::new() }
    }

    /// Binds a flat buffer.
    ///
    /// # Errors
    /// No parameter has that name, or it is bound already.
    pub fn buffer(&mut self, name: &str, buffer: Buffer) -> Result<&mut Self, ArgumentError> {
        self.strided(name, buffer, &[], &[])
    }

    /// Binds a strided view: its extents and its strides, in elements, outermost axis first.
    ///
    /// # Errors
    /// No parameter has that name, or it is bound already.
    pub fn strided(
        &mut self,
        name: &str,
        buffer: Buffer,
        shape: &[u64],
        strides: &[u64],
    ) -> Result<&mut Self, ArgumentError> {
        let param = self.find(name)?;
        self.bind_buffer(param, buffer, shape, strides)
    }

    /// Binds a buffer by id; shape and strides are empty for a flat one.
    ///
    /// # Errors
    /// The parameter is bound already, or not of this kernel.
    pub fn bind_buffer(
        &mut self,
        param: ParamId,
        buffer: Buffer,
        shape: &[u64],
        strides: &[u64],
    ) -> Result<&mut Self, ArgumentError> {
        let index = self.buffers.len();
        self.bind(param, Bound::Buffer { buffer: index, shape: shape.into(), strides: strides.into() })?;
        self.buffers.push(buffer);
        Ok(self)
    }

    /// Binds a flat parameter to the buffer that another one is bound to.
    ///
    /// # Errors
    /// No parameter has one of the names, the first is bound already, or the second is not bound to a buffer.
    pub fn share(&mut self, name: &str, of: &str) -> Result<&mut Self, ArgumentError> {
        let (param, other) = (self.find(name)?, self.find(of)?);
        let Some(Bound::Buffer { buffer, .. }) = self.bound[other.index()] else {
            return Err(ArgumentError::Missing { kernel: self.kernel.clone(), name: of.into() });
        };
        self.bind(param, Bound::Buffer { buffer, shape: Vec::new(), strides: Vec::new() })
    }

    /// Binds a scalar.
    ///
    /// # Errors
    /// No parameter has that name, or it is bound already.
    pub fn scalar(&mut self, name: &str, value: Literal) -> Result<&mut Self, ArgumentError> {
        let param = self.find(name)?;
        self.bind_scalar(param, value)
    }

    /// Binds a scalar by id.
    ///
    /// # Errors
    /// The parameter is bound already, or not of this kernel.
    pub fn bind_scalar(&mut self, param: ParamId, value: Literal) -> Result<&mut Self, ArgumentError> {
        self.bind(param, Bound::Scalar(value))
    }

    /// The buffer bound to a parameter.
    pub fn get(&self, name: &str) -> Option<&Buffer> {
        let index = self.buffer_index(name)?;
        Some(&self.buffers[index])
    }

    /// The buffer bound to a parameter, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Buffer> {
        let index = self.buffer_index(name)?;
        Some(&mut self.buffers[index])
    }

    /// Whether the arguments fit the kernel's signature.
    ///
    /// # Errors
    /// The first one that doesn't.
    pub fn check(&self, kernel: &Kernel) -> Result<(), ArgumentError> {
        for (id, param) in kernel.params.iter() {
            let name = || param.name.clone();
            let Some(bound) = self.bound.get(id.index()).and_then(Option::as_ref) else {
                return Err(ArgumentError::Missing { kernel: kernel.path(), name: name() });
            };
            match (param.kind, bound) {
                (ParamKind::Scalar, Bound::Scalar(value)) => {
                    same_type(&param.name, param.dtype, value.dtype)?
                }
                (ParamKind::Scalar, Bound::Buffer { .. }) => {
                    return Err(ArgumentError::Kind { name: name(), wanted: "a scalar", found: "a buffer" });
                }
                (ParamKind::Buffer { .. }, Bound::Scalar(_)) => {
                    return Err(ArgumentError::Kind { name: name(), wanted: "a buffer", found: "a scalar" });
                }
                (ParamKind::Buffer { rank, .. }, Bound::Buffer { buffer, shape, strides }) => {
                    let buffer = &self.buffers[*buffer];
                    same_type(&param.name, param.dtype, buffer.dtype())?;
                    check_view(&param.name, rank.into(), buffer.len(), shape, strides)?;
                }
            }
        }
        self.check_overlap(kernel)
    }

    pub(crate) fn bound(&self, param: ParamId) -> &Bound {
        self.bound[param.index()].as_ref().expect("check() saw every parameter bound")
    }

    /// Which of the buffers a buffer parameter is bound to.
    pub(crate) fn index_of(&self, param: ParamId) -> usize {
        match self.bound(param) {
            Bound::Buffer { buffer, .. } => *buffer,
            Bound::Scalar(_) => unreachable!("check() saw a buffer bound to each buffer parameter"),
        }
    }

    fn find(&self, name: &str) -> Result<ParamId, ArgumentError> {
        let index =
            self.names.iter().position(|known| known == name).ok_or_else(|| ArgumentError::Unknown {
                kernel: self.kernel.clone(),
                name: name.into(),
                known: self.names.clone(),
            })?;
        Ok(ParamId::from_index(index))
    }

    fn bind(&mut self, param: ParamId, bound: Bound) -> Result<&mut Self, ArgumentError> {
        let Some(slot) = self.bound.get_mut(param.index()) else {
            return Err(ArgumentError::Unknown {
                kernel: self.kernel.clone(),
                name: param.to_string(),
                known: self.names.clone(),
            });
        };
        if slot.is_some() {
            return Err(ArgumentError::Twice { name: self.names[param.index()].clone() });
        }
        *slot = Some(bound);
        Ok(self)
    }

    fn buffer_index(&self, name: &str) -> Option<usize> {
        match self.bound[self.find(name).ok()?.index()] {
            Some(Bound::Buffer { buffer, .. }) => Some(buffer),
            Some(Bound::Scalar(_)) | None => None,
        }
    }

    fn check_overlap(&self, kernel: &Kernel) -> Result<(), ArgumentError> {
        let buffers: Vec<_> = kernel
            .params
            .iter()
            .filter_map(|(id, param)| match param.kind {
                ParamKind::Buffer { written, alias, .. } => Some((param, self.index_of(id), written, alias)),
                ParamKind::Scalar => None,
            })
            .collect();
        for (position, (param, buffer, written, alias)) in buffers.iter().enumerate() {
            for (other, other_buffer, other_written, other_alias) in &buffers[..position] {
                let is_written = *written || *other_written;
                let is_allowed = *alias || *other_alias;
                if buffer == other_buffer && is_written && !is_allowed {
                    let (name, other) = (param.name.clone(), other.name.clone());
                    return Err(ArgumentError::Overlap { name, other });
                }
            }
        }
        Ok(())
    }
}

fn same_type(name: &str, wanted: DType, found: DType) -> Result<(), ArgumentError> {
    if wanted == found { Ok(()) } else { Err(ArgumentError::DType { name: name.into(), wanted, found }) }
}

fn check_view(
    name: &str,
    rank: usize,
    len: u64,
    shape: &[u64],
    strides: &[u64],
) -> Result<(), ArgumentError> {
    let wrong = [shape.len(), strides.len()].into_iter().find(|&axes| axes != rank);
    if let Some(found) = wrong {
        return Err(ArgumentError::Rank { name: name.into(), wanted: rank, found });
    }
    if rank == 0 || shape.contains(&0) {
        return Ok(());
    }
    let last = shape.iter().zip(strides).fold(0u128, |last, (&extent, &stride)| {
        last.saturating_add(u128::from(extent - 1) * u128::from(stride))
    });
    if last < u128::from(len) {
        Ok(())
    } else {
        Err(ArgumentError::ViewTooLong { name: name.into(), last, len })
    }
}
