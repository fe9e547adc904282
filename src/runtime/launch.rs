//! The launch builder: binds by name, checks, compiles once, runs.
//!
//! On entry: any arguments in any order. On exit: the kernel ran to its end and its results are in the buffers, or an
//! error says why not and nothing was written, unless the device itself faulted. An empty grid is a success.

use std::sync::Arc;

use super::buffer::{View, ViewMut};
use super::check;
use super::compile;
use super::device::{Device, KernelKey, LoadedKernel};
use super::error::{ArgumentProblem, GeometryProblem, LaunchError};
use super::pack;
use super::source::{ElementSpec, KernelSource};
use crate::backend::{self, AbiKind, DeviceMemory, LaunchStats};
use crate::entity::SecondaryMap;
use crate::ir::{
    DType, ExtentKind, Geometry, HostCount, Kernel, Launch, Literal, Mode, ParamId, ParamKind, Scalar,
};

/// A launch that is being put together.
#[derive(Debug)]
pub struct LaunchBuilder<'a> {
    device: &'a Device,
    source: Source<'a>,
    dtypes: Option<Vec<DType>>,
    arguments: Vec<(&'a str, Argument<'a>)>,
    mode: Option<Mode>,
    geometry: Option<Geometry>,
    negative: bool,
}

#[derive(Debug)]
enum Source<'a> {
    /// Built for the dtypes of the arguments, and kept.
    Registered { source: KernelSource, instance: String },
    /// Built already.
    Built(&'a Kernel),
    /// Built and compiled already.
    Loaded(&'a Kernel, Arc<LoadedKernel>),
}

#[derive(Debug)]
enum Argument<'a> {
    Buffer { view: View<'a>, mutable: bool },
    Scalar(Scalar),
}

/// A launch that passed its checks.
#[derive(Debug)]
pub struct PreparedLaunch<'a> {
    kernel: KernelRef<'a>,
    /// Nothing to run for an empty grid.
    loaded: Option<Arc<LoadedKernel>>,
    launch: Launch,
    views: SecondaryMap<ParamId, Option<View<'a>>>,
    scalars: SecondaryMap<ParamId, u64>,
}

#[derive(Debug)]
enum KernelRef<'a> {
    Shared(Arc<Kernel>),
    Borrowed(&'a Kernel),
}

impl KernelRef<'_> {
    fn get(&self) -> &Kernel {
        match self {
            Self::Shared(kernel) => kernel,
            Self::Borrowed(kernel) => kernel,
        }
    }
}

impl<'a> LaunchBuilder<'a> {
    /// A launch of a kernel that is built for the dtypes of its arguments. What is built and loaded stays with the
    /// device.
    pub fn new(device: &'a Device, source: KernelSource) -> Self {
        Self::from(device, Source::Registered { source, instance: String::new() })
    }

    /// A launch of a kernel that was built before; compiled each time.
    pub fn of(device: &'a Device, kernel: &'a Kernel) -> Self {
        Self::from(device, Source::Built(kernel))
    }

    /// A launch of a kernel that was loaded before. Launches of another class are compiled.
    pub fn of_loaded(device: &'a Device, kernel: &'a Kernel, loaded: Arc<LoadedKernel>) -> Self {
        Self::from(device, Source::Loaded(kernel, loaded))
    }

    fn from(device: &'a Device, source: Source<'a>) -> Self {
        Self {
            device,
            source,
            dtypes: None,
            arguments: Vec::new(),
            mode: None,
            geometry: None,
            negative: false,
        }
    }

    /// The values of const parameters, which tell builds of one source apart.
    #[must_use]
    pub fn instance(mut self, values: impl Into<String>) -> Self {
        if let Source::Registered { instance, .. } = &mut self.source {
            *instance = values.into();
        }
        self
    }

    /// The dtypes of the type parameters, for kernels whose arguments don't fix them.
    #[must_use]
    pub fn dtypes(mut self, dtypes: &[DType]) -> Self {
        self.dtypes = Some(dtypes.to_vec());
        self
    }

