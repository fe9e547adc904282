//! Special registers: what `mov` can read of a thread's place and of the machine.
//!
//! Exit: a name printed here is one that the assembler knows. They are sources of `mov` only; no other
//! instruction takes one.

use super::reg::RegClass;
use super::version::Requirement;

macro_rules! special_registers {
    ($($(#[$meta:meta])* $name:ident = $text:literal, $class:ident;)*) => {
        /// A special register.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SpecialReg { $($(#[$meta])* $name,)* }

        impl SpecialReg {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name with its `%`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The width of the value.
            pub const fn class(self) -> RegClass {
                match self { $(Self::$name => RegClass::$class,)* }
            }

            /// Finds one by its name.
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

special_registers! {
    /// Thread index in the CTA, x.
    TidX = "%tid.x", B32;
    /// Thread index in the CTA, y.
    TidY = "%tid.y", B32;
    /// Thread index in the CTA, z.
    TidZ = "%tid.z", B32;
    /// CTA extent, x.
    NtidX = "%ntid.x", B32;
    /// CTA extent, y.
    NtidY = "%ntid.y", B32;
    /// CTA extent, z.
    NtidZ = "%ntid.z", B32;
    /// CTA index in the grid, x.
    CtaidX = "%ctaid.x", B32;
    /// CTA index in the grid, y.
    CtaidY = "%ctaid.y", B32;
    /// CTA index in the grid, z.
    CtaidZ = "%ctaid.z", B32;
    /// Grid extent, x.
    NctaidX = "%nctaid.x", B32;
    /// Grid extent, y.
    NctaidY = "%nctaid.y", B32;
    /// Grid extent, z.
    NctaidZ = "%nctaid.z", B32;
    /// Lane index in the warp.
    Laneid = "%laneid", B32;
    /// Warp index in the CTA; it may change while the thread runs, so `%tid` decides instead.
    Warpid = "%warpid", B32;
    /// Most warps of a CTA.
    Nwarpid = "%nwarpid", B32;
    /// The multiprocessor.
    Smid = "%smid", B32;
    /// Most multiprocessor ids.
    Nsmid = "%nsmid", B32;
    /// Bit of the own lane.
    LanemaskEq = "%lanemask_eq", B32;
    /// Bits of the lanes below.
    LanemaskLt = "%lanemask_lt", B32;
    /// Bits of the lanes below and of the own.
    LanemaskLe = "%lanemask_le", B32;
    /// Bits of the lanes above.
    LanemaskGt = "%lanemask_gt", B32;
    /// Bits of the lanes above and of the own.
    LanemaskGe = "%lanemask_ge", B32;
    /// Cycle counter, low half.
    Clock = "%clock", B32;
    /// Cycle counter.
    Clock64 = "%clock64", B64;
    /// Nanoseconds.
    Globaltimer = "%globaltimer", B64;
    /// The launch.
    Gridid = "%gridid", B64;
    /// Bytes of dynamic shared memory of the launch.
    DynamicSmemSize = "%dynamic_smem_size", B32;
    /// Bytes of shared memory of the CTA, static and dynamic.
    TotalSmemSize = "%total_smem_size", B32;
    /// Bytes of shared memory of the CTA, with what the chip keeps for itself.
    AggrSmemSize = "%aggr_smem_size", B32;
    /// Where the shared memory that the system keeps for itself begins.
    ReservedSmemBegin = "%reserved_smem_offset_begin", B32;
    /// Where it ends.
    ReservedSmemEnd = "%reserved_smem_offset_end", B32;
    /// Bytes of it.
    ReservedSmemCap = "%reserved_smem_offset_cap", B32;
    /// A place in it.
    ReservedSmem0 = "%reserved_smem_offset_0", B32;
    /// Another place in it.
    ReservedSmem1 = "%reserved_smem_offset_1", B32;
    /// Cycle counter, high half.
    ClockHi = "%clock_hi", B32;
    /// Nanoseconds, low half.
    GlobaltimerLo = "%globaltimer_lo", B32;
    /// Nanoseconds, high half.
    GlobaltimerHi = "%globaltimer_hi", B32;
    /// The graph that the launch is a node of; 0 outside of graphs.
    CurrentGraphExec = "%current_graph_exec", B64;
    /// Rank of the CTA in its cluster.
    ClusterCtarank = "%cluster_ctarank", B32;
    /// CTAs of a cluster.
    ClusterNctarank = "%cluster_nctarank", B32;
    /// CTA index in the cluster, x.
    ClusterCtaidX = "%cluster_ctaid.x", B32;
    /// CTA index in the cluster, y.
    ClusterCtaidY = "%cluster_ctaid.y", B32;
    /// CTA index in the cluster, z.
    ClusterCtaidZ = "%cluster_ctaid.z", B32;
    /// Cluster extent, x.
    ClusterNctaidX = "%cluster_nctaid.x", B32;
    /// Cluster extent, y.
    ClusterNctaidY = "%cluster_nctaid.y", B32;
    /// Cluster extent, z.
    ClusterNctaidZ = "%cluster_nctaid.z", B32;
    /// Cluster index in the grid, x.
    ClusteridX = "%clusterid.x", B32;
    /// Cluster index in the grid, y.
    ClusteridY = "%clusterid.y", B32;
    /// Cluster index in the grid, z.
    ClusteridZ = "%clusterid.z", B32;
    /// Clusters of the grid, x.
    NclusteridX = "%nclusterid.x", B32;
    /// Clusters of the grid, y.
    NclusteridY = "%nclusterid.y", B32;
    /// Clusters of the grid, z.
    NclusteridZ = "%nclusterid.z", B32;
}

impl SpecialReg {
    /// Whether its low half may be read alone.
    pub const fn has_halves(self) -> bool {
        matches!(
            self,
            Self::TidX
                | Self::TidY
                | Self::TidZ
                | Self::NtidX
                | Self::NtidY
                | Self::NtidZ
                | Self::CtaidX
                | Self::CtaidY
                | Self::CtaidZ
                | Self::NctaidX
                | Self::NctaidY
                | Self::NctaidZ
        )
    }

    /// What reading it needs.
    pub fn requires(self) -> Requirement {
        match self {
            Self::ClusterCtarank
            | Self::ClusterNctarank
            | Self::ClusterCtaidX
            | Self::ClusterCtaidY
            | Self::ClusterCtaidZ
            | Self::ClusterNctaidX
            | Self::ClusterNctaidY
            | Self::ClusterNctaidZ
            | Self::ClusteridX
            | Self::ClusteridY
            | Self::ClusteridZ
            | Self::NclusteridX
            | Self::NclusteridY
            | Self::NclusteridZ => Requirement::new(7, 8, 90),
            Self::ReservedSmemBegin
            | Self::ReservedSmemEnd
            | Self::ReservedSmemCap
            | Self::ReservedSmem0
            | Self::ReservedSmem1 => Requirement::new(7, 6, 80),
            Self::AggrSmemSize => Requirement::new(8, 1, 90),
            Self::CurrentGraphExec => Requirement::new(8, 0, 50),
            Self::DynamicSmemSize | Self::TotalSmemSize => Requirement::new(4, 1, 20),
            _ => Requirement::NONE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for &special in SpecialReg::ALL {
            assert_eq!(SpecialReg::parse(special.name()), Some(special));
        }
    }
}
