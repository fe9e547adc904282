//! Modules: PTX that the driver has assembled for a device.
//!
//! What this is: an owner of a `CUmodule`. On entry: PTX text and a live context. On exit: a loaded module, or a
//! [`JitError`] with the assembler's log and the line. Not here: a cache of assembled modules, linking.

use std::collections::HashMap;
use std::ffi::{CString, c_int, c_uint, c_void};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::argument::ParamLayout;
use super::context::{Context, ContextInner};
use super::error::DriverError;
use super::function::Function;
use super::jit::JitError;
use super::result::ResultCode;
use super::sys::{ModuleHandle, jit_option};

/// Room for each of the logs. The assembler stops after its first few dozen errors.
const LOG_BYTES: usize = 16 * 1024;

/// A module in a device's context. Clones share it.
#[derive(Clone)]
pub struct Module {
    inner: Arc<ModuleInner>,
}

pub(super) struct ModuleInner {
    pub(super) context: Arc<ContextInner>,
    handle: ModuleHandle,
    info_log: String,
    /// For each function the dynamic shared memory that it was opted in to. It stands here because the driver keeps
    /// one such number a function, however often the function is looked up.
    shared_marks: Mutex<HashMap<String, SharedMark>>,
}

/// The dynamic shared memory in bytes that the driver lets a function have.
pub(super) type SharedMark = Arc<Mutex<u32>>;

impl Module {
    /// Has the driver assemble `ptx` for the context's device.
    ///
    /// # Errors
    /// [`DriverError::Jit`] with the log, the line and its text; [`DriverError::NulInPtx`], [`DriverError::Call`],
    /// [`DriverError::ContextDead`].
    pub fn load(context: &Context, ptx: &str) -> Result<Self, DriverError> {
        let image = CString::new(ptx).map_err(|error| DriverError::NulInPtx {
            line: ptx.bytes().take(error.nul_position()).filter(|byte| *byte == b'\n').count() + 1,
        })?;
        let mut info = LogBuffer::new();
        let mut errors = LogBuffer::new();
        let mut options: [c_int; 5] = [
            jit_option::INFO_LOG_BUFFER,
            jit_option::INFO_LOG_BUFFER_SIZE_BYTES,
            jit_option::ERROR_LOG_BUFFER,
            jit_option::ERROR_LOG_BUFFER_SIZE_BYTES,
            // Profilers and `compute-sanitizer` show the lines that `.loc` names; the code is the same.
            jit_option::GENERATE_LINE_INFO,
        ];
        // Sizes travel in the pointer's own bits.
        let size = std::ptr::without_provenance_mut::<c_void>(LOG_BYTES);
        let yes = std::ptr::without_provenance_mut::<c_void>(1);
        let mut values = [info.as_mut_ptr(), size, errors.as_mut_ptr(), size, yes];
        let mut handle = ModuleHandle::NULL;
        let answer = context.inner.call(|api| {
            // SAFETY: the image ends in NUL; five options with five values; the buffers outlive the call and are as
            // long as the sizes beside them say.
            unsafe {
                api.module_load_data(
                    &mut handle,
                    image.as_ptr().cast(),
                    options.len() as c_uint,
                    options.as_mut_ptr(),
                    values.as_mut_ptr(),
                )
            }
        });
        answer.map_err(|error| match error {
            DriverError::Call { code, .. }
                if code != ResultCode::ERROR_OUT_OF_MEMORY && !code.is_sticky() =>
            {
                DriverError::Jit(Box::new(JitError::new(code, ptx, errors.text(), info.text())))
            }
            other => other,
        })?;
        let inner = ModuleInner {
            context: Arc::clone(&context.inner),
            handle,
            info_log: info.text(),
            shared_marks: Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What the assembler had to say about a module that it took; often nothing.
    pub fn info_log(&self) -> &str {
        &self.inner.info_log
    }

    /// Looks up an entry. Where the driver can tell the kernel's parameters (12.4 and up), `layout` is compared with
    /// them.
    ///
    /// # Errors
    /// [`DriverError::NoSuchFunction`], [`DriverError::LayoutMismatch`], [`DriverError::Call`],
    /// [`DriverError::ContextDead`].
    pub fn function(&self, name: &str, layout: ParamLayout) -> Result<Function, DriverError> {
        Function::find(&self.inner, name, layout)
    }
}

impl ModuleInner {
    pub(super) fn handle(&self) -> ModuleHandle {
        self.handle
    }

    /// The mark of one function, which starts at `initial`.
    pub(super) fn shared_mark(&self, function: &str, initial: u32) -> SharedMark {
        // A panic of another thread can't leave the map half changed: entries are only added.
        let mut marks = self.shared_marks.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = marks.entry(function.to_owned()).or_insert_with(|| Arc::new(Mutex::new(initial)));
        Arc::clone(mark)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("device", &self.inner.context.device().ordinal())
            .finish_non_exhaustive()
    }
}

impl Drop for ModuleInner {
    fn drop(&mut self) {
        // SAFETY: loaded by `Module::load`; the functions looked up in it hold it, so none is left.
        self.context.release(|api| unsafe { api.module_unload(self.handle) });
    }
}

/// A buffer that the driver writes a NUL-terminated log to.
struct LogBuffer(Vec<u8>);

impl LogBuffer {
    fn new() -> Self {
        Self(vec![0; LOG_BYTES])
    }

    fn as_mut_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }

    /// Up to the NUL, or all of it where a full buffer has none.
    fn text(&self) -> String {
        let written = self.0.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(written).trim_end().to_owned()
    }
}
