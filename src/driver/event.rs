//! Events: marks in a stream, and the time between two of them.
//!
//! What this is: an owner of a `CUevent`. On entry: a live context. On exit: times in milliseconds as the device took
//! them (resolution about half a microsecond). Not here: how often to measure, and what the numbers are worth.

use std::fmt;
use std::sync::Arc;

use super::context::{Context, ContextInner};
use super::error::DriverError;
use super::stream::Stream;
use super::sys::EventHandle;

/// `CU_EVENT_DEFAULT`: takes the time, and waits by spinning.
const TIMED: u32 = 0;

/// A mark in a stream.
pub struct Event {
    pub(super) context: Arc<ContextInner>,
    pub(super) handle: EventHandle,
}

impl Event {
    /// A mark that stands nowhere yet.
    ///
    /// # Errors
    /// [`DriverError::NotAvailable`], [`DriverError::Call`], [`DriverError::ContextDead`].
    pub fn new(context: &Context) -> Result<Self, DriverError> {
        let mut handle = EventHandle::NULL;
        // SAFETY: the call writes one handle.
        context.inner.call(|api| unsafe { api.event_create(&mut handle, TIMED) })?;
        Ok(Self { context: Arc::clone(&context.inner), handle })
    }

    /// Puts the mark after all work queued in `stream` so far.
    ///
    /// # Errors
    /// [`DriverError::ForeignHandle`], [`DriverError::Call`], [`DriverError::ContextDead`].
    pub fn record(&self, stream: &Stream) -> Result<(), DriverError> {
        self.context.require_same(&stream.context, "stream")?;
        // SAFETY: both handles are live.
        self.context.call(|api| unsafe { api.event_record(self.handle, stream.handle) })
    }

    /// Waits until the device has passed the mark.
    ///
    /// # Errors
    /// [`DriverError::Call`] with the code of a fault before it; [`DriverError::ContextDead`].
    pub fn synchronize(&self) -> Result<(), DriverError> {
        // SAFETY: the event is live.
        self.context.call(|api| unsafe { api.event_synchronize(self.handle) })
    }

    /// Milliseconds from `start` to this mark. Both must be recorded and passed.
    ///
    /// # Errors
    /// [`DriverError::Call`] with `CUDA_ERROR_INVALID_HANDLE` before a recording and `CUDA_ERROR_NOT_READY` before the
    /// device has passed both; [`DriverError::ForeignHandle`], [`DriverError::ContextDead`].
    pub fn milliseconds_since(&self, start: &Self) -> Result<f32, DriverError> {
        self.context.require_same(&start.context, "event")?;
        let mut milliseconds = 0f32;
        self.context.call(|api| {
            // SAFETY: the call writes one float; both handles are live.
            unsafe { api.event_elapsed_time(&mut milliseconds, start.handle, self.handle) }
        })?;
        Ok(milliseconds)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("device", &self.context.device().ordinal()).finish_non_exhaustive()
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: made by `new` and not used again.
        self.context.release(|api| unsafe { api.event_destroy(self.handle) });
    }
}
