//! `select`: eager where no arm can load, else with arms built apart, whose loads are guarded.

use super::build::{Build, GuardState, with};
use super::error::BuildError;
use super::val::{IntoVal, Val};
use crate::ir::op::{BinaryOp, Op, Select, Unary, UnaryOp};
use crate::ir::{RegionId, ValueId};

/// `a` where the condition holds, else `b`, in their common type.
pub fn select_eager(cond: impl IntoVal, a: impl IntoVal, b: impl IntoVal) -> Val {
    let (cond, a, b) = (cond.val(), a.val(), b.val());
    with(|build| {
        let cond = build.condition(cond);
        build.select(cond, a, b)
    })
}

/// The same as [`select_eager`] for plain Rust functions.
pub fn select(cond: impl IntoVal, a: impl IntoVal, b: impl IntoVal) -> Val {
    select_eager(cond, a, b)
}

/// `select` whose arms may load: a load written inside an arm happens only where that arm is chosen.
pub fn select_lazy<A: IntoVal, B: IntoVal>(
    cond: impl IntoVal,
    a: impl FnOnce() -> A,
    b: impl FnOnce() -> B,
) -> Val {
    let cond = cond.val();
    let cond = with(|build| build.condition(cond));
    match cond.as_int() {
        Some(0) => return b().val(),
        Some(_) => return a().val(),
        None => {}
    }
    let a = arm(cond, false, a);
    let b = arm(cond, true, b);
    with(|build| build.select(cond, a, b))
}

fn arm<V: IntoVal>(cond: Val, negated: bool, run: impl FnOnce() -> V) -> Val {
    let (guarding, region) = with(|build| {
        let guarding = build.open();
        let cond = build.arm_guard(cond, negated);
        build.close();
        build.guards.push(GuardState { cond, used: false });
        (guarding, build.open())
    });
    let value = run().val();
    with(|build| {
        build.close();
        let guard = build.guards.pop().expect("pushed above, and arms nest");
        if guard.used {
            build.ir.splice(guarding);
            // This arm's guard is built from the enclosing arm's.
            if let Some(outer) = build.guards.last_mut() {
                outer.used = true;
            }
        }
        build.refuse_effects(region);
        build.ir.splice(region);
    });
    value
}

impl Build {
    fn select(&mut self, cond: Val, a: Val, b: Val) -> Val {
        let (a, b) = self.unify(a, b);
        match cond.as_int() {
            Some(0) => return b,
            Some(_) => return a,
            None => {}
        }
        let [cond, a, b] = [cond, a, b].map(|operand| self.id(operand));
        self.value(Select { cond, a, b })
    }

    /// The condition under which an arm is chosen, the enclosing arm's included.
    fn arm_guard(&mut self, cond: Val, negated: bool) -> ValueId {
        let cond = self.id(cond);
        let own = if negated { self.ir.value(Unary { op: UnaryOp::Not, a: cond }) } else { cond };
        match self.guards.last().copied() {
            None => own,
            Some(outer) => self.ir.binary(BinaryOp::And, outer.cond, own),
        }
    }

    /// All lanes run both arms, so an arm can hold nothing that another thread could see.
    fn refuse_effects(&mut self, region: RegionId) {
        let mut found = None;
        self.ir.kernel().walk(region, &mut |_, inst| {
            found = found.or(match &inst.op {
                Op::Store(_) => Some("a store"),
                Op::Atomic(_) | Op::AtomicCas(_) | Op::AtomicLoad(_) | Op::AtomicStore(_) => {
                    Some("an atomic operation")
                }
                Op::Fence(_) => Some("a fence"),
                Op::CtaBarrier(_) => Some("a barrier"),
                op if op.is_warp_op() => Some("a warp operation"),
                _ => None,
            });
        });
        if let Some(what) = found {
            self.error(BuildError::EffectInArm { what });
        }
    }
}
