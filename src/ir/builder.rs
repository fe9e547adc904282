//! Builds a kernel instruction by instruction.
//!
//! The builder never fails: an operand that an operation does not take is recorded with its place, the instruction is
//! given results of a plausible type, and building goes on, so that [`finish`](Builder::finish) reports every mistake
//! at once.

use smallvec::SmallVec;

use super::kernel::{
    Array, ArrayId, ArraySpace, Inst, Kernel, Local, LocalId, Param, ParamId, ParamKind, Region, RegionId,
    Value, ValueId,
};
use super::op::{
    AtomicCas, AtomicLoad, Binary, BinaryOp, Const, Convert, Counter, For, If, Loop, Op, ResultTypes,
    TypeError, register_type,
};
use super::types::{DType, Literal};
use crate::diag::{Span, Spanned};
use crate::numerics::tensor::Operand;

/// Builds one kernel.
#[derive(Debug)]
pub struct Builder {
    kernel: Kernel,
    open: Vec<RegionId>,
    span: Span,
    errors: Vec<Spanned<TypeError>>,
}

impl Builder {
    /// Begins a kernel; its body is open.
    pub fn new(module: impl Into<String>, name: impl Into<String>, dtypes: Vec<DType>) -> Self {
        let kernel = Kernel::new(module, name, dtypes);
        let open = vec![kernel.body];
        Self { kernel, open, span: Span::default(), errors: Vec::new() }
    }

    /// The kernel so far.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The kernel so far, to set what is not an instruction (mode, CTA shape, names, sources).
    pub fn kernel_mut(&mut self) -> &mut Kernel {
        &mut self.kernel
    }

    /// The place that the next instructions come from.
    pub fn set_span(&mut self, span: Span) {
        self.span = span;
    }

    /// The place that instructions come from now.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Declares a parameter.
    pub fn param(&mut self, name: impl Into<String>, dtype: DType, kind: ParamKind) -> ParamId {
        self.kernel.params.push(Param { name: name.into(), dtype, kind, span: self.span })
    }

    /// Declares a flat buffer.
    pub fn buffer(&mut self, name: impl Into<String>, dtype: DType, written: bool) -> ParamId {
        self.param(name, dtype, ParamKind::Buffer { written, rank: 0, alias: false })
    }

    /// Declares a shared or per-thread array.
    pub fn array(&mut self, name: impl Into<String>, space: ArraySpace, dtype: DType, len: u32) -> ArrayId {
        self.kernel.arrays.push(Array { name: name.into(), space, dtype, len, span: self.span })
    }

    /// Declares a mutable variable.
    pub fn local(&mut self, name: Option<&str>, dtype: DType) -> LocalId {
        self.kernel.locals.push(Local { name: name.map(Into::into), dtype })
    }

    /// How many regions are open; the body is the first.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The region that instructions go to.
    pub fn current(&self) -> RegionId {
        *self.open.last().expect("the body stays open until finish()")
    }

    /// Opens a new region; instructions go there until [`close`](Self::close).
    pub fn open(&mut self) -> RegionId {
        let region = self.kernel.regions.push(Region::default());
        self.open.push(region);
        region
    }

    /// Closes the innermost open region.
    pub fn close(&mut self) {
        assert!(self.open.len() > 1, "close() pairs with open()");
        self.open.pop();
    }

    /// Appends the instructions of a closed region to the open one.
    pub fn splice(&mut self, region: RegionId) {
        let insts = std::mem::take(&mut self.kernel.regions[region].insts);
        let current = self.current();
        self.kernel.regions[current].insts.extend(insts);
    }

    /// Adds an instruction and returns its results.
    pub fn push(&mut self, op: impl Into<Op>) -> SmallVec<[ValueId; 1]> {
        let op = op.into();
        let types = op.results(&self.kernel).unwrap_or_else(|error| {
            self.errors.push(Spanned::new(self.span, error));
            plausible(&op, &self.kernel)
        });
        let results: SmallVec<[ValueId; 1]> =
            types.into_iter().map(|dtype| self.kernel.values.push(Value { dtype, name: None })).collect();
        let inst = self.kernel.insts.push(Inst { op, results: results.clone(), span: self.span });
        let current = self.current();
        self.kernel.regions[current].insts.push(inst);
        results
    }

    /// Adds an instruction with one result.
    pub fn value(&mut self, op: impl Into<Op>) -> ValueId {
        *self.push(op).first().expect("only operations with a result are pushed by value()")
    }

