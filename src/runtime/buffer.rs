//! Buffers of a device, and views of them.
//!
//! What holds: a buffer's memory is of its device and at least as long as its elements. A [`ViewMut`] comes from an
//! exclusive borrow only. Handles made by [`RawBuffer::share`] see one memory; a launch refuses them where one is
//! written, unless the kernel declares that they may overlap.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::device::Device;
use crate::backend::{DeviceError, DeviceMemory};
use crate::ir::{DType, Element, host};

/// A buffer whose element type is known at run time.
pub struct RawBuffer {
    pub(super) device: Device,
    pub(super) memory: Arc<dyn DeviceMemory>,
    dtype: DType,
    len: u64,
}

impl RawBuffer {
    pub(super) fn new(device: &Device, memory: Box<dyn DeviceMemory>, dtype: DType, len: u64) -> Self {
        Self { device: device.clone(), memory: Arc::from(memory), dtype, len }
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Elements.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes.
    pub fn bytes(&self) -> u64 {
        self.len * u64::from(self.dtype.size())
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Another handle on the same memory, for arguments that a kernel declares `#[alias]`.
    pub fn share(&self) -> Self {
        Self {
            device: self.device.clone(),
            memory: Arc::clone(&self.memory),
            dtype: self.dtype,
            len: self.len,
        }
    }

    /// All its bytes.
    ///
    /// # Errors
    /// The device is lost, or reports what an earlier launch did.
    pub fn read(&self) -> Result<Vec<u8>, DeviceError> {
        let mut bytes = vec![0; self.bytes() as usize];
        self.memory.read(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Bytes from an offset on.
    ///
    /// # Errors
    /// The range is outside, or the device is lost.
    pub fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.within(u128::from(offset), bytes.len())?;
        self.memory.read(offset, bytes)
    }

    /// Overwrites bytes from an offset on.
    ///
    /// # Errors
    /// The range is outside, or the device is lost.
    pub fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.within(u128::from(offset), bytes.len())?;
        self.memory.write(offset, bytes)
    }

    /// Whether so many bytes fit from an offset on, which may be beyond what an address holds.
    fn within(&self, offset: u128, bytes: usize) -> Result<(), DeviceError> {
        if offset + bytes as u128 <= u128::from(self.bytes()) {
            return Ok(());
        }
        let reason = format!("{bytes} bytes at offset {offset} don't fit a buffer of {}", self.bytes());
        Err(DeviceError::Memory { device: self.device.name(), reason })
    }

    /// Fills it with a byte. Where the device tracks initialisation, `initialised` says whether that counts as
    /// contents.
    ///
    /// # Errors
    /// The device is lost.
    pub fn fill(&mut self, byte: u8, initialised: bool) -> Result<(), DeviceError> {
        self.memory.fill(0, self.bytes(), &[byte], initialised)
    }

    /// All its elements.
    pub fn view(&self) -> View<'_> {
        View { buffer: self, first: 0, len: self.len, axes: None }
    }

    /// Some of its elements; a range beyond the end is refused at launch.
    pub fn slice(&self, elements: Range<u64>) -> View<'_> {
        let len = elements.end.saturating_sub(elements.start);
        View { buffer: self, first: elements.start, len, axes: None }
    }

    /// The same for a written parameter.
    pub fn slice_mut(&mut self, elements: Range<u64>) -> ViewMut<'_> {
        ViewMut(self.slice(elements))
    }

    /// A strided view for a `#[strided]` parameter: element (i₀, i₁, …) is number Σ iₖ · strideₖ.
    pub fn strided(&self, shape: &[usize], strides: &[usize]) -> View<'_> {
        self.view().strided(shape, strides)
    }

    /// The same for a written parameter.
    pub fn strided_mut(&mut self, shape: &[usize], strides: &[usize]) -> ViewMut<'_> {
        ViewMut(self.strided(shape, strides))
    }
}

impl fmt::Debug for RawBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} × {} on {}", self.len, self.dtype, self.device.name())
    }
}

