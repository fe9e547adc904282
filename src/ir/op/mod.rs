//! The operations: one row each, from which the struct, the text form and the operand walk follow.
//!
//! A row names the operation's text, its modifiers (printed as dotted suffixes) and its operands:
//!
//! ```text
//! op! {
//!     /// Moves a value between the lanes of one warp.
//!     Shuffle = "shuffle" [mode: ShuffleMode] { value: ValueId, lane: ValueId }
//! }
//! ```
//!
//! prints `shuffle.xor v0, v1`. Beside each row stands its [`Rule`]: the operand types it takes and the result types it
//! gives. The builder, the parser and the validator all ask that one rule. Everything that gives an operation meaning
//! matches on [`Op`] without a wildcard, so that a new row does not compile until each back end has its arm.

mod approx;
mod arith;
mod atomic;
mod barrier;
mod control;
mod cvt;
mod field;
mod geometry;
mod inline;
mod matrix;
mod memory;
mod warp;

pub use approx::{Approx, ApproxOp};
pub use arith::{Binary, BinaryOp, Compare, CompareOp, Const, Fma, Select, Unary, UnaryOp};
pub use atomic::{Atomic, AtomicCas, AtomicLoad, AtomicOp, AtomicStore, Fence, MemoryOrder, MemoryScope};
pub use barrier::{BarrierAction, CtaBarrier, NamedBarrier};
pub use control::{Break, Comment, Continue, Counter, For, If, LocalGet, LocalSet, Loop};
pub use cvt::{Bitcast, Convert};
pub use field::{Field, Keyword, Modifier};
pub use geometry::{Axis, GeomReg, Geometry, Scalar, Shape, Stride};
pub use inline::{
    Inline, InlineEffect, InlineError, InlineTarget, Inputs, Model, Outputs, Piece, Yield, pieces, yielded,
};
pub use matrix::{
    Count, CpAsync, CpAsyncCommit, CpAsyncWait, LdMatrix, MatrixCount, MatrixOrder, Mma, Numerics, ScaleWord,
    Scales, register_type,
};
pub use memory::{Guard, Load, MemBase, Place, Store, ValueList, Width};
pub use warp::{
    Ballot, Match, Reach, ReduceOp, Shuffle, ShuffleMode, Vote, VoteMode, WarpBarrier, WarpReduce, WarpScan,
};

use smallvec::{SmallVec, smallvec};

use super::kernel::{Kernel, RegionId, ValueId};
use super::parse::{ParseError, Parser};
use super::print::Printer;
use super::types::DType;
use crate::diag::{Code, Help};
use crate::numerics::CastMode;
use crate::numerics::tensor::{Form, Operand};

/// The types of an operation's results.
pub type ResultTypes = SmallVec<[DType; 1]>;

