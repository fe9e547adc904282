//! Control flow: regions, branches, loops; and short `if`s as predicated code.
//!
//! A counted loop needs no division and its counter never wraps: it runs while start is below end, and goes on only
//! where more than a step is left. Whether the lanes of a warp are proven together is tracked along the way: after a
//! branch on which they may part, barriers take the unaligned form.

use super::arith::{int_type, yes};
use super::state::{LoopLabels, Lowering, Members};
use crate::ir::op::{BarrierAction, For, If, LocalGet, LocalSet, Loop, NamedBarrier, Op};
use crate::ir::{Inst, InstId, RegionId, ValueId};
use crate::ptx::isa::modifier::{Aligned, CmpOp, CtaWord, Sat, Uni};
use crate::ptx::isa::types::{IntType, SetpType};
use crate::ptx::isa::{
    self, BarArrive, BarSync, BarrierArrive, BarrierSync, Bra, Def, Guard, LabelId, OptUse, PredUse, Reg, Use,
};
use crate::ptx::regalloc::Prefix;

/// The longest `if` that becomes predicated code.
const PREDICATED: usize = 6;

impl Lowering<'_> {
    pub(super) fn region(&mut self, region: RegionId) {
        let kernel = self.kernel;
        // What is computed of ranks inside does not dominate what comes after.
        let known = self.ranks.len();
        for &id in &kernel.regions[region].insts {
            self.inst(id, &kernel.insts[id]);
        }
        self.ranks.truncate(known);
    }

    fn inst(&mut self, id: InstId, inst: &Inst) {
        let around = self.enter(id, inst);
        self.operation(inst);
        self.leave_op(around);
    }

    fn operation(&mut self, inst: &Inst) {
        match &inst.op {
            // Constants go where they are used.
            Op::Const(_) => {}
            Op::Scalar(op) => self.scalar(op.param, inst.results[0]),
            Op::Shape(op) => self.shape(op.param, op.axis.0, inst.results[0]),
            Op::Stride(op) => self.stride(op.param, op.axis.0, inst.results[0]),
            Op::Geometry(op) => self.geometry(op.reg, inst.results[0]),
            Op::Unary(op) => self.with_result(inst, |this, dst| this.unary(op, dst)),
            Op::Binary(op) => self.with_result(inst, |this, dst| this.binary(op, dst)),
            Op::Fma(op) => self.with_result(inst, |this, dst| this.fma(op, dst)),
            Op::Compare(op) => self.with_result(inst, |this, dst| this.compare(op, dst)),
            Op::Select(op) => self.with_result(inst, |this, dst| this.select(op, dst)),
            Op::Convert(op) => self.with_result(inst, |this, dst| this.convert(op, dst)),
            Op::Bitcast(op) => self.with_result(inst, |this, dst| this.bitcast(op, dst)),
            Op::Approx(op) => self.with_result(inst, |this, dst| this.approx(op, dst)),
            Op::LocalGet(op) => self.local_get(op, inst.results[0]),
            Op::LocalSet(op) => self.local_set(op),
            Op::Load(op) => {
                let results: Vec<Reg> = inst.results.iter().map(|&result| self.define(result)).collect();
                self.load(op, &results);
            }
            Op::Store(op) => self.store(op),
            Op::Atomic(op) => self.atomic(op, &inst.results),
            Op::AtomicCas(op) => self.with_result(inst, |this, dst| this.atomic_cas(op, dst)),
            Op::AtomicLoad(op) => self.with_result(inst, |this, dst| this.atomic_load(op, dst)),
            Op::AtomicStore(op) => self.atomic_store(op),
            Op::Fence(op) => self.fence(op),
            Op::Shuffle(op) => self.with_members(inst, |this, dst| this.shuffle(op, dst)),
            Op::WarpReduce(op) => self.with_members(inst, |this, dst| this.warp_reduce(op, dst)),
            Op::WarpScan(op) => self.with_members(inst, |this, dst| this.warp_scan(op, dst)),
            Op::Vote(op) => self.with_members(inst, |this, dst| this.vote(op, dst)),
            Op::Ballot(op) => self.with_members(inst, |this, dst| this.ballot(op, dst)),
            Op::Match(op) => self.with_members(inst, |this, dst| this.match_any(op, dst)),
            Op::WarpBarrier(_) => self.warp_barrier(),
            Op::CtaBarrier(_) => self.cta_barrier(),
            Op::NamedBarrier(op) => self.named_barrier(op),
            Op::Mma(op) => self.mma(op, inst),
            Op::LdMatrix(op) => self.ldmatrix(op, inst),
            Op::CpAsync(op) => self.cp_async(op, inst),
            Op::CpAsyncCommit(_) => self.cp_async_commit(),
            Op::CpAsyncWait(op) => self.cp_async_wait(op),
            Op::Inline(op) => self.inline(op, inst),
            // The text whose model it ends takes the values.
            Op::Yield(_) => {}
            Op::If(op) => self.if_else(op),
            Op::For(op) => self.counted(op),
            Op::Loop(op) => self.endless(op),
            Op::Break(_) => self.leave(),
            Op::Continue(_) => self.next_iteration(),
            Op::Comment(op) => self.remark(op.text.as_str()),
        }
    }

    fn with_result(&mut self, inst: &Inst, lower: impl FnOnce(&mut Self, Reg)) {
        let dst = self.define(inst.results[0]);
        lower(self, dst);
    }

    /// A warp operation. Threads beyond the extent take no part; where they run on, they get what a warp of themselves
    /// alone would, or about that, so that a loop which ends by it ends for them too.
    fn with_members(&mut self, inst: &Inst, lower: impl FnOnce(&mut Self, Reg)) {
        let dst = self.define(inst.results[0]);
        lower(self, dst);
        let Some(active) = self.active else { return };
        let own = self.alone(&inst.op);
        let mut copy: isa::Inst = if dst.class() == isa::RegClass::Pred {
            isa::MovPred { dst: Def(dst), src: yes(own) }.into()
        } else {
            isa::Mov { ty: Self::mov_type(dst.class()), dst: Def(dst), src: own.into() }.into()
        };
        copy.guard = Some(Guard { pred: active, negated: true });
        self.emit(copy);
    }

    fn local_get(&mut self, op: &LocalGet, result: ValueId) {
        let local = self.local(op.local);
        let dst = self.define(result);
        self.copy(dst, local);
    }

    fn local_set(&mut self, op: &LocalSet) {
        let local = self.local(op.local);
        if let (Some(literal), None) = (self.constant(op.value), self.short_if) {
            return self.set_constant(local, literal);
        }
        let src = self.reg(op.value);
        self.copy_guarded(local, src, self.short_if);
    }

    fn cta_barrier(&mut self) {
        let (barrier, threads) = (Use::Int(0), OptUse(None));
        if self.converged {
            self.emit(BarSync { cta: CtaWord(false), barrier, threads });
        } else {
            self.emit(BarrierSync { cta: CtaWord(true), aligned: Aligned(false), barrier, threads });
        }
    }

    fn named_barrier(&mut self, op: &NamedBarrier) {
        let (barrier, threads) = (self.operand(op.id), self.operand(op.threads));
        let (cta, aligned) = (CtaWord(!self.converged), Aligned(false));
        match (op.action, self.converged) {
            (BarrierAction::Sync, true) => {
                self.emit(BarSync { cta, barrier, threads: OptUse(Some(threads)) });
            }
            (BarrierAction::Sync, false) => {
                self.emit(BarrierSync { cta, aligned, barrier, threads: OptUse(Some(threads)) });
            }
            (BarrierAction::Arrive, true) => self.emit(BarArrive { cta, barrier, threads }),
            (BarrierAction::Arrive, false) => self.emit(BarrierArrive { cta, aligned, barrier, threads }),
        }
    }

    fn labels(&mut self) -> &mut LoopLabels {
        self.loops.last_mut().expect("validate() checked that it stands in a loop")
    }

    fn leave(&mut self) {
        let labels = self.labels();
        if labels.masked {
            let broke = labels.broke.expect("a masked loop with a break has a flag for it");
            self.set_flag(broke, true);
            return self.pass_on(None);
        }
        let target = labels.leave;
        self.bra(target);
    }

    fn next_iteration(&mut self) {
        let labels = self.labels();
        if labels.masked {
            return self.pass_on(None);
        }
        labels.continued = true;
        let target = labels.next;
        self.bra(target);
    }

    fn bra(&mut self, target: LabelId) {
        self.emit(Bra { uni: Uni(false), target });
    }

    pub(super) fn bra_if(&mut self, pred: Reg, negated: bool, target: LabelId) {
        let mut inst: isa::Inst = Bra { uni: Uni(false), target }.into();
        inst.guard = Some(Guard { pred, negated });
        self.emit(inst);
    }

    /// Whether the lanes of a warp may part on the condition.
    fn may_part(&self, cond: ValueId) -> bool {
        !self.uniformity.is_warp_uniform(cond)
    }

    /// Whether a region is short and has only operations that predicates can guard.
    fn is_predicable(&self, region: RegionId) -> bool {
        let insts = &self.kernel.regions[region].insts;
        insts.len() <= PREDICATED
            && insts.iter().all(|&id| match &self.kernel.insts[id].op {
                Op::Const(_)
                | Op::Scalar(_)
                | Op::Shape(_)
                | Op::Stride(_)
                | Op::Geometry(_)
                | Op::Unary(_)
                | Op::Binary(_)
                | Op::Fma(_)
                | Op::Compare(_)
                | Op::Select(_)
                | Op::Convert(_)
                | Op::Bitcast(_)
                | Op::Approx(_)
                | Op::LocalGet(_)
                | Op::LocalSet(_)
                | Op::Load(_)
                | Op::Store(_)
                | Op::AtomicCas(_)
                | Op::AtomicLoad(_)
                | Op::AtomicStore(_)
                | Op::Comment(_) => true,
                op @ Op::Atomic(_) => !self.spins(op),
                Op::Shuffle(_)
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
                | Op::LdMatrix(_)
                | Op::CpAsync(_)
                | Op::CpAsyncCommit(_)
                | Op::CpAsyncWait(_)
                // A text has guards of its own.
                | Op::Inline(_)
                | Op::Yield(_)
                | Op::If(_)
                | Op::For(_)
                | Op::Loop(_)
                | Op::Break(_)
                | Op::Continue(_) => false,
            })
    }

    fn if_else(&mut self, op: &If) {
        let cond = self.reg(op.cond);
        let has_else = !self.kernel.regions[op.els].insts.is_empty();
        if !has_else && self.is_predicable(op.then) {
            return self.predicated(cond, op.then);
        }
        let parts = self.may_part(op.cond);
        let end = self.label("endif");
        let otherwise = if has_else { self.label("else") } else { end };
        let converged = self.converged && !parts;
        let before = self.members;
        let arms = self.masks_of_if(op, cond, end);
        if let (Some(join), Some(labels)) = (arms.join, self.loops.last_mut()) {
            labels.joins.push(join);
        }
        self.bra_if(cond, true, otherwise);
        self.converged = converged;
        self.members = arms.then;
        self.region(op.then);
        let mut after = self.converged;
        if has_else {
            self.bra(end);
            self.entry.place(otherwise);
            self.converged = converged;
            self.members = arms.els;
            self.region(op.els);
            after &= self.converged;
        }
        self.entry.place(end);
        self.converged = after;
        if let (Some(_), Some(labels)) = (arms.join, self.loops.last_mut()) {
            labels.joins.pop();
        }
        self.mask_after_if(&arms, before);
    }

    fn predicated(&mut self, cond: Reg, then: RegionId) {
        let outer = (self.predicate, self.short_if);
        self.predicate = self.both(Some(cond), self.predicate);
        self.short_if = Some(cond);
        self.region(then);
        (self.predicate, self.short_if) = outer;
    }

    fn counted(&mut self, op: &For) {
        let ty = int_type(self.dtype(op.start));
        let compare = match ty {
            IntType::S64 => SetpType::S64,
            IntType::U64 => SetpType::U64,
            IntType::S32 | IntType::S16 => SetpType::S32,
            IntType::U32 | IntType::U16 => SetpType::U32,
        };
        let counter = self.define(op.counter.0);
        let (start, end, step) = (self.reg(op.start), self.operand(op.end), self.operand(op.step));
        let parts = [op.start, op.end, op.step].into_iter().any(|bound| self.may_part(bound));
        let (begin, done) = (self.label("for"), self.label("endfor"));
        self.copy(counter, start);
        let direction = self.direction(op.step);
        let mut runs = self.first_test(compare, direction, counter, end, step);
        if self.constant(op.step).is_none() {
            // A step of 0 is an error, but it must not hang; and a thread beyond the extent may have loaded it.
            let moves = self.setp(CmpOp::Ne, compare, step, Use::Int(0));
            let both = self.temp(isa::RegClass::Pred);
            self.emit(isa::AndPred { dst: Def(both), a: yes(runs), b: yes(moves) });
            runs = both;
        }
        let outer = self.members;
        let mask = self.is_masked(op.body).then(|| self.mask_reg("iterating"));
        if let Some(mask) = mask {
            let among = self.members();
            self.note("mask: the lanes that iterate");
            self.ballot_of(mask, yes(runs), among);
        }
        self.bra_if(runs, true, done);
        self.entry.place(begin);
        let converged = self.converged && !parts && !self.body_may_part(op.body);
        self.converged = converged;
        for copy in 0..op.unroll.max(1) {
            let broke = self.iteration(op.body, mask, done);
            let mut more = self.more(ty, compare, direction, counter, end, step);
            if let Some(broke) = broke {
                let stays = self.temp(isa::RegClass::Pred);
                let (a, b) = (yes(more), PredUse { reg: broke, negated: true });
                self.emit(isa::AndPred { dst: Def(stays), a, b });
                more = stays;
            }
            if let Some(mask) = mask {
                self.note("mask: the lanes that iterate again");
                self.ballot_of(mask, yes(more), mask.into());
            }
            let sat = Sat(false);
            self.emit(isa::Add { sat, ty, dst: Def(counter), a: counter.into(), b: step });
            if copy + 1 < op.unroll {
                self.bra_if(more, true, done);
            } else {
                self.bra_if(more, false, begin);
            }
        }
        self.entry.place(done);
        self.converged = converged;
        self.members = outer;
    }

    /// One iteration of a loop's body. With a mask all its lanes come by the end, those that have left it too; returns
    /// what tells them.
    fn iteration(&mut self, body: RegionId, mask: Option<Reg>, leave: LabelId) -> Option<Reg> {
        let next = self.label("next");
        let broke = (mask.is_some() && self.has_break(body)).then(|| {
            let broke = self.named(isa::RegClass::Pred, Prefix::Pred, Some("broke"));
            self.set_flag(broke, false);
            broke
        });
        let masked = mask.is_some();
        self.loops.push(LoopLabels { leave, next, continued: false, masked, broke, joins: Vec::new() });
        if let Some(mask) = mask {
            self.members = Members::Any(mask);
        }
        self.region(body);
        let labels = self.loops.pop();
        if labels.is_some_and(|labels| labels.continued) {
            self.entry.place(next);
        }
        broke
    }

    /// Whether lanes may leave the loop of a body.
    fn has_break(&self, body: RegionId) -> bool {
        self.kernel.regions[body].insts.iter().any(|&id| match &self.kernel.insts[id].op {
            Op::Break(_) => true,
            Op::If(op) => self.has_break(op.then) || self.has_break(op.els),
            _ => false,
        })
    }

    /// Whether the loop's body parts the lanes of a warp that enter it together.
    fn body_may_part(&self, body: RegionId) -> bool {
        let mut parts = false;
        self.kernel.walk(body, &mut |_, inst| {
            parts |= match &inst.op {
                Op::If(op) => self.may_part(op.cond) && !self.is_short_if(op),
                Op::For(op) => [op.start, op.end, op.step].into_iter().any(|bound| self.may_part(bound)),
                op => self.spins(op),
            };
        });
        parts
    }

    fn is_short_if(&self, op: &If) -> bool {
        self.kernel.regions[op.els].insts.is_empty() && self.is_predicable(op.then)
    }

    fn endless(&mut self, op: &Loop) {
        let (begin, done) = (self.label("loop"), self.label("endloop"));
        let converged = self.converged && !self.body_may_part(op.body);
        self.converged = converged;
        let outer = self.members;
        let Some(mask) = self.is_masked(op.body).then(|| self.mask_reg("iterating")) else {
            self.entry.place(begin);
            let (joins, continued, masked, broke) = (Vec::new(), false, false, None);
            self.loops.push(LoopLabels { leave: done, next: begin, continued, masked, broke, joins });
            self.region(op.body);
            self.loops.pop();
            self.bra(begin);
            self.entry.place(done);
            self.converged = converged;
            return;
        };
        let among = self.members();
        self.emit(isa::Mov { ty: Self::mov_type(isa::RegClass::B32), dst: Def(mask), src: among });
        self.entry.place(begin);
        match self.iteration(op.body, Some(mask), done) {
            Some(broke) => {
                self.note("mask: the lanes that iterate again");
                self.ballot_of(mask, PredUse { reg: broke, negated: true }, mask.into());
                self.bra_if(broke, true, begin);
            }
            None => self.bra(begin),
        }
        self.entry.place(done);
        self.converged = converged;
        self.members = outer;
    }

    fn direction(&self, step: ValueId) -> Direction {
        if !self.dtype(step).is_signed() {
            return Direction::Up;
        }
        match self.constant(step).and_then(|literal| literal.as_int()) {
            Some(step) if step > 0 => Direction::Up,
            Some(_) => Direction::Down,
            None => Direction::Either,
        }
    }

    /// Whether the first iteration runs.
    fn first_test(&mut self, ty: SetpType, direction: Direction, start: Reg, end: Use, step: Use) -> Reg {
        match direction {
            Direction::Up => self.setp(CmpOp::Lt, ty, start, end),
            Direction::Down => self.setp(CmpOp::Gt, ty, start, end),
            Direction::Either => {
                let up = self.setp(CmpOp::Lt, ty, start, end);
                let down = self.setp(CmpOp::Gt, ty, start, end);
                self.by_sign(ty, step, up, down)
            }
        }
    }

    fn by_sign(&mut self, ty: SetpType, step: Use, up: Reg, down: Reg) -> Reg {
        let rises = self.setp(CmpOp::Gt, ty, step, Use::Int(0));
        let dst = self.temp(isa::RegClass::Pred);
        self.select_pred(dst, rises, up, down);
        dst
    }

    /// Whether more than one step is left between the counter and the end: then the next value is short of the end,
    /// and adding the step can't wrap. The distance is taken as unsigned: it can exceed the signed range.
    fn more(
        &mut self,
        ty: IntType,
        compare: SetpType,
        direction: Direction,
        counter: Reg,
        end: Use,
        step: Use,
    ) -> Reg {
        let unsigned = match ty {
            IntType::S64 | IntType::U64 => SetpType::U64,
            IntType::S32 | IntType::S16 | IntType::U32 | IntType::U16 => SetpType::U32,
        };
        match direction {
            Direction::Up => {
                let left = self.temp(counter.class());
                self.emit(isa::Sub { sat: Sat(false), ty, dst: Def(left), a: end, b: counter.into() });
                self.setp(CmpOp::Gt, unsigned, left, step)
            }
            Direction::Down => {
                let left = self.temp(counter.class());
                self.emit(isa::Sub { sat: Sat(false), ty, dst: Def(left), a: counter.into(), b: end });
                let size = self.negated(ty, counter.class(), step);
                self.setp(CmpOp::Gt, unsigned, left, size)
            }
            Direction::Either => {
                let up = self.more(ty, compare, Direction::Up, counter, end, step);
                let down = self.more(ty, compare, Direction::Down, counter, end, step);
                self.by_sign(compare, step, up, down)
            }
        }
    }

    fn negated(&mut self, ty: IntType, class: isa::RegClass, value: Use) -> Use {
        if let Use::Int(constant) = value {
            return Use::Int(constant.wrapping_neg());
        }
        let dst = self.temp(class);
        self.emit(isa::Sub { sat: Sat(false), ty, dst: Def(dst), a: Use::Int(0), b: value });
        dst.into()
    }
}

/// Which way a counter goes.
#[derive(Clone, Copy)]
enum Direction {
    Up,
    Down,
    /// The sign of the step is known at run time only.
    Either,
}
