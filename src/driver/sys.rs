//! libcuda's functions as Rust signatures, looked up one by one.
//!
//! What this is: opaque handles, the constants of `cuda.h` that the owners use, and [`Api`] with one unsafe method for
//! each function. On entry: the library is open and has `cuInit`. On exit: a function that the library lacks is
//! `NotAvailable` from the call that needed it; any code but success is `DriverError::Call`. Not here: ownership,
//! contexts, checks of what goes in.
//!
//! The `_v2` names are the 64-bit variants that `cuda.h` maps the plain names to; the plain names are still exported
//! by the library and take 32-bit addresses, so asking for the wrong one corrupts memory.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::sync::OnceLock;

use libloading::Library;

use super::error::DriverError;
use super::result::ResultCode;

/// A device's place in libcuda's list.
pub(super) type Ordinal = c_int;
/// An address in a device's memory.
pub(super) type DevicePtr = u64;

macro_rules! opaque_handles {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        $($(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(transparent)]
        pub(super) struct $name(*mut c_void);

        // SAFETY: the pointer is a token that only libcuda follows, and libcuda may be called from any thread.
        unsafe impl Send for $name {}
        // SAFETY: as for `Send`; libcuda takes its own locks, so two threads may use one token at once.
        unsafe impl Sync for $name {}

        impl $name {
            /// The null token: where a call writes its answer, and for a stream the default one.
            pub(super) const NULL: Self = Self(std::ptr::null_mut());
        })*
    };
}

opaque_handles! {
    /// `CUcontext`.
    ContextHandle,
    /// `CUstream`.
    StreamHandle,
    /// `CUevent`.
    EventHandle,
    /// `CUmodule`.
    ModuleHandle,
    /// `CUfunction`.
    FunctionHandle,
}

/// `CUdevice_attribute`: the rows that are read.
pub(super) mod device_attribute {
    use std::ffi::c_int;

    pub(in crate::driver) const MAX_THREADS_PER_BLOCK: c_int = 1;
    pub(in crate::driver) const MAX_BLOCK_DIM_X: c_int = 2;
    pub(in crate::driver) const MAX_GRID_DIM_X: c_int = 5;
    pub(in crate::driver) const MAX_SHARED_MEMORY_PER_BLOCK: c_int = 8;
    pub(in crate::driver) const WARP_SIZE: c_int = 10;
    pub(in crate::driver) const MAX_REGISTERS_PER_BLOCK: c_int = 12;
    pub(in crate::driver) const CLOCK_RATE_KHZ: c_int = 13;
    pub(in crate::driver) const MULTIPROCESSOR_COUNT: c_int = 16;
    pub(in crate::driver) const L2_CACHE_BYTES: c_int = 38;
    pub(in crate::driver) const MAX_THREADS_PER_MULTIPROCESSOR: c_int = 39;
    pub(in crate::driver) const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
    pub(in crate::driver) const COMPUTE_CAPABILITY_MINOR: c_int = 76;
    pub(in crate::driver) const MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: c_int = 81;
    pub(in crate::driver) const MAX_REGISTERS_PER_MULTIPROCESSOR: c_int = 82;
    pub(in crate::driver) const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: c_int = 97;
    pub(in crate::driver) const RESERVED_SHARED_MEMORY_PER_BLOCK: c_int = 111;
}

/// `CUfunction_attribute`: the rows that are read or set.
pub(super) mod function_attribute {
    use std::ffi::c_int;

    pub(in crate::driver) const MAX_THREADS_PER_BLOCK: c_int = 0;
    pub(in crate::driver) const SHARED_SIZE_BYTES: c_int = 1;
    pub(in crate::driver) const CONST_SIZE_BYTES: c_int = 2;
    pub(in crate::driver) const LOCAL_SIZE_BYTES: c_int = 3;
    pub(in crate::driver) const NUM_REGS: c_int = 4;
    pub(in crate::driver) const PTX_VERSION: c_int = 5;
    pub(in crate::driver) const BINARY_VERSION: c_int = 6;
    pub(in crate::driver) const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;
}

