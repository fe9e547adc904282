//! Warp operations that name their lanes: who has come, who is missing, what they exchange.
//!
//! Lanes meet when all that a mask names and that have not ended execute the same operation with that mask, wherever
//! they stand. Exit: lanes that met go on; others wait. A mask that can't be met at all is a finding at once, one that
//! is not met when nothing else can run is found by the CTA.

use super::context::Context;
use super::file::{FULL, LANES, Lanes};
use super::finding::{Elsewhere, Finding, FindingKind};
use super::load_store::lanes_of;
use super::micro::{Kind, Micro, SyncOp};
use super::warp::{Wait, Warp};
use super::{redux, shfl, vote};
use crate::ptx::isa::modifier::ShflMode;

/// Lanes that take part from one instruction.
type Party = (u32, u32);

impl Warp {
    /// Executes a `.sync` operation in the lanes of the mask. Returns whether they wait now.
    pub(super) fn sync(
        &mut self,
        at: usize,
        op: SyncOp,
        micro: &Micro,
        mask: u32,
        context: &mut Context<'_>,
    ) -> Result<bool, Box<Finding>> {
        let pc = self.fragments[at].pc;
        if let SyncOp::Matrix(index) = op {
            if mask == FULL {
                self.matrix(index, pc, context)?;
                self.fragments[at].pc += 1;
                return Ok(false);
            }
            if self.present != FULL {
                let kind = FindingKind::PartOfWarp {
                    here: mask,
                    missing: !self.present,
                    elsewhere: Elsewhere::Nowhere,
                };
                return Err(context.finding(kind, pc, self.index, mask));
            }
        }
        let lowest = self.file.read::<u32>(micro.e)[mask.trailing_zeros() as usize];
        let uniform = lanes_of(mask).all(|lane| self.file.read::<u32>(micro.e)[lane] == lowest);
        if uniform {
            self.check_mask(pc, lowest, mask, context)?;
            if lowest & self.live == mask {
                self.exchange(op, &[(pc, mask)], lowest, context)?;
                self.fragments[at].pc += 1;
                return Ok(false);
            }
        }
        self.park(at, micro, mask, context)?;
        self.retry_syncs(context)?;
        Ok(true)
    }

    fn check_mask(
        &self,
        pc: u32,
        members: u32,
        lanes: u32,
        context: &Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let strangers = lanes & !members;
        let absent = members & !self.present;
        let (kind, lanes) = if strangers != 0 {
            (FindingKind::OutsideOwnMask { mask: members }, strangers)
        } else if absent != 0 {
            (FindingKind::AbsentLanes { mask: members, absent }, lanes)
        } else {
            return Ok(());
        };
        Err(context.finding(kind, pc, self.index, lanes))
    }

    /// Makes the lanes of the mask wait, grouped by the lanes that they name; the others go on.
    fn park(
        &mut self,
        at: usize,
        micro: &Micro,
        mask: u32,
        context: &mut Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let fragment = self.fragments.swap_remove(at);
        let members = *self.file.read::<u32>(micro.e);
        let mut rest = mask;
        while rest != 0 {
            let named = members[rest.trailing_zeros() as usize];
            let group =
                lanes_of(rest).filter(|&lane| members[lane] == named).fold(0, |all, lane| all | 1 << lane);
            self.check_mask(fragment.pc, named, group, context)?;
            self.check_agreement(fragment.pc, named, group, context)?;
            self.push(fragment.pc, group, Wait::Sync(named), 0);
            rest &= !group;
        }
        self.push(fragment.pc + 1, fragment.lanes & !mask, Wait::Ready, 0);
        Ok(())
    }

    /// Lanes at one instruction that name each other must give the same mask.
    fn check_agreement(
        &self,
        pc: u32,
        mask: u32,
        lanes: u32,
        context: &Context<'_>,
    ) -> Result<(), Box<Finding>> {
        for other in &self.fragments {
            if let Wait::Sync(other_mask) = other.wait
                && other.pc == pc
                && other_mask != mask
                && (mask & other.lanes != 0 || other_mask & lanes != 0)
            {
                let other = context.site(other.pc);
                let kind = FindingKind::MaskMismatch { mask, other_mask, other };
                return Err(context.finding(kind, pc, self.index, lanes));
            }
        }
        Ok(())
    }

