//! One CTA: its warps take turns, its barriers let threads go, and when nothing can run it says why.
//!
//! Entry: an index in the grid. Exit: all threads have ended, or a finding. A barrier without a count waits for the
//! threads that have not ended; with the sanitizer on, that must be all threads of the CTA, come from one instruction.
//! One with a count waits for that many, ended or not, from wherever. An aligned barrier counts a warp
//! when all its live lanes stand at the same instruction.

use super::barrier::BarrierRole;
use super::clock::Known;
use super::cluster::CLUSTER_BARRIER;
use super::context::{Context, Launch, threads};
use super::file::{FULL, LANES};
use super::finding::{Elsewhere, Finding, FindingKind};
use super::micro::{Kind, SyncOp};
use super::warp::{Fragment, Stop, Wait, Warp};

/// Instructions that a warp runs before the next one gets its turn.
const QUANTUM: u64 = 4096;

/// Barriers of a CTA.
const BARRIERS: usize = CLUSTER_BARRIER as usize + 1;

#[derive(Default)]
struct Barrier {
    /// Threads that have come.
    arrived: u32,
    /// Lanes of incomplete warps that a count includes.
    padding: u32,
    /// The count of the first one that came, with its position.
    first: Option<(u32, u32)>,
    /// Threads that come with a predicate, and those where it is true.
    voters: u32,
    ayes: u32,
    /// What threads that came and went on give to those that wait.
    given: Known,
}

/// The warps of a CTA, kept from one CTA to the next.
pub(super) struct Cta<'a> {
    pub(super) context: Context<'a>,
    warps: Vec<Warp>,
    barriers: [Barrier; BARRIERS],
}

impl<'a> Cta<'a> {
    pub(super) fn new(launch: &'a Launch<'a>) -> Self {
        let context = Context::new(launch);
        let threads = threads(launch.launch);
        let warp = |index: u32| {
            let present = match threads - index * LANES as u32 {
                lanes @ 1..32 => (1 << lanes) - 1,
                _ => FULL,
            };
            Warp::new(index, present, &context)
        };
        let warps = (0..threads.div_ceil(LANES as u32)).map(warp).collect();
        Self { context, warps, barriers: Default::default() }
    }

    /// Runs one CTA to its end.
    pub(super) fn run(&mut self, index: u64) -> Result<(), Box<Finding>> {
        self.context.begin(index);
        self.barriers = Default::default();
        for warp in &mut self.warps {
            warp.begin(&self.context);
        }
        loop {
            let mut progress = false;
            for turn in 0..self.warps.len() {
                let at = match &mut self.context.random {
                    None => turn,
                    Some(random) => random.below(self.warps.len()),
                };
                if self.warps[at].has_ready() {
                    progress = true;
                    self.turn(at)?;
                }
            }
            if self.warps.iter().all(|warp| warp.live == 0) {
                return Ok(());
            }
            if !progress && !self.warps.iter().any(Warp::has_ready) {
                return Err(self.stuck());
            }
        }
    }

    fn turn(&mut self, at: usize) -> Result<(), Box<Finding>> {
        let left = self.context.launch.config.step_budget.saturating_sub(self.context.steps);
        if left == 0 {
            return Err(self.hang(at));
        }
        let quantum = match &mut self.context.random {
            None => QUANTUM,
            Some(random) => 1 + random.next() % 64,
        };
        let warp = &mut self.warps[at];
        match warp.run(&mut self.context, quantum.min(left))? {
            Stop::Quantum => {
                // It may spin for what a CTA of another worker is about to write.
                if self.context.launch.parallel {
                    std::thread::yield_now();
                }
                Ok(())
            }
            Stop::Blocked => Ok(()),
            Stop::Barrier | Stop::Exited => self.count_arrivals(at),
        }
    }