/// An operand that an operation does not take.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TypeError {
    /// An operand has a type outside those the operation is defined for.
    #[error("`{op}` takes {takes}, not `{found}`")]
    Operand {
        /// The operation.
        op: &'static str,
        /// What it takes, in words.
        takes: &'static str,
        /// What it got.
        found: DType,
    },
    /// Two operands should have one type.
    #[error("`{op}` takes operands of one type, but got `{left}` and `{right}`")]
    Differ {
        /// The operation.
        op: &'static str,
        /// The first.
        left: DType,
        /// The other.
        right: DType,
    },
    /// A parameter is not of the kind that the operation names.
    #[error("`{name}` is not {wanted}")]
    ParamKind {
        /// The parameter.
        name: String,
        /// What it should be, in words.
        wanted: &'static str,
    },
    /// A buffer that isn't declared as written is stored to.
    #[error("`{name}` is stored to, but it is not a written parameter")]
    NotWritten {
        /// The parameter.
        name: String,
    },
    /// A vector access to `bool`s, which take a byte each in memory and are predicates in registers.
    #[error("a vector of `bool` has no form in memory")]
    VectorOfBool,
    /// A vector access of a width and type that no target has.
    #[error("a vector of {width} `{dtype}` is {bits} bits; vectors are at most 128")]
    VectorTooWide {
        /// Elements.
        width: u32,
        /// Element type.
        dtype: DType,
        /// Bits in all.
        bits: u32,
    },
    /// A conversion does not have the mode, or needs one that is named.
    #[error("a conversion to `{to}` {}", mode.lack())]
    NoMode {
        /// The type converted to.
        to: DType,
        /// The mode asked for.
        mode: CastMode,
    },
    /// An atomic operation on a buffer that isn't declared as written.
    #[error("an atomic operation needs a written buffer, which `{name}` is not")]
    AtomicNotWritten {
        /// The parameter.
        name: String,
    },
    /// An atomic operation on memory that no other thread sees.
    #[error("`{name}` is a per-thread array: atomic operations go with global and shared memory")]
    AtomicPrivate {
        /// The array.
        name: String,
    },
    /// More operands than an atomic operation takes.
    #[error("an atomic operation takes one value, or two for a sum of `f16` or `bf16`, not {count}")]
    AtomicCount {
        /// Values given.
        count: usize,
    },
    /// An order that the operation can't have.
    #[error("the order of `{op}` is {takes}, not `{found}`")]
    Order {
        /// The operation.
        op: &'static str,
        /// Its orders, in words.
        takes: &'static str,
        /// The order asked for.
        found: &'static str,
    },
    /// An inline text that does not fit its operands or its model.
    #[error("`{op}`: {error}")]
    Inline {
        /// The operation.
        op: &'static str,
        /// What is wrong.
        error: InlineError,
    },
    /// The number of stored values is not 1, 2, 4 or 8.
    #[error("a store takes 1, 2, 4 or 8 values, not {count}")]
    StoreCount {
        /// Values given.
        count: usize,
    },
    /// A fragment of another number of registers than the form's.
    #[error("`mma` of {form} takes {wanted} registers of {operand:?}, not {found}")]
    Registers {
        /// The form.
        form: Form,
        /// The operand.
        operand: Operand,
        /// Its registers.
        wanted: usize,
        /// Those given.
        found: usize,
    },
    /// A form whose product has no order of IEEE operations.
    #[error("{form} has no IEEE order: those are forms with an f32 accumulator and no scales")]
    NoIeeeForm {
        /// The form.
        form: Form,
    },
    /// Scales where there are none, or none where there are.
    #[error("{form} {}", if form.kind.scale().is_some() { "needs scales" } else { "has no scales" })]
    Scales {
        /// The form.
        form: Form,
    },
    /// A selector of scales that the form has not.
    #[error("`mma` of {form} takes scales {operand:?} from bytes {byte} on of threads {thread}")]
    ScaleSelector {
        /// The form.
        form: Form,
        /// The operand.
        operand: Operand,
        /// The first byte asked for.
        byte: u8,
        /// The threads asked for.
        thread: u8,
    },
    /// Memory that the operation can't be done on.
    #[error("`{op}` goes with shared memory, which `{name}` is not")]
    NotShared {
        /// The operation.
        op: &'static str,
        /// The buffer or array.
        name: String,
    },
    /// An asynchronous copy of a size that no target has.
    #[error("a copy of {width} `{dtype}` is {bytes} bytes; `cp_async` copies 4, 8 or 16")]
    CopySize {
        /// Elements.
        width: u32,
        /// Element type.
        dtype: DType,
        /// Bytes in all.
        bytes: u32,
    },
}

