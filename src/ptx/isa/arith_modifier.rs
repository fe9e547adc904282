//! Modifiers of arithmetic and of the execution itself that few instructions take. The others are in [`modifier`](super::modifier).

use super::modifier::{Modifier, flags, modifiers, strip_word};

flags! {
    /// Sets the carry of the lane.
    Cc = ".cc";
    /// How far to shift instead of where the bit is.
    ShiftAmount = ".shiftamt";
    /// The results of all lanes are added up.
    Accumulate = ".add";
    /// A cache policy follows the other operands.
    CacheHint = ".L2::cache_hint";
    /// The magnitudes take part.
    Magnitudes = ".abs";
}

modifiers! {
    /// Which half of a product.
    WideHalf {
        /// The low half.
        Lo = ".lo",
        /// The high half.
        Hi = ".hi",
    }
    /// Which two bytes of a word take part in a dot product of two.
    DotHalf {
        /// Bytes 0 and 1.
        Lo = ".lo",
        /// Bytes 2 and 3.
        Hi = ".hi",
    }
    /// What a table's result is joined with a predicate by.
    LutOp {
        /// Both.
        And = ".and",
        /// Either.
        Or = ".or",
    }
    /// What a grid does about grids that depend on each other.
    DependencyAction {
        /// Lets those that depend on it be launched.
        LaunchDependents = ".launch_dependents",
        /// Waits for those that it depends on.
        Wait = ".wait",
    }
    /// Device memory by its name. Without it an address is generic.
    DeviceSpace {
        /// Device memory.
        Global = ".global",
    }
    /// What an atomic operation does to each element of a vector.
    VectorOp {
        /// Adds.
        Add = ".add",
        /// Keeps the lesser.
        Min = ".min",
        /// Keeps the greater.
        Max = ".max",
    }
    /// What a reduction of floats over a warp keeps.
    FloatReduxOp {
        /// The least.
        Min = ".min",
        /// The greatest.
        Max = ".max",
    }
    /// How long L2 keeps what an access touches.
    L2Eviction {
        /// Longer than others.
        EvictLast = ".L2::evict_last",
        /// As usual.
        EvictNormal = ".L2::evict_normal",
        /// Less long than others.
        EvictFirst = ".L2::evict_first",
    }
    /// The window of a cluster's shared memory. Without it an address is generic.
    ClusterSpace {
        /// Shared memory of any CTA of the cluster.
        SharedCluster = ".shared::cluster",
    }
    /// Order of an arrival at a cluster's barrier.
    ArriveOrder {
        /// Earlier accesses stay before it; so it is without an order.
        Release = ".release",
        /// No order.
        Relaxed = ".relaxed",
    }
    /// Order of a wait at a cluster's barrier.
    WaitOrder {
        /// Later accesses stay after it; so it is without an order.
        Acquire = ".acquire",
    }
    /// How the number of registers changes.
    RegisterChange {
        /// It grows.
        Inc = ".inc",
        /// It shrinks.
        Dec = ".dec",
    }
    /// Halves of a word that integers are clamped to.
    PackHalf {
        /// Unsigned.
        U16 = ".u16",
        /// Signed.
        S16 = ".s16",
    }
    /// Narrow fields that integers are clamped to.
    PackField {
        /// Eight bits, unsigned.
        U8 = ".u8",
        /// Eight bits, signed.
        S8 = ".s8",
        /// Four bits, unsigned.
        U4 = ".u4",
        /// Four bits, signed.
        S4 = ".s4",
        /// Two bits, unsigned.
        U2 = ".u2",
        /// Two bits, signed.
        S2 = ".s2",
    }
    /// A kind of float.
    FloatTest {
        /// Neither infinite nor NaN.
        Finite = ".finite",
        /// Infinite.
        Infinite = ".infinite",
        /// Not NaN.
        Number = ".number",
        /// NaN.
        NotANumber = ".notanumber",
        /// Neither infinite nor NaN nor subnormal.
        Normal = ".normal",
        /// Subnormal.
        Subnormal = ".subnormal",
    }
}