    /// Counts the threads of a warp that have come to a barrier, and lets go the barriers that are complete.
    fn count_arrivals(&mut self, at: usize) -> Result<(), Box<Finding>> {
        let code = &self.context.launch.program.code;
        let warp = &mut self.warps[at];
        for index in 0..warp.fragments.len() {
            let fragment = warp.fragments[index];
            let Wait::Barrier { number, threads, aligned, arrived: false } = fragment.wait else { continue };
            let together =
                warp.fragments.iter().filter(|other| other.pc == fragment.pc && other.waits_aligned());
            let lanes = together.fold(0, |all, other| all | other.lanes);
            if aligned && lanes != warp.live {
                continue;
            }
            let barrier = &mut self.barriers[number as usize];
            let (others, pc) = *barrier.first.get_or_insert((threads, fragment.pc));
            if others != threads {
                let other = self.context.site(pc);
                let kind = FindingKind::BarrierCount { number, threads, others, other };
                return Err(self.context.finding(kind, fragment.pc, warp.index, fragment.lanes));
            }
            // Barriers with a count are for threads with different roles: those meet from different instructions.
            let everybody = threads == 0 && number != CLUSTER_BARRIER;
            if everybody && pc != fragment.pc && self.context.launch.config.sanitize {
                let kind = FindingKind::BarrierSites { other: self.context.site(pc) };
                return Err(self.context.finding(kind, fragment.pc, warp.index, fragment.lanes));
            }
            barrier.arrived += fragment.lanes.count_ones();
            if let Kind::Barrier { role: BarrierRole::Reduce(_), .. } = code[fragment.pc as usize].kind {
                barrier.voters += fragment.lanes.count_ones();
                let ayes = warp.file.pred_source(code[fragment.pc as usize].c) & fragment.lanes;
                barrier.ayes += ayes.count_ones();
            }
            warp.fragments[index].wait = Wait::Barrier { number, threads, aligned, arrived: true };
            let counted = warp.fragments.iter().filter(|fragment| fragment.arrived_at(number));
            let all = counted.fold(0, |all, fragment| all | fragment.lanes);
            if all == warp.live {
                // A count is in whole warps: the lanes that a last warp lacks are taken as there.
                barrier.padding += (!warp.present).count_ones();
            }
        }
        self.let_arrivers_go(at);
        self.release()
    }

    /// Threads that only arrive have done so: they go on, and vouch for what they did before.
    fn let_arrivers_go(&mut self, at: usize) {
        let code = &self.context.launch.program.code;
        let warp = &mut self.warps[at];
        let only_arrives =
            |pc: u32| matches!(code[pc as usize].kind, Kind::Barrier { role: BarrierRole::Arrive, .. });
        let mut gone = Vec::new();
        for (index, fragment) in warp.fragments.iter().enumerate() {
            if let Wait::Barrier { number, arrived: true, .. } = fragment.wait
                && only_arrives(fragment.pc)
            {
                if self.context.launch.config.sanitize {
                    let given = warp.order.gather(&self.context.time, warp.index, fragment.lanes);
                    self.barriers[number as usize].given.join(&given);
                }
                gone.push(index);
            }
        }
        if !gone.is_empty() {
            warp.let_go(&gone);
            self.context.time.now += 1;
        }
    }

    fn release(&mut self) -> Result<(), Box<Finding>> {
        let live: u32 = self.warps.iter().map(|warp| warp.live.count_ones()).sum();
        for number in 0..BARRIERS {
            let Barrier { arrived, padding, first, .. } = self.barriers[number];
            let Some((threads, pc)) = first else { continue };
            let complete = if threads == 0 { arrived == live } else { arrived + padding >= threads };
            if !complete {
                continue;
            }
            if threads == 0 && self.context.launch.config.sanitize {
                self.check_ended(number as u32, arrived, pc)?;
            }
            let barrier = std::mem::take(&mut self.barriers[number]);
            if self.context.launch.config.sanitize {
                self.order_memory(number as u32, &barrier.given);
            }
            for warp in &mut self.warps {
                let met: Vec<usize> = (0..warp.fragments.len())
                    .filter(|&index| warp.fragments[index].arrived_at(number as u32))
                    .collect();
                let code = &self.context.launch.program.code;
                for &index in &met {
                    let Fragment { pc, lanes, .. } = warp.fragments[index];
                    let micro = &code[pc as usize];
                    if let Kind::Barrier { role: BarrierRole::Reduce(reduction), .. } = micro.kind {
                        reduction.write(&mut warp.file, micro.d, lanes, (barrier.ayes, barrier.voters));
                    }
                }
                warp.let_go(&met);
            }
        }
        Ok(())
    }

