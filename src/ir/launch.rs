//! Launch geometry: what a launch is ([`Launch`]) and what code may assume of it ([`LaunchClass`]).
//!
//! A launch is a grid of CTAs of threads, and may carry an exact extent: threads beyond it load 0, store nothing and
//! are absent from warp operations, but reach every CTA barrier.

use std::fmt;

use super::op::Keyword;

/// What the short geometry words (`program_id`, `tid`) mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// One thread per element of a linear extent: `program_id::<0>()` is the linear global thread id.
    #[default]
    Elementwise,
    /// One thread per element of a three-axis extent: `program_id::<a>()` is the global thread id on axis `a`.
    Grid3D,
    /// One CTA per piece of work: `program_id::<a>()` is the CTA's index on axis `a`, `tid` the thread's in it.
    Reduction,
    /// CTA index on axis `a`, with a CTA of two or three axes.
    SimdGroup2D,
    /// CTA index on axis `a`; kernels that use tile values are refused.
    Tile2D,
}

impl Keyword for Mode {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Elementwise, "elementwise"),
        (Self::Grid3D, "grid3d"),
        (Self::Reduction, "reduction"),
        (Self::SimdGroup2D, "simdgroup2d"),
        (Self::Tile2D, "tile2d"),
    ];
}

/// Whether threads can lie beyond the extent, and how it is measured.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExtentKind {
    /// Every thread of every CTA takes part.
    Whole,
    /// Threads whose linear global id is at least the extent (one `u32`) don't.
    Linear,
    /// Threads whose global id on any axis is at least that axis' extent (three `u32`) don't.
    Axes,
}

impl Keyword for ExtentKind {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Whole, "whole"), (Self::Linear, "linear"), (Self::Axes, "axes")];
}

impl ExtentKind {
    /// How many extents the launch passes.
    pub fn axes(self) -> usize {
        match self {
            Self::Whole => 0,
            Self::Linear => 1,
            Self::Axes => 3,
        }
    }
}

/// How the grid reaches the hardware.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GridForm {
    /// Axis for axis.
    Native,
    /// All CTAs along x, unpacked in the kernel: for grids whose y or z exceeds 65,535.
    Linear,
}

impl Keyword for GridForm {
    const ALL: &'static [(Self, &'static str)] = &[(Self::Native, "native"), (Self::Linear, "linear")];
}

/// What emitted code may assume of its launches. PTX is a function of kernel, dtypes, class and target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaunchClass {
    /// What the short geometry words mean.
    pub mode: Mode,
    /// The CTA's shape, or any.
    pub cta: Option<[u32; 3]>,
    /// Whether threads can lie beyond the extent.
    pub extent: ExtentKind,
    /// Every buffer starts at a multiple of this many bytes (a power of two); vector accesses need their own size.
    pub align: u32,
    /// How the grid reaches the hardware.
    pub grid: GridForm,
}

impl LaunchClass {
    /// The class of launches in `mode` with that CTA shape, whose buffers the runtime allocated.
    pub fn new(mode: Mode, cta: Option<[u32; 3]>) -> Self {
        let extent = match mode {
            Mode::Elementwise => ExtentKind::Linear,
            Mode::Grid3D => ExtentKind::Axes,
            Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D => ExtentKind::Whole,
        };
        Self { mode, cta, extent, align: 16, grid: GridForm::Native }
    }

    /// Whether the lanes of a warp that are within the extent are always its first.
    pub fn keeps_lanes_in_front(&self) -> bool {
        match (self.extent, self.cta) {
            (ExtentKind::Whole | ExtentKind::Linear, _) => true,
            // The lanes of a warp in one row share the other axes, so all or none of them are within those extents.
            (ExtentKind::Axes, Some([x, y, z])) => x % 32 == 0 || y.saturating_mul(z) == 1,
            (ExtentKind::Axes, None) => self.mode == Mode::Elementwise,
        }
    }

    /// Threads per CTA, where the shape is fixed.
    pub fn threads(&self) -> Option<u32> {
        self.cta.map(|[x, y, z]| x * y * z)
    }
}

impl fmt::Display for LaunchClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.mode.keyword())?;
        match self.cta {
            Some([x, y, z]) => write!(f, " cta={x}x{y}x{z}")?,
            None => write!(f, " cta=any")?,
        }
        write!(f, " extent={} align={} grid={}", self.extent.keyword(), self.align, self.grid.keyword())
    }
}

/// One launch: CTAs × threads, and the exact extent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Launch {
    /// What the short geometry words mean.
    pub mode: Mode,
    /// CTAs on each axis; a zero makes the launch a successful no-op.
    pub grid: [u64; 3],
    /// Threads of a CTA on each axis.
    pub cta: [u32; 3],
    /// The exact extent, in threads, or `None` where every thread takes part.
    pub extent: Option<[u64; 3]>,
}

