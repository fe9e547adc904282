//! The warps of a CTA one after the other, for kernels in which they have different roles.
//!
//! Where warps meet at named barriers, no order of whole regions is right: a producer's loop and a consumer's loop run
//! against each other. So each warp is an interpreter of its own, on a thread of its own, and exactly one of them runs at a
//! time: it holds the memory, and gives it up at a barrier. The lowest warp that can go on is next, so that a run is the
//! same each time. What holds: memory is in the one whose turn it is, and in [`State`] between turns.
//!
//! A named barrier is for whole warps; each counts 32, whatever lanes the last one has. Deliberately not here: kernels
//! without named barriers, whose CTA runs as one.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{Done, Interp, Plan};
use crate::ir::op::{BarrierAction, NamedBarrier};
use crate::ir::{ArraySpace, InstId, Kernel, Launch};
use crate::oracle::arguments::Arguments;
use crate::oracle::error::{Fault, FaultKind};
use crate::oracle::memory::Buffer;
use crate::oracle::{Config, Stats};

/// Lanes of a warp.
const WARP: usize = 32;

/// Barriers of a CTA; 0 is the one of all threads.
const BARRIERS: usize = 16;

/// Where a warp stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stand {
    /// It can go on.
    Ready,
    /// It waits at a named barrier.
    Named(usize),
    /// It waits at a barrier of the whole CTA: at this instruction.
    Cta(Option<InstId>),
    /// It is done with this CTA.
    Done,
}

/// A named barrier on its way to being complete.
#[derive(Clone, Copy, Default)]
struct Barrier {
    /// Threads that have come.
    arrived: u32,
    /// How many it is for, as the first said.
    threads: u32,
    /// The warps that have come, a bit each.
    warps: u32,
}

/// What the warps share.
struct State {
    args: Arguments,
    /// By array; those of threads stay with their warp.
    arrays: Vec<Buffer>,
    stands: Vec<Stand>,
    /// Where each warp waits: its instruction.
    places: Vec<Option<InstId>>,
    barriers: [Barrier; BARRIERS],
    /// Whether the memory is here, and not with the warp whose turn it is.
    is_home: bool,
    /// Whose turn it is.
    turn: usize,
    /// Which of the CTAs asked for is being run.
    round: usize,
    failure: Option<Box<Fault>>,
    /// A warp's thread panicked: nobody will give the turn on.
    is_lost: bool,
    stats: Stats,
}

/// Turns of the warps of one launch.
pub(super) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

/// Runs the CTAs, each warp taking its turns.
pub(super) fn run(
    kernel: &Kernel,
    plan: &Plan,
    launch: &Launch,
    args: &mut Arguments,
    config: &Config,
    ctas: &[u64],
) -> Result<Stats, Box<Fault>> {
    let warps = (launch.cta_threads() as usize).div_ceil(WARP);
    let arrays = kernel.arrays.values().map(|array| match array.space {
        ArraySpace::Shared => Buffer::uninitialised(array.dtype, array.len.into()),
        ArraySpace::Private => Buffer::uninitialised(array.dtype, 0),
    });
    let state = State {
        args: std::mem::replace(args, Arguments::new(kernel)),
        arrays: arrays.collect(),
        stands: vec![Stand::Ready; warps],
        places: vec![None; warps],
        barriers: [Barrier::default(); BARRIERS],
        is_home: true,
        turn: 0,
        round: 0,
        failure: None,
        is_lost: false,
        stats: Stats::default(),
    };
    let turns = Turns { state: Mutex::new(state), changed: Condvar::new() };
    std::thread::scope(|scope| {
        for warp in 0..warps {
            let turns = &turns;
            scope.spawn(move || turns.warp(warp, kernel, plan, launch, config, ctas));
        }
    });
    let mut state = turns.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    std::mem::swap(args, &mut state.args);
    match state.failure {
        Some(fault) => Err(fault),
        None => Ok(state.stats),
    }
}