    /// What the threads at a barrier did before, and what those did that only arrived, is known to all who wait there.
    fn order_memory(&mut self, number: u32, given: &Known) {
        let Self { context: Context { time, .. }, warps, .. } = self;
        let waiting = |warp: &Warp| {
            let fragments = warp.fragments.iter().filter(|fragment| fragment.arrived_at(number));
            fragments.fold(0, |all, fragment| all | fragment.lanes)
        };
        if warps.iter().all(|warp| waiting(warp) == warp.present) {
            for warp in warps {
                warp.order.surrender(time);
            }
            time.known.join(given);
            time.met();
        } else {
            let mut known = given.clone();
            for warp in warps.iter().filter(|warp| waiting(warp) != 0) {
                known.join(&warp.order.gather(time, warp.index, waiting(warp)));
            }
            for warp in warps.iter_mut() {
                let lanes = waiting(warp);
                warp.order.spread(lanes, &known);
            }
        }
        time.now += 1;
    }

    /// A barrier for all threads is complete on hardware once those that have not ended have come; the contract is that
    /// all come.
    fn check_ended(&self, number: u32, reached: u32, pc: u32) -> Result<(), Box<Finding>> {
        let Some(gone) = self.warps.iter().find(|warp| warp.live != warp.present) else { return Ok(()) };
        let ended = self.context.lowest(gone.index, gone.present & !gone.live);
        let threads = threads(self.context.launch.launch);
        let waiting = self.warps.iter().find_map(|warp| {
            let lanes = warp.fragments.iter().filter(|fragment| fragment.arrived_at(number));
            let lanes = lanes.fold(0, |all, fragment| all | fragment.lanes);
            (lanes != 0).then_some((warp.index, lanes))
        });
        let (warp, lanes) = waiting.expect("a barrier that has been counted has a thread that waits");
        let kind = FindingKind::BarrierEnded { reached, threads, ended };
        Err(self.context.finding(kind, pc, warp, lanes))
    }

    fn hang(&self, at: usize) -> Box<Finding> {
        let warp = &self.warps[at];
        // Of the warps that wait for an mbarrier this one, or else the first, says more than a loop's line.
        let waiting = std::iter::once(warp).chain(&self.warps);
        let waiting = waiting.filter_map(|warp| Some((warp, warp.waits_for?))).next();
        if let Some((warp, (pc, address))) = waiting
            && let Some(bar) = self.context.mbarriers.get(&address)
        {
            let (line, steps) = (self.context.site(pc).line, self.context.steps);
            let (pending, bytes, phase) = (bar.pending, bar.bytes, bar.phase);
            let kind = FindingKind::MbarrierHang { line, steps, address, pending, bytes, phase };
            let lanes = warp.fragments.iter().filter(|fragment| fragment.pc == pc + 1);
            let lanes = lanes.fold(0, |all, fragment| all | fragment.lanes);
            return self.context.finding(kind, pc, warp.index, lanes);
        }
        let ready = warp.fragments.iter().find(|fragment| fragment.wait == Wait::Ready);
        let fragment = ready.expect("a warp gets a turn only with a ready fragment");
        let line = self.context.site(fragment.pc).line;
        let kind = FindingKind::Hang { line, steps: self.context.steps };
        self.context.finding(kind, fragment.pc, warp.index, fragment.lanes)
    }