    /// Gives a buffer for a parameter that the kernel only reads.
    #[must_use]
    pub fn bind(mut self, name: &'a str, view: impl Into<View<'a>>) -> Self {
        self.arguments.push((name, Argument::Buffer { view: view.into(), mutable: false }));
        self
    }

    /// Gives a buffer for a parameter that the kernel may write.
    #[must_use]
    pub fn bind_mut(mut self, name: &'a str, view: impl Into<ViewMut<'a>>) -> Self {
        self.arguments.push((name, Argument::Buffer { view: view.into().0, mutable: true }));
        self
    }

    /// Gives a scalar.
    #[must_use]
    pub fn scalar(mut self, name: &'a str, value: impl Into<Scalar>) -> Self {
        self.arguments.push((name, Argument::Scalar(value.into())));
        self
    }

    /// What the short geometry words mean; not needed where the kernel says so itself.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// The geometry as data.
    #[must_use]
    pub fn geometry(mut self, geometry: Geometry) -> Self {
        self.geometry = Some(geometry);
        self
    }

    /// Exactly `threads` threads, in CTAs of `cta`.
    #[must_use]
    pub fn threads_1d(mut self, threads: impl HostCount, cta: u32) -> Self {
        let threads = self.count(threads);
        self.geometry(Geometry::Linear { threads, cta })
    }

    /// Exactly so many threads on each axis, in CTAs of `cta`.
    #[must_use]
    pub fn threads_3d(
        mut self,
        x: impl HostCount,
        y: impl HostCount,
        z: impl HostCount,
        cta: [u32; 3],
    ) -> Self {
        let threads = [self.count(x), self.count(y), self.count(z)];
        self.geometry(Geometry::Threads { threads, cta })
    }

    /// The same as [`threads_1d`](Self::threads_1d).
    #[must_use]
    pub fn grid_1d(self, threads: impl HostCount, cta: u32) -> Self {
        self.threads_1d(threads, cta)
    }

    /// So many CTAs of `cta` threads.
    #[must_use]
    pub fn grid_2d(self, x: impl HostCount, y: impl HostCount, cta: [u32; 2]) -> Self {
        self.grid_3d(x, y, 1u32, [cta[0], cta[1], 1])
    }

    /// So many CTAs of `cta` threads.
    #[must_use]
    pub fn grid_3d(mut self, x: impl HostCount, y: impl HostCount, z: impl HostCount, cta: [u32; 3]) -> Self {
        let grid = [self.count(x), self.count(y), self.count(z)];
        self.geometry(Geometry::Ctas { grid, cta })
    }

    /// Checks, compiles if need be, and runs.
    ///
    /// # Errors
    /// An argument or the grid does not fit, the kernel can't be had for this device, or it faulted.
    pub fn run(self) -> Result<LaunchStats, LaunchError> {
        self.prepare()?.run()
    }

