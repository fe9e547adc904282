//! The device a user holds: opened by name, cheap to clone, with a cache of what was compiled for it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::buffer::{Buffer, RawBuffer};
use super::compile::compile;
use super::cuda::CudaBackend;
use super::emu::{EmuBackend, EmuSettings};
use super::error::LaunchError;
use crate::backend::{DeviceBackend, DeviceError, DeviceKernel, Emitted};
use crate::ir::{DType, Element, Kernel, LaunchClass, host};
use crate::numerics::tensor::TensorModel;
use crate::target::{Target, TargetProfile};

/// A GPU or the emulator. Clones are the same device.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    backend: Box<dyn DeviceBackend>,
    notices: Vec<String>,
    cache: Mutex<Cache>,
}

/// What makes two builds of a registered kernel the same.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct KernelKey {
    pub(super) path: String,
    /// Values of const parameters, as the generated code writes them.
    pub(super) instance: String,
    pub(super) dtypes: Vec<DType>,
}

#[derive(Default)]
struct Cache {
    kernels: HashMap<KernelKey, Arc<Kernel>>,
    loaded: HashMap<(KernelKey, LaunchClass), Arc<LoadedKernel>>,
}

/// A kernel compiled for a class of launches, and loaded.
#[derive(Debug)]
pub struct LoadedKernel {
    pub(super) emitted: Emitted,
    pub(super) class: LaunchClass,
    pub(super) module: Box<dyn DeviceKernel>,
}

impl LoadedKernel {
    /// Its text, and what a launcher passes.
    pub fn emitted(&self) -> &Emitted {
        &self.emitted
    }

    /// The launches it is for.
    pub fn class(&self) -> &LaunchClass {
        &self.class
    }
}

