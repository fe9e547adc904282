//! Functions: the entries of a module.
//!
//! What this is: a `CUfunction` with its name, its declared parameters and what the driver's assembler made of it. On
//! entry: a loaded module. On exit: something that can be launched. Not here: the launch and its checks (`launch.rs`).

use std::ffi::{CString, c_int};
use std::fmt;
use std::sync::{Arc, PoisonError};

use super::argument::ParamLayout;
use super::error::{DriverError, Sizes};
use super::module::{ModuleInner, SharedMark};
use super::result::ResultCode;
use super::sys::{FunctionHandle, function_attribute as attribute};

/// What the driver's assembler made of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// The largest CTA that its registers and its `.maxntid` allow.
    pub max_threads_per_cta: u32,
    /// 32-bit registers of one thread.
    pub registers: u32,
    /// Bytes of static shared memory of one CTA.
    pub shared_static: u32,
    /// Bytes of local memory of one thread: spills and arrays.
    pub local_bytes: u32,
    /// Bytes of constant memory that the module itself declares.
    pub const_bytes: u32,
    /// 10 × major + minor of the PTX target that it was assembled from.
    pub ptx_version: u32,
    /// 10 × major + minor of the architecture that it was assembled for.
    pub binary_version: u32,
}

/// An entry of a module. Clones share it, and it keeps its module loaded.
#[derive(Clone)]
pub struct Function {
    pub(super) module: Arc<ModuleInner>,
    pub(super) handle: FunctionHandle,
    name: Arc<str>,
    layout: Arc<ParamLayout>,
    attributes: FunctionAttributes,
    shared_mark: SharedMark,
}

impl Function {
    pub(super) fn find(
        module: &Arc<ModuleInner>,
        name: &str,
        layout: ParamLayout,
    ) -> Result<Self, DriverError> {
        let missing = || DriverError::NoSuchFunction { name: name.to_owned() };
        let c_name = CString::new(name).map_err(|_| missing())?;
        let mut handle = FunctionHandle::NULL;
        let context = &module.context;
        // SAFETY: the call writes one handle; the module is live and the name ends in NUL.
        let answer = context
            .call(|api| unsafe { api.module_get_function(&mut handle, module.handle(), c_name.as_ptr()) });
        answer.map_err(|error| match error.code() {
            Some(ResultCode::ERROR_NOT_FOUND) => missing(),
            _ => error,
        })?;

        let attributes = read_attributes(module, handle)?;
        check_layout(module, handle, name, &layout)?;
        let unasked = context.device().limits().shared_per_cta.saturating_sub(attributes.shared_static);
        Ok(Self {
            module: Arc::clone(module),
            handle,
            name: name.into(),
            layout: Arc::new(layout),
            attributes,
            shared_mark: module.shared_mark(name, unasked),
        })
    }

    /// The name of the entry.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The declared parameters.
    pub fn layout(&self) -> &ParamLayout {
        &self.layout
    }

    /// Registers, shared and local memory, and the largest CTA.
    pub fn attributes(&self) -> &FunctionAttributes {
        &self.attributes
    }

    /// Bytes of dynamic shared memory that a launch may ask for on this device.
    pub fn max_dynamic_shared(&self) -> u32 {
        let limits = self.module.context.device().limits();
        limits.shared_per_cta_opt_in.saturating_sub(self.attributes.shared_static)
    }

    /// Opts in to `bytes` of dynamic shared memory if this function never had as much. The mark only rises: lowering
    /// it would take the memory from a launch of another thread between its check and its call.
    pub(super) fn raise_shared_mark(&self, bytes: u32) -> Result<(), DriverError> {
        // A panic of another thread can't leave the number half written.
        let mut mark = self.shared_mark.lock().unwrap_or_else(PoisonError::into_inner);
        if bytes <= *mark {
            return Ok(());
        }
        let value = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        self.module.context.call(|api| {
            // SAFETY: the function is live while its module is held.
            unsafe { api.func_set_attribute(self.handle, attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, value) }
        })?;
        *mark = bytes;
        Ok(())
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

fn read_attributes(module: &ModuleInner, handle: FunctionHandle) -> Result<FunctionAttributes, DriverError> {
    module.context.call(|api| {
        let read = |attribute: c_int| {
            let mut value: c_int = 0;
            // SAFETY: the call writes one int; the function is live while its module is held.
            unsafe { api.func_get_attribute(&mut value, attribute, handle) }?;
            // No attribute that is read here is negative.
            Ok(u32::try_from(value).unwrap_or(0))
        };
        Ok(FunctionAttributes {
            max_threads_per_cta: read(attribute::MAX_THREADS_PER_BLOCK)?,
            registers: read(attribute::NUM_REGS)?,
            shared_static: read(attribute::SHARED_SIZE_BYTES)?,
            local_bytes: read(attribute::LOCAL_SIZE_BYTES)?,
            const_bytes: read(attribute::CONST_SIZE_BYTES)?,
            ptx_version: read(attribute::PTX_VERSION)?,
            binary_version: read(attribute::BINARY_VERSION)?,
        })
    })
}

/// Compares the declared sizes with those of the compiled kernel. A driver that can't tell them is taken at the
/// caller's word, as the launch itself does: it copies as many bytes as the kernel has.
fn check_layout(
    module: &ModuleInner,
    handle: FunctionHandle,
    name: &str,
    layout: &ParamLayout,
) -> Result<(), DriverError> {
    let declared: Vec<usize> = layout.parameters().iter().map(|parameter| parameter.kind.size()).collect();
    let found = module.context.call(|api| {
        let mut found = Vec::new();
        // One more than declared is asked for, to see a parameter that was left out.
        for index in 0..=declared.len() {
            let (mut offset, mut size) = (0usize, 0usize);
            // SAFETY: the call writes two sizes; the function is live while its module is held.
            match unsafe { api.func_get_param_info(handle, index, &mut offset, &mut size) } {
                Ok(()) => found.push(size),
                Err(DriverError::Call { code: ResultCode::ERROR_INVALID_VALUE, .. }) => break,
                Err(DriverError::NotAvailable { .. }) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(found))
    })?;
    match found {
        Some(found) if found != declared => Err(DriverError::LayoutMismatch {
            function: name.to_owned(),
            found: Sizes(found),
            declared: Sizes(declared),
        }),
        Some(_) | None => Ok(()),
    }
}
