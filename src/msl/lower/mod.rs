//! A validated kernel as a tree of MSL.
//!
//! On entry the kernel passed `ir::validate`. On exit every operation became statements whose meaning is the contract's,
//! or all operations without a form are reported at once, each with its place. Each value becomes a constant of the
//! block it is defined in: SSA's dominance is C++'s scope. One file an IR family; every match on the IR is without a
//! wildcard, so a new operation does not compile until it has a decision here.
//!
//! Deliberately not here: any spelling.

mod arith;
mod atomic;
mod control;
mod cvt;
mod geometry;
mod inline;
mod memory;
mod signature;

use std::collections::BTreeSet;

use super::BACKEND;
use super::ast::{Callee, Entry, Expr, Ident, Module, Routine, Scalar, Stmt, TemplateArg};
use super::keywords::Names;
use crate::backend::{AbiParam, EmitError};
use crate::diag::{SourceId, Span, Spanned};
use crate::entity::SecondaryMap;
use crate::ir::{DType, Inst, Kernel, LaunchClass, LocalId, Op, RegionId, ValueId};
use crate::target::MetalFamily;
use signature::Signature;

/// What lowering gives.
pub(super) struct Lowered {
    /// The text to be.
    pub(super) module: Module,
    /// What the launcher passes, in binding order.
    pub(super) params: Vec<AbiParam>,
    /// Paths that were chosen.
    pub(super) selection: Vec<String>,
}

/// Lowers a kernel for launches of a class on a family.
pub(super) fn kernel(
    kernel: &Kernel,
    class: &LaunchClass,
    family: MetalFamily,
) -> Result<Lowered, Vec<Spanned<EmitError>>> {
    // Metal has no instruction for a storage format, so none is left.
    let expanded = crate::ir::expand::expand(kernel, &|_| false);
    let kernel = expanded.as_ref().unwrap_or(kernel);
    let mut names = Names::default();
    let entry = names.claim(&kernel.entry());
    let signature = Signature::new(kernel, class, &mut names);
    let mut lowering = Lowering {
        kernel,
        class,
        family,
        names,
        signature,
        values: SecondaryMap::default(),
        locals: SecondaryMap::default(),
        moved: BTreeSet::new(),
        routines: BTreeSet::new(),
        selection: BTreeSet::new(),
        errors: Vec::new(),
        block: Vec::new(),
        span: kernel.span,
        shown: None,
    };
    lowering.check_class();
    lowering.check_declarations();
    lowering.guard_extent();
    lowering.declare_locals();
    lowering.instructions(kernel.body);
    if !lowering.errors.is_empty() {
        return Err(lowering.errors);
    }
    let Lowering { signature, routines, selection, block, .. } = lowering;
    let (arguments, params) = signature.finish();
    let remarks = vec![format!("{} for {class} on {family}", kernel.path())];
    let entry = Entry { name: entry, max_threads: class.threads(), arguments, body: block };
    let module = Module { remarks, routines, entry };
    Ok(Lowered { module, params, selection: selection.into_iter().collect() })
}

/// A kernel being lowered.
struct Lowering<'k> {
    kernel: &'k Kernel,
    class: &'k LaunchClass,
    family: MetalFamily,
    names: Names,
    signature: Signature,
    /// What each value is where it is used: a name, or something as short.
    values: SecondaryMap<ValueId, Option<Expr>>,
    locals: SecondaryMap<LocalId, Option<Ident>>,
    /// Values whose bits are defined even where they are a NaN: loads, constants and moves.
    moved: BTreeSet<ValueId>,
    routines: BTreeSet<Routine>,
    selection: BTreeSet<String>,
    errors: Vec<Spanned<EmitError>>,
    /// The statements of the open block.
    block: Vec<Stmt>,
    /// Where the instruction being lowered comes from.
    span: Span,
    /// The source line that the text showed last.
    shown: Option<(SourceId, u32)>,
}