    /// Checks and compiles, and leaves the launch to be run any number of times.
    ///
    /// # Errors
    /// As [`run`](Self::run), but for faults.
    pub fn prepare(self) -> Result<PreparedLaunch<'a>, LaunchError> {
        let path = self.path();
        let argument = |problem: ArgumentProblem| LaunchError::Argument {
            kernel: path.clone(),
            problem: Box::new(problem),
        };
        let (key, kernel) = self.kernel().map_err(|error| match error {
            KernelFailure::Argument(problem) => argument(problem),
            KernelFailure::Launch(error) => error,
        })?;
        let launch = self.launch(kernel.get())?;
        let Self { device, source, arguments, .. } = self;
        let (views, scalars) = bind(kernel.get(), arguments).map_err(argument)?;
        check::buffers(device, kernel.get(), &views).map_err(argument)?;
        let class = launch.class(alignment(kernel.get(), &views));
        let loaded = if launch.grid.contains(&0) {
            compile::check(kernel.get(), &class, device.target())?;
            None
        } else {
            let loaded = match (&key, source) {
                (_, Source::Loaded(_, loaded)) if loaded.class == class => loaded,
                (Some(key), _) => device.loaded(key, kernel.get(), &class)?,
                (None, _) => Arc::new(device.load(kernel.get(), &class)?),
            };
            check::lengths(kernel.get(), &launch, &views).map_err(argument)?;
            Some(loaded)
        };
        Ok(PreparedLaunch { kernel, loaded, launch, views, scalars })
    }

    fn count(&mut self, value: impl HostCount) -> u64 {
        let count = value.count();
        self.negative |= count.is_none();
        count.unwrap_or(0)
    }

    fn path(&self) -> String {
        match &self.source {
            Source::Registered { source, .. } => source.path(),
            Source::Built(kernel) | Source::Loaded(kernel, _) => kernel.path(),
        }
    }

    fn kernel(&self) -> Result<(Option<KernelKey>, KernelRef<'a>), KernelFailure> {
        let (source, instance) = match &self.source {
            Source::Built(kernel) | Source::Loaded(kernel, _) => {
                return Ok((None, KernelRef::Borrowed(kernel)));
            }
            Source::Registered { source, instance } => (source, instance),
        };
        let dtypes = self.infer_dtypes(source).map_err(KernelFailure::Argument)?;
        let key = KernelKey { path: source.path(), instance: instance.clone(), dtypes };
        let kernel = self.device.kernel(&key, || {
            (source.build)(&key.dtypes)
                .map_err(|error| LaunchError::Build { kernel: source.path(), error: Arc::from(error) })
        });
        Ok((Some(key), KernelRef::Shared(kernel.map_err(KernelFailure::Launch)?)))
    }

    /// The dtype of each type parameter, from the arguments that have it.
    fn infer_dtypes(&self, source: &KernelSource) -> Result<Vec<DType>, ArgumentProblem> {
        if let Some(dtypes) = &self.dtypes {
            let (expected, given) = (source.type_params, dtypes.len());
            return if given == expected {
                Ok(dtypes.clone())
            } else {
                Err(ArgumentProblem::TypeCount { expected, given })
            };
        }
        let mut found: Vec<Option<(DType, &str)>> = vec![None; source.type_params];
        let mut missing = None;
        // Buffers first: a scalar of a type parameter is converted to what the buffers say.
        for buffers in [true, false] {
            for spec in source.params {
                let ElementSpec::Type(number) = spec.element else { continue };
                let Some((_, argument)) = self.arguments.iter().find(|(name, _)| *name == spec.name) else {
                    missing.get_or_insert(spec.name);
                    continue;
                };
                let Some(slot) = found.get_mut(number) else { continue };
                match (argument, *slot) {
                    (Argument::Buffer { view, .. }, None) if buffers => {
                        *slot = Some((view.buffer.dtype(), spec.name));
                    }
                    (Argument::Buffer { view, .. }, Some((expected, first)))
                        if view.buffer.dtype() != expected =>
                    {
                        let (param, first, given) = (spec.name.into(), first.into(), view.buffer.dtype());
                        return Err(ArgumentProblem::TypeParameter { param, given, first, expected });
                    }
                    (Argument::Scalar(value), None) if !buffers => *slot = Some((value.0.dtype, spec.name)),
                    (Argument::Buffer { .. } | Argument::Scalar(_), _) => {}
                }
            }
        }
        let complete: Option<Vec<DType>> = found.iter().map(|slot| slot.map(|(dtype, _)| dtype)).collect();
        complete.ok_or_else(|| match missing {
            Some(param) => ArgumentProblem::Missing { param: param.into() },
            None => {
                let number = found.iter().position(Option::is_none).unwrap_or_default();
                ArgumentProblem::NoType { number }
            }
        })
    }

    fn launch(&self, kernel: &Kernel) -> Result<Launch, LaunchError> {
        let problem = |problem| LaunchError::Geometry { kernel: kernel.path(), problem };
        if self.negative {
            return Err(problem(GeometryProblem::Negative));
        }
        let geometry = self.geometry.ok_or_else(|| problem(GeometryProblem::Missing))?;
        // Where the kernel has another mode, the class check says so.
        let launch = geometry.launch(self.mode.or(kernel.mode).unwrap_or_default());
        if !launch.grid.contains(&0) {
            check::geometry(kernel, &launch).map_err(problem)?;
        }
        Ok(launch)
    }
}

