//! Streams: queues of launches.
//!
//! What this is: an owner of a `CUstream`. On entry: a live context. On exit: launches of one stream run in order. A
//! stream made here waits for the legacy default stream and the other way round, and buffer copies run on that one, so
//! a copy after a launch always sees the launch's stores. Not here: copies that overlap with launches; they need
//! pinned memory, which comes with the benchmarks.

use std::fmt;
use std::sync::Arc;

use super::context::{Context, ContextInner};
use super::error::DriverError;
use super::event::Event;
use super::result::ResultCode;
use super::sys::StreamHandle;

/// `CU_STREAM_DEFAULT`: ordered with the legacy default stream.
const ORDERED_WITH_DEFAULT: u32 = 0;

/// A queue of launches on one device.
pub struct Stream {
    pub(super) context: Arc<ContextInner>,
    pub(super) handle: StreamHandle,
}

impl Stream {
    /// A new queue.
    ///
    /// # Errors
    /// [`DriverError::Call`], [`DriverError::ContextDead`].
    pub fn new(context: &Context) -> Result<Self, DriverError> {
        let mut handle = StreamHandle::NULL;
        // SAFETY: the call writes one handle.
        context.inner.call(|api| unsafe { api.stream_create(&mut handle, ORDERED_WITH_DEFAULT) })?;
        Ok(Self { context: Arc::clone(&context.inner), handle })
    }

    /// The context's legacy default stream, which is always there.
    pub fn default_of(context: &Context) -> Self {
        Self { context: Arc::clone(&context.inner), handle: StreamHandle::NULL }
    }

    /// Waits until all work queued so far is done, and reports a fault of any of it.
    ///
    /// # Errors
    /// [`DriverError::Call`] with the fault's code; [`DriverError::ContextDead`] after one.
    pub fn synchronize(&self) -> Result<(), DriverError> {
        // SAFETY: the stream is live, or null for the default one.
        self.context.call(|api| unsafe { api.stream_synchronize(self.handle) })
    }

    /// Whether all work queued so far is done. Doesn't wait.
    ///
    /// # Errors
    /// As for [`synchronize`](Self::synchronize).
    pub fn is_idle(&self) -> Result<bool, DriverError> {
        // SAFETY: the stream is live, or null for the default one.
        match self.context.call(|api| unsafe { api.stream_query(self.handle) }) {
            Err(DriverError::Call { code: ResultCode::ERROR_NOT_READY, .. }) => Ok(false),
            answer => answer.map(|()| true),
        }
    }

    /// Makes later work of this stream wait for an event of another one.
    ///
    /// # Errors
    /// [`DriverError::ForeignHandle`], [`DriverError::Call`], [`DriverError::ContextDead`].
    pub fn wait_for(&self, event: &Event) -> Result<(), DriverError> {
        self.context.require_same(&event.context, "event")?;
        // SAFETY: both handles are live; 0 is the only flag used.
        self.context.call(|api| unsafe { api.stream_wait_event(self.handle, event.handle, 0) })
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("device", &self.context.device().ordinal()).finish_non_exhaustive()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.handle != StreamHandle::NULL {
            // SAFETY: made by `new` and not used again. Work still queued runs to its end.
            self.context.release(|api| unsafe { api.stream_destroy(self.handle) });
        }
    }
}
