//! What a thread can ask of its launch: its place, and the parameters that are not buffers.

use smallvec::smallvec;

use super::{Keyword, ResultTypes, Rule, TypeError, op};
use crate::ir::kernel::{Kernel, ParamId, ParamKind};
use crate::ir::launch::Mode;
use crate::ir::types::DType;

op! {
    /// A geometry register, a `u32`.
    Geometry = "" [reg: GeomReg] {}
}

op! {
    /// The value of a scalar parameter.
    Scalar = "scalar" {
        /// The parameter.
        param: ParamId
    }
}

op! {
    /// The extent of a strided parameter on one axis, in elements, a `u64`.
    Shape = "shape" [axis: Axis] {
        /// The parameter.
        param: ParamId
    }
}

op! {
    /// The stride of a strided parameter on one axis, in elements, a `u64`.
    Stride = "stride" [axis: Axis] {
        /// The parameter.
        param: ParamId
    }
}

/// An axis of a strided parameter; the first is the outermost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Axis(pub u8);

impl Axis {
    /// The most axes that a strided parameter has.
    pub const MAX: u8 = 8;
}

impl Keyword for Axis {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self(0), "0"),
        (Self(1), "1"),
        (Self(2), "2"),
        (Self(3), "3"),
        (Self(4), "4"),
        (Self(5), "5"),
        (Self(6), "6"),
        (Self(7), "7"),
    ];
}

/// The geometry registers. `program_id` and `tid` mean what the launch's mode says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GeomReg {
    /// `program_id::<a>()`: see [`Mode`](crate::ir::Mode).
    ProgramId(u8),
    /// `tid`: see [`Mode`](crate::ir::Mode).
    Tid,
    /// Index of the thread in its CTA on an axis.
    ThreadId(u8),
    /// Index of the CTA in the grid on an axis.
    CtaId(u8),
    /// Threads of a CTA on an axis.
    CtaDim(u8),
    /// CTAs of the grid on an axis.
    GridDim(u8),
    /// CTA index × CTA dimension + thread index on an axis.
    GlobalId(u8),
    /// Linear thread index in the CTA, x fastest, modulo 32.
    LaneId,
    /// Linear thread index in the CTA, x fastest, divided by 32.
    WarpId,
    /// Threads of a CTA divided by 32, rounded up.
    WarpsPerCta,
    /// Warps of the CTA that have a thread within the extent; they are its first.
    ActiveWarps,
}

impl Keyword for GeomReg {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::ProgramId(0), "program_id.x"),
        (Self::ProgramId(1), "program_id.y"),
        (Self::ProgramId(2), "program_id.z"),
        (Self::Tid, "tid"),
        (Self::ThreadId(0), "thread_id.x"),
        (Self::ThreadId(1), "thread_id.y"),
        (Self::ThreadId(2), "thread_id.z"),
        (Self::CtaId(0), "cta_id.x"),
        (Self::CtaId(1), "cta_id.y"),
        (Self::CtaId(2), "cta_id.z"),
        (Self::CtaDim(0), "cta_dim.x"),
        (Self::CtaDim(1), "cta_dim.y"),
        (Self::CtaDim(2), "cta_dim.z"),
        (Self::GridDim(0), "grid_dim.x"),
        (Self::GridDim(1), "grid_dim.y"),
        (Self::GridDim(2), "grid_dim.z"),
        (Self::GlobalId(0), "global_id.x"),
        (Self::GlobalId(1), "global_id.y"),
        (Self::GlobalId(2), "global_id.z"),
        (Self::LaneId, "lane_id"),
        (Self::WarpId, "warp_id"),
        (Self::WarpsPerCta, "warps_per_cta"),
        (Self::ActiveWarps, "active_warps"),
    ];
}

impl GeomReg {
    /// What the register means in a mode: itself, unless it is `program_id` or `tid`. `Some(None)` is the constant 0,
    /// `None` a word that the mode does not have.
    pub fn resolve(self, mode: Mode) -> Option<Option<Self>> {
        match (self, mode) {
            (Self::ProgramId(0) | Self::Tid, Mode::Elementwise) => Some(Some(Self::GlobalId(0))),
            (Self::ProgramId(_), Mode::Elementwise) => Some(None),
            (Self::ProgramId(axis), Mode::Grid3D) => Some(Some(Self::GlobalId(axis))),
            (Self::Tid, Mode::Grid3D) => None,
            (Self::ProgramId(axis), Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D) => {
                Some(Some(Self::CtaId(axis)))
            }
            (Self::Tid, Mode::Reduction | Mode::SimdGroup2D | Mode::Tile2D) => Some(Some(Self::ThreadId(0))),
            (
                Self::ThreadId(_)
                | Self::CtaId(_)
                | Self::CtaDim(_)
                | Self::GridDim(_)
                | Self::GlobalId(_)
                | Self::LaneId
                | Self::WarpId
                | Self::WarpsPerCta
                | Self::ActiveWarps,
                _,
            ) => Some(Some(self)),
        }
    }
}

impl Rule for Geometry {
    fn results(&self, _kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        Ok(smallvec![DType::U32])
    }
}

impl Rule for Scalar {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        let param = &kernel.params[self.param];
        match param.kind {
            ParamKind::Scalar => Ok(smallvec![param.dtype]),
            ParamKind::Buffer { .. } => {
                Err(TypeError::ParamKind { name: param.name.clone(), wanted: "a scalar parameter" })
            }
        }
    }
}

fn axis_of(kernel: &Kernel, param: ParamId, axis: Axis) -> Result<ResultTypes, TypeError> {
    let param = &kernel.params[param];
    if axis.0 < param.rank() {
        Ok(smallvec![DType::U64])
    } else {
        Err(TypeError::ParamKind { name: param.name.clone(), wanted: "a strided parameter with that axis" })
    }
}

impl Rule for Shape {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        axis_of(kernel, self.param, self.axis)
    }
}

impl Rule for Stride {
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
        axis_of(kernel, self.param, self.axis)
    }
}