enum KernelFailure {
    Argument(ArgumentProblem),
    Launch(LaunchError),
}

type Bound<'a> = (SecondaryMap<ParamId, Option<View<'a>>>, SecondaryMap<ParamId, u64>);

/// One argument for each parameter.
fn bind<'a>(kernel: &Kernel, arguments: Vec<(&'a str, Argument<'a>)>) -> Result<Bound<'a>, ArgumentProblem> {
    let count = kernel.params.len();
    let (mut views, mut scalars) = (SecondaryMap::with_len(None, count), SecondaryMap::with_len(0, count));
    let mut given = SecondaryMap::with_len(false, count);
    for (name, argument) in arguments {
        let Some(id) = kernel.param(name) else {
            let known = kernel.params.values().map(|param| param.name.clone()).collect();
            return Err(ArgumentProblem::Unknown { name: name.into(), known });
        };
        let (declared, param) = (&kernel.params[id], || name.to_owned());
        if std::mem::replace(&mut given[id], true) {
            return Err(ArgumentProblem::Twice { name: param() });
        }
        match (argument, declared.kind) {
            (Argument::Buffer { mutable: false, .. }, ParamKind::Buffer { written: true, .. }) => {
                return Err(ArgumentProblem::NotMutable { param: param() });
            }
            (Argument::Buffer { view, .. }, ParamKind::Buffer { .. }) => views[id] = Some(view),
            (Argument::Scalar(value), ParamKind::Scalar) => {
                let literal: Result<Literal, _> = value.to(declared.dtype);
                scalars[id] =
                    literal.map_err(|error| ArgumentProblem::Scalar { param: param(), error })?.bits;
            }
            (Argument::Buffer { .. }, ParamKind::Scalar) => {
                return Err(ArgumentProblem::BufferForScalar { param: param() });
            }
            (Argument::Scalar(_), ParamKind::Buffer { .. }) => {
                return Err(ArgumentProblem::ScalarForBuffer { param: param() });
            }
        }
    }
    match kernel.params.iter().find(|(id, _)| !given[*id]) {
        Some((_, param)) => Err(ArgumentProblem::Missing { param: param.name.clone() }),
        None => Ok((views, scalars)),
    }
}

/// The largest power of two up to 16 that every buffer's address is a multiple of.
fn alignment(kernel: &Kernel, views: &SecondaryMap<ParamId, Option<View<'_>>>) -> u32 {
    let addresses = kernel.params.ids().filter_map(|id| views[id].as_ref()).map(|view| view.range().start);
    let bits = addresses.fold(16u64, |bits, address| bits | address);
    1 << bits.trailing_zeros().min(4)
}

