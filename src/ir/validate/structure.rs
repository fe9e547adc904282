//! Ids, regions, instructions and the scope of values.
//!
//! On entry nothing holds, so every id is tested before it is followed. Each region and instruction is visited at
//! most once, so that a region that holds itself ends the walk with an error instead of never.

use super::{Errors, ValidateError};
use crate::diag::{Span, Spanned};
use crate::entity::{Arena, EntityId, SecondaryMap};
use crate::ir::kernel::{InstId, Kernel, LocalId, RegionId, ValueId};
use crate::ir::op::{For, LocalGet, LocalSet, MemBase, Op, Scalar, Shape, Stride};

/// Where a value stands while the walk goes on.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Not defined up to here.
    Ahead,
    /// Defined, and in scope.
    Visible,
    /// Defined in a region that was left.
    Left,
}

struct Walk<'k> {
    kernel: &'k Kernel,
    errors: &'k mut Errors,
    values: SecondaryMap<ValueId, State>,
    regions: SecondaryMap<RegionId, bool>,
    insts: SecondaryMap<InstId, bool>,
    /// Uses of values not defined up to there; whether they are defined later is known at the end.
    early: Vec<(ValueId, Span)>,
    /// Values defined in the regions that are open, innermost last.
    scope: Vec<ValueId>,
}

pub(super) fn check(kernel: &Kernel, errors: &mut Errors) {
    let mut walk = Walk {
        kernel,
        errors,
        values: SecondaryMap::with_len(State::Ahead, kernel.values.len()),
        regions: SecondaryMap::with_len(false, kernel.regions.len()),
        insts: SecondaryMap::with_len(false, kernel.insts.len()),
        early: Vec::new(),
        scope: Vec::new(),
    };
    if kernel.regions.contains(kernel.body) {
        walk.region(kernel.body, kernel.span);
    } else {
        let first = InstId::from_index(0);
        walk.errors.push(Spanned::new(
            kernel.span,
            ValidateError::NoSuchId { inst: first, id: kernel.body.to_string() },
        ));
    }
    for (value, span) in std::mem::take(&mut walk.early) {
        let error = match walk.values[value] {
            State::Ahead => ValidateError::Undefined { value },
            State::Visible | State::Left => ValidateError::UsedBeforeDefinition { value },
        };
        walk.errors.push(Spanned::new(span, error));
    }
}

impl Walk<'_> {
    fn error(&mut self, span: Span, error: ValidateError) {
        self.errors.push(Spanned::new(span, error));
    }

    fn region(&mut self, region: RegionId, span: Span) {
        if std::mem::replace(&mut self.regions[region], true) {
            return self.error(span, ValidateError::RegionShared { region });
        }
        let open = self.scope.len();
        let kernel = self.kernel;
        for &inst in &kernel.regions[region].insts {
            self.inst(inst, span);
        }
        for value in self.scope.drain(open..) {
            self.values[value] = State::Left;
        }
    }

    fn inst(&mut self, id: InstId, outer: Span) {
        let kernel = self.kernel;
        let Some(inst) = kernel.insts.get(id) else {
            return self.error(outer, ValidateError::NoSuchId { inst: id, id: id.to_string() });
        };
        if std::mem::replace(&mut self.insts[id], true) {
            return self.error(inst.span, ValidateError::InstShared { inst: id });
        }
        self.references(id, &inst.op, inst.span);
        let mut used = Vec::new();
        inst.op.uses(&mut |value| used.push(value));
        for value in used {
            self.use_of(id, value, inst.span);
        }
        // A counter is defined for the body, and in no scope but it.
        let open = self.scope.len();
        if let Op::For(For { counter, .. }) = &inst.op {
            self.define(id, counter.0, inst.span);
        }
        let mut inner = Vec::new();
        inst.op.regions(&mut |region| inner.push(region));
        for region in inner {
            if kernel.regions.contains(region) {
                self.region(region, inst.span);
            } else {
                self.error(inst.span, ValidateError::NoSuchId { inst: id, id: region.to_string() });
            }
        }
        for value in self.scope.drain(open..) {
            self.values[value] = State::Left;
        }
        for &result in &inst.results {
            self.define(id, result, inst.span);
        }
    }

    fn define(&mut self, inst: InstId, value: ValueId, span: Span) {
        if !self.kernel.values.contains(value) {
            return self.error(span, ValidateError::NoSuchId { inst, id: value.to_string() });
        }
        if self.values[value] != State::Ahead {
            return self.error(span, ValidateError::DefinedTwice { value });
        }
        self.values[value] = State::Visible;
        self.scope.push(value);
    }

    fn use_of(&mut self, inst: InstId, value: ValueId, span: Span) {
        if !self.kernel.values.contains(value) {
            return self.error(span, ValidateError::NoSuchId { inst, id: value.to_string() });
        }
        match self.values[value] {
            State::Visible => {}
            State::Ahead => self.early.push((value, span)),
            State::Left => self.error(span, ValidateError::Escapes { value }),
        }
    }

    /// Ids of anything but values and regions.
    fn references(&mut self, inst: InstId, op: &Op, span: Span) {
        let kernel = self.kernel;
        let missing = match op {
            Op::LocalGet(LocalGet { local }) | Op::LocalSet(LocalSet { local, .. }) => {
                absent::<LocalId, _>(&kernel.locals, *local)
            }
            Op::Scalar(Scalar { param })
            | Op::Shape(Shape { param, .. })
            | Op::Stride(Stride { param, .. }) => absent(&kernel.params, *param),
            Op::Load(_)
            | Op::Store(_)
            | Op::Atomic(_)
            | Op::AtomicCas(_)
            | Op::AtomicLoad(_)
            | Op::AtomicStore(_)
            | Op::LdMatrix(_)
            | Op::CpAsync(_) => {
                op.accesses().into_iter().find_map(|(place, _)| absent_base(kernel, place.base))
            }
            Op::Const(_)
            | Op::Geometry(_)
            | Op::Unary(_)
            | Op::Binary(_)
            | Op::Fma(_)
            | Op::Compare(_)
            | Op::Select(_)
            | Op::Convert(_)
            | Op::Bitcast(_)
            | Op::Approx(_)
            | Op::Shuffle(_)
            | Op::WarpReduce(_)
            | Op::WarpScan(_)
            | Op::Vote(_)
            | Op::Ballot(_)
            | Op::Match(_)
            | Op::WarpBarrier(_)
            | Op::CtaBarrier(_)
            | Op::Fence(_)
            | Op::NamedBarrier(_)
            | Op::Mma(_)
            | Op::CpAsyncCommit(_)
            | Op::CpAsyncWait(_)
            | Op::Inline(_)
            | Op::Yield(_)
            | Op::If(_)
            | Op::For(_)
            | Op::Loop(_)
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Comment(_) => None,
        };
        if let Some(id) = missing {
            self.error(span, ValidateError::NoSuchId { inst, id });
        }
    }
}

fn absent<I: EntityId + std::fmt::Display, T>(arena: &Arena<I, T>, id: I) -> Option<String> {
    (!arena.contains(id)).then(|| id.to_string())
}

fn absent_base(kernel: &Kernel, base: MemBase) -> Option<String> {
    match base {
        MemBase::Param(id) => absent(&kernel.params, id),
        MemBase::Array(id) => absent(&kernel.arrays, id),
    }
}