/// Says so when the thread of a warp panics, so that the others don't wait for it.
struct Watch<'t>(&'t Turns);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().is_lost = true;
            self.0.changed.notify_all();
        }
    }
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn of a warp in a round; false where there will be none.
    fn wait(&self, warp: usize, round: usize) -> Option<MutexGuard<'_, State>> {
        let mut state = self.lock();
        while !(state.turn == warp && state.round == round) {
            if state.failure.is_some() || state.is_lost {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (state.failure.is_none() && !state.is_lost).then_some(state)
    }

    fn warp(
        &self,
        warp: usize,
        kernel: &Kernel,
        plan: &Plan,
        launch: &Launch,
        config: &Config,
        ctas: &[u64],
    ) {
        let _watch = Watch(self);
        let mut own = Arguments::new(kernel);
        let Some(mut state) = self.wait(warp, 0) else { return };
        if ctas.is_empty() {
            state.turn += 1;
            self.changed.notify_all();
            return;
        }
        // Parameters fill the lanes of their values when an interpreter is made.
        std::mem::swap(&mut own, &mut state.args);
        state.is_home = false;
        let mut interp = Interp::new(kernel, plan, launch, &mut own, config);
        interp.turns = Some((self, warp));
        for (array, buffer) in kernel.arrays.values().zip(&mut interp.arrays) {
            if array.space == ArraySpace::Shared {
                *buffer = Buffer::uninitialised(array.dtype, 0);
            }
        }
        interp.exchange_arrays(&mut state);
        drop(state);
        for (round, &cta) in ctas.iter().enumerate() {
            if round > 0 {
                let Some(mut state) = self.wait(warp, round) else { return };
                interp.exchange(&mut state);
            }
            let result = interp.warp_of_cta(cta, warp);
            let mut state = self.lock();
            // A warp that waited when the run failed has no memory to give back.
            if !state.is_home {
                interp.exchange(&mut state);
            }
            state.stands[warp] = Stand::Done;
            state.places[warp] = None;
            if let Err(fault) = result {
                state.failure.get_or_insert(fault);
            } else if let Err((kind, lane, place)) = state.give_on(launch.cta_threads() as usize) {
                interp.current = place;
                state.failure.get_or_insert(interp.fault(lane, kind));
            }
            if round + 1 == ctas.len() {
                state.stats.lane_operations += interp.stats.lane_operations;
                state.stats.steps += interp.stats.steps;
            }
            drop(state);
            self.changed.notify_all();
        }
    }
}

/// Why nobody can go on: what is wrong, a thread that waits, and where.
type Stuck = (FaultKind, usize, Option<InstId>);

impl State {
    /// Gives the turn to the lowest warp that can go on.
    fn give_on(&mut self, threads: usize) -> Result<(), Stuck> {
        let at_cta = |stand: &Stand| matches!(stand, Stand::Cta(_));
        let first = self.stands[0];
        if self.stands.iter().all(|stand| *stand == first) && at_cta(&first) {
            self.stands.fill(Stand::Ready);
        }
        if let Some(next) = self.stands.iter().position(|stand| *stand == Stand::Ready) {
            self.turn = next;
            return Ok(());
        }
        let Some(waits) = self.stands.iter().position(|stand| *stand != Stand::Done) else {
            self.begin_round();
            return Ok(());
        };
        let (lane, place) = (waits * WARP, self.places[waits]);
        let lanes = |warp: usize| threads.min((warp + 1) * WARP) - warp * WARP;
        let come = self.stands.iter().enumerate().filter(|(_, stand)| at_cta(stand));
        let arrived: usize = come.map(|(warp, _)| lanes(warp)).sum();
        let kind = match self.stands[waits] {
            Stand::Named(id) if arrived == 0 => {
                let Barrier { arrived, threads, .. } = self.barriers[id];
                FaultKind::BarrierStuck { id: id as u32, arrived, threads }
            }
            Stand::Named(_) | Stand::Cta(_) | Stand::Ready | Stand::Done => {
                FaultKind::BarrierDivergence { arrived, threads }
            }
        };
        Err((kind, lane, place))
    }

    /// All warps are done with a CTA: the next one begins with the first of them.
    fn begin_round(&mut self) {
        self.stands.fill(Stand::Ready);
        self.barriers = [Barrier::default(); BARRIERS];
        self.arrays.iter_mut().for_each(Buffer::forget);
        self.turn = 0;
        self.round += 1;
        self.stats.ctas += 1;
    }
}