    /// Adds a constant.
    pub fn constant(&mut self, value: Literal) -> ValueId {
        self.value(Const { value })
    }

    /// Adds a two-operand operation.
    pub fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        self.value(Binary { op, a, b })
    }

    /// Adds a conversion, unless the value has that type already.
    pub fn convert(&mut self, a: ValueId, to: DType) -> ValueId {
        if self.kernel.dtype(a) == to { a } else { self.value(Convert::new(to, a)) }
    }

    /// Adds an `if` over two closed regions.
    pub fn push_if(&mut self, cond: ValueId, then: RegionId, els: RegionId) {
        self.push(If { cond, then, els });
    }

    /// Opens the body of a counted loop; ends with [`end_for`](Self::end_for).
    pub fn begin_for(&mut self, start: ValueId) -> (RegionId, ValueId) {
        let dtype = self.kernel.dtype(start);
        let counter = self.kernel.values.push(Value { dtype, name: None });
        (self.open(), counter)
    }

    /// Closes the body of a counted loop and adds the loop.
    pub fn end_for(&mut self, (body, counter): (RegionId, ValueId), bounds: [ValueId; 3], unroll: u32) {
        self.close();
        let [start, end, step] = bounds;
        self.push(For { counter: Counter(counter), start, end, step, unroll, body });
    }

    /// Closes the body of an endless loop and adds the loop.
    pub fn end_loop(&mut self, body: RegionId) {
        self.close();
        self.push(Loop { body });
    }

    /// Names a value for dumps, unless it has a name.
    pub fn name(&mut self, value: ValueId, name: &str) {
        let slot = &mut self.kernel.values[value].name;
        if slot.is_none() {
            *slot = Some(name.into());
        }
    }

    /// The kernel, compact, and what was wrong with it.
    pub fn finish(self) -> (Kernel, Vec<Spanned<TypeError>>) {
        (self.kernel.compact(), self.errors)
    }
}

/// Types for the results of an operation whose operands don't fit, so that building can go on.
fn plausible(op: &Op, kernel: &Kernel) -> ResultTypes {
    match op {
        Op::Compare(_) | Op::Vote(_) => SmallVec::from_elem(DType::Bool, 1),
        Op::Ballot(_) | Op::Match(_) => SmallVec::from_elem(DType::U32, 1),
        Op::Load(load) => SmallVec::from_elem(load.place.base.dtype(kernel), load.width.elements() as usize),
        Op::Atomic(atomic) => {
            SmallVec::from_elem(atomic.place.base.dtype(kernel), atomic.values.0.len().clamp(1, 2))
        }
        Op::AtomicCas(AtomicCas { place, .. }) | Op::AtomicLoad(AtomicLoad { place, .. }) => {
            SmallVec::from_elem(place.base.dtype(kernel), 1)
        }
        Op::Convert(convert) => SmallVec::from_elem(convert.to, 1),
        Op::Bitcast(bitcast) => SmallVec::from_elem(bitcast.to, 1),
        Op::Shape(_) | Op::Stride(_) => SmallVec::from_elem(DType::U64, 1),
        Op::Scalar(scalar) => SmallVec::from_elem(kernel.params[scalar.param].dtype, 1),
        Op::Inline(inline) => inline.output_types(),
        Op::Const(_)
        | Op::Geometry(_)
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Fma(_)
        | Op::Approx(_)
        | Op::Select(_)
        | Op::LocalGet(_)
        | Op::Shuffle(_)
        | Op::WarpReduce(_)
        | Op::WarpScan(_) => {
            let mut dtype = DType::U32;
            op.uses(&mut |value| dtype = kernel.dtype(value));
            SmallVec::from_elem(dtype, 1)
        }
        Op::Mma(mma) => SmallVec::from_elem(register_type(&mma.form, Operand::C), mma.c.0.len()),
        Op::LdMatrix(load) => SmallVec::from_elem(DType::U32, load.count.matrices()),
        Op::CpAsync(_)
        | Op::CpAsyncCommit(_)
        | Op::CpAsyncWait(_)
        | Op::LocalSet(_)
        | Op::Store(_)
        | Op::AtomicStore(_)
        | Op::Fence(_)
        | Op::WarpBarrier(_)
        | Op::CtaBarrier(_)
        | Op::NamedBarrier(_)
        | Op::Yield(_)
        | Op::If(_)
        | Op::For(_)
        | Op::Loop(_)
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Comment(_) => SmallVec::new(),
    }
}