impl Help for TypeError {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Operand { op, found, .. } if op.starts_with("atomic") && !found.is_float() => {
                "hold it in a buffer of `u32` or `i32`: narrower elements have no atomic form".into()
            }
            Self::Operand { found, .. } if found.storage().is_some() => {
                format!("`{found}` only holds numbers: convert with `.cast::<f32>()`")
            }
            Self::Operand { .. } => "convert the operand with `.cast::<T>()`".into(),
            Self::Differ { .. } => "convert one operand with `.cast::<T>()`".into(),
            Self::ParamKind { .. } => "use the name of a parameter of that kind".into(),
            Self::NotWritten { name } | Self::AtomicNotWritten { name } => {
                format!("declare it `mut {name}: Tensor<…>`")
            }
            Self::VectorOfBool => "access its elements one by one, or keep them as `u8`".into(),
            Self::VectorTooWide { .. } => "use a narrower vector".into(),
            Self::StoreCount { .. } => "split the store".into(),
            Self::AtomicPrivate { .. } => "nobody else sees it: load and store it".into(),
            Self::AtomicCount { .. } => "give each element an operation of its own".into(),
            Self::Order { .. } => {
                "a load acquires, a store releases, and what does both takes every order".into()
            }
            Self::Inline { error, .. } => error.help().into(),
            Self::Registers { .. } => "ask `Layout::of(form, operand)` for the registers".into(),
            Self::NoIeeeForm { form } if form.kind.products() > 1 => {
                "use `mma`, whose four products are IEEE arithmetic on every target".into()
            }
            Self::NoIeeeForm { .. } => "use `mma`".into(),
            Self::Scales { form } if form.kind.scale().is_some() => "use `mma_scaled`".into(),
            Self::Scales { .. } => "use `mma`".into(),
            Self::ScaleSelector { form, .. } => format!(
                "the byte is {}, the thread 0 or 1 for A and 0 to 3 for B",
                match form.kind.scales() {
                    1 => "0 to 3",
                    2 => "0 or 2",
                    _ => "0",
                }
            ),
            Self::NotShared { op: "cp_async", .. } => {
                "the arguments are (shared array, its index, buffer, its index)".into()
            }
            Self::NotShared { .. } => "declare it with `shared::<T>(SIZE)`".into(),
            Self::CopySize { dtype, .. } => {
                let counts = [4u32, 8, 16].map(|bytes| bytes / dtype.size());
                let counts: Vec<String> =
                    counts.iter().filter(|&&count| count > 0).map(ToString::to_string).collect();
                format!("copy {} elements at a time", counts.join(", "))
            }
            Self::NoMode { to, .. } => match to.storage() {
                Some(storage) if storage.takes(CastMode::Up) => {
                    format!("name the rounding: `.cast_rz::<{to}>()` or `.cast_rp::<{to}>()`")
                }
                Some(_) | None => format!("convert with `.cast::<{to}>()`"),
            },
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Operand { .. } => Code::OperandType,
            Self::Differ { .. } => Code::OperandsDiffer,
            Self::ParamKind { .. } => Code::ParamKind,
            Self::NotWritten { .. } | Self::AtomicNotWritten { .. } => Code::NotWrittenParam,
            Self::VectorOfBool | Self::VectorTooWide { .. } | Self::StoreCount { .. } => Code::VectorForm,
            Self::NoMode { .. } => Code::NoCastMode,
            Self::AtomicPrivate { .. } | Self::AtomicCount { .. } | Self::Order { .. } => Code::AtomicForm,
            Self::Inline { .. } => Code::InlineText,
            Self::Registers { .. } => Code::FragmentRegisters,
            Self::NoIeeeForm { .. } => Code::NoIeeeForm,
            Self::Scales { .. } | Self::ScaleSelector { .. } => Code::BlockScales,
            Self::NotShared { .. } => Code::NotSharedMemory,
            Self::CopySize { .. } => Code::CopySize,
        }
    }
}

/// What types an operation takes and gives.
pub trait Rule {
    /// The types of the results, or why the operands don't fit.
    ///
    /// # Errors
    /// The first operand that the operation doesn't take.
    fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError>;
}

