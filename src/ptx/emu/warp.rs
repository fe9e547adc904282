//! One warp: fragments of lanes, each with its own position, and the loop that runs them.
//!
//! Lanes are unordered except at `.sync` operations that name them. The default schedule runs the fragment with the
//! lowest position and joins fragments that meet; a fragment that spins while others of its warp are ready gives way
//! after its quantum. The adversarial one splits fragments at random and joins none. Entry: the warp's lanes stand at
//! the first instruction. Exit: the CTA is told why the warp stopped. Not here: who meets at a `.sync` (`sync`), and
//! when a barrier lets go (`cta`).

use std::sync::atomic::Ordering::SeqCst;

use smallvec::SmallVec;

use super::atomic;
use super::barrier::BarrierRole;
use super::context::{Context, Launch};
use super::cp_async::Copies;
use super::file::File;
use super::finding::{Finding, FindingKind};
use super::load_store::{self, Memories, lanes_of};
use super::micro::{Cause, Kind, Micro};
use super::order::WarpOrder;
use super::race::Race;
use super::space::Bytes;
use crate::ptx::isa::SpecialReg;
use crate::ptx::module::CALL_STACK_BYTES;

/// What a fragment waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Nothing.
    Ready,
    /// The lanes of this mask.
    Sync(u32),
    /// Threads at a barrier of the CTA.
    Barrier {
        number: u32,
        /// The count asked for; 0 for all threads.
        threads: u32,
        aligned: bool,
        /// Whether the barrier has counted it.
        arrived: bool,
    },
}

/// Lanes that stand at the same instruction and run together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    pub(super) pc: u32,
    pub(super) lanes: u32,
    pub(super) wait: Wait,
    /// Instructions run: who has run least goes next when one spins.
    ran: u64,
}

/// Why a warp stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Its quantum is spent.
    Quantum,
    /// No fragment is ready.
    Blocked,
    /// A fragment has come to a barrier.
    Barrier,
    /// Lanes have ended.
    Exited,
}

/// Why a fragment stopped.
enum Turn {
    /// It came to where another one stands, split, or waits.
    Yield,
    /// Its allowance is spent.
    Spent,
    /// It waits for what another warp or fragment has to do.
    Pause,
    Barrier,
    Exited,
}

pub(super) fn memories<'a>(
    launch: &'a Launch<'_>,
    shared: &'a mut Bytes,
    local: &'a mut Bytes,
) -> Memories<'a> {
    Memories {
        global: launch.global,
        shared,
        shared_end: launch.shared_end(),
        local,
        local_end: launch.program.local_end,
        params: &launch.launch.params,
        constants: &launch.program.constants,
        sanitize: launch.config.sanitize,
        parallel: launch.parallel,
        track_stores: launch.program.has_nc && launch.config.sanitize,
        race: None,
        flights: None,
        writer: None,
    }
}

/// Keeps accesses before ahead of those after, as other workers see them, where that is asked for.
fn in_order(asked: bool) {
    if asked {
        std::sync::atomic::fence(SeqCst);
    }
}

/// A warp.
pub(super) struct Warp {
    pub(super) index: u32,
    pub(super) file: File,
    pub(super) local: Bytes,
    pub(super) fragments: Vec<Fragment>,
    /// Lanes that the CTA has.
    pub(super) present: u32,
    /// Lanes that have not ended.
    pub(super) live: u32,
    pub(super) order: WarpOrder,
    /// Copies that its lanes have not waited for.
    pub(super) copies: Copies,
    pub(super) bulk_copies: Copies,
    /// The wait that ended its last turn, and the mbarrier.
    pub(super) waits_for: Option<(u32, u32)>,
    /// Whether the next fragment is the one that has run least.
    starved: bool,
}

impl Warp {
    pub(super) fn new(index: u32, present: u32, context: &Context<'_>) -> Self {
        let file = File::new(&context.launch.program.layout);
        let local = Bytes::new(context.local_bytes());
        let fragments = Vec::with_capacity(super::file::LANES + 1);
        let order = WarpOrder::default();
        let (copies, bulk_copies) = (Copies::default(), Copies::default());
        Self {
            index,
            file,
            local,
            fragments,
            present,
            live: 0,
            order,
            copies,
            bulk_copies,
            waits_for: None,
            starved: false,
        }
    }

