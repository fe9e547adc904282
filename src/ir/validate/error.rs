//! What a validator can find.
//!
//! Fields hold ids, types and numbers; the sentences are in the attributes and in `help`.

use crate::diag::{Code, Help};
use crate::ir::kernel::{ArrayId, InstId, LocalId, RegionId, ValueId};
use crate::ir::launch::Mode;
use crate::ir::op::{Keyword, TypeError};
use crate::ir::types::{DType, Literal};
use crate::target::TargetProfile;

/// A rule that a kernel breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message says what each field is")]
pub enum ValidateError {
    /// An id beyond its arena.
    #[error("{inst} refers to {id}, which does not exist")]
    NoSuchId { inst: InstId, id: String },
    /// A region held by two operations, or by one inside itself.
    #[error("region {region} is held twice")]
    RegionShared { region: RegionId },
    /// An instruction in two places.
    #[error("{inst} stands in two places")]
    InstShared { inst: InstId },
    /// A value defined twice.
    #[error("{value} is defined twice")]
    DefinedTwice { value: ValueId },
    /// A value that nothing reachable defines.
    #[error("{value} is used, but nothing defines it")]
    Undefined { value: ValueId },
    /// A value used before its definition.
    #[error("{value} is used before it is defined")]
    UsedBeforeDefinition { value: ValueId },
    /// A value used outside the region that defines it.
    #[error("{value} is used outside the region that defines it")]
    Escapes { value: ValueId },

    /// A name that a target's text can't carry.
    #[error("the {what} `{name}` is not an identifier")]
    BadName { what: &'static str, name: String },
    /// Two parameters or arrays of one name.
    #[error("two parameters or arrays are named `{name}`")]
    DuplicateName { name: String },
    /// More axes than a strided parameter has.
    #[error("`{name}` has {rank} axes; a strided parameter has at most {most}")]
    TooManyAxes { name: String, rank: u8, most: u8 },
    /// An array without elements.
    #[error("the array `{name}` has no elements")]
    EmptyArray { array: ArrayId, name: String },
    /// A remark of several lines, which would break out of its comment.
    #[error("a remark must be one line of printable text")]
    RemarkNotOneLine,

    /// An operation that does not take its operands.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// A result recorded with another type than the operation gives.
    #[error("{value} is recorded as `{recorded}`, but its operation gives `{given}`")]
    ResultType { value: ValueId, recorded: DType, given: DType },
    /// More or fewer results than the operation gives.
    #[error("the operation gives {given} results, but {recorded} are recorded")]
    ResultCount { given: usize, recorded: usize },
    /// A literal with bits that its type does not have.
    #[error("the bits {bits:#x} are not a `{dtype}`")]
    LiteralTooWide { dtype: DType, bits: u64 },

    /// `break` or `continue` outside a loop.
    #[error("`{word}` stands outside any loop")]
    OutsideLoop { word: &'static str },
    /// `yield` outside the region of a model.
    #[error("`yield` stands outside the model of an inline text")]
    OutsideModel,
    /// Something that only a kernel may hold, in a model.
    #[error("the model of an inline text holds {what}")]
    InModel { what: &'static str },
    /// A named barrier that does not exist.
    #[error("there is no named barrier {id}")]
    BarrierNumber { id: u64 },
    /// A named barrier for a number of threads that can't come.
    #[error("a named barrier for {threads} threads; warps come whole, and there are at most {most}")]
    BarrierThreads { threads: u64, most: u64 },
    /// Instructions after a `break`, `continue` or `yield`.
    #[error("`{word}` is not the last of its region, so {count} instructions after it can never run")]
    NotLast { word: &'static str, count: usize },
    /// A counted loop with a step that is 0.
    #[error("the step of this loop is 0")]
    StepZero,
    /// A loop unrolled by 0.
    #[error("a loop can't be unrolled by 0")]
    UnrollZero,
    /// A local read where nothing can have written it.
    #[error("{} is read here, but nothing can have written it", named(*local, name))]
    NeverWritten { local: LocalId, name: Option<Box<str>> },

    /// A constant index beyond an array's end, or negative.
    #[error("index {} is out of bounds: `{name}` has {} elements", span_of(*index, *width), length(*len))]
    OutOfBounds { name: String, index: i128, width: u32, len: Option<u32> },
    /// A constant index that misaligns a vector.
    #[error("a vector of {width} begins at index {index}, which is not a multiple of {width}")]
    Misaligned { index: i128, width: u32 },

    /// A CTA barrier that only some threads reach.
    #[error(
        "this CTA barrier stands in divergent flow: in a CTA of {cta:?} threads, some pass {branch} and some don't"
    )]
    DivergentBarrier { branch: Branch, cta: [u32; 3] },
    /// A named barrier that only some lanes of a warp reach.
    #[error(
        "this named barrier parts a warp: in a CTA of {cta:?} threads, some lanes of one warp pass {branch} and some don't"
    )]
    PartedBarrier { branch: Branch, cta: [u32; 3] },

