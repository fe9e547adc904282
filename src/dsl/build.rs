//! The build that is running: one kernel's builder and everything the vocabulary keeps beside it.
//!
//! A kernel's body is an ordinary function; the vocabulary finds the kernel it builds on a thread-local stack. [`build`]
//! pushes, runs the body, and pops even when the body panics. Deliberately not here: what each word builds.

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use super::error::{BuildError, BuildErrors};
use super::val::{Node, Val};
use crate::diag::{SourceId, Span, Spanned};
use crate::ir::op::{Binary, BinaryOp, Convert, Numerics, Op};
use crate::ir::{Builder, DType, Kernel, Literal, Mode, RegionId, ValueId};

/// What `#[kernel]` knows of its function.
#[derive(Clone, Copy, Debug)]
pub struct KernelInfo {
    /// The module that `#[kernel]` made, which ends in the kernel's name.
    pub module: &'static str,
    /// The kernel's name with its variant's suffix.
    pub name: &'static str,
    /// The mode that the kernel fixes.
    pub mode: Option<Mode>,
    /// The file it stands in.
    pub file: &'static str,
    /// The line of its name.
    pub line: u32,
    /// The column of its name.
    pub column: u32,
}

/// What encloses the place that is being built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Context {
    /// An arm of a traced `if`.
    TracedIf,
    /// The body of a traced loop.
    TracedLoop,
    /// The body of a loop that unrolls while building.
    HostLoop,
}

/// The state of one build.
pub(crate) struct Build {
    pub(crate) ir: Builder,
    pub(crate) serial: u32,
    pub(crate) contexts: Vec<Context>,
    /// The dtypes that `Dyn` stands for: the kernel's own, then those of kernels called as functions.
    pub(crate) frames: Vec<SmallVec<[DType; 4]>>,
    /// The condition under which the innermost lazy arm is chosen, nested ones already combined.
    pub(crate) guards: Vec<GuardState>,
    /// What the outputs of kernels called as functions received.
    pub(crate) captures: Vec<Option<Val>>,
    /// The arms of the `if` that was closed last.
    pub(crate) last_if: Option<[RegionId; 2]>,
    /// What the condition of a `while` was: `Some(None)` for a traced one.
    pub(crate) judged: Option<Option<bool>>,
    /// What reductions of the CTA work in.
    pub(crate) scratch: Vec<super::reduce::Scratch>,
    /// How products of 8×8 matrices are rounded.
    pub(crate) simdgroup_numerics: Numerics,
    /// The cooperative tiles that are set up.
    pub(crate) tiles: super::coop_tile::Tiles,
    /// Constants already emitted in each open region.
    constants: Vec<HashMap<Literal, ValueId>>,
    errors: Vec<Spanned<BuildError>>,
    file: SourceId,
    unnamed: u32,
}

/// The guard of a lazy arm, and whether a load took it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuardState {
    pub(crate) cond: ValueId,
    pub(crate) used: bool,
}

thread_local! {
    static BUILDS: RefCell<Vec<Build>> = const { RefCell::new(Vec::new()) };
}

static SERIAL: AtomicU32 = AtomicU32::new(1);

/// Runs `f` on the innermost build. `f` must not call back into the body.
pub(crate) fn with<R>(f: impl FnOnce(&mut Build) -> R) -> R {
    BUILDS.with_borrow_mut(|builds| {
        f(builds.last_mut().expect("the vocabulary is used inside a kernel's body, which build() runs"))
    })
}

/// The place of a call of a helper, which holds again when the helper ends.
#[derive(Debug)]
pub struct Inside(Option<(SourceId, Span)>);

/// Begins a helper whose operations come from this file, perhaps another one than the kernel's.
pub fn inside(file: &str) -> Inside {
    Inside(BUILDS.with_borrow_mut(|builds| {
        let build = builds.last_mut()?;
        let source = build.ir.kernel_mut().sources.intern(file);
        Some((std::mem::replace(&mut build.file, source), build.ir.span()))
    }))
}

impl Drop for Inside {
    fn drop(&mut self) {
        let Some((file, span)) = self.0 else { return };
        // A panic may have taken the build away already.
        BUILDS.with_borrow_mut(|builds| {
            if let Some(build) = builds.last_mut() {
                build.file = file;
                build.ir.set_span(span);
            }
        });
    }
}