    /// Puts all lanes at the first instruction.
    pub(super) fn begin(&mut self, context: &Context<'_>) {
        self.file.reset(&context.launch.program.layout);
        self.local.reset(context.local_bytes());
        self.fragments.clear();
        self.live = self.present;
        self.order.begin();
        self.copies.begin();
        self.bulk_copies.begin();
        self.waits_for = None;
        self.starved = false;
        self.push(0, self.present, Wait::Ready, 0);
    }

    pub(super) fn push(&mut self, pc: u32, lanes: u32, wait: Wait, ran: u64) {
        if lanes != 0 {
            self.fragments.push(Fragment { pc, lanes, wait, ran });
        }
    }

    pub(super) fn has_ready(&self) -> bool {
        self.fragments.iter().any(|fragment| fragment.wait == Wait::Ready)
    }

    /// Runs until something stops the warp, for at most `quantum` instructions.
    pub(super) fn run(&mut self, context: &mut Context<'_>, quantum: u64) -> Result<Stop, Box<Finding>> {
        let end = context.steps + quantum;
        self.waits_for = None;
        loop {
            let Some((at, limit)) = self.select(context) else { return Ok(Stop::Blocked) };
            let left = end - context.steps;
            let allowance = match &mut context.random {
                None => left,
                Some(random) => left.min(1 + random.next() % 24),
            };
            let turn = if context.launch.config.profile {
                self.run_fragment::<true>(at, limit, allowance, context)?
            } else {
                self.run_fragment::<false>(at, limit, allowance, context)?
            };
            match turn {
                Turn::Barrier => return Ok(Stop::Barrier),
                Turn::Exited => return Ok(Stop::Exited),
                Turn::Pause => {
                    self.starved = self.fragments.len() > 1 && context.random.is_none();
                    return Ok(Stop::Quantum);
                }
                Turn::Yield | Turn::Spent if context.steps >= end => {
                    self.starved = self.fragments.len() > 1 && context.random.is_none();
                    return Ok(Stop::Quantum);
                }
                Turn::Yield | Turn::Spent => {}
            }
        }
    }

    /// The fragment to run, and the position at which it meets another.
    fn select(&mut self, context: &mut Context<'_>) -> Option<(usize, u32)> {
        if let [only] = self.fragments.as_slice()
            && context.random.is_none()
        {
            return (only.wait == Wait::Ready).then_some((0, u32::MAX));
        }
        if context.random.is_some() { self.select_at_random(context) } else { self.select_lowest() }
    }

    fn select_lowest(&mut self) -> Option<(usize, u32)> {
        self.merge_ready();
        let ready = |fragment: &&Fragment| fragment.wait == Wait::Ready;
        let starved = std::mem::take(&mut self.starved);
        let candidates = self.fragments.iter().enumerate().filter(|(_, fragment)| ready(fragment));
        if starved {
            let (at, _) = candidates.min_by_key(|(_, fragment)| fragment.ran)?;
            return Some((at, u32::MAX));
        }
        let (at, lowest) = candidates.min_by_key(|(_, fragment)| fragment.pc)?;
        let others = self.fragments.iter().filter(ready).map(|fragment| fragment.pc);
        let limit = others.filter(|&pc| pc > lowest.pc).min().unwrap_or(u32::MAX);
        Some((at, limit))
    }

    /// Joins ready fragments at one position.
    pub(super) fn merge_ready(&mut self) {
        let mut at = 0;
        while at < self.fragments.len() {
            let Fragment { pc, wait, .. } = self.fragments[at];
            let mut other = self.fragments.len() - 1;
            while wait == Wait::Ready && other > at {
                if self.fragments[other].pc == pc && self.fragments[other].wait == Wait::Ready {
                    let joined = self.fragments.swap_remove(other);
                    self.fragments[at].lanes |= joined.lanes;
                    self.fragments[at].ran = self.fragments[at].ran.min(joined.ran);
                }
                other -= 1;
            }
            at += 1;
        }
    }

