//! How much of everything a target has.
//!
//! Numbers only; who exceeds them is told by the validator, the launch check and the occupancy analysis.

/// What one kernel, CTA or launch may use on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Shared memory that may be declared statically, in bytes.
    pub shared_static_bytes: u32,
    /// Shared memory of one CTA in all, once the kernel opted in to more than the static limit, in bytes.
    pub shared_max_bytes: u32,
    /// Registers of 32 bits that one thread may have, where the target says.
    pub registers_per_thread: Option<u32>,
    /// Threads of one CTA.
    pub threads_per_cta: u32,
    /// Threads of one CTA along x, y and z.
    pub cta_dims: [u32; 3],
    /// CTAs of a launch.
    pub grid: GridLimits,
    /// Lanes of a warp.
    pub warp_lanes: u32,
}

/// CTAs of a launch along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridLimits {
    /// Along x.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z.
    pub z: u32,
}

impl GridLimits {
    /// As an array, for the loop over axes.
    pub const fn as_array(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

/// What the warps on one SM share; the occupancy analysis divides by these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Registers of 32 bits.
    pub registers_per_sm: u32,
    /// Registers are handed to a warp in multiples of this many.
    pub register_granule: u32,
    /// Parts of the SM, each with an equal part of the registers and its own warps.
    pub parts: u32,
    /// Shared memory in bytes.
    pub shared_bytes_per_sm: u32,
    /// Shared memory is handed to a CTA in multiples of so many bytes.
    pub shared_granule: u32,
    /// Shared memory that each CTA costs beyond what it asks for, in bytes (device attribute 111).
    pub shared_reserved_per_cta: u32,
    /// Resident warps.
    pub warps_per_sm: u32,
    /// Resident CTAs.
    pub ctas_per_sm: u32,
}
