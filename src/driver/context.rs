//! A device's primary context: retained, bound for the length of each call, released.
//!
//! What this is: the owner that streams, buffers and modules hold on to. On entry: an open device. On exit: each call
//! runs with this context on top of the thread's stack and leaves the stack as it was, so that a thread may use
//! several devices, and other CUDA libraries of the process keep theirs. After a sticky code the context is marked
//! dead, and every later call is refused here, naming that code: libcuda itself would go on to answer with it from
//! calls that have nothing to do with the fault. Not here: what the calls do.

use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError};

use super::device::CudaDevice;
use super::error::DriverError;
use super::result::ResultCode;
use super::sys::{Api, ContextHandle};

/// The primary context of a device. Clones share it, and so do separate `new` calls through one
/// [`Driver`](super::Driver).
#[derive(Clone)]
pub struct Context {
    pub(super) inner: Arc<ContextInner>,
}

pub(super) struct ContextInner {
    device: CudaDevice,
    handle: ContextHandle,
    death: OnceLock<Death>,
}

/// The first sticky code, and who reported it.
#[derive(Clone, Copy)]
struct Death {
    cause: ResultCode,
    during: &'static str,
}

impl Context {
    /// Retains the device's primary context.
    ///
    /// # Errors
    /// [`DriverError::Call`] where the device is taken or broken; [`DriverError::OutOfMemory`].
    pub fn new(device: &CudaDevice) -> Result<Self, DriverError> {
        let driver = &device.driver().inner;
        // A panic of another thread can't leave the list half changed: entries are only pushed or dropped.
        let mut contexts = driver.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        let live = contexts.iter().filter_map(std::sync::Weak::upgrade);
        if let Some(inner) = live.into_iter().find(|context| context.device.ordinal() == device.ordinal()) {
            return Ok(Self { inner });
        }
        let mut handle = ContextHandle::NULL;
        // SAFETY: the call writes one handle; the device is from this library.
        unsafe { driver.api.primary_ctx_retain(&mut handle, device.handle()) }?;
        let inner = Arc::new(ContextInner { device: device.clone(), handle, death: OnceLock::new() });
        contexts.retain(|context| context.strong_count() > 0);
        contexts.push(Arc::downgrade(&inner));
        Ok(Self { inner })
    }

    /// The device.
    pub fn device(&self) -> &CudaDevice {
        &self.inner.device
    }

    /// Waits until all work of this context is done, and reports a fault of any of it.
    ///
    /// # Errors
    /// [`DriverError::Call`] with the fault's code; [`DriverError::ContextDead`] after one.
    pub fn synchronize(&self) -> Result<(), DriverError> {
        // SAFETY: no arguments.
        self.inner.call(|api| unsafe { api.ctx_synchronize() })
    }

    /// Bytes of device memory that are free, and that there are.
    ///
    /// # Errors
    /// [`DriverError::Call`], [`DriverError::ContextDead`].
    pub fn memory_info(&self) -> Result<(u64, u64), DriverError> {
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: the call writes two sizes.
        self.inner.call(|api| unsafe { api.mem_get_info(&mut free, &mut total) })?;
        Ok((free as u64, total as u64))
    }

    /// Whether a sticky code was seen.
    pub fn is_dead(&self) -> bool {
        self.inner.death.get().is_some()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("device", &self.device().ordinal())
            .field("dead", &self.is_dead())
            .finish()
    }
}

impl ContextInner {
    pub(super) fn device(&self) -> &CudaDevice {
        &self.device
    }

    /// Runs `calls` with this context bound, unless it is dead, and notes what they answer.
    pub(super) fn call<R>(
        &self,
        calls: impl FnOnce(&Api) -> Result<R, DriverError>,
    ) -> Result<R, DriverError> {
        if let Some(Death { cause, during }) = self.death.get().copied() {
            return Err(DriverError::ContextDead { device: self.device.ordinal(), cause, during });
        }
        let bound = self.note(self.bind())?;
        self.note(calls(bound.api))
    }

    /// Runs a `Drop`'s calls with this context bound. What fails stays undone: there is nobody to tell, and in a dead
    /// context the driver has already taken everything back.
    pub(super) fn release(&self, calls: impl FnOnce(&Api) -> Result<(), DriverError>) {
        if let Ok(bound) = self.bind() {
            // The code still counts: a `Drop` may be the first to hear of a fault.
            let _ = self.note(calls(bound.api));
        }
    }

    /// Refuses a handle of another context.
    pub(super) fn require_same(&self, other: &Self, what: &'static str) -> Result<(), DriverError> {
        if std::ptr::eq(self, other) {
            return Ok(());
        }
        Err(DriverError::ForeignHandle {
            what,
            belongs_to: other.device.ordinal(),
            used_on: self.device.ordinal(),
        })
    }

    fn bind(&self) -> Result<Bound<'_>, DriverError> {
        let api = &self.device.driver().inner.api;
        // SAFETY: this owner holds the context retained.
        unsafe { api.ctx_push(self.handle) }?;
        Ok(Bound { api })
    }

    fn note<R>(&self, answer: Result<R, DriverError>) -> Result<R, DriverError> {
        if let Err(DriverError::Call { call, code }) = &answer
            && code.is_sticky()
        {
            self.death.get_or_init(|| Death { cause: *code, during: call });
        }
        answer
    }
}

impl Drop for ContextInner {
    fn drop(&mut self) {
        // SAFETY: balances the retain of `Context::new`. A failure leaves the context to the process's end.
        let _ = unsafe { self.device.driver().inner.api.primary_ctx_release(self.device.handle()) };
    }
}

/// The context is on top of this thread's stack until this is dropped.
struct Bound<'a> {
    api: &'a Api,
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        let mut popped = ContextHandle::NULL;
        // SAFETY: the call writes one handle. A failure means that libcuda is shutting down.
        let _ = unsafe { self.api.ctx_pop(&mut popped) };
    }
}