    fn select_at_random(&mut self, context: &mut Context<'_>) -> Option<(usize, u32)> {
        let random = context.random.as_mut()?;
        let ready = self.fragments.iter().filter(|fragment| fragment.wait == Wait::Ready).count();
        if ready == 0 {
            return None;
        }
        let mut candidates =
            self.fragments.iter().enumerate().filter(|(_, fragment)| fragment.wait == Wait::Ready);
        let (at, &fragment) = candidates.nth(random.below(ready))?;
        if random.below(4) == 0 {
            let apart = fragment.lanes & random.next() as u32;
            if apart != 0 && apart != fragment.lanes {
                self.fragments[at].lanes &= !apart;
                self.push(fragment.pc, apart, Wait::Ready, fragment.ran);
            }
        }
        Some((at, u32::MAX))
    }

    /// Runs one fragment. `limit` is where another one stands: there they join.
    fn run_fragment<const PROFILE: bool>(
        &mut self,
        at: usize,
        limit: u32,
        allowance: u64,
        context: &mut Context<'_>,
    ) -> Result<Turn, Box<Finding>> {
        let Fragment { mut pc, lanes, ran, .. } = self.fragments[at];
        let code = context.launch.program.code.as_slice();
        let width = u64::from(lanes.count_ones());
        let (mut steps, mut counted, mut lane_steps) = (0, 0, 0);
        let turn = loop {
            if steps == allowance {
                break Turn::Spent;
            }
            let micro = &code[pc as usize];
            let mask = lanes & (self.file.pred(micro.guard) ^ micro.negate);
            let active = if mask == lanes { width } else { u64::from(mask.count_ones()) };
            steps += 1;
            lane_steps += active;
            if PROFILE {
                let count = &mut context.stats.profile[pc as usize];
                count.executions += 1;
                count.lanes += active;
            }
            match micro.kind {
                Kind::Lanes => {
                    if mask != 0 {
                        micro.exec.call(micro, &mut self.file, mask);
                    }
                    pc += 1;
                }
                Kind::Branch { target, .. } if mask == lanes => pc = target,
                Kind::Branch { .. } if mask == 0 => pc += 1,
                Kind::Fence(kind) => {
                    in_order(context.launch.parallel);
                    if context.launch.config.sanitize {
                        self.order.fence(&mut context.time, self.index, mask, kind);
                    }
                    pc += 1;
                }
                Kind::Atomic(index) => {
                    if mask != 0 {
                        if PROFILE {
                            self.profile_memory(micro.kind, mask, pc, context);
                        }
                        self.atomic(index, mask, pc, context)?;
                    }
                    pc += 1;
                }
                Kind::Async(index) => {
                    if PROFILE {
                        self.profile_memory(micro.kind, mask, pc, context);
                    }
                    pc += 1;
                    if mask != 0 && self.asynchronous(index, mask, pc - 1, context)? {
                        break Turn::Pause;
                    }
                }
                Kind::Access(index) => {
                    if mask != 0 {
                        if PROFILE {
                            self.profile_memory(micro.kind, mask, pc, context);
                        }
                        self.access(index, mask, pc, context)?;
                    }
                    pc += 1;
                }
                Kind::Branch { .. }
                | Kind::Exit
                | Kind::Trap(_)
                | Kind::Print
                | Kind::Special(_)
                | Kind::Sync(_)
                | Kind::ActiveMask
                | Kind::Barrier { .. } => {
                    self.fragments[at].pc = pc;
                    self.fragments[at].ran = ran + steps;
                    context.steps += steps - counted;
                    counted = steps;
                    if let Some(turn) = self.seldom(at, micro, mask, context)? {
                        context.stats.instructions += steps;
                        context.stats.lane_instructions += lane_steps;
                        return Ok(turn);
                    }
                    pc = self.fragments[at].pc;
                }
            }
            if pc >= limit {
                break Turn::Yield;
            }
        };
        let fragment = &mut self.fragments[at];
        fragment.pc = pc;
        fragment.ran = ran + steps;
        context.steps += steps - counted;
        context.stats.instructions += steps;
        context.stats.lane_instructions += lane_steps;
        Ok(turn)
    }