impl Launch {
    /// `n` threads in CTAs of `cta`, elementwise: threads at and beyond `n` do nothing.
    pub fn linear(n: u64, cta: u32) -> Self {
        let grid = [n.div_ceil(u64::from(cta.max(1))), 1, 1];
        Self { mode: Mode::Elementwise, grid, cta: [cta, 1, 1], extent: Some([n, 1, 1]) }
    }

    /// Whole CTAs.
    pub fn ctas(mode: Mode, grid: [u64; 3], cta: [u32; 3]) -> Self {
        Self { mode, grid, cta, extent: None }
    }

    /// Exact extents on three axes, in threads.
    pub fn threads(mode: Mode, extent: [u64; 3], cta: [u32; 3]) -> Self {
        let grid = std::array::from_fn(|axis| extent[axis].div_ceil(u64::from(cta[axis].max(1))));
        Self { mode, grid, cta, extent: Some(extent) }
    }

    /// Threads of one CTA.
    pub fn cta_threads(&self) -> u64 {
        self.cta.iter().map(|&axis| u64::from(axis)).product()
    }

    /// CTAs of the grid; a zero on any axis makes none, however long the others are.
    pub fn cta_count(&self) -> u64 {
        self.grid.iter().fold(1, |count: u64, &axis| count.saturating_mul(axis))
    }

    /// The narrowest class this launch belongs to, its buffers being multiples of `align` bytes.
    pub fn class(&self, align: u32) -> LaunchClass {
        let extent = match (self.mode, self.extent) {
            (_, None) => ExtentKind::Whole,
            (Mode::Elementwise, Some(_)) => ExtentKind::Linear,
            (Mode::Grid3D | Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D, Some(_)) => ExtentKind::Axes,
        };
        let grid =
            if self.grid[1] > 65_535 || self.grid[2] > 65_535 { GridForm::Linear } else { GridForm::Native };
        LaunchClass { mode: self.mode, cta: Some(self.cta), extent, align, grid }
    }
}

/// How many threads are asked for, before a mode gives them a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Geometry {
    /// Exactly so many threads along x.
    Linear {
        /// Threads.
        threads: u64,
        /// Threads of a CTA.
        cta: u32,
    },
    /// Exactly so many threads on each axis.
    Threads {
        /// Threads.
        threads: [u64; 3],
        /// Threads of a CTA.
        cta: [u32; 3],
    },
    /// Whole CTAs.
    Ctas {
        /// CTAs.
        grid: [u64; 3],
        /// Threads of a CTA.
        cta: [u32; 3],
    },
}

impl Geometry {
    /// The launch in a mode. An axis of a CTA that is 0 stays 0, for the validator to refuse.
    pub fn launch(self, mode: Mode) -> Launch {
        match self {
            Self::Linear { threads, cta } => Launch { mode, ..Launch::linear(threads, cta) },
            Self::Threads { threads, cta } => {
                let grid = [0, 1, 2].map(|axis| threads[axis].div_ceil(u64::from(cta[axis].max(1))));
                Launch { mode, grid, cta, extent: Some(threads) }
            }
            Self::Ctas { grid, cta } => Launch::ctas(mode, grid, cta),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_threads_are_covered_by_whole_ctas() {
        let launch = Geometry::Threads { threads: [10, 3, 0], cta: [4, 2, 1] }.launch(Mode::Grid3D);
        assert_eq!((launch.grid, launch.extent), ([3, 2, 0], Some([10, 3, 0])));
        let launch = Geometry::Linear { threads: 5, cta: 4 }.launch(Mode::Reduction);
        assert_eq!((launch.grid, launch.extent, launch.mode), ([2, 1, 1], Some([5, 1, 1]), Mode::Reduction));
    }

    #[test]
    fn a_linear_launch_keeps_its_exact_extent() {
        let launch = Launch::linear(1000, 256);
        assert_eq!((launch.grid, launch.extent), ([4, 1, 1], Some([1000, 1, 1])));
        assert_eq!(launch.class(16).extent, ExtentKind::Linear);
        assert_eq!(Launch::linear(0, 256).cta_count(), 0);
    }

    #[test]
    fn a_tall_grid_is_linearised() {
        assert_eq!(
            Launch::ctas(Mode::Reduction, [1, 65_536, 1], [32, 1, 1]).class(16).grid,
            GridForm::Linear
        );
        assert_eq!(
            Launch::ctas(Mode::Reduction, [1, 65_535, 1], [32, 1, 1]).class(16).grid,
            GridForm::Native
        );
    }
}
