//! The thread's place in its launch, under every name that kernels use for it.

use super::build::with;
use super::error::BuildError;
use super::val::{HostInt, Int, IntoVal, Val, host_int};
use crate::ir::op::{GeomReg, Geometry};

fn register(reg: GeomReg) -> Val {
    with(|build| build.value(Geometry { reg }))
}

fn on_axis(axis: impl HostInt, reg: fn(u8) -> GeomReg) -> Val {
    let axis = host_int(axis);
    match u8::try_from(axis) {
        Ok(axis @ 0..3) => register(reg(axis)),
        Ok(_) | Err(_) => {
            with(|build| build.error(BuildError::NoAxis { axis, rank: 3 }));
            Int(0).val()
        }
    }
}

/// `program_id(axis)`: what it means is the mode's.
pub fn program_id_at(axis: impl HostInt) -> Val {
    on_axis(axis, GeomReg::ProgramId)
}

macro_rules! axes {
    ($($(#[$doc:meta])* $name:ident = $reg:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name<const AXIS: usize>() -> Val {
            on_axis(AXIS, GeomReg::$reg)
        }
    )*};
}

axes! {
    /// `program_id::<axis>()`: what it means is the mode's.
    program_id = ProgramId;
    /// CTA index × CTA dimension + thread index.
    global_id = GlobalId;
    /// Index of the CTA in the grid.
    cta_id = CtaId;
    /// Index of the thread in its CTA.
    thread_id = ThreadId;
    /// Threads of a CTA.
    cta_dim = CtaDim;
    /// CTAs of the grid.
    grid_dim = GridDim;
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $reg:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name() -> Val {
            register($reg)
        }
    )*};
}

words! {
    /// The thread's index; what it means is the mode's.
    tid = GeomReg::Tid;
    /// Index of the thread in its CTA, x.
    tid_x = GeomReg::ThreadId(0);
    /// Index of the thread in its CTA, y.
    tid_y = GeomReg::ThreadId(1);
    /// Index of the thread in its CTA, z.
    tid_z = GeomReg::ThreadId(2);
    /// Threads of a CTA, x.
    lsize = GeomReg::CtaDim(0);
    /// Warps of a CTA.
    n_simd = GeomReg::WarpsPerCta;
    /// Lane in the warp.
    simd_lane = GeomReg::LaneId;
    /// Warp in the CTA.
    simd_id = GeomReg::WarpId;
    /// CTA index, x.
    tgid_x = GeomReg::CtaId(0);
    /// CTA index, y.
    tgid_y = GeomReg::CtaId(1);
    /// CTA index, z.
    tgid_z = GeomReg::CtaId(2);
    /// Lane in the warp: the linear thread id modulo 32.
    lane_id = GeomReg::LaneId;
    /// Warp in the CTA: the linear thread id divided by 32.
    warp_id = GeomReg::WarpId;
    /// Warps of a CTA: threads / 32, rounded up.
    warps_per_cta = GeomReg::WarpsPerCta;
    /// Warps of the CTA that have a thread within the extent.
    active_warps = GeomReg::ActiveWarps;
    /// Lane in the warp.
    simd_lane_id = GeomReg::LaneId;
    /// Warp in the CTA.
    simd_group_id = GeomReg::WarpId;
}