    /// Lets go every group of waiting lanes that is complete.
    pub(super) fn retry_syncs(&mut self, context: &mut Context<'_>) -> Result<(), Box<Finding>> {
        let code = &context.launch.program.code;
        let mut at = 0;
        while at < self.fragments.len() {
            let first = self.fragments[at];
            at += 1;
            let (Wait::Sync(members), Kind::Sync(op)) = (first.wait, code[first.pc as usize].kind) else {
                continue;
            };
            let same = |pc: u32, wait: Wait| wait == first.wait && code[pc as usize].kind == Kind::Sync(op);
            let parties: Vec<Party> = self
                .fragments
                .iter()
                .filter(|fragment| same(fragment.pc, fragment.wait))
                .map(|fragment| (fragment.pc, fragment.lanes))
                .collect();
            let come = parties.iter().fold(0, |all, (_, lanes)| all | lanes);
            if come != members & self.live {
                continue;
            }
            self.exchange(op, &parties, members, context)?;
            let met: Vec<usize> = (0..self.fragments.len())
                .filter(|&index| same(self.fragments[index].pc, self.fragments[index].wait))
                .collect();
            self.let_go(&met);
            at = 0;
        }
        Ok(())
    }

    /// Moves fragments past what they waited for; those at one instruction go on together.
    pub(super) fn let_go(&mut self, met: &[usize]) {
        let mut together: Vec<Party> = Vec::with_capacity(met.len());
        for &index in met.iter().rev() {
            let fragment = self.fragments.swap_remove(index);
            match together.iter_mut().find(|(pc, _)| *pc == fragment.pc) {
                Some((_, lanes)) => *lanes |= fragment.lanes,
                None => together.push((fragment.pc, fragment.lanes)),
            }
        }
        for (pc, lanes) in together {
            self.push(pc + 1, lanes, Wait::Ready, 0);
        }
    }

    /// Does the operation for lanes that have met, each by the operands of its own instruction.
    fn exchange(
        &mut self,
        op: SyncOp,
        parties: &[Party],
        members: u32,
        context: &mut Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let code = &context.launch.program.code;
        let ended = members & self.present & !self.live;
        if let SyncOp::Matrix(index) = op {
            let (pc, _) = parties[0];
            if ended == 0 {
                return self.matrix(index, pc, context);
            }
            let kind =
                FindingKind::PartOfWarp { here: self.live, missing: ended, elsewhere: Elsewhere::Ended };
            return Err(context.finding(kind, pc, self.index, self.live));
        }
        if ended != 0 && context.launch.config.sanitize {
            let (pc, lanes) = parties[0];
            let kind = FindingKind::EndedLanes { mask: members, ended };
            return Err(context.finding(kind, pc, self.index, lanes));
        }
        match op {
            SyncOp::Barrier if context.launch.config.sanitize => {
                // Lanes that have ended did not come, so that nothing says that their accesses are done.
                let whole = parties.iter().fold(0, |all, (_, lanes)| all | lanes) == self.present;
                let lanes = members & self.live;
                self.order.meet(&mut context.time, self.index, lanes, whole);
            }
            SyncOp::Barrier => {}
            SyncOp::Ballot => {
                let ayes = self.ayes(parties, context);
                for &(pc, lanes) in parties {
                    self.file.write::<u32>(code[pc as usize].d, &[ayes; LANES], lanes);
                }
            }
            SyncOp::Vote(mode) => {
                let voters = parties.iter().fold(0, |all, (_, lanes)| all | lanes);
                let answer = vote::answer(mode, self.ayes(parties, context), voters);
                let answer = if answer { u32::MAX } else { 0 };
                for &(pc, lanes) in parties {
                    self.file.write_pred(code[pc as usize].d, answer, lanes);
                }
            }
            SyncOp::Elect => {
                let leader = parties.iter().fold(0, |all, (_, lanes)| all | lanes).trailing_zeros();
                for &(pc, lanes) in parties {
                    let micro = &code[pc as usize];
                    self.file.write::<u32>(micro.d, &[leader; LANES], lanes);
                    self.file.write_pred(micro.b, 1 << leader, lanes);
                }
            }
            SyncOp::Match { long, all } => self.match_lanes(parties, long, all, context),
            SyncOp::Redux(op) => {
                self.reduce_lanes(parties, (|a| a, |a, b| redux::combine(op, a, b)), context);
            }
            SyncOp::ReduxFloat(op) => {
                // One lane alone has its magnitude and its canonical NaN too.
                self.reduce_lanes(parties, (|a| op.combine(a, a), |a, b| op.combine(a, b)), context);
            }
            SyncOp::Shfl(mode) => self.shuffle_lanes(parties, mode, members, context)?,
            SyncOp::Matrix(_) => unreachable!("matrices are done with above"),
        }
        Ok(())
    }