    fn access(
        &mut self,
        index: u32,
        mask: u32,
        pc: u32,
        context: &mut Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let launch = context.launch;
        let access = &launch.program.accesses[index as usize];
        let writer = context.writer(self.index);
        let mut memories = memories(launch, &mut context.shared, &mut self.local);
        memories.race = launch.config.sanitize.then(|| {
            let clocks = (&context.time, &mut self.order);
            Race::new(clocks, &mut context.shadows, (pc, self.index), access.strong, launch.program.ordered)
        });
        memories.flights = context.flights.watched().filter(|_| launch.config.sanitize);
        let strong = access.strong.filter(|_| launch.parallel);
        in_order(strong.is_some_and(|(order, _)| order.releases()));
        memories.writer = writer;
        if let Err(fault) = load_store::run(access, &mut self.file, mask, &mut memories) {
            self.after_access(access, (mask, pc), fault, context)?;
        }
        in_order(strong.is_some_and(|(order, _)| order.acquires()));
        // What the lanes do from here on a release has not vouched for.
        context.time.now += u32::from(access.strong.is_some_and(|(order, _)| order.releases()));
        Ok(())
    }

    fn atomic(
        &mut self,
        index: u32,
        mask: u32,
        pc: u32,
        context: &mut Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let launch = context.launch;
        let atomic = &launch.program.atomics[index as usize];
        let mut lanes: SmallVec<[usize; super::file::LANES]> = lanes_of(mask).collect();
        if let Some(random) = &mut context.random {
            // Which lane comes first is nobody's promise.
            for at in (1..lanes.len()).rev() {
                lanes.swap(at, random.below(at + 1));
            }
        }
        let (order, _) = atomic.strength;
        in_order(launch.parallel && order.releases());
        let elements = index as usize..=(index + atomic.more) as usize;
        for element in &launch.program.atomics[elements] {
            let writer = context.writer(self.index);
            let mut memories = memories(launch, &mut context.shared, &mut self.local);
            memories.race = launch.config.sanitize.then(|| {
                let clocks = (&context.time, &mut self.order);
                let (place, strength) = ((pc, self.index), Some(atomic.strength));
                Race::new(clocks, &mut context.shadows, place, strength, launch.program.ordered)
            });
            memories.flights = context.flights.watched().filter(|_| launch.config.sanitize);
            memories.writer = writer;
            if let Err(fault) = atomic::run(element, &mut self.file, &lanes, &mut memories) {
                self.after_atomic(element, &lanes, pc, fault, context)?;
            }
        }
        in_order(launch.parallel && order.acquires());
        context.time.now += u32::from(order.releases());
        Ok(())
    }

    /// Instructions that change who runs, or ask the CTA. `None`: the fragment is at its next instruction.
    fn seldom(
        &mut self,
        at: usize,
        micro: &Micro,
        mask: u32,
        context: &mut Context<'_>,
    ) -> Result<Option<Turn>, Box<Finding>> {
        let Fragment { pc, lanes, ran, .. } = self.fragments[at];
        match micro.kind {
            Kind::Branch { target, uniform } => {
                if uniform && context.launch.config.sanitize {
                    let kind = FindingKind::DivergentUniform { taken: mask, not_taken: lanes & !mask };
                    return Err(context.finding(kind, pc, self.index, mask));
                }
                self.fragments[at].pc += 1;
                self.fragments[at].lanes = lanes & !mask;
                self.push(target, mask, Wait::Ready, ran);
                Ok(Some(Turn::Yield))
            }
            Kind::Exit if mask != 0 => self.exit(at, mask, context).map(|()| Some(Turn::Exited)),
            Kind::Trap(cause) if mask != 0 => Err(self.trap(cause, micro.a, mask, (pc, context))),
            Kind::Print => {
                self.print(micro, mask, pc, context)?;
                self.fragments[at].pc += 1;
                Ok(None)
            }
            Kind::Special(special) => {
                self.special(special, micro, mask, context);
                self.fragments[at].pc += 1;
                Ok(None)
            }
            Kind::ActiveMask => {
                self.file.write::<u32>(micro.d, &[mask; super::file::LANES], mask);
                self.fragments[at].pc += 1;
                Ok(None)
            }
            Kind::Sync(op) if mask != 0 => {
                let waits = self.sync(at, op, micro, mask, context)?;
                Ok(waits.then_some(Turn::Yield))
            }
            Kind::Barrier { aligned, counted, .. } if mask != 0 => {
                self.arrive(at, micro, mask, (aligned, counted), context)?;
                Ok(Some(Turn::Barrier))
            }
            Kind::Exit | Kind::Trap(_) | Kind::Sync(_) | Kind::Barrier { .. } => {
                self.fragments[at].pc += 1;
                Ok(None)
            }
            Kind::Lanes | Kind::Access(_) | Kind::Atomic(_) | Kind::Async(_) | Kind::Fence(_) => {
                unreachable!("the run loop executes these itself")
            }
        }
    }

