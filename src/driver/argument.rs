//! Kernel parameters as declared, and arguments as given.
//!
//! What this is: plain data that stands for a kernel's signature, and values to check against it. On entry: the layout
//! comes from whoever emitted the PTX. On exit: values that own or borrow what they point to until the launch call
//! returns; the driver has copied them by then. Not here: element types, shapes, alignment and overlap of buffers; who
//! knows the kernel checks those.

use super::buffer::DevicePod;
use super::context::ContextInner;
use super::sys::DevicePtr;

/// What one parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// A 64-bit device address.
    Pointer,
    /// A value passed by its bytes.
    Scalar {
        /// In bytes.
        size: usize,
    },
}

impl ParamKind {
    /// Bytes in the parameter space.
    pub fn size(self) -> usize {
        match self {
            Self::Pointer => size_of::<DevicePtr>(),
            Self::Scalar { size } => size,
        }
    }
}

impl std::fmt::Display for ParamKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pointer => f.write_str("a buffer"),
            Self::Scalar { size } => write!(f, "a scalar of {size} bytes"),
        }
    }
}

/// One parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// For messages.
    pub name: String,
    /// What it takes.
    pub kind: ParamKind,
}

/// A kernel's parameters in the order of its `.param` list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParamLayout {
    parameters: Vec<Parameter>,
}

impl ParamLayout {
    /// No parameters.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer's address.
    #[must_use]
    pub fn pointer(self, name: impl Into<String>) -> Self {
        self.with(Parameter { name: name.into(), kind: ParamKind::Pointer })
    }

    /// Adds a value of `size` bytes.
    #[must_use]
    pub fn scalar(self, name: impl Into<String>, size: usize) -> Self {
        self.with(Parameter { name: name.into(), kind: ParamKind::Scalar { size } })
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// The parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }
}

impl FromIterator<Parameter> for ParamLayout {
    fn from_iter<I: IntoIterator<Item = Parameter>>(parameters: I) -> Self {
        Self { parameters: parameters.into_iter().collect() }
    }
}

/// One argument of a launch. Buffers make theirs: [`DeviceBuffer::argument`](super::DeviceBuffer::argument).
#[derive(Clone, Copy)]
pub struct Argument<'a>(pub(super) Value<'a>);

#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Buffer { context: &'a ContextInner, address: DevicePtr },
    Scalar { bytes: [u8; 8], size: usize },
    Bytes(&'a [u8]),
}

impl<'a> Argument<'a> {
    /// A number.
    pub fn scalar<T: DevicePod>(value: T) -> Self {
        let mut bytes = [0u8; 8];
        let size = size_of::<T>().min(bytes.len());
        // SAFETY: `DevicePod` is sealed over numbers without padding of at most 8 bytes.
        unsafe { std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), bytes.as_mut_ptr(), size) };
        Self(Value::Scalar { bytes, size })
    }

    /// A value by its bytes, in the device's order (little-endian).
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Self(Value::Bytes(bytes))
    }

    pub(super) fn buffer(context: &'a ContextInner, address: DevicePtr) -> Self {
        Self(Value::Buffer { context, address })
    }

    /// What it would fill.
    pub fn kind(&self) -> ParamKind {
        match self.0 {
            Value::Buffer { .. } => ParamKind::Pointer,
            Value::Scalar { size, .. } => ParamKind::Scalar { size },
            Value::Bytes(bytes) => ParamKind::Scalar { size: bytes.len() },
        }
    }
}

impl std::fmt::Debug for Argument<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Value::Buffer { address, .. } => write!(f, "Buffer({address:#x})"),
            Value::Scalar { bytes, size } => write!(f, "Scalar({:02x?})", &bytes[..size]),
            Value::Bytes(bytes) => write!(f, "Scalar({bytes:02x?})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_keeps_its_bytes_and_size() {
        let bytes_of = |argument: Argument<'_>| match argument.0 {
            Value::Scalar { bytes, size } => bytes[..size].to_vec(),
            Value::Buffer { .. } | Value::Bytes(_) => Vec::new(),
        };
        assert_eq!(bytes_of(Argument::scalar(0x0102_0304u32)), 0x0102_0304u32.to_ne_bytes());
        assert_eq!(bytes_of(Argument::scalar(-1i8)), [0xff]);
        assert_eq!(bytes_of(Argument::scalar(half::f16::ONE)), 0x3c00u16.to_ne_bytes());
        assert_eq!(bytes_of(Argument::scalar(1.5f64)), 1.5f64.to_ne_bytes());
    }
}