    /// The kernel fixes another mode than the launch has.
    #[error("the kernel is for mode `{}`, but the launch has mode `{}`", declared.keyword(), class.keyword())]
    ModeConflict { declared: Mode, class: Mode },
    /// The kernel fixes another CTA shape than the launch has.
    #[error("the kernel is for CTAs of {declared:?} threads, but the launch has {class:?}")]
    CtaConflict { declared: [u32; 3], class: [u32; 3] },
    /// An elementwise CTA of more than one axis.
    #[error("an elementwise launch is one-dimensional, but its CTA is {cta:?}")]
    ElementwiseCta { cta: [u32; 3] },
    /// A CTA without threads.
    #[error("a CTA of {cta:?} has no threads")]
    CtaEmpty { cta: [u32; 3] },
    /// A CTA of more threads than the target takes.
    #[error("a CTA of {cta:?} has {threads} threads; {target} takes {most}")]
    CtaTooLarge { cta: [u32; 3], threads: u64, most: u32, target: TargetProfile },
    /// A CTA longer on an axis than the target takes.
    #[error("a CTA has {threads} threads on axis {}; {target} takes {most}", axis_name(*axis))]
    CtaTooLong { axis: usize, threads: u32, most: u32, target: TargetProfile },
    /// An operation of the CTA where the threads within the extents need not be its first.
    #[error(
        "a reduction or scan of the CTA in a launch with extents on the axes of a CTA of several: which warps take part \
         is not known"
    )]
    CtaOpExtent,
    /// A copy that would read more than it writes.
    #[error("a copy of {width} elements reads {count}")]
    CopyCount { count: i128, width: u32 },
    /// `tid` in a mode that has none.
    #[error("`tid` has no meaning in mode `{}`", mode.keyword())]
    NoTid { mode: Mode },
    /// More shared memory than a CTA can have on the target.
    #[error(
        "the shared arrays of `{kernel}` take {bytes} bytes, each array a multiple of 16; a CTA has at most {most} on \
         {target}"
    )]
    SharedTooLarge { kernel: String, bytes: u64, most: u32, target: TargetProfile },
    /// More bytes of parameters than the target takes.
    #[error("the parameters take {bytes} bytes; {target} takes {most}")]
    ParamsTooLarge { bytes: u64, most: u32, target: TargetProfile },
    /// A type that the target lacks.
    #[error("{target} has no `{dtype}`")]
    NoType { dtype: DType, target: TargetProfile },
}

/// The operation whose condition decides who goes where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The operation.
    pub inst: InstId,
    /// Its word: `if`, `for`, `loop`.
    pub word: &'static str,
    /// Its line in the source, where known.
    pub line: u32,
}

impl std::fmt::Display for Branch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "the `{}` {}", self.word, self.inst),
            line => write!(f, "the `{}` on line {line}", self.word),
        }
    }
}

/// An axis of a CTA as launches call it.
fn axis_name(axis: usize) -> char {
    ['x', 'y', 'z'].get(axis).copied().unwrap_or('?')
}

fn named(local: LocalId, name: &Option<Box<str>>) -> String {
    name.as_ref().map_or_else(|| local.to_string(), |name| format!("`{name}`"))
}

fn span_of(index: i128, width: u32) -> String {
    if width == 1 { index.to_string() } else { format!("{index}..{}", index + i128::from(width)) }
}

fn length(len: Option<u32>) -> String {
    len.map_or_else(|| "no negative".into(), |len| len.to_string())
}

impl ValidateError {
    /// A literal's error, if its bits don't fit.
    pub(super) fn of_literal(literal: Literal) -> Option<Self> {
        let Literal { dtype, bits } = literal;
        (bits & !dtype.mask() != 0).then_some(Self::LiteralTooWide { dtype, bits })
    }
}

