//! Finding libcuda, and what can be asked of it before there is a context.
//!
//! What this is: [`Driver`], an open library. On entry: names for the system's loader. On exit: a library that has
//! `cuInit`, not yet initialised: that happens once, with the first question about devices, so that a version can be
//! read on a machine without any. Not here: devices and contexts.

use std::ffi::{OsStr, OsString, c_int};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use libloading::Library;

use super::context::ContextInner;
use super::device::CudaDevice;
use super::error::{DriverError, LibraryAttempt};
use super::result::ResultCode;
use super::sys::Api;

/// The variable that names the library to take instead of the system's.
const LIBRARY_VARIABLE: &str = "WARPSMITH_LIBCUDA";

/// The library that the process named.
static NAMED_LIBRARY: OnceLock<OsString> = OnceLock::new();

/// Where a driver installs itself: Linux at run time, Linux with the development link, Windows.
const LIBRARY_NAMES: [&str; 3] = ["libcuda.so.1", "libcuda.so", "nvcuda.dll"];

/// The newest CUDA version that a driver serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DriverVersion {
    /// 13 of 13.0.
    pub major: u32,
    /// 0 of 13.0.
    pub minor: u32,
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// An open libcuda. Clones share it; it stays loaded until the process ends.
#[derive(Clone)]
pub struct Driver {
    pub(super) inner: Arc<DriverInner>,
}

pub(super) struct DriverInner {
    pub(super) api: Api,
    initialised: OnceLock<Result<(), DriverError>>,
    /// The live contexts, so that all users of one device's primary context share what is known of it.
    pub(super) contexts: Mutex<Vec<Weak<ContextInner>>>,
}

impl Driver {
    /// Names the library that [`load`](Self::load) opens where `WARPSMITH_LIBCUDA` names none: what a settings file says.
    /// The first call counts, and only before `load`.
    pub fn name_library(name: OsString) {
        // A second name, or one after the library is open, comes too late to matter.
        let _ = NAMED_LIBRARY.set(name);
    }

    /// Opens the library that `WARPSMITH_LIBCUDA` names, else the one of [`name_library`](Self::name_library), else the
    /// system's (`libcuda.so.1`, `libcuda.so`, `nvcuda.dll`). The variable is read once: later calls return the same library, or the same error.
    ///
    /// A library that the variable names is the only one tried: running on another than the one asked for would hide
    /// the mistake.
    ///
    /// # Errors
    /// [`DriverError::LibraryNotFound`] with every name and its reason.
    pub fn load() -> Result<Self, DriverError> {
        static DEFAULT: OnceLock<Result<Driver, DriverError>> = OnceLock::new();
        DEFAULT
            .get_or_init(|| {
                match std::env::var_os(LIBRARY_VARIABLE)
                    .filter(|name| !name.is_empty())
                    .or_else(|| NAMED_LIBRARY.get().cloned())
                {
                    Some(name) => Self::load_from(&[name]),
                    None => Self::load_from(&LIBRARY_NAMES.map(OsString::from)),
                }
            })
            .clone()
    }

    /// Opens the first of `names` that is a libcuda.
    ///
    /// # Errors
    /// [`DriverError::LibraryNotFound`] with every name and its reason.
    pub fn load_from<N: AsRef<OsStr>>(names: &[N]) -> Result<Self, DriverError> {
        let mut tried = Vec::new();
        for name in names {
            let name = name.as_ref();
            match open(name) {
                Ok(api) => {
                    let inner =
                        DriverInner { api, initialised: OnceLock::new(), contexts: Mutex::new(Vec::new()) };
                    return Ok(Self { inner: Arc::new(inner) });
                }
                Err(reason) => {
                    tried.push(LibraryAttempt { name: name.to_string_lossy().into_owned(), reason })
                }
            }
        }
        Err(DriverError::LibraryNotFound { tried })
    }

    /// The name under which the library was opened.
    pub fn library(&self) -> &str {
        self.inner.api.name()
    }

    /// The newest CUDA version that the driver serves. Needs no device.
    ///
    /// # Errors
    /// [`DriverError::Call`], [`DriverError::NotAvailable`].
    pub fn version(&self) -> Result<DriverVersion, DriverError> {
        let mut version: c_int = 0;
        // SAFETY: the call writes one int.
        unsafe { self.inner.api.driver_get_version(&mut version) }?;
        // Encoded as 1000 × major + 10 × minor.
        let version = version.unsigned_abs();
        Ok(DriverVersion { major: version / 1000, minor: version % 1000 / 10 })
    }

    /// How many devices there are: at least one.
    ///
    /// # Errors
    /// [`DriverError::NoDevice`] where there is none, whether `cuInit` says so or the count does.
    pub fn device_count(&self) -> Result<u32, DriverError> {
        self.initialise()?;
        let mut count: c_int = 0;
        // SAFETY: the call writes one int.
        unsafe { self.inner.api.device_get_count(&mut count) }?;
        match u32::try_from(count) {
            Ok(0) | Err(_) => Err(DriverError::NoDevice { library: self.library().into(), cause: None }),
            Ok(count) => Ok(count),
        }
    }

    /// One device, by its number from 0.
    ///
    /// # Errors
    /// [`DriverError::NoDevice`], [`DriverError::NoSuchDevice`].
    pub fn device(&self, ordinal: u32) -> Result<CudaDevice, DriverError> {
        let count = self.device_count()?;
        if ordinal >= count {
            return Err(DriverError::NoSuchDevice { ordinal, count });
        }
        CudaDevice::open(self, ordinal)
    }

    /// All devices.
    ///
    /// # Errors
    /// [`DriverError::NoDevice`].
    pub fn devices(&self) -> Result<Vec<CudaDevice>, DriverError> {
        (0..self.device_count()?).map(|ordinal| CudaDevice::open(self, ordinal)).collect()
    }

    /// Whether the library exports a function, for `doctor` to tell which features an old driver costs.
    pub fn has_symbol(&self, symbol: &str) -> bool {
        self.inner.api.has(symbol)
    }

    fn initialise(&self) -> Result<(), DriverError> {
        let initialise = || {
            // SAFETY: no pointers; 0 is the only flag there is.
            unsafe { self.inner.api.init(0) }.map_err(|error| match error.code() {
                Some(code @ ResultCode::ERROR_NO_DEVICE) => {
                    DriverError::NoDevice { library: self.library().into(), cause: Some(code) }
                }
                _ => error,
            })
        };
        self.inner.initialised.get_or_init(initialise).clone()
    }
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Driver").field(&self.library()).finish()
    }
}

/// Opens one library, or says why it isn't libcuda.
fn open(name: &OsStr) -> Result<Api, String> {
    // SAFETY: loading runs the library's initialisers. The name is the system's libcuda or one that the user chose to
    // run code from.
    let library = unsafe { Library::new(name) }.map_err(|error| reason(&error, name))?;
    let api = Api::new(library, name.to_string_lossy().into_owned());
    if api.has("cuInit") {
        Ok(api)
    } else {
        Err("the library has no cuInit, so it is not a CUDA driver".into())
    }
}

/// libloading keeps the system's words in the source of its error. The name, with which the system begins them, is
/// already in front of the reason.
fn reason(error: &dyn std::error::Error, name: &OsStr) -> String {
    let text = match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    match text.strip_prefix(&format!("{}: ", name.to_string_lossy())) {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}