    fn trap(&self, cause: Cause, a: u32, mask: u32, (pc, context): (u32, &Context<'_>)) -> Box<Finding> {
        let lowest = mask.trailing_zeros() as usize;
        let kind = match cause {
            Cause::Asked => FindingKind::Trap,
            Cause::NoTarget => FindingKind::NoTarget { number: self.file.read::<u32>(a)[lowest] },
            Cause::NoFunction => {
                let address = self.file.read::<u64>(a)[lowest];
                FindingKind::NoFunction { address, name: context.launch.program.function_at(address) }
            }
            Cause::StackFull => {
                FindingKind::StackFull { depth: self.file.read::<u32>(a)[lowest], bytes: CALL_STACK_BYTES }
            }
        };
        context.finding(kind, pc, self.index, mask & mask.wrapping_neg())
    }

    fn special(&mut self, special: SpecialReg, micro: &Micro, mask: u32, context: &Context<'_>) {
        let values = context.special(special, self.index);
        match micro.a {
            16 => self.file.write::<u16>(micro.d, &values.map(|value| value as u16), mask),
            32 => self.file.write::<u32>(micro.d, &values.map(|value| value as u32), mask),
            _ => self.file.write::<u64>(micro.d, &values, mask),
        }
    }

    fn exit(&mut self, at: usize, mask: u32, context: &mut Context<'_>) -> Result<(), Box<Finding>> {
        let Fragment { pc, lanes, .. } = self.fragments[at];
        if context.launch.config.sanitize
            && let Some(waiting) = self.fragments.iter().find(|fragment| fragment.waits_aligned())
        {
            // Hardware lets the barrier go, but which lanes it waited for is then a matter of luck.
            let other = context.site(pc);
            let kind = FindingKind::BarrierDivergence { here: waiting.lanes, elsewhere: mask, other };
            return Err(context.finding(kind, waiting.pc, self.index, waiting.lanes));
        }
        self.live &= !mask;
        if lanes == mask {
            self.fragments.swap_remove(at);
        } else {
            self.fragments[at].lanes = lanes & !mask;
            self.fragments[at].pc += 1;
        }
        // Those who waited for the lanes that ended need not any more.
        self.retry_syncs(context)
    }

    /// Makes the lanes of the mask wait at a barrier; the others go on.
    fn arrive(
        &mut self,
        at: usize,
        micro: &Micro,
        mask: u32,
        (aligned, counted): (bool, bool),
        context: &Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let Fragment { pc, lanes, ran, .. } = self.fragments[at];
        let lowest = mask.trailing_zeros() as usize;
        let number = self.file.read::<u32>(micro.a)[lowest];
        let threads = if counted { self.file.read::<u32>(micro.b)[lowest] } else { 0 };
        let uniform = lanes_of(mask).all(|lane| {
            self.file.read::<u32>(micro.a)[lane] == number
                && (!counted || self.file.read::<u32>(micro.b)[lane] == threads)
        });
        let is_cluster = matches!(micro.kind, Kind::Barrier { role: BarrierRole::Cluster, .. });
        if (number > 15 && !is_cluster)
            || !threads.is_multiple_of(32)
            || (counted && threads == 0)
            || !uniform
        {
            let kind = FindingKind::BadBarrier { number, threads };
            return Err(context.finding(kind, pc, self.index, mask));
        }
        self.fragments[at].lanes = mask;
        self.fragments[at].wait = Wait::Barrier { number, threads, aligned, arrived: false };
        self.push(pc + 1, lanes & !mask, Wait::Ready, ran);
        Ok(())
    }
}

impl Fragment {
    pub(super) fn waits_aligned(&self) -> bool {
        matches!(self.wait, Wait::Barrier { aligned: true, .. })
    }

    /// Whether the barrier of this number has counted it.
    pub(super) fn arrived_at(&self, barrier: u32) -> bool {
        matches!(self.wait, Wait::Barrier { number, arrived: true, .. } if number == barrier)
    }
}
