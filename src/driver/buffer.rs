//! Buffers in a device's memory.
//!
//! What this is: an owner of a device allocation of `len` elements. On entry: element types whose every bit pattern is
//! a value. On exit: copies are checked against the length, run on the legacy default stream, and return when the host
//! memory is free to use again. A buffer of length zero allocates nothing and has address 0. Not here: views with
//! shapes and strides, and which kernel may write what.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use half::{bf16, f16};

use super::argument::Argument;
use super::context::{Context, ContextInner};
use super::error::DriverError;
use super::result::ResultCode;
use super::sys::DevicePtr;

mod sealed {
    pub trait Sealed {}
}

/// An element type of device memory: an integer, a float, or a 16-bit float.
///
/// # Safety
/// The type has no padding, and every bit pattern is a value of it.
pub unsafe trait DevicePod:
    sealed::Sealed + Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static
{
}

macro_rules! device_pod {
    ($($ty:ty)*) => {
        $(impl sealed::Sealed for $ty {}
        // SAFETY: a number without padding, of which every bit pattern is a value.
        unsafe impl DevicePod for $ty {})*
    };
}

device_pod!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16);

/// `len` elements in a device's memory.
pub struct DeviceBuffer<T: DevicePod> {
    pub(super) context: Arc<ContextInner>,
    address: DevicePtr,
    len: usize,
    element: PhantomData<T>,
}

impl<T: DevicePod> DeviceBuffer<T> {
    const ELEMENT_BYTES: usize = size_of::<T>();

    /// Room for `len` elements, whose values are whatever was there before.
    ///
    /// # Errors
    /// [`DriverError::OutOfMemory`], [`DriverError::TooLarge`], [`DriverError::Call`], [`DriverError::ContextDead`].
    pub fn uninit(context: &Context, len: usize) -> Result<Self, DriverError> {
        let too_large = DriverError::TooLarge { len, element_bytes: Self::ELEMENT_BYTES };
        let bytes = len.checked_mul(Self::ELEMENT_BYTES).ok_or(too_large)?;
        let mut address: DevicePtr = 0;
        if bytes > 0 {
            // SAFETY: the call writes one address.
            let answer = context.inner.call(|api| unsafe { api.mem_alloc(&mut address, bytes) });
            answer.map_err(|error| match error.code() {
                Some(ResultCode::ERROR_OUT_OF_MEMORY) => DriverError::OutOfMemory { bytes },
                _ => error,
            })?;
        }
        Ok(Self { context: Arc::clone(&context.inner), address, len, element: PhantomData })
    }

    /// `len` elements whose bytes are all zero.
    ///
    /// # Errors
    /// As for [`uninit`](Self::uninit).
    pub fn zeros(context: &Context, len: usize) -> Result<Self, DriverError> {
        let mut buffer = Self::uninit(context, len)?;
        buffer.fill_bytes(0)?;
        Ok(buffer)
    }

    /// A copy of `values`.
    ///
    /// # Errors
    /// As for [`uninit`](Self::uninit).
    pub fn from_slice(context: &Context, values: &[T]) -> Result<Self, DriverError> {
        let mut buffer = Self::uninit(context, values.len())?;
        buffer.write(0, values)?;
        Ok(buffer)
    }

    /// Sets every byte.
    ///
    /// # Errors
    /// [`DriverError::Call`], [`DriverError::ContextDead`].
    pub fn fill_bytes(&mut self, value: u8) -> Result<(), DriverError> {
        if self.len == 0 {
            return Ok(());
        }
        // SAFETY: the range is this allocation.
        self.context.call(|api| unsafe { api.memset_bytes(self.address, value, self.byte_len()) })
    }