impl PreparedLaunch<'_> {
    /// The launch's geometry.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// What was compiled; nothing for an empty grid.
    pub fn loaded(&self) -> Option<&Arc<LoadedKernel>> {
        self.loaded.as_ref()
    }

    /// Runs it and waits.
    ///
    /// # Errors
    /// The device refused, or the kernel faulted.
    pub fn run(&self) -> Result<LaunchStats, LaunchError> {
        let Some(loaded) = &self.loaded else { return Ok(LaunchStats::default()) };
        let params = backend::pack(&loaded.emitted.params, |kind| self.passed(kind, loaded));
        let views = self.kernel.get().params.ids().filter_map(|id| self.views[id].as_ref());
        let buffers: Vec<&dyn DeviceMemory> = views.map(|view| &*view.buffer.memory).collect();
        Ok(loaded.module.launch(&self.launch, &params, &buffers)?)
    }

    /// What is passed for a parameter of the entry.
    fn passed(&self, kind: AbiKind, loaded: &LoadedKernel) -> u64 {
        let view = |id: ParamId| self.views[id].as_ref();
        // A flat buffer for a strided parameter is its one axis; bind() saw to it that there is a view at all.
        match kind {
            AbiKind::Buffer(id) => view(id).map_or(0, |view| view.range().start),
            AbiKind::Scalar(id) => self.scalars[id],
            AbiKind::Shape(id, axis) => view(id).map_or(0, |view| match &view.axes {
                Some((shape, _)) => shape[usize::from(axis)],
                None => view.len,
            }),
            AbiKind::Stride(id, axis) => view(id).map_or(0, |view| match &view.axes {
                Some((_, strides)) => strides[usize::from(axis)],
                None => 1,
            }),
            AbiKind::Extent(axis) => {
                pack::extent(&self.launch, axis, loaded.class.extent == ExtentKind::Linear)
            }
            AbiKind::GridDim(axis) => self.launch.grid[usize::from(axis)],
        }
    }
}

/// Writes the geometry methods, `prepare` and `run` for a struct whose only field is a [`LaunchBuilder`], named `self.0`.
#[doc(hidden)]
#[macro_export]
macro_rules! __forward_geometry {
    ($name:ident) => {
        impl<'a> $name<'a> {
            /// What the short geometry words mean; not needed where the kernel says so itself.
            #[must_use]
            pub fn mode(self, mode: $crate::ir::Mode) -> Self {
                Self(self.0.mode(mode))
            }

            /// The dtypes of the type parameters, for kernels whose arguments don't fix them.
            #[must_use]
            pub fn dtypes(self, dtypes: &[$crate::ir::DType]) -> Self {
                Self(self.0.dtypes(dtypes))
            }

            /// Exactly `threads` threads, in CTAs of `cta`.
            #[must_use]
            pub fn threads_1d(self, threads: impl $crate::ir::HostCount, cta: u32) -> Self {
                Self(self.0.threads_1d(threads, cta))
            }

            /// Exactly so many threads on each axis, in CTAs of `cta`.
            #[must_use]
            pub fn threads_3d(
                self,
                x: impl $crate::ir::HostCount,
                y: impl $crate::ir::HostCount,
                z: impl $crate::ir::HostCount,
                cta: [u32; 3],
            ) -> Self {
                Self(self.0.threads_3d(x, y, z, cta))
            }

            /// The same as `threads_1d`.
            #[must_use]
            pub fn grid_1d(self, threads: impl $crate::ir::HostCount, cta: u32) -> Self {
                Self(self.0.grid_1d(threads, cta))
            }

            /// So many CTAs of `cta` threads.
            #[must_use]
            pub fn grid_2d(
                self,
                x: impl $crate::ir::HostCount,
                y: impl $crate::ir::HostCount,
                cta: [u32; 2],
            ) -> Self {
                Self(self.0.grid_2d(x, y, cta))
            }

            /// So many CTAs of `cta` threads.
            #[must_use]
            pub fn grid_3d(
                self,
                x: impl $crate::ir::HostCount,
                y: impl $crate::ir::HostCount,
                z: impl $crate::ir::HostCount,
                cta: [u32; 3],
            ) -> Self {
                Self(self.0.grid_3d(x, y, z, cta))
            }

            /// Checks and compiles if need be, to be run later, or often.
            ///
            /// # Errors
            /// An argument or the grid does not fit, or the kernel can't be had for this device.
            pub fn prepare(
                self,
            ) -> ::std::result::Result<$crate::runtime::PreparedLaunch<'a>, $crate::runtime::LaunchError>
            {
                self.0.prepare()
            }

            /// Checks, compiles if need be, and runs.
            ///
            /// # Errors
            /// An argument or the grid does not fit, the kernel can't be had for this device, or it faulted.
            pub fn run(
                self,
            ) -> ::std::result::Result<$crate::backend::LaunchStats, $crate::runtime::LaunchError> {
                self.0.run()
            }
        }
    };
}