/// Pops the build when the body ends, also by a panic.
struct Guard;

impl Guard {
    fn finish(self) -> Build {
        let build = BUILDS.with_borrow_mut(Vec::pop);
        std::mem::forget(self);
        build.expect("build() pushed one")
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        BUILDS.with_borrow_mut(Vec::pop);
    }
}

/// The module that holds the one `#[kernel]` made. That one is named like the kernel, and a path should say it once.
pub fn outer_module(module: &'static str) -> &'static str {
    module.rsplit_once("::").map_or("", |(outer, _)| outer)
}

/// Builds a kernel by running its body.
///
/// # Errors
/// Everything that was found wrong, with places; a panic of the body is one of them.
pub fn build(info: &KernelInfo, dtypes: &[DType], body: impl FnOnce()) -> Result<Kernel, BuildErrors> {
    let mut ir = Builder::new(outer_module(info.module), info.name, dtypes.to_vec());
    let file = ir.kernel_mut().sources.intern(info.file);
    let span = Span::new(file, info.line, info.column);
    ir.kernel_mut().span = span;
    ir.kernel_mut().mode = info.mode;
    ir.set_span(span);
    let build = Build {
        ir,
        serial: SERIAL.fetch_add(1, Ordering::Relaxed),
        contexts: Vec::new(),
        scratch: Vec::new(),
        simdgroup_numerics: Numerics::Ieee,
        tiles: super::coop_tile::Tiles::default(),
        frames: vec![SmallVec::from_slice(dtypes)],
        guards: Vec::new(),
        captures: Vec::new(),
        last_if: None,
        judged: None,
        constants: vec![HashMap::new()],
        errors: Vec::new(),
        file,
        unnamed: 0,
    };
    BUILDS.with_borrow_mut(|builds| builds.push(build));
    let guard = Guard;
    let outcome = catch_unwind(AssertUnwindSafe(body));
    let mut build = guard.finish();
    if let Err(panic) = outcome {
        build.error(BuildError::Panicked { message: message(&*panic) });
    }
    build.into_kernel()
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

/// A remark that emitted text shows.
pub fn comment(text: &str) {
    with(|build| {
        build.ir.push(crate::ir::op::Comment { text: text.into() });
    });
}

impl Build {
    fn into_kernel(self) -> Result<Kernel, BuildErrors> {
        let Self { ir, mut errors, .. } = self;
        let (kernel, type_errors) = ir.finish();
        errors.extend(type_errors.into_iter().map(|error| error.map(BuildError::Type)));
        if errors.is_empty() {
            return Ok(kernel);
        }
        errors.sort_by_key(|error| (error.span.source, error.span.line, error.span.column));
        errors.dedup();
        Err(BuildErrors { errors, sources: kernel.sources })
    }

    /// Records a mistake at the current place; building goes on.
    pub(crate) fn error(&mut self, error: BuildError) {
        let span = self.ir.span();
        self.errors.push(Spanned::new(span, error));
    }

    /// The next operations come from this place of the kernel's own file.
    pub(crate) fn at(&mut self, line: u32, column: u32) {
        self.ir.set_span(Span::new(self.file, line, column));
    }

    /// The next operations come from this place.
    pub(crate) fn at_file(&mut self, file: &str, line: u32, column: u32) {
        let source = self.ir.kernel_mut().sources.intern(file);
        self.ir.set_span(Span::new(source, line, column));
    }

    /// How many traced conditions and loops enclose the place.
    pub(crate) fn traced_depth(&self) -> usize {
        self.contexts.iter().filter(|context| **context != Context::HostLoop).count()
    }

    /// Opens a region.
    pub(crate) fn open(&mut self) -> RegionId {
        self.constants.push(HashMap::new());
        self.ir.open()
    }

    /// Closes the innermost region; what stands after a `break` or `continue` in it can't run and is dropped.
    pub(crate) fn close(&mut self) {
        self.drop_unreachable();
        self.constants.pop();
        self.ir.close();
    }

    /// Drops what follows a `break` or `continue` in the current region.
    pub(crate) fn drop_unreachable(&mut self) {
        let region = self.ir.current();
        let kernel = self.ir.kernel_mut();
        let leaves = |id: &crate::ir::InstId| matches!(kernel.insts[*id].op, Op::Break(_) | Op::Continue(_));
        if let Some(last) = kernel.regions[region].insts.iter().position(leaves) {
            kernel.regions[region].insts.truncate(last + 1);
        }
    }

    /// Closes the body of a counted loop that [`Builder::begin_for`] opened.
    pub(crate) fn note_opened(&mut self) {
        self.constants.push(HashMap::new());
    }

    /// Forgets the constants of a region that the builder closes itself.
    pub(crate) fn note_closed(&mut self) {
        self.drop_unreachable();
        self.constants.pop();
    }

    /// A name that no declaration has.
    pub(crate) fn fresh_name(&mut self, stem: &str) -> String {
        loop {
            self.unnamed += 1;
            let name = format!("{stem}_{}", self.unnamed);
            let kernel = self.ir.kernel();
            // A kernel may have given the name itself.
            if kernel.param(&name).is_none() && kernel.arrays.values().all(|array| array.name != name) {
                return name;
            }
        }
    }

    /// The operand that a value is; constants become operations where they are first used.
    pub(crate) fn id(&mut self, val: Val) -> ValueId {
        match val.node {
            Node::Value(id, dtype) if val.serial == self.serial => {
                debug_assert_eq!(self.ir.kernel().dtype(id), dtype);
                id
            }
            Node::Value(_, dtype) => {
                self.error(BuildError::ForeignValue);
                self.constant(Literal::from_bits(dtype, 0))
            }
            Node::Const(literal) => self.constant(literal),
            Node::Int(_) | Node::Flt(_) => {
                let literal = val.strong_literal();
                match literal {
                    Some(literal) => self.constant(literal),
                    None => {
                        let value = if let Node::Int(value) = val.node { value } else { 0 };
                        self.error(BuildError::LiteralRange { value, dtype: val.dtype() });
                        self.constant(Literal::u32(0))
                    }
                }
            }
        }
    }

    /// A constant as an operand.
    pub(crate) fn constant(&mut self, literal: Literal) -> ValueId {
        if let Some(&known) = self.constants.iter().rev().find_map(|region| region.get(&literal)) {
            return known;
        }
        let id = self.ir.constant(literal);
        self.constants.last_mut().expect("the body's region stays open").insert(literal, id);
        id
    }

    /// Adds an operation with one result.
    pub(crate) fn value(&mut self, op: impl Into<Op>) -> Val {
        let id = self.ir.value(op);
        self.val(id)
    }

    /// A value of this build.
    pub(crate) fn val(&self, id: ValueId) -> Val {
        Val { node: Node::Value(id, self.ir.kernel().dtype(id)), serial: self.serial }
    }

    /// Converts by value; integer constants fold.
    pub(crate) fn convert(&mut self, val: Val, to: DType) -> Val {
        if val.is_strong() && val.dtype() == to {
            return val;
        }
        if let Some(literal) = super::fold::convert(val, to) {
            return Val::constant(literal);
        }
        let a = self.id(val);
        if self.ir.kernel().dtype(a) == to { self.val(a) } else { self.value(Convert::new(to, a)) }
    }

    /// A weak literal in the type of its other operand, any other value converted.
    pub(crate) fn adopt(&mut self, val: Val, to: DType) -> Val {
        match val.node {
            Node::Int(value) => match super::fold::literal_int(value, to) {
                Some(literal) => Val::constant(literal),
                None => {
                    self.error(BuildError::LiteralRange { value, dtype: to });
                    Val::constant(Literal::from_bits(to, 0))
                }
            },
            Node::Flt(value) => match super::fold::literal_float(value, to) {
                Some(literal) => Val::constant(literal),
                None => self.convert(Val { node: Node::Const(Literal::f32(value as f32)), serial: 0 }, to),
            },
            Node::Value(..) | Node::Const(_) => self.convert(val, to),
        }
    }

    /// A two-operand operation on values of one type, folded where both are constants.
    pub(crate) fn binary(&mut self, op: BinaryOp, a: Val, b: Val) -> Val {
        if let Some(literal) = super::fold::binary(op, a, b) {
            return Val::constant(literal);
        }
        let (a, b) = (self.id(a), self.id(b));
        self.value(Binary { op, a, b })
    }

    /// A value as a condition: a number is true where it is not 0.
    pub(crate) fn condition(&mut self, val: Val) -> Val {
        if val.dtype() == DType::Bool { val } else { self.convert(val, DType::Bool) }
    }
}