/// `CUjit_option`: the rows that a module load passes.
pub(super) mod jit_option {
    use std::ffi::c_int;

    pub(in crate::driver) const INFO_LOG_BUFFER: c_int = 3;
    pub(in crate::driver) const INFO_LOG_BUFFER_SIZE_BYTES: c_int = 4;
    pub(in crate::driver) const ERROR_LOG_BUFFER: c_int = 5;
    pub(in crate::driver) const ERROR_LOG_BUFFER_SIZE_BYTES: c_int = 6;
    pub(in crate::driver) const GENERATE_LINE_INFO: c_int = 13;
}

/// Defines `Symbols` (what was looked up so far) and one method of [`Api`] for each function.
///
/// Where several names are given they have the same signature, and the first that the library has is used.
macro_rules! driver_api {
    ($($(#[$meta:meta])* $method:ident = $first:literal $(| $other:literal)* ($($arg:ident: $ty:ty),* $(,)?);)*) => {
        #[derive(Default)]
        struct Symbols {
            $($method: OnceLock<Result<unsafe extern "system" fn($($ty),*) -> ResultCode, DriverError>>,)*
        }

        impl Api {
            $(#[doc = concat!("Calls `", $first, "`.")]
            ///
            /// # Safety
            /// Pointers must be good for what `cuda.h` says the function reads and writes, and handles must be live.
            $(#[$meta])*
            pub(super) unsafe fn $method(&self, $($arg: $ty),*) -> Result<(), DriverError> {
                let function = self.symbols.$method.get_or_init(|| {
                    // SAFETY: `cuda.h` declares each of these names with this signature.
                    unsafe { self.find(&[$first $(, $other)*]) }
                });
                let function = function.as_ref().map_err(Clone::clone)?;
                // SAFETY: the caller answers for the arguments; the library is never closed.
                match unsafe { function($($arg),*) } {
                    ResultCode::SUCCESS => Ok(()),
                    code => Err(DriverError::Call { call: $first, code }),
                }
            })*
        }
    };
}

driver_api! {
    init = "cuInit"(flags: c_uint);
    driver_get_version = "cuDriverGetVersion"(version: *mut c_int);
    device_get_count = "cuDeviceGetCount"(count: *mut c_int);
    device_get = "cuDeviceGet"(device: *mut Ordinal, ordinal: c_int);
    device_get_name = "cuDeviceGetName"(name: *mut c_char, len: c_int, device: Ordinal);
    device_get_attribute = "cuDeviceGetAttribute"(value: *mut c_int, attribute: c_int, device: Ordinal);
    device_total_mem = "cuDeviceTotalMem_v2"(bytes: *mut usize, device: Ordinal);
    primary_ctx_retain = "cuDevicePrimaryCtxRetain"(context: *mut ContextHandle, device: Ordinal);
    primary_ctx_release = "cuDevicePrimaryCtxRelease_v2" | "cuDevicePrimaryCtxRelease"(device: Ordinal);
    ctx_push = "cuCtxPushCurrent_v2"(context: ContextHandle);
    ctx_pop = "cuCtxPopCurrent_v2"(context: *mut ContextHandle);
    ctx_synchronize = "cuCtxSynchronize"();
    stream_create = "cuStreamCreate"(stream: *mut StreamHandle, flags: c_uint);
    stream_synchronize = "cuStreamSynchronize"(stream: StreamHandle);
    stream_query = "cuStreamQuery"(stream: StreamHandle);
    stream_wait_event = "cuStreamWaitEvent"(stream: StreamHandle, event: EventHandle, flags: c_uint);
    stream_destroy = "cuStreamDestroy_v2"(stream: StreamHandle);
    event_create = "cuEventCreate"(event: *mut EventHandle, flags: c_uint);
    event_record = "cuEventRecord"(event: EventHandle, stream: StreamHandle);
    event_synchronize = "cuEventSynchronize"(event: EventHandle);
    event_elapsed_time = "cuEventElapsedTime_v2" | "cuEventElapsedTime"(
        milliseconds: *mut f32, start: EventHandle, end: EventHandle,
    );
    event_destroy = "cuEventDestroy_v2"(event: EventHandle);
    mem_get_info = "cuMemGetInfo_v2"(free: *mut usize, total: *mut usize);
    mem_alloc = "cuMemAlloc_v2"(address: *mut DevicePtr, bytes: usize);
    mem_free = "cuMemFree_v2"(address: DevicePtr);
    memcpy_to_device = "cuMemcpyHtoD_v2"(to: DevicePtr, from: *const c_void, bytes: usize);
    memcpy_to_host = "cuMemcpyDtoH_v2"(to: *mut c_void, from: DevicePtr, bytes: usize);
    memcpy_on_device = "cuMemcpyDtoD_v2"(to: DevicePtr, from: DevicePtr, bytes: usize);
    memset_bytes = "cuMemsetD8_v2"(address: DevicePtr, value: u8, bytes: usize);
    module_load_data = "cuModuleLoadDataEx"(
        module: *mut ModuleHandle, image: *const c_void,
        option_count: c_uint, options: *mut c_int, option_values: *mut *mut c_void,
    );
    module_unload = "cuModuleUnload"(module: ModuleHandle);
    module_get_function = "cuModuleGetFunction"(
        function: *mut FunctionHandle, module: ModuleHandle, name: *const c_char,
    );
    func_get_attribute = "cuFuncGetAttribute"(value: *mut c_int, attribute: c_int, function: FunctionHandle);
    func_set_attribute = "cuFuncSetAttribute"(function: FunctionHandle, attribute: c_int, value: c_int);
    func_get_param_info = "cuFuncGetParamInfo"(
        function: FunctionHandle, index: usize, offset: *mut usize, size: *mut usize,
    );
    #[expect(clippy::too_many_arguments, reason = "the signature is that of cuda.h")]
    launch_kernel = "cuLaunchKernel"(
        function: FunctionHandle,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared_bytes: c_uint, stream: StreamHandle,
        parameters: *mut *mut c_void, extra: *mut *mut c_void,
    );
}

/// An open libcuda.
pub(super) struct Api {
    /// Never closed: libcuda starts threads and exit handlers of its own, which would run in unmapped code.
    library: ManuallyDrop<Library>,
    /// The name under which it was opened.
    name: String,
    symbols: Symbols,
}

impl Api {
    /// Wraps an open library.
    pub(super) fn new(library: Library, name: String) -> Self {
        Self { library: ManuallyDrop::new(library), name, symbols: Symbols::default() }
    }

    /// The name under which the library was opened.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the library has this name, for a feature that is chosen by what there is.
    pub(super) fn has(&self, symbol: &str) -> bool {
        // SAFETY: the address is only compared with null inside `get`, never called through.
        unsafe { self.library.get::<unsafe extern "system" fn()>(symbol.as_bytes()) }.is_ok()
    }

    /// The first of `names` that the library has.
    ///
    /// # Safety
    /// `F` must be the function pointer type that `cuda.h` gives each of the names.
    unsafe fn find<F: Copy>(&self, names: &[&'static str]) -> Result<F, DriverError> {
        let mut reason = String::new();
        for name in names {
            // SAFETY: the caller vouches for the type.
            match unsafe { self.library.get::<F>(name.as_bytes()) } {
                Ok(symbol) => return Ok(*symbol),
                Err(error) => reason = error.to_string(),
            }
        }
        let tried = names.iter().map(|name| format!("{name} in {}", self.name)).collect();
        Err(DriverError::NotAvailable { symbol: names.first().copied().unwrap_or_default(), tried, reason })
    }
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api").field("library", &self.name).finish_non_exhaustive()
    }
}