/// A buffer of `T`.
pub struct Buffer<T: Element> {
    raw: RawBuffer,
    element: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    /// The buffer, if its elements are `T`; else itself again.
    ///
    /// # Errors
    /// The elements are of another type.
    pub fn from_raw(raw: RawBuffer) -> Result<Self, RawBuffer> {
        if raw.dtype == T::DTYPE { Ok(Self { raw, element: PhantomData }) } else { Err(raw) }
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.raw.len as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// The buffer, its type known at run time only.
    pub fn as_raw(&self) -> &RawBuffer {
        &self.raw
    }

    /// The same, to be written.
    pub fn as_raw_mut(&mut self) -> &mut RawBuffer {
        &mut self.raw
    }

    /// The same, for good.
    pub fn into_raw(self) -> RawBuffer {
        self.raw
    }

    /// Another handle on the same memory: see [`RawBuffer::share`].
    pub fn share(&self) -> Self {
        Self { raw: self.raw.share(), element: PhantomData }
    }

    /// Its elements on the host.
    ///
    /// # Errors
    /// The device is lost, or reports what an earlier launch did.
    pub fn to_vec(&self) -> Result<Vec<T>, DeviceError> {
        Ok(host::from_bytes(&self.raw.read()?))
    }

    /// Overwrites elements from `first` on.
    ///
    /// # Errors
    /// The range is outside, or the device is lost.
    pub fn write(&mut self, first: usize, values: &[T]) -> Result<(), DeviceError> {
        let (bytes, offset) = (host::to_bytes(values), first as u128 * u128::from(T::DTYPE.size()));
        self.raw.within(offset, bytes.len())?;
        self.raw.write_at(offset as u64, &bytes)
    }

    /// See [`RawBuffer::slice`].
    pub fn slice(&self, elements: Range<u64>) -> View<'_> {
        self.raw.slice(elements)
    }

    /// See [`RawBuffer::slice_mut`].
    pub fn slice_mut(&mut self, elements: Range<u64>) -> ViewMut<'_> {
        self.raw.slice_mut(elements)
    }

    /// See [`RawBuffer::strided`].
    pub fn strided(&self, shape: &[usize], strides: &[usize]) -> View<'_> {
        self.raw.strided(shape, strides)
    }

    /// See [`RawBuffer::strided_mut`].
    pub fn strided_mut(&mut self, shape: &[usize], strides: &[usize]) -> ViewMut<'_> {
        self.raw.strided_mut(shape, strides)
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}

/// Elements of a buffer, as an argument.
#[derive(Clone, Debug)]
pub struct View<'a> {
    pub(super) buffer: &'a RawBuffer,
    pub(super) first: u64,
    pub(super) len: u64,
    /// Shape and strides.
    pub(super) axes: Option<(Vec<u64>, Vec<u64>)>,
}

impl View<'_> {
    /// The same elements with axes.
    #[must_use]
    pub fn strided(mut self, shape: &[usize], strides: &[usize]) -> Self {
        let widened = |lengths: &[usize]| lengths.iter().map(|&length| length as u64).collect();
        self.axes = Some((widened(shape), widened(strides)));
        self
    }

    /// The first byte after the view's first element, as the kernel sees it, and the one after its last.
    pub(super) fn range(&self) -> Range<u64> {
        let size = u64::from(self.buffer.dtype.size());
        let start = self.buffer.memory.address().wrapping_add(self.first.wrapping_mul(size));
        start..start.wrapping_add(self.len.wrapping_mul(size))
    }
}

/// Elements of a buffer that a kernel may write.
#[derive(Debug)]
pub struct ViewMut<'a>(pub(super) View<'a>);

impl ViewMut<'_> {
    /// The same elements with axes.
    #[must_use]
    pub fn strided(self, shape: &[usize], strides: &[usize]) -> Self {
        Self(self.0.strided(shape, strides))
    }
}

impl<'a> From<&'a RawBuffer> for View<'a> {
    fn from(buffer: &'a RawBuffer) -> Self {
        buffer.view()
    }
}

impl<'a, T: Element> From<&'a Buffer<T>> for View<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        buffer.raw.view()
    }
}

impl<'a> From<&'a mut RawBuffer> for ViewMut<'a> {
    fn from(buffer: &'a mut RawBuffer) -> Self {
        Self(buffer.view())
    }
}

impl<'a, T: Element> From<&'a mut Buffer<T>> for ViewMut<'a> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        Self(buffer.raw.view())
    }
}
