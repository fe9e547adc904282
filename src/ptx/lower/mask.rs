//! Masks of regions: which lanes of the warp run here, computed with ballots before they part.
//!
//! A region that holds no warp operation needs no mask. Where the active lanes are proven to take one way, the mask
//! stays; else both arms of an `if` get theirs from one ballot, and a loop takes a ballot of who goes on at the end of
//! every iteration. Lanes that leave a loop from the depth of an `if` go by its end, where the others learn who is gone.
//! Entry: the mask of the region around. Exit: lanes that come to a warp operation hold the mask of those who come.

use super::arith::yes;
use super::state::{Join, Lowering, Members};
use crate::ir::RegionId;
use crate::ir::op::{If, Op};
use crate::ptx::isa::modifier::Uni;
use crate::ptx::isa::types::BitType;
use crate::ptx::isa::{self, Ballot, Bra, Def, Guard, LabelId, OrPred, PredUse, Reg, RegClass, Use, Xor};
use crate::ptx::regalloc::Prefix;

/// What becomes of the mask in the arms of an `if`, and behind it.
pub(super) struct Arms {
    pub(super) then: Members,
    pub(super) els: Members,
    /// Where lanes that leave the loop from an arm pass by.
    pub(super) join: Option<Join>,
    /// Behind it, if there is no join.
    after: Members,
}

impl Lowering<'_> {
    /// The mask as an operand of a `.sync` operation.
    pub(super) fn members(&self) -> Use {
        match self.members {
            Members::Full => Use::Int(0xffff_ffff),
            Members::Prefix { mask, .. } | Members::Any(mask) => mask.into(),
            Members::None => unreachable!("the prologue computes members for a kernel with warp operations"),
        }
    }

    /// Whether a warp operation stands in the region, however deep.
    pub(super) fn synchronises(&self, region: RegionId) -> bool {
        let mut found = false;
        self.kernel.walk(region, &mut |_, inst| found |= inst.op.is_warp_op());
        found
    }

    /// Whether lanes may leave the loop around, or cut an iteration short, from the region.
    fn has_exit(&self, region: RegionId) -> bool {
        self.kernel.regions[region].insts.iter().any(|&id| match &self.kernel.insts[id].op {
            Op::Break(_) | Op::Continue(_) => true,
            Op::If(op) => self.has_exit(op.then) || self.has_exit(op.els),
            _ => false,
        })
    }

    /// Whether no lane comes to the end of the region.
    fn always_exits(&self, region: RegionId) -> bool {
        let last = self.kernel.regions[region].insts.last();
        last.is_some_and(|&id| match &self.kernel.insts[id].op {
            Op::Break(_) | Op::Continue(_) => true,
            Op::If(op) => self.always_exits(op.then) && self.always_exits(op.els),
            _ => false,
        })
    }

    /// `dst` = the members of `among` for which the condition holds.
    pub(super) fn ballot_of(&mut self, dst: Reg, cond: PredUse, among: Use) {
        self.emit_guarded(Ballot { dst: Def(dst), src: cond, members: among }, self.active);
    }

    pub(super) fn mask_reg(&mut self, name: &str) -> Reg {
        self.named(RegClass::B32, Prefix::Int, Some(name))
    }

    /// Computes, before the branch, the masks of an `if` that needs them. `end` is the label behind it.
    pub(super) fn masks_of_if(&mut self, op: &If, cond: Reg, end: LabelId) -> Arms {
        let before = self.members;
        let keep = Arms { then: before, els: before, join: None, after: before };
        let masked_loop = self.loops.last().is_some_and(|labels| labels.masked);
        let (leaves_then, leaves_els) =
            (masked_loop && self.has_exit(op.then), masked_loop && self.has_exit(op.els));
        let exits = leaves_then || leaves_els;
        if matches!(before, Members::None)
            || !(exits || self.synchronises(op.then) || self.synchronises(op.els))
        {
            return keep;
        }
        let gone_by_arm =
            (self.always_exits(op.then) && !leaves_els, self.always_exits(op.els) && !leaves_then);
        let mut arms = keep;
        if !self.meeting.is_warp_uniform(op.cond) {
            let taken = self.mask_reg("taken");
            let among = self.members();
            self.note("mask: the lanes that take the `if`");
            self.ballot_of(taken, yes(cond), among);
            arms.then = Members::Any(taken);
            if self.synchronises(op.els) || (exits && gone_by_arm.0) {
                let others = self.mask_reg("others");
                self.note("mask: the lanes that don't");
                let (a, b) = (taken.into(), among);
                self.emit(Xor { ty: BitType::B32, dst: Def(others), a, b });
                arms.els = Members::Any(others);
            }
        }
        if exits {
            match gone_by_arm {
                (true, _) => arms.after = arms.els,
                (false, true) => arms.after = arms.then,
                (false, false) => {
                    let gone = self.named(RegClass::Pred, Prefix::Pred, Some("gone"));
                    self.set_flag(gone, false);
                    arms.join = Some(Join { end, gone });
                }
            }
        }
        arms
    }

    /// Behind an `if`, where all its lanes come by: the mask of those who stay. `before` is the mask that it began with.
    pub(super) fn mask_after_if(&mut self, arms: &Arms, before: Members) {
        let Some(Join { gone, .. }) = arms.join else {
            self.members = arms.after;
            return;
        };
        self.members = before;
        let rest = self.mask_reg("rest");
        let among = self.members();
        self.note("mask: the lanes that have not left");
        self.ballot_of(rest, PredUse { reg: gone, negated: true }, among);
        self.members = Members::Any(rest);
        self.pass_on(Some(gone));
    }

    /// Sends lanes that leave, all or those of a predicate, to where the next join or the loop's end learns of it.
    pub(super) fn pass_on(&mut self, those: Option<Reg>) {
        let labels = self.loops.last_mut().expect("validate() checked that it stands in a loop");
        let target = match labels.joins.last().copied() {
            Some(Join { end, gone }) => {
                match those {
                    Some(those) => self.emit(OrPred { dst: Def(gone), a: yes(gone), b: yes(those) }),
                    None => self.set_flag(gone, true),
                }
                end
            }
            None => {
                labels.continued = true;
                labels.next
            }
        };
        let mut inst: isa::Inst = Bra { uni: Uni(false), target }.into();
        inst.guard = those.map(|pred| Guard { pred, negated: false });
        self.emit(inst);
    }

    /// `dst = truth`.
    pub(super) fn set_flag(&mut self, dst: Reg, truth: bool) {
        self.set_constant(dst, crate::ir::Literal::bool(truth));
    }

    /// Whether a loop's lanes part and come to warp operations: then each iteration has a mask of its own.
    pub(super) fn is_masked(&self, body: RegionId) -> bool {
        !matches!(self.members, Members::None)
            && !self.meeting.is_own_uniform(body)
            && self.synchronises(body)
    }
}
