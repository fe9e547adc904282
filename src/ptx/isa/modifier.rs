//! Modifiers: the dotted words of an opcode, each an enum that knows its spelling.
//!
//! Exit: printing and parsing a modifier are inverse. An `Option` of a modifier, or a flag such as [`Ftz`], prints
//! nothing when absent. Which modifiers go together is said by the `check` of each row, not here.

/// A part of an opcode after the first word.
pub trait Modifier: Copy {
    /// Appends the spelling, with its dot.
    fn print(self, out: &mut String);

    /// Takes the modifier off the front of the rest of an opcode.
    fn parse(rest: &mut &str) -> Option<Self>;

    /// Every value.
    fn choices() -> Vec<Self>;

    /// Appends how the choice is written in a list of accepted forms.
    fn syntax(out: &mut String) {
        let choices = Self::choices();
        for (index, choice) in choices.iter().enumerate() {
            out.push_str(match index {
                0 if choices.len() > 1 => "{",
                0 => "",
                _ => "|",
            });
            choice.print(out);
        }
        if choices.len() > 1 {
            out.push('}');
        }
    }
}

/// Takes a fixed spelling off the front, if a whole number of words goes.
pub(super) fn strip_word(rest: &mut &str, word: &str) -> Option<()> {
    let tail = rest.strip_prefix(word)?;
    if !tail.is_empty() && !tail.starts_with('.') {
        return None;
    }
    *rest = tail;
    Some(())
}

impl<M: Modifier> Modifier for Option<M> {
    fn print(self, out: &mut String) {
        if let Some(modifier) = self {
            modifier.print(out);
        }
    }

    fn parse(rest: &mut &str) -> Option<Self> {
        Some(M::parse(rest))
    }

    fn choices() -> Vec<Self> {
        std::iter::once(None).chain(M::choices().into_iter().map(Some)).collect()
    }

    fn syntax(out: &mut String) {
        M::syntax(out);
        out.push('?');
    }
}

/// Rounding of a float result.
pub use crate::numerics::soft::Direction as Rounding;

impl Modifier for Rounding {
    fn print(self, out: &mut String) {
        out.push_str(self.name());
    }

    fn parse(rest: &mut &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| strip_word(rest, choice.name()).is_some())
    }

    fn choices() -> Vec<Self> {
        Self::ALL.to_vec()
    }
}

macro_rules! modifiers {
    ($($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)* })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_meta])* $variant,)* }

        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// How it is written in an opcode, with its dot.
            pub const fn spelling(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl Modifier for $name {
            fn print(self, out: &mut String) {
                out.push_str(self.spelling());
            }

            fn parse(rest: &mut &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|choice| strip_word(rest, choice.spelling()).is_some())
            }

            fn choices() -> Vec<Self> {
                Self::ALL.to_vec()
            }
        }
    )*};
}