impl Help for ValidateError {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Type(error) => return error.help(),
            Self::NoSuchId { .. }
            | Self::RegionShared { .. }
            | Self::InstShared { .. }
            | Self::DefinedTwice { .. }
            | Self::Undefined { .. }
            | Self::UsedBeforeDefinition { .. }
            | Self::ResultType { .. }
            | Self::ResultCount { .. }
            | Self::LiteralTooWide { .. } => "build the kernel with `ir::Builder`, which keeps this right".into(),
            Self::Escapes { .. } => "carry it out of the region in a local: `let mut x`, assigned inside".into(),
            Self::BadName { .. } => "use letters, digits and `_`, and begin with no digit".into(),
            Self::DuplicateName { .. } => "rename one: arguments bind by name".into(),
            Self::TooManyAxes { most, .. } => format!("merge axes until there are {most} or fewer"),
            Self::EmptyArray { .. } => "give the array a length of at least 1".into(),
            Self::RemarkNotOneLine => "split the remark into one `comment` a line".into(),
            Self::OutsideLoop { .. } => "move it into a loop, or use `if`".into(),
            Self::OutsideModel => "only the region behind `model` ends in `yield`".into(),
            Self::InModel { .. } => {
                "a model only computes the outputs: load before the text, and store behind it".into()
            }
            Self::BarrierNumber { .. } => "they are numbered 1 to 15; 0 is `threadgroup_barrier`".into(),
            Self::BarrierThreads { .. } => {
                "give a multiple of 32, the warps that come times 32, those that only arrive included".into()
            }
            Self::PartedBarrier { .. } => "branch by `warp_id()`, so that whole warps take each way".into(),
            Self::NotLast { .. } => "remove what follows it".into(),
            Self::StepZero => "a step is at least 1, or negative where the type is signed".into(),
            Self::UnrollZero => "unroll by 1 to leave it to the assembler".into(),
            Self::NeverWritten { .. } => "assign it before the first use".into(),
            Self::OutOfBounds { .. } => "index within the array, or make it longer".into(),
            Self::Misaligned { width, .. } => format!("begin at a multiple of {width}, or use scalar accesses"),
            Self::DivergentBarrier { .. } => {
                "move the barrier out of the branch; or, if every launch has a CTA shape in which all threads agree, \
                 fix the shape on the kernel"
                    .into()
            }
            Self::ModeConflict { .. } | Self::CtaConflict { .. } => "launch the kernel as it declares".into(),
            Self::ElementwiseCta { .. } => "put all threads on the first axis, or use mode `grid3d`".into(),
            Self::CtaEmpty { .. } => "give every axis at least one thread".into(),
            Self::CtaTooLarge { .. } | Self::CtaTooLong { .. } => "launch more and smaller CTAs".into(),
            Self::CopyCount { width, .. } => format!("read at most {width}"),
            Self::CtaOpExtent => "launch whole CTAs and guard the loads, or CTAs of one axis".into(),
            Self::NoTid { .. } => {
                "use `thread_id::<a>()` for the index in the CTA, `global_id::<a>()` for the one in the grid".into()
            }
            Self::SharedTooLarge { .. } => {
                "stage smaller tiles, or compile for a target with more: `warpsmith targets` lists them".into()
            }
            Self::ParamsTooLarge { .. } => "pass the values in a buffer".into(),
            Self::NoType { .. } => "choose another type, or a target that has it".into(),
        })
    }

    fn code(&self) -> Code {
        match self {
            Self::Type(error) => error.code(),
            Self::NoSuchId { .. }
            | Self::RegionShared { .. }
            | Self::InstShared { .. }
            | Self::DefinedTwice { .. }
            | Self::Undefined { .. }
            | Self::UsedBeforeDefinition { .. }
            | Self::ResultType { .. }
            | Self::ResultCount { .. }
            | Self::LiteralTooWide { .. } => Code::IrStructure,
            Self::Escapes { .. } => Code::Escapes,
            Self::BadName { .. } | Self::DuplicateName { .. } => Code::Names,
            Self::TooManyAxes { .. } => Code::TooManyAxes,
            Self::EmptyArray { .. } => Code::EmptyArray,
            Self::RemarkNotOneLine => Code::Remark,
            Self::OutsideLoop { .. } | Self::NotLast { .. } => Code::LoopWords,
            Self::OutsideModel | Self::InModel { .. } => Code::InlineModel,
            Self::BarrierNumber { .. } | Self::BarrierThreads { .. } => Code::NamedBarrier,
            Self::StepZero | Self::UnrollZero => Code::LoopCount,
            Self::NeverWritten { .. } => Code::NeverWritten,
            Self::OutOfBounds { .. } => Code::IndexOutOfBounds,
            Self::Misaligned { .. } => Code::VectorMisaligned,
            Self::DivergentBarrier { .. } => Code::DivergentBarrier,
            Self::PartedBarrier { .. } => Code::PartedBarrier,
            Self::ModeConflict { .. } | Self::CtaConflict { .. } => Code::ClassConflict,
            Self::ElementwiseCta { .. }
            | Self::CtaEmpty { .. }
            | Self::CtaTooLarge { .. }
            | Self::CtaTooLong { .. } => Code::CtaShape,
            Self::CtaOpExtent => Code::CtaOpExtent,
            Self::CopyCount { .. } => Code::CopyReadsMore,
            Self::NoTid { .. } => Code::NoTid,
            Self::SharedTooLarge { .. } => Code::SharedTooLarge,
            Self::ParamsTooLarge { .. } => Code::ParamsTooLarge,
            Self::NoType { .. } => Code::TargetLacksType,
        }
    }
}