impl Interp<'_> {
    /// Runs one warp of one CTA.
    fn warp_of_cta(&mut self, linear: u64, warp: usize) -> Done {
        self.begin_cta(linear);
        self.active.set_each(|thread| thread / WARP == warp);
        self.region(self.kernel.body)
    }

    /// Gives the memory up, or takes it.
    fn exchange(&mut self, state: &mut State) {
        std::mem::swap(self.args, &mut state.args);
        state.is_home = !state.is_home;
        self.exchange_arrays(state);
    }

    fn exchange_arrays(&mut self, state: &mut State) {
        for ((array, own), shared) in self.kernel.arrays.values().zip(&mut self.arrays).zip(&mut state.arrays)
        {
            if array.space == ArraySpace::Shared {
                std::mem::swap(own, shared);
            }
        }
    }

    /// Waits where the warp stands until it can go on.
    fn pause(&mut self, turns: &Turns, warp: usize, stand: Stand) -> Done {
        let mut state = turns.lock();
        let round = state.round;
        self.exchange(&mut state);
        state.stands[warp] = stand;
        state.places[warp] = self.current;
        if let Err((kind, lane, place)) = state.give_on(self.threads) {
            self.current = place;
            let fault = self.fault(lane, kind);
            state.failure.get_or_insert(fault);
        }
        drop(state);
        turns.changed.notify_all();
        match turns.wait(warp, round) {
            Some(mut state) => {
                self.exchange(&mut state);
                Ok(())
            }
            None => {
                // The run is over; whoever failed has said why, and this warp only unwinds.
                let (fault, steps) = (turns.lock().failure.clone(), self.step_budget);
                Err(fault.unwrap_or_else(|| self.fault(warp * WARP, FaultKind::Hang { steps })))
            }
        }
    }

    /// A barrier of the whole CTA, met by one warp.
    pub(super) fn cta_barrier_of_warp(&mut self, turns: &Turns, warp: usize) -> Done {
        let here = self.current;
        self.whole_warp(warp, |arrived, threads| FaultKind::BarrierDivergence { arrived, threads })?;
        self.pause(turns, warp, Stand::Cta(here))
    }

    /// A named barrier.
    pub(super) fn named_barrier(&mut self, op: &NamedBarrier) -> Done {
        let (turns, warp) = self.turns.expect("run() gives the warps turns where there is a named barrier");
        self.whole_warp(warp, |arrived, lanes| FaultKind::BarrierParted { arrived, lanes })?;
        let first = warp * WARP;
        let (ids, counts) = (self.regs.words::<u32>(op.id), self.regs.words::<u32>(op.threads));
        let (id, threads) = (ids[first], counts[first]);
        let differs = self.active.find(|lane| ids[lane] != id || counts[lane] != threads);
        if let Some(lane) = differs {
            return Err(self.fault(lane, FaultKind::BarrierDiffers));
        }
        if !(1..=15).contains(&id) || threads == 0 || threads % 32 != 0 {
            return Err(self.fault(first, FaultKind::BadBarrier { id, threads }));
        }
        let mut state = turns.lock();
        let barrier = &mut state.barriers[id as usize];
        if barrier.warps == 0 {
            barrier.threads = threads;
        }
        if barrier.threads != threads {
            let others = barrier.threads;
            return Err(self.fault(first, FaultKind::BarrierCounts { id, threads, others }));
        }
        if barrier.warps >> warp & 1 == 1 {
            return Err(self.fault(first, FaultKind::BarrierTwice { id }));
        }
        barrier.warps |= 1 << warp;
        barrier.arrived += WARP as u32;
        if barrier.arrived == threads {
            *barrier = Barrier::default();
            let waiting = state.stands.iter_mut().filter(|stand| **stand == Stand::Named(id as usize));
            waiting.for_each(|stand| *stand = Stand::Ready);
            return Ok(());
        }
        drop(state);
        match op.action {
            BarrierAction::Arrive => Ok(()),
            BarrierAction::Sync => self.pause(turns, warp, Stand::Named(id as usize)),
        }
    }

    /// Whether all lanes that the warp has are here.
    fn whole_warp(&self, warp: usize, kind: impl FnOnce(usize, usize) -> FaultKind) -> Done {
        let lanes = warp * WARP..self.threads.min((warp + 1) * WARP);
        match lanes.clone().find(|&lane| !self.active.has(lane)) {
            None => Ok(()),
            Some(missing) => Err(self.fault(missing, kind(self.active.count(), lanes.len()))),
        }
    }
}