macro_rules! flags {
    ($($(#[$meta:meta])* $name:ident = $text:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub bool);

        impl Modifier for $name {
            fn print(self, out: &mut String) {
                if self.0 {
                    out.push_str($text);
                }
            }

            fn parse(rest: &mut &str) -> Option<Self> {
                Some(Self(strip_word(rest, $text).is_some()))
            }

            fn choices() -> Vec<Self> {
                vec![Self(false), Self(true)]
            }

            fn syntax(out: &mut String) {
                out.push_str(concat!($text, "?"));
            }
        }
    )*};
}

flags! {
    /// Subnormal inputs and results become zero of their sign.
    Ftz = ".ftz";
    /// Integer: clamp to the type's range. Float: clamp to [0, 1], NaN to +0.
    Sat = ".sat";
    /// Subnormals are kept: what additions of 16-bit floats to memory must say.
    NoFtz = ".noftz";
    /// Clamp to the largest finite value instead of infinity.
    SatFinite = ".satfinite";
    /// Negative results become +0, NaN the canonical NaN.
    Relu = ".relu";
    /// A NaN operand wins instead of losing.
    PropagateNan = ".NaN";
    /// The result has the sign of the xor of the operands' signs, and is chosen by magnitude.
    XorSignAbs = ".xorsign.abs";
    /// The read-only data path: right only for data that nobody writes during the kernel.
    Nc = ".nc";
    /// All lanes that execute the branch take it.
    Uni = ".uni";
    /// All lanes of a warp execute it together.
    Aligned = ".aligned";
    /// The long spelling of a CTA barrier.
    CtaWord = ".cta";
}

modifiers! {
    /// Rounding to an integral value.
    IntRounding {
        /// To nearest, ties to even.
        Rni = ".rni",
        /// Toward zero.
        Rzi = ".rzi",
        /// Toward −∞.
        Rmi = ".rmi",
        /// Toward +∞.
        Rpi = ".rpi",
    }
    /// Rounding to tf32.
    TiesAway {
        /// To nearest, ties away from zero.
        Rna = ".rna",
    }
    /// How a quotient or root is found: approximately, or rounded.
    Precision {
        /// The hardware's approximation.
        Approx = ".approx",
        /// IEEE, to nearest even.
        Rn = ".rn",
        /// IEEE, toward zero.
        Rz = ".rz",
        /// IEEE, toward −∞.
        Rm = ".rm",
        /// IEEE, toward +∞.
        Rp = ".rp",
    }
    /// How a quotient is found.
    DivPrecision {
        /// The hardware's approximation; 0 for divisors above 2^126.
        Approx = ".approx",
        /// An approximation over the full range.
        Full = ".full",
        /// IEEE, to nearest even.
        Rn = ".rn",
        /// IEEE, toward zero.
        Rz = ".rz",
        /// IEEE, toward −∞.
        Rm = ".rm",
        /// IEEE, toward +∞.
        Rp = ".rp",
    }
    /// Which half of a product, or all of it.
    MulHalf {
        /// The low half.
        Lo = ".lo",
        /// The high half.
        Hi = ".hi",
        /// The whole product, twice as wide as the operands.
        Wide = ".wide",
    }
    /// A comparison. The unordered ones (`equ` … `geu`) are true on NaN; all others, `ne` too, are false.
    CmpOp {
        /// Equal.
        Eq = ".eq",
        /// Not equal; false on NaN.
        Ne = ".ne",
        /// Less.
        Lt = ".lt",
        /// Less or equal.
        Le = ".le",
        /// Greater.
        Gt = ".gt",
        /// Greater or equal.
        Ge = ".ge",
        /// Lower, unsigned.
        Lo = ".lo",
        /// Lower or same, unsigned.
        Ls = ".ls",
        /// Higher, unsigned.
        Hi = ".hi",
        /// Higher or same, unsigned.
        Hs = ".hs",
        /// Equal or unordered.
        Equ = ".equ",
        /// Not equal or unordered: the `!=` of Rust.
        Neu = ".neu",
        /// Less or unordered.
        Ltu = ".ltu",
        /// Less, equal or unordered.
        Leu = ".leu",
        /// Greater or unordered.
        Gtu = ".gtu",
        /// Greater, equal or unordered.
        Geu = ".geu",
        /// Neither is NaN.
        Num = ".num",
        /// Either is NaN.
        Nan = ".nan",
    }
    /// Joins a comparison with a predicate.
    BoolOp {
        /// Both.
        And = ".and",
        /// Either.
        Or = ".or",
        /// Exactly one.
        Xor = ".xor",
    }
    /// A state space. Without one an address is generic.
    Space {
        /// Device memory.
        Global = ".global",
        /// The CTA's shared memory.
        Shared = ".shared",
        /// The same, by its long name.
        SharedCta = ".shared::cta",
        /// Shared memory of any CTA of the cluster.
        SharedCluster = ".shared::cluster",
        /// A thread's own memory.
        Local = ".local",
        /// Constant memory.
        Const = ".const",
        /// Kernel parameters.
        Param = ".param",
    }
    /// Cache operation of a load.
    LoadCache {
        /// All levels.
        Ca = ".ca",
        /// L2 only.
        Cg = ".cg",
        /// Streaming: likely read once.
        Cs = ".cs",
        /// Last use.
        Lu = ".lu",
        /// Fetch again.
        Cv = ".cv",
    }
    /// Cache operation of a store.
    StoreCache {
        /// Write back.
        Wb = ".wb",
        /// L2 only.
        Cg = ".cg",
        /// Streaming.
        Cs = ".cs",
        /// Write through.
        Wt = ".wt",
    }
    /// Eviction priority in L1.
    L1Eviction {
        /// Don't keep it.
        NoAllocate = ".L1::no_allocate",
        /// Evict it early.
        EvictFirst = ".L1::evict_first",
        /// Evict it late.
        EvictLast = ".L1::evict_last",
        /// The usual priority.
        EvictNormal = ".L1::evict_normal",
        /// As it is in the cache.
        EvictUnchanged = ".L1::evict_unchanged",
    }
    /// Bytes that L2 fetches along.
    L2Prefetch {
        /// 64 bytes.
        B64 = ".L2::64B",
        /// 128 bytes.
        B128 = ".L2::128B",
        /// 256 bytes.
        B256 = ".L2::256B",
    }
    /// Order of a load.
    LoadOrder {
        /// No order; the same as none given.
        Weak = ".weak",
        /// Not left out, doubled or moved; ordered as relaxed.sys.
        Volatile = ".volatile",
        /// Atomic, unordered.
        Relaxed = ".relaxed",
        /// Later accesses stay after it.
        Acquire = ".acquire",
    }
    /// Order of a store.
    StoreOrder {
        /// No order; the same as none given.
        Weak = ".weak",
        /// Not left out, doubled or moved; ordered as relaxed.sys.
        Volatile = ".volatile",
        /// Atomic, unordered.
        Relaxed = ".relaxed",
        /// Earlier accesses stay before it.
        Release = ".release",
    }
    /// Who sees an order.
    Scope {
        /// The CTA.
        Cta = ".cta",
        /// The cluster.
        Cluster = ".cluster",
        /// The device.
        Gpu = ".gpu",
        /// Everybody.
        Sys = ".sys",
    }
    /// Order of an atomic operation.
    AtomOrder {
        /// Atomic, unordered.
        Relaxed = ".relaxed",
        /// Later accesses stay after it.
        Acquire = ".acquire",
        /// Earlier accesses stay before it.
        Release = ".release",
        /// Both.
        AcqRel = ".acq_rel",
    }
    /// Order of an atomic operation without a result, which can't acquire.
    RedOrder {
        /// Atomic, unordered.
        Relaxed = ".relaxed",
        /// Earlier accesses stay before it.
        Release = ".release",
    }
    /// What an atomic operation does.
    AtomOp {
        /// Adds.
        Add = ".add",
        /// Keeps the lesser.
        Min = ".min",
        /// Keeps the greater.
        Max = ".max",
        /// Both bits.
        And = ".and",
        /// Either bit.
        Or = ".or",
        /// Exactly one of the bits.
        Xor = ".xor",
        /// Puts the operand there.
        Exch = ".exch",
        /// Counts up; from the operand on to 0.
        Inc = ".inc",
        /// Counts down; from 0, and from above the operand, to the operand.
        Dec = ".dec",
    }
    /// What an atomic operation without a result does.
    RedOp {
        /// Adds.
        Add = ".add",
        /// Keeps the lesser.
        Min = ".min",
        /// Keeps the greater.
        Max = ".max",
        /// Both bits.
        And = ".and",
        /// Either bit.
        Or = ".or",
        /// Exactly one of the bits.
        Xor = ".xor",
        /// Counts up; from the operand on to 0.
        Inc = ".inc",
        /// Counts down; from 0, and from above the operand, to the operand.
        Dec = ".dec",
    }
    /// Compare and swap.
    Cas {
        /// Puts the last operand there if the one before it equals what is there.
        Cas = ".cas",
    }
    /// Order of a fence.
    FenceOrder {
        /// Acquire and release.
        AcqRel = ".acq_rel",
        /// Sequentially consistent.
        Sc = ".sc",
        /// Later accesses stay after it.
        Acquire = ".acquire",
        /// Earlier accesses stay before it.
        Release = ".release",
    }
    /// Scope of a `membar`.
    MembarLevel {
        /// The CTA.
        Cta = ".cta",
        /// The device.
        Gl = ".gl",
        /// Everybody.
        Sys = ".sys",
    }
    /// Elements of a vector access.
    VecWidth {
        /// Two.
        V2 = ".v2",
        /// Four.
        V4 = ".v4",
        /// Eight.
        V8 = ".v8",
    }
    /// Where a shuffle reads.
    ShflMode {
        /// A lane below.
        Up = ".up",
        /// A lane above.
        Down = ".down",
        /// The lane whose index differs in the bits given.
        Bfly = ".bfly",
        /// The lane given.
        Idx = ".idx",
    }
    /// What a barrier makes of everybody's predicate.
    BarrierOp {
        /// True for all.
        And = ".and",
        /// True for one.
        Or = ".or",
    }
    /// What a vote asks.
    VoteMode {
        /// True in all lanes.
        All = ".all",
        /// True in some lane.
        Any = ".any",
        /// The same in all lanes.
        Uni = ".uni",
    }
    /// What a reduction over a warp combines with, and as which type.
    ReduxOp {
        /// Sum modulo 2³².
        AddU32 = ".add.u32",
        /// Sum modulo 2³².
        AddS32 = ".add.s32",
        /// The least.
        MinU32 = ".min.u32",
        /// The least.
        MinS32 = ".min.s32",
        /// The greatest.
        MaxU32 = ".max.u32",
        /// The greatest.
        MaxS32 = ".max.s32",
        /// Bits set in all.
        And = ".and.b32",
        /// Bits set in any.
        Or = ".or.b32",
        /// Bits set in an odd number.
        Xor = ".xor.b32",
    }
    /// Direction of a funnel shift.
    ShiftDir {
        /// Left.
        L = ".l",
        /// Right.
        R = ".r",
    }
    /// What a funnel shift does with counts above 31.
    ShiftBound {
        /// Takes the count modulo 32.
        Wrap = ".wrap",
        /// Takes 32.
        Clamp = ".clamp",
    }
    /// A fixed choice of bytes of `prmt`.
    PrmtMode {
        /// Forward four, extract.
        F4e = ".f4e",
        /// Backward four, extract.
        B4e = ".b4e",
        /// Replicate one byte.
        Rc8 = ".rc8",
        /// Edge clamp left.
        Ecl = ".ecl",
        /// Edge clamp right.
        Ecr = ".ecr",
        /// Replicate one half.
        Rc16 = ".rc16",
    }
    /// The form without subnormals or exceptions that approximations must name.
    Approx {
        /// The hardware's approximation.
        Approx = ".approx",
    }
}

pub(super) use {flags, modifiers};

impl Space {
    /// Whether it is shared memory, by any name.
    pub const fn is_shared(self) -> bool {
        match self {
            Self::Shared | Self::SharedCta | Self::SharedCluster => true,
            Self::Global | Self::Local | Self::Const | Self::Param => false,
        }
    }
}

impl VecWidth {
    /// Elements.
    pub const fn lanes(self) -> usize {
        match self {
            Self::V2 => 2,
            Self::V4 => 4,
            Self::V8 => 8,
        }
    }
}

impl MulHalf {
    /// Whether the product is twice as wide as the operands.
    pub const fn is_wide(self) -> bool {
        match self {
            Self::Wide => true,
            Self::Lo | Self::Hi => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modifier_takes_whole_words_only() {
        let mut rest = ".global.f32";
        assert_eq!(Space::parse(&mut rest), Some(Space::Global));
        assert_eq!(rest, ".f32");
        let mut rest = ".rni.s32";
        assert_eq!(<Option<Rounding> as Modifier>::parse(&mut rest), Some(None));
        assert_eq!(IntRounding::parse(&mut rest), Some(IntRounding::Rni));
        let mut rest = ".shared::cta.b32";
        assert_eq!(Space::parse(&mut rest), Some(Space::SharedCta));
    }
}
