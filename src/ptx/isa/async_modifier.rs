//! Modifiers of asynchronous copies, mbarriers and cache policies.
//!
//! Exit: as `modifier` says. Which of them go together is said by the `check` of each row, not here.

use super::modifier::{Modifier, flags, modifiers, strip_word};

flags! {
    /// The arrival that a copy triggers was counted when the mbarrier was made.
    NoInc = ".noinc";
    /// Waits only until the sources have been read.
    ReadOnly = ".read";
    /// Tile mode by its name; it is the default.
    TileWord = ".tile";
}

modifiers! {
    /// Which caches an asynchronous copy goes through.
    CopyCache {
        /// All levels.
        Ca = ".ca",
        /// L2 only; 16 bytes at a time.
        Cg = ".cg",
    }
    /// The CTA's shared memory where nothing else goes.
    SharedName {
        /// By its short name.
        Shared = ".shared",
        /// By its long name.
        SharedCta = ".shared::cta",
    }
    /// Where a bulk copy puts what it brings.
    BulkTarget {
        /// The CTA's own shared memory.
        SharedCta = ".shared::cta",
        /// Shared memory of a CTA of the cluster: an address of this CTA means its own.
        SharedCluster = ".shared::cluster",
    }
    /// What an arrival at an mbarrier orders, and for whom.
    ArriveOrder {
        /// Accesses before it, for the CTA.
        ReleaseCta = ".release.cta",
        /// Accesses before it, for the cluster.
        ReleaseCluster = ".release.cluster",
    }
    /// What a wait for an mbarrier orders, and for whom.
    WaitOrder {
        /// Accesses after it, for the CTA.
        AcquireCta = ".acquire.cta",
        /// Accesses after it, for the cluster.
        AcquireCluster = ".acquire.cluster",
    }
    /// What a change of the count of bytes orders: nothing.
    CountOrder {
        /// Seen by the CTA.
        RelaxedCta = ".relaxed.cta",
        /// Seen by the cluster.
        RelaxedCluster = ".relaxed.cluster",
    }
    /// Dimensions of a tensor.
    TensorDim {
        /// One.
        D1 = ".1d",
        /// Two.
        D2 = ".2d",
        /// Three.
        D3 = ".3d",
        /// Four.
        D4 = ".4d",
        /// Five.
        D5 = ".5d",
    }
    /// The accesses that a fence between the generic and the asynchronous proxy is about.
    ProxySpace {
        /// Those to global memory.
        Global = ".global",
        /// Those to the CTA's shared memory.
        SharedCta = ".shared::cta",
        /// Those to shared memory of the cluster.
        SharedCluster = ".shared::cluster",
    }
    /// The space of a prefetched address. Without one it is generic.
    PrefetchSpace {
        /// Device memory.
        Global = ".global",
        /// A thread's own memory.
        Local = ".local",
    }
    /// The cache that a prefetch fills.
    PrefetchLevel {
        /// L1.
        L1 = ".L1",
        /// L2.
        L2 = ".L2",
        /// L2, to be evicted late.
        L2EvictLast = ".L2::evict_last",
        /// L2, with the usual priority.
        L2EvictNormal = ".L2::evict_normal",
    }
    /// What a policy does with the fraction of the accesses that it is about.
    PrimaryPriority {
        /// Evict late.
        EvictLast = ".L2::evict_last",
        /// The usual priority.
        EvictNormal = ".L2::evict_normal",
        /// Evict early.
        EvictFirst = ".L2::evict_first",
        /// As it is in the cache.
        EvictUnchanged = ".L2::evict_unchanged",
    }
    /// What a policy does with the other accesses.
    SecondaryPriority {
        /// Evict early.
        EvictFirst = ".L2::evict_first",
        /// As it is in the cache.
        EvictUnchanged = ".L2::evict_unchanged",
    }
}

impl TensorDim {
    /// How many.
    pub const fn count(self) -> usize {
        match self {
            Self::D1 => 1,
            Self::D2 => 2,
            Self::D3 => 3,
            Self::D4 => 4,
            Self::D5 => 5,
        }
    }
}