    /// Why nothing can run: the most telling reason that some warp has, else a deadlock with all who wait.
    fn stuck(&self) -> Box<Finding> {
        let reasons = |find: fn(&Self, &Warp) -> Option<Box<Finding>>| {
            self.warps.iter().find_map(|warp| find(self, warp))
        };
        // Lanes that wait for the rest of their warp at a matrix instruction can't have been meant to.
        let first = reasons(Self::part_of_warp).or_else(|| reasons(Self::divergence));
        first.or_else(|| reasons(Self::mismatch)).unwrap_or_else(|| self.deadlock())
    }

    fn divergence(&self, warp: &Warp) -> Option<Box<Finding>> {
        let aligned = warp.fragments.iter().find(|fragment| fragment.waits_aligned())?;
        let elsewhere = warp.fragments.iter().find(|fragment| fragment.pc != aligned.pc)?;
        let other = self.context.site(elsewhere.pc);
        let (here, lanes) = (aligned.lanes, elsewhere.lanes);
        let kind = FindingKind::BarrierDivergence { here, elsewhere: lanes, other };
        Some(self.context.finding(kind, aligned.pc, warp.index, here))
    }

    fn part_of_warp(&self, warp: &Warp) -> Option<Box<Finding>> {
        let code = &self.context.launch.program.code;
        let is_matrix =
            |fragment: &&Fragment| matches!(code[fragment.pc as usize].kind, Kind::Sync(SyncOp::Matrix(_)));
        let waiting = warp.fragments.iter().find(is_matrix)?;
        let others = warp.fragments.iter().filter(|fragment| fragment.pc != waiting.pc);
        let (other, missing) =
            others.fold((None, 0), |(first, lanes), other| (first.or(Some(other.pc)), lanes | other.lanes));
        let here = warp.live & !missing;
        let elsewhere = Elsewhere::At(self.context.site(other?));
        let kind = FindingKind::PartOfWarp { here, missing, elsewhere };
        Some(self.context.finding(kind, waiting.pc, warp.index, here))
    }

    fn mismatch(&self, warp: &Warp) -> Option<Box<Finding>> {
        let code = &self.context.launch.program.code;
        for fragment in &warp.fragments {
            let Wait::Sync(mask) = fragment.wait else { continue };
            let kind = code[fragment.pc as usize].kind;
            let differs = |other: &&Fragment| {
                other.lanes & mask != 0
                    && (other.wait != fragment.wait || code[other.pc as usize].kind != kind)
            };
            let Some(other) = warp.fragments.iter().find(differs) else { continue };
            let site = self.context.site(other.pc);
            let is_sync = matches!(code[other.pc as usize].kind, Kind::Sync(_));
            let kind = match other.wait {
                Wait::Sync(other_mask) if other_mask != mask && is_sync => {
                    FindingKind::MaskMismatch { mask, other_mask, other: site }
                }
                Wait::Sync(_) | Wait::Ready | Wait::Barrier { .. } => {
                    FindingKind::SyncMismatch { mask, missing: other.lanes & mask, other: site }
                }
            };
            return Some(self.context.finding(kind, fragment.pc, warp.index, fragment.lanes));
        }
        None
    }

    fn deadlock(&self) -> Box<Finding> {
        let mut places: Vec<(u32, u32)> = Vec::new();
        let mut first = None;
        for (warp, fragment) in
            self.warps.iter().flat_map(|warp| warp.fragments.iter().map(move |fragment| (warp, fragment)))
        {
            first.get_or_insert((fragment.pc, warp.index, fragment.lanes));
            let threads = fragment.lanes.count_ones();
            match places.iter_mut().find(|(pc, _)| *pc == fragment.pc) {
                Some((_, sum)) => *sum += threads,
                None => places.push((fragment.pc, threads)),
            }
        }
        places.sort_unstable();
        let waiting = places.into_iter().map(|(pc, threads)| (self.context.site(pc), threads)).collect();
        let (pc, warp, lanes) = first.expect("a CTA that is stuck has a thread that waits");
        self.context.finding(FindingKind::Deadlock { waiting }, pc, warp, lanes)
    }
}