/// What a row's macro writes for its operation.
pub(crate) trait Row: Sized {
    fn print(&self, printer: &mut Printer<'_>);
    /// `Ok(None)` when the head is not this row's.
    fn parse(head: &str, parser: &mut Parser) -> Result<Option<Self>, ParseError>;
    fn uses(&self, visit: &mut dyn FnMut(ValueId));
    fn map_uses(&mut self, map: &mut dyn FnMut(ValueId) -> ValueId);
    fn regions(&self, visit: &mut dyn FnMut(RegionId));
}

macro_rules! op {
    (@separator $ty:ty) => { <$ty as $crate::ir::op::Field>::SEPARATOR };
    (@separator $ty:ty, $word:literal) => { concat!(" ", $word, " ") };
    (@word) => { None };
    (@word $word:literal) => { Some($word) };
    (
        $(#[$meta:meta])*
        $Name:ident = $text:literal $([$($mod_name:ident : $mod_ty:ty),*])? {
            $($(#[$field_meta:meta])* $($word:literal)? $field:ident : $ty:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $Name {
            $($(
                #[doc = concat!("The `", stringify!($mod_name), "` suffix.")]
                pub $mod_name: $mod_ty,
            )*)?
            $($(#[$field_meta])* pub $field: $ty,)*
        }

        impl $crate::ir::op::Row for $Name {
            #[allow(unused_mut, unused_variables, unused_assignments, reason = "a row may have no operand")]
            fn print(&self, printer: &mut $crate::ir::print::Printer<'_>) {
                let mut head = String::from($text);
                $($($crate::ir::op::Modifier::print_suffix(&self.$mod_name, &mut head);)*)?
                printer.text(&head);
                let mut first = true;
                $(
                    if !$crate::ir::op::Field::is_absent(&self.$field) {
                        printer.text(if first {
                            $crate::ir::op::first_separator(op!(@word $($word)?))
                        } else {
                            op!(@separator $ty $(, $word)?)
                        });
                        $crate::ir::op::Field::print(&self.$field, printer);
                        first = false;
                    }
                )*
            }

            #[allow(unused_mut, unused_variables, unused_assignments, reason = "a row may have no operand")]
            fn parse(
                head: &str,
                parser: &mut $crate::ir::parse::Parser,
            ) -> Result<Option<Self>, $crate::ir::parse::ParseError> {
                let Some(rest) = $crate::ir::op::strip_head(head, $text) else { return Ok(None) };
                $($(
                    let Some(($mod_name, rest)) = <$mod_ty as $crate::ir::op::Modifier>::parse_suffix(rest) else {
                        return Ok(None);
                    };
                )*)?
                if !rest.is_empty() {
                    return Ok(None);
                }
                let mut first = true;
                $(
                    let word: Option<&str> = op!(@word $($word)?);
                    let $field = if <$ty as $crate::ir::op::Field>::starts(parser, word, first) {
                        parser.separator(word, first, <$ty as $crate::ir::op::Field>::SEPARATOR)?;
                        <$ty as $crate::ir::op::Field>::parse(parser)?
                    } else {
                        <$ty as $crate::ir::op::Field>::absent(parser)?
                    };
                    first = false;
                )*
                Ok(Some(Self { $($($mod_name,)*)? $($field,)* }))
            }

            #[allow(unused_variables, reason = "a row may use no value")]
            fn uses(&self, visit: &mut dyn FnMut($crate::ir::ValueId)) {
                $($crate::ir::op::Field::uses(&self.$field, visit);)*
            }

            #[allow(unused_variables, reason = "a row may use no value")]
            fn map_uses(&mut self, map: &mut dyn FnMut($crate::ir::ValueId) -> $crate::ir::ValueId) {
                $($crate::ir::op::Field::map_uses(&mut self.$field, map);)*
            }

            #[allow(unused_variables, reason = "most rows hold no region")]
            fn regions(&self, visit: &mut dyn FnMut($crate::ir::RegionId)) {
                $($crate::ir::op::Field::regions(&self.$field, visit);)*
            }
        }

        impl From<$Name> for $crate::ir::op::Op {
            fn from(op: $Name) -> Self {
                Self::$Name(op)
            }
        }
    };
}
pub(crate) use op;

/// What stands between an operation's head and its first operand.
pub(crate) fn first_separator(word: Option<&'static str>) -> &'static str {
    match word {
        // Only `else` and `if` words can come first, and only when the operand before them is absent.
        Some(_) | None => " ",
    }
}

/// What is left of a dotted head after a row's own text.
pub(crate) fn strip_head<'a>(head: &'a str, text: &str) -> Option<&'a str> {
    let rest = head.strip_prefix(text)?;
    // A row without a text of its own is named by its first modifier, which then has no dot before it.
    (text.is_empty() || rest.is_empty() || rest.starts_with('.')).then_some(rest)
}

macro_rules! define_op {
    ($($Name:ident),* $(,)?) => {
        /// An operation with its operands; see the struct of the same name.
        #[derive(Clone, PartialEq, Debug)]
        #[expect(missing_docs, reason = "each variant is documented at its struct")]
        pub enum Op {
            $($Name($Name),)*
        }

        impl Op {
            pub(crate) fn print(&self, printer: &mut Printer<'_>) {
                match self { $(Self::$Name(op) => Row::print(op, printer),)* }
            }

            pub(crate) fn parse(head: &str, parser: &mut Parser) -> Result<Option<Self>, ParseError> {
                $(
                    if let Some(op) = <$Name as Row>::parse(head, parser)? {
                        return Ok(Some(Self::$Name(op)));
                    }
                )*
                Ok(None)
            }

            /// Calls `visit` for every value the operation uses, in operand order.
            pub fn uses(&self, visit: &mut dyn FnMut(ValueId)) {
                match self { $(Self::$Name(op) => Row::uses(op, visit),)* }
            }

            /// Replaces every value the operation uses.
            pub fn map_uses(&mut self, map: &mut dyn FnMut(ValueId) -> ValueId) {
                match self { $(Self::$Name(op) => Row::map_uses(op, map),)* }
            }

            /// Calls `visit` for every region the operation holds, in order.
            pub fn regions(&self, visit: &mut dyn FnMut(RegionId)) {
                match self { $(Self::$Name(op) => Row::regions(op, visit),)* }
            }

            /// The types of the results.
            ///
            /// # Errors
            /// The first operand that the operation doesn't take.
            pub fn results(&self, kernel: &Kernel) -> Result<ResultTypes, TypeError> {
                match self { $(Self::$Name(op) => Rule::results(op, kernel),)* }
            }
        }
    };
}

define_op! {
    Const, Scalar, Shape, Stride, Geometry,
    Unary, Binary, Fma, Compare, Select, Convert, Bitcast,
    Approx,
    LocalGet, LocalSet, Load, Store,
    Atomic, AtomicCas, AtomicLoad, AtomicStore, Fence,
    Shuffle, WarpReduce, WarpScan, Vote, Ballot, Match, WarpBarrier, CtaBarrier, NamedBarrier,
    Mma, LdMatrix, CpAsync, CpAsyncCommit, CpAsyncWait,
    Inline, Yield,
    If, For, Loop, Break, Continue, Comment,
}

impl Op {
    /// Whether dropping the operation could be noticed even when no result of it is used.
    pub fn has_effect(&self) -> bool {
        match self {
            Self::LocalSet(_)
            | Self::Store(_)
            | Self::Atomic(_)
            | Self::AtomicCas(_)
            | Self::AtomicStore(_)
            | Self::Fence(_)
            | Self::WarpBarrier(_)
            | Self::CtaBarrier(_)
            | Self::NamedBarrier(_)
            | Self::CpAsync(_)
            | Self::CpAsyncCommit(_)
            | Self::CpAsyncWait(_)
            | Self::Yield(_)
            | Self::If(_)
            | Self::For(_)
            | Self::Loop(_)
            | Self::Break(_)
            | Self::Continue(_)
            | Self::Comment(_) => true,
            Self::Const(_)
            | Self::Scalar(_)
            | Self::Shape(_)
            | Self::Stride(_)
            | Self::Geometry(_)
            | Self::Unary(_)
            | Self::Binary(_)
            | Self::Fma(_)
            | Self::Compare(_)
            | Self::Select(_)
            | Self::Convert(_)
            | Self::Bitcast(_)
            | Self::Approx(_)
            | Self::LocalGet(_)
            | Self::Shuffle(_)
            | Self::WarpReduce(_)
            | Self::WarpScan(_)
            | Self::Vote(_)
            | Self::Ballot(_)
            | Self::Match(_)
            | Self::Mma(_) => false,
            Self::Inline(inline) => inline.effect == InlineEffect::Effect,
            // A load that nobody reads can still be out of bounds, which the oracle must report; an ordered one orders.
            Self::Load(_) | Self::LdMatrix(_) | Self::AtomicLoad(_) => true,
        }
    }

    /// The memory it touches: where, and how many elements from there on. A matrix load's elements depend on the type of
    /// its array, so it names the first of a row only.
    pub fn accesses(&self) -> SmallVec<[(Place, u32); 2]> {
        if let Self::Load(op) = self {
            smallvec![(op.place, op.width.elements())]
        } else if let Self::Store(op) = self {
            smallvec![(op.place, op.values.0.len() as u32)]
        } else if let Self::Atomic(op) = self {
            smallvec![(op.place, op.values.0.len() as u32)]
        } else if let Self::AtomicCas(AtomicCas { place, .. })
        | Self::AtomicLoad(AtomicLoad { place, .. })
        | Self::AtomicStore(AtomicStore { place, .. })
        | Self::LdMatrix(LdMatrix { place, .. }) = self
        {
            smallvec![(*place, 1)]
        } else if let Self::CpAsync(op) = self {
            smallvec![(op.to, op.width), (op.from, op.width)]
        } else {
            smallvec![]
        }
    }

    /// Whether the lanes of a warp act together in it.
    pub fn is_warp_op(&self) -> bool {
        matches!(
            self,
            Self::Shuffle(_)
                | Self::WarpReduce(_)
                | Self::WarpScan(_)
                | Self::Vote(_)
                | Self::Ballot(_)
                | Self::Match(_)
                | Self::WarpBarrier(_)
                | Self::Mma(_)
                | Self::LdMatrix(_)
        )
    }

    /// Whether it is a barrier of the CTA, for all its threads or a named one.
    pub fn is_cta_barrier(&self) -> bool {
        matches!(self, Self::CtaBarrier(_) | Self::NamedBarrier(_))
    }

    /// Whether the bits of a NaN result are defined: it was loaded, passed, written down or reinterpreted, not computed.
    /// A `bitcast` to an integer canonicalises the NaN of any other operation.
    pub fn has_defined_nan(&self) -> bool {
        matches!(self, Self::Load(_) | Self::Const(_) | Self::Scalar(_) | Self::Bitcast(_))
    }
}