impl Lowering<'_> {
    fn error(&mut self, error: EmitError) {
        self.errors.push(Spanned::new(self.span, error));
    }

    /// Records that there is no form for something.
    fn no_form(&mut self, what: impl Into<String>) {
        self.error(EmitError::NoForm { backend: BACKEND, what: what.into() });
    }

    /// Lowers a region's instructions into a block of their own.
    fn region(&mut self, region: RegionId) -> Vec<Stmt> {
        let outer = std::mem::take(&mut self.block);
        self.instructions(region);
        std::mem::replace(&mut self.block, outer)
    }

    fn instructions(&mut self, region: RegionId) {
        let kernel = self.kernel;
        for &id in &kernel.regions[region].insts {
            let inst = &kernel.insts[id];
            self.span = inst.span;
            if self.has_types(inst) {
                self.show_origin(inst);
                self.instruction(inst);
            }
        }
    }

    /// Whether the target has the types of the values that an instruction uses and defines; reports what it lacks.
    fn has_types(&mut self, inst: &Inst) -> bool {
        let mut dtypes: Vec<DType> = inst.results.iter().map(|&value| self.kernel.dtype(value)).collect();
        inst.op.uses(&mut |value| dtypes.push(self.kernel.dtype(value)));
        match dtypes.into_iter().find_map(|dtype| self.lacking(dtype)) {
            Some(what) => {
                self.no_form(what);
                false
            }
            None => true,
        }
    }

    /// What is missing for a type, in words.
    fn lacking(&self, dtype: DType) -> Option<String> {
        match dtype {
            DType::F64 if !self.family.has_f64() => Some("f64: Metal has no double".into()),
            DType::BF16 if !self.family.has_bfloat() => Some(format!("bf16: {} has no bfloat", self.family)),
            DType::Bool
            | DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64
            | DType::F16
            | DType::BF16
            | DType::F32
            | DType::Storage(_) => None,
            // A family with f64 would still need a type for it here.
            DType::F64 => Some("f64".into()),
        }
    }

    fn check_declarations(&mut self) {
        let kernel = self.kernel;
        for param in kernel.params.values() {
            self.span = param.span.or(kernel.span);
            if let Some(what) = self.lacking(param.dtype) {
                self.no_form(format!("parameter `{}`, {what}", param.name));
            }
        }
        for array in kernel.arrays.values() {
            self.span = array.span.or(kernel.span);
            self.no_form(format!("array `{}` in shared or per-thread memory", array.name));
        }
        self.span = kernel.span;
        if let Some(count) = self.signature.bindings_beyond_limit() {
            let limit = signature::MAX_BINDINGS;
            self.no_form(format!("{count} arguments: a Metal function binds at most {limit}"));
        }
    }

    /// Writes a remark with the place in the source whenever the line changes.
    fn show_origin(&mut self, inst: &Inst) {
        // A value that gets no statement needs no remark.
        if matches!(inst.op, Op::Const(_) | Op::Scalar(_) | Op::Shape(_) | Op::Stride(_)) {
            return;
        }
        let line = (inst.span.source, inst.span.line);
        if inst.span.is_known() && self.shown != Some(line) {
            self.shown = Some(line);
            if let Some(place) = self.kernel.sources.locate(Span { column: 0, ..inst.span }) {
                self.block.push(Stmt::Remark(place));
            }
        }
    }

    fn instruction(&mut self, inst: &Inst) {
        if matches!(inst.op, Op::Load(_) | Op::Const(_) | Op::Scalar(_) | Op::Bitcast(_)) {
            self.moved.extend(&inst.results);
        }
        match &inst.op {
            Op::Const(op) => self.constant(op, inst),
            Op::Scalar(op) => self.scalar_param(op, inst),
            Op::Shape(op) => self.shape(op, inst),
            Op::Stride(op) => self.stride(op, inst),
            Op::Geometry(op) => self.geometry(op, inst),
            Op::Unary(op) => self.unary(op, inst),
            Op::Binary(op) => self.binary(op, inst),
            Op::Fma(op) => self.fma(op, inst),
            Op::Compare(op) => self.compare(op, inst),
            Op::Select(op) => self.select(op, inst),
            Op::Convert(op) => self.convert(op, inst),
            Op::Bitcast(op) => self.bitcast(op, inst),
            Op::Approx(op) => self.approx(op, inst),
            Op::LocalGet(op) => self.local_get(op, inst),
            Op::LocalSet(op) => self.local_set(op),
            Op::Load(op) => self.load(op, inst),
            Op::Store(op) => self.store(op),
            Op::Atomic(op) => self.atomic(op, inst),
            Op::AtomicCas(_) => self.no_form("compare and swap: Metal's may fail without a reason"),
            Op::AtomicLoad(op) => self.atomic_load(op, inst),
            Op::AtomicStore(op) => self.atomic_store(op),
            Op::Fence(_) => self.no_form("a fence: Metal orders memory at barriers only"),
            Op::Shuffle(_) => self.no_form("a shuffle"),
            Op::WarpReduce(_) => self.no_form("a warp reduction"),
            Op::WarpScan(_) => self.no_form("a warp scan"),
            Op::Vote(_) | Op::Ballot(_) => self.no_form("a vote"),
            Op::Match(_) => self.no_form("a match"),
            Op::WarpBarrier(_) => self.no_form("a warp barrier"),
            Op::CtaBarrier(_) => self.no_form("a CTA barrier"),
            Op::NamedBarrier(_) => {
                self.no_form("a named barrier: a threadgroup has one barrier, for all its threads");
            }
            Op::Mma(_) => self.no_form("a matrix product of one warp's fragments"),
            Op::LdMatrix(_) => self.no_form("a matrix load"),
            Op::CpAsync(_) | Op::CpAsyncCommit(_) | Op::CpAsyncWait(_) => {
                self.no_form("an asynchronous copy")
            }
            Op::Inline(op) => self.inline(op, inst),
            // The text whose model it ends takes the values.
            Op::Yield(_) => {}
            Op::If(op) => self.branch(op),
            Op::For(op) => self.count(op),
            Op::Loop(op) => self.forever(op),
            Op::Break(_) => self.block.push(Stmt::Break),
            Op::Continue(_) => self.block.push(Stmt::Continue),
            Op::Comment(op) => self.block.push(Stmt::Remark(op.text.clone())),
        }
    }

    /// The MSL type of a value; `has_types` refused the instruction where there is none.
    fn scalar(&self, value: ValueId) -> Scalar {
        Scalar::of(self.kernel.dtype(value)).expect("has_types() refused what Metal has no type for")
    }

    /// A use of a value. One whose definition was refused stands as 0, so that lowering goes on to the next error.
    fn value(&self, value: ValueId) -> Expr {
        self.values[value].clone().unwrap_or(Expr::Literal(self.scalar(value), 0))
    }

    /// Gives a value its expression: as it is where that is short, else under a name of its own.
    fn define(&mut self, value: ValueId, expr: Expr) {
        if expr.is_atom() {
            self.values[value] = Some(expr);
            return;
        }
        let scalar = self.scalar(value);
        let name = match &self.kernel.values[value].name {
            Some(name) => self.names.claim(name),
            None => self.names.claim(&value.to_string()),
        };
        self.values[value] = Some(Expr::Name(name.clone()));
        self.block.push(Stmt::Constant { scalar, name, value: expr });
    }

    /// Defines the one result of an instruction.
    fn result(&mut self, inst: &Inst, expr: Expr) {
        // The IR's type rules give each operation that comes here exactly one result.
        if let Some(&value) = inst.results.first() {
            self.define(value, expr);
        }
    }

    /// Calls a function of the prelude, which is then written.
    fn call(&mut self, routine: Routine, template: Vec<TemplateArg>, args: Vec<Expr>) -> Expr {
        self.routines.insert(routine);
        self.routines.extend(routine.calls());
        Expr::Call(Callee::Routine(routine), template, args)
    }
}