    /// Copies `values` over the elements from `offset` on.
    ///
    /// # Errors
    /// [`DriverError::OutOfRange`], [`DriverError::Call`], [`DriverError::ContextDead`].
    pub fn write(&mut self, offset: usize, values: &[T]) -> Result<(), DriverError> {
        let Some(to) = self.range(offset, values.len())? else { return Ok(()) };
        let from = values.as_ptr().cast::<c_void>();
        // SAFETY: `range` checked the device side, and the slice holds as many bytes.
        self.context.call(|api| unsafe { api.memcpy_to_device(to, from, size_of_val(values)) })
    }

    /// Copies the elements from `offset` on into `values`.
    ///
    /// # Errors
    /// [`DriverError::OutOfRange`], [`DriverError::Call`] (also with the fault of an earlier launch),
    /// [`DriverError::ContextDead`].
    pub fn read(&self, offset: usize, values: &mut [T]) -> Result<(), DriverError> {
        let Some(from) = self.range(offset, values.len())? else { return Ok(()) };
        let bytes = size_of_val(values);
        let to = values.as_mut_ptr().cast::<c_void>();
        // SAFETY: `range` checked the device side, the slice holds as many bytes, and every bit pattern is a `T`.
        self.context.call(|api| unsafe { api.memcpy_to_host(to, from, bytes) })
    }

    /// A copy of all elements.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn to_vec(&self) -> Result<Vec<T>, DriverError> {
        let mut values = vec![T::default(); self.len];
        self.read(0, &mut values)?;
        Ok(values)
    }

    /// Copies `count` elements of `from`, which begin at `from_offset`, over those from `offset` on, without a way
    /// through the host. Both buffers must be of one context; the borrow rules see to it that they are two.
    ///
    /// # Errors
    /// [`DriverError::ForeignHandle`], [`DriverError::OutOfRange`], [`DriverError::Call`],
    /// [`DriverError::ContextDead`].
    pub fn copy_from(
        &mut self,
        offset: usize,
        from: &Self,
        from_offset: usize,
        count: usize,
    ) -> Result<(), DriverError> {
        self.context.require_same(&from.context, "buffer")?;
        let source = from.range(from_offset, count)?;
        let target = self.range(offset, count)?;
        let (Some(source), Some(target)) = (source, target) else { return Ok(()) };
        // SAFETY: `range` checked both sides, so the product can't overflow either.
        self.context.call(|api| unsafe { api.memcpy_on_device(target, source, count * Self::ELEMENT_BYTES) })
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes.
    pub fn byte_len(&self) -> usize {
        // `uninit` checked that the product fits.
        self.len * Self::ELEMENT_BYTES
    }

    /// The device address of the first element; 0 for an empty buffer. The allocator aligns it to 256 bytes.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The whole buffer as a kernel argument.
    pub fn argument(&self) -> Argument<'_> {
        Argument::buffer(&self.context, self.address)
    }

    /// The elements from `offset` on as a kernel argument.
    ///
    /// # Errors
    /// [`DriverError::OutOfRange`] past the end; at the end is allowed.
    pub fn argument_from(&self, offset: usize) -> Result<Argument<'_>, DriverError> {
        self.range(offset, self.len.saturating_sub(offset))?;
        let address = self.address + (offset * Self::ELEMENT_BYTES) as u64;
        Ok(Argument::buffer(&self.context, address))
    }

    /// The address of element `offset` if `count` elements fit there; `None` for no elements.
    fn range(&self, offset: usize, count: usize) -> Result<Option<DevicePtr>, DriverError> {
        if offset.checked_add(count).is_none_or(|end| end > self.len) {
            return Err(DriverError::OutOfRange { offset, count, len: self.len });
        }
        Ok((count > 0).then(|| self.address + (offset * Self::ELEMENT_BYTES) as u64))
    }
}

impl<T: DevicePod> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer")
            .field("device", &self.context.device().ordinal())
            .field("element", &std::any::type_name::<T>())
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<T: DevicePod> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        if self.address != 0 {
            // SAFETY: allocated by `uninit` and not used again; the driver waits for launches that still use it.
            self.context.release(|api| unsafe { api.mem_free(self.address) });
        }
    }
}