impl Device {
    /// The device of that name: `cuda:0` (or `cuda`), `emu`, `emu:sm_121`.
    ///
    /// # Errors
    /// There is none of that name here.
    pub fn open(name: &str) -> Result<Self, DeviceError> {
        let (kind, rest) = match name.split_once(':') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (name, None),
        };
        let absent = |reason: String| DeviceError::NoDevice { name: name.to_owned(), reason };
        match kind {
            "cuda" => {
                let ordinal =
                    rest.map_or(Ok(0), str::parse).map_err(|_| absent("GPUs are numbered from 0".into()))?;
                let backend = CudaBackend::open(ordinal)?;
                let notices = backend.notice().into_iter().collect();
                Ok(Self::with_notices(Box::new(backend), notices))
            }
            "emu" => {
                let target = rest.map_or(Ok(EmuSettings::default().target), Target::parse);
                let target = target.map_err(|error| absent(error.to_string()))?;
                Ok(Self::emulator(EmuSettings { target, ..EmuSettings::default() }))
            }
            _ => Err(absent("devices are named `cuda:N`, `emu` and `emu:TARGET`".into())),
        }
    }

    /// An emulator.
    pub fn emulator(settings: EmuSettings) -> Self {
        Self::new(EmuBackend::new(settings))
    }

    /// What `WARPSMITH_DEVICE` names; else the first GPU; where there is none, the emulator, with a notice of why.
    ///
    /// # Errors
    /// The device that the variable names is not here, or there is a GPU that does not work.
    pub fn best() -> Result<Self, DeviceError> {
        if let Some(name) = std::env::var("WARPSMITH_DEVICE").ok().filter(|name| !name.is_empty()) {
            return Self::open(&name);
        }
        match Self::open("cuda:0") {
            Err(DeviceError::NoDevice { reason, .. }) => {
                let backend = EmuBackend::new(EmuSettings::default());
                let notice = format!("running on the emulator: {reason}");
                Ok(Self::with_notices(Box::new(backend), vec![notice]))
            }
            other => other,
        }
    }

    /// A device of another kind.
    pub fn new(backend: impl DeviceBackend + 'static) -> Self {
        Self::with_notices(Box::new(backend), Vec::new())
    }

    fn with_notices(backend: Box<dyn DeviceBackend>, notices: Vec<String>) -> Self {
        Self { inner: Arc::new(Inner { backend, notices, cache: Mutex::default() }) }
    }

    /// As a user names it: `emu`, `cuda:0`.
    pub fn name(&self) -> String {
        self.inner.backend.name()
    }

    /// What it is, for a report.
    pub fn description(&self) -> String {
        self.inner.backend.description()
    }

    /// The target that kernels are compiled for.
    pub fn target(&self) -> TargetProfile {
        self.inner.backend.target()
    }

    /// What its matrix unit computes; that of sm_90 where the target has none or it is not known.
    pub fn tensor_model(&self) -> TensorModel {
        let chip = self.target().as_ptx().map(|target| target.chip().number());
        chip.and_then(TensorModel::of).unwrap_or_default()
    }

    /// What a user should be told about how it was chosen.
    pub fn notices(&self) -> &[String] {
        &self.inner.notices
    }

    /// What runs the text.
    pub fn backend(&self) -> &dyn DeviceBackend {
        &*self.inner.backend
    }

    /// Whether two handles are one device.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// A buffer with these elements.
    ///
    /// # Errors
    /// The device has not that much memory, or is lost.
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>, DeviceError> {
        Ok(self.typed(self.upload_as(T::DTYPE, &host::to_bytes(values))?))
    }

    /// A buffer of `len` zeros.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>, DeviceError> {
        let mut raw = self.alloc(T::DTYPE, len as u64)?;
        raw.fill(0, true)?;
        Ok(self.typed(raw))
    }

    /// A buffer with these bytes as elements of `dtype`.
    ///
    /// # Errors
    /// The bytes are no whole elements, or as [`upload`](Self::upload).
    pub fn upload_as(&self, dtype: DType, bytes: &[u8]) -> Result<RawBuffer, DeviceError> {
        let size = dtype.size() as usize;
        if !bytes.len().is_multiple_of(size) {
            let reason = format!("{} bytes are no whole elements of {dtype}", bytes.len());
            return Err(DeviceError::Memory { device: self.name(), reason });
        }
        let mut raw = self.alloc(dtype, (bytes.len() / size) as u64)?;
        raw.write_at(0, bytes)?;
        Ok(raw)
    }

    /// A buffer of `len` elements with undefined contents, which a kernel may not read.
    ///
    /// # Errors
    /// As [`upload`](Self::upload).
    pub fn alloc(&self, dtype: DType, len: u64) -> Result<RawBuffer, DeviceError> {
        let too_large = || {
            let reason = format!("{len} elements of {dtype} are larger than an address");
            DeviceError::Memory { device: self.name(), reason }
        };
        let bytes = len.checked_mul(u64::from(dtype.size())).ok_or_else(too_large)?;
        Ok(RawBuffer::new(self, self.inner.backend.alloc(bytes)?, dtype, len))
    }

    /// The elements of a buffer.
    ///
    /// # Errors
    /// The device is lost, or reports what an earlier launch did.
    pub fn download<T: Element>(&self, buffer: &Buffer<T>) -> Result<Vec<T>, DeviceError> {
        buffer.to_vec()
    }

    fn typed<T: Element>(&self, raw: RawBuffer) -> Buffer<T> {
        Buffer::from_raw(raw).expect("the buffer was made with the dtype of T")
    }

    /// Compiles and loads a kernel for a class of launches.
    ///
    /// # Errors
    /// It can't be compiled, or the device does not take it.
    pub fn load(&self, kernel: &Kernel, class: &LaunchClass) -> Result<LoadedKernel, LaunchError> {
        let emitted = compile(kernel, class, self.target())?;
        let module = self.inner.backend.load(kernel, &emitted)?;
        Ok(LoadedKernel { emitted, class: *class, module })
    }

    /// The kernel of a key, built by `build` the first time.
    pub(super) fn kernel(
        &self,
        key: &KernelKey,
        build: impl FnOnce() -> Result<Kernel, LaunchError>,
    ) -> Result<Arc<Kernel>, LaunchError> {
        if let Some(kernel) = self.cached(|cache| cache.kernels.get(key).cloned()) {
            return Ok(kernel);
        }
        // Built without the lock: a second thread may build it too, and one of the two equal results is kept.
        let kernel = Arc::new(build()?);
        Ok(self.cached(|cache| Arc::clone(cache.kernels.entry(key.clone()).or_insert(kernel))))
    }

    /// The module of a key and class, loaded the first time.
    pub(super) fn loaded(
        &self,
        key: &KernelKey,
        kernel: &Kernel,
        class: &LaunchClass,
    ) -> Result<Arc<LoadedKernel>, LaunchError> {
        let key = (key.clone(), *class);
        if let Some(loaded) = self.cached(|cache| cache.loaded.get(&key).cloned()) {
            return Ok(loaded);
        }
        let loaded = Arc::new(self.load(kernel, class)?);
        Ok(self.cached(|cache| Arc::clone(cache.loaded.entry(key).or_insert(loaded))))
    }

    fn cached<T>(&self, look: impl FnOnce(&mut Cache) -> T) -> T {
        // A panic of another thread can't leave the maps half changed: entries are only added.
        look(&mut self.inner.cache.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.description())
    }
}