    fn match_lanes(&mut self, parties: &[Party], long: bool, all: bool, context: &Context<'_>) {
        let code = &context.launch.program.code;
        let values = self.offered_words(parties, long, context);
        let came = parties.iter().fold(0, |all, (_, lanes)| all | lanes);
        let same = |lane: usize| {
            let matches = |&other: &usize| values.0[other] == values.0[lane];
            lanes_of(came).filter(matches).fold(0, |mask, other| mask | 1 << other)
        };
        let groups: [u32; LANES] =
            std::array::from_fn(|lane| if came >> lane & 1 == 0 { 0 } else { same(lane) });
        for &(pc, lanes) in parties {
            let micro = &code[pc as usize];
            if all {
                let agree = groups[lanes.trailing_zeros() as usize] == came;
                let (mask, truth) = if agree { (came, u32::MAX) } else { (0, 0) };
                self.file.write::<u32>(micro.d, &[mask; LANES], lanes);
                self.file.write_pred(micro.b, truth, lanes);
            } else {
                self.file.write::<u32>(micro.d, &groups, lanes);
            }
        }
    }

    fn reduce_lanes(
        &mut self,
        parties: &[Party],
        (read, combine): (impl Fn(u32) -> u32, impl Fn(u32, u32) -> u32),
        context: &Context<'_>,
    ) {
        let code = &context.launch.program.code;
        let values = self.offered(parties, context);
        let came = parties.iter().fold(0, |all, (_, lanes)| all | lanes);
        let each = lanes_of(came).map(|lane| values.0[lane]);
        let result = each.map(&read).reduce(combine).unwrap_or(0);
        for &(pc, lanes) in parties {
            self.file.write::<u32>(code[pc as usize].d, &[result; LANES], lanes);
        }
    }

    fn shuffle_lanes(
        &mut self,
        parties: &[Party],
        mode: ShflMode,
        members: u32,
        context: &Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let code = &context.launch.program.code;
        let values = self.offered(parties, context);
        for &(pc, lanes) in parties {
            let micro = &code[pc as usize];
            let (step, clamp) = (*self.file.read::<u32>(micro.b), *self.file.read::<u32>(micro.c));
            let own = *self.file.read::<u32>(micro.a);
            let mut result = own;
            let mut in_range = 0;
            for lane in lanes_of(lanes) {
                let Some(from) = shfl::source(mode, lane as u32, step[lane], clamp[lane]) else {
                    continue;
                };
                in_range |= 1 << lane;
                result[lane] = values.0[from as usize];
                let inactive = (members & self.live) >> from & 1 == 0;
                if inactive && context.launch.config.sanitize {
                    let kind = FindingKind::InactiveSource { lane: from };
                    return Err(context.finding(kind, pc, self.index, 1 << lane));
                }
            }
            self.file.write::<u32>(micro.d, &result, lanes);
            self.file.write_pred(micro.flags, in_range, lanes);
        }
        Ok(())
    }

    /// Lanes whose predicate is true.
    fn ayes(&self, parties: &[Party], context: &Context<'_>) -> u32 {
        let code = &context.launch.program.code;
        parties.iter().fold(0, |all, &(pc, lanes)| all | (self.file.pred_source(code[pc as usize].a) & lanes))
    }

    /// What each lane offers to the others, in words of 32 or 64 bits.
    fn offered_words(&self, parties: &[Party], long: bool, context: &Context<'_>) -> Lanes<u64> {
        if !long {
            return Lanes(self.offered(parties, context).0.map(u64::from));
        }
        let code = &context.launch.program.code;
        let mut values = Lanes([0; LANES]);
        for &(pc, lanes) in parties {
            let source = self.file.read::<u64>(code[pc as usize].a);
            lanes_of(lanes).for_each(|lane| values.0[lane] = source[lane]);
        }
        values
    }

    /// What each lane offers to the others.
    fn offered(&self, parties: &[Party], context: &Context<'_>) -> Lanes<u32> {
        let code = &context.launch.program.code;
        let mut values = Lanes([0; LANES]);
        for &(pc, lanes) in parties {
            let source = self.file.read::<u32>(code[pc as usize].a);
            for lane in lanes_of(lanes) {
                values.0[lane] = source[lane];
            }
        }
        values
    }
}
