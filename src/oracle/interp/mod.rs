//! The interpreter: walks the regions of a kernel once per CTA, each instruction for all active threads.
//!
//! On entry: arguments and launch were checked, the kernel was validated. What holds while it runs: `active` is the
//! mask of the region being run, `live` the threads inside the extent; a thread outside it runs along, but loads 0,
//! stores nothing, takes no part in warp operations, and its unset variables and zero steps are nobody's fault.
//! Deliberately not here: what an operation computes (`numerics`).

mod arith;
mod atomic;
mod control;
mod cvt;
mod geometry;
mod inline;
mod matrix;
mod memory;
mod turns;
mod warp;

use super::arguments::Arguments;
use super::error::{Fault, FaultKind, LaunchError};
use super::mask::Mask;
use super::memory::Buffer;
use super::value::{Lanes, Registers};
use super::{Config, Stats};
use crate::diag::Span;
use crate::entity::EntityId;
use crate::ir::op::{GeomReg, Op};
use crate::ir::{ArraySpace, DType, InstId, Kernel, Launch, Mode, RegionId, ValueId};
use crate::numerics::tensor::TensorModel;

/// The end of an instruction.
type Done = Result<(), Box<Fault>>;

/// The most threads a CTA can have, on every target.
const MAX_CTA_THREADS: u64 = 1024;

/// Whether the launch fits the kernel.
pub(super) fn check_launch(kernel: &Kernel, launch: &Launch) -> Result<(), LaunchError> {
    if let Some(wanted) = kernel.mode.filter(|&wanted| wanted != launch.mode) {
        return Err(LaunchError::Mode { wanted, found: launch.mode });
    }
    if let Some(wanted) = kernel.cta.filter(|&wanted| wanted != launch.cta) {
        return Err(LaunchError::Cta { wanted, found: launch.cta });
    }
    let product = launch.cta.iter().fold(1u64, |product, &axis| product.saturating_mul(axis.into()));
    if !(1..=MAX_CTA_THREADS).contains(&product) {
        return Err(LaunchError::CtaSize { threads: product });
    }
    let is_linear = launch.grid[1..] == [1, 1] && launch.cta[1..] == [1, 1];
    // An empty grid is a no-op whatever its other axes say.
    if launch.mode == Mode::Elementwise && !is_linear && !launch.grid.contains(&0) {
        return Err(LaunchError::NotLinear { grid: launch.grid, cta: launch.cta });
    }
    for axis in 0..3 {
        let threads = u128::from(launch.grid[axis]) * u128::from(launch.cta[axis]);
        if threads > 1 << 32 {
            return Err(LaunchError::TooManyThreads { axis, threads });
        }
    }
    let uses_tid = |op: &Op| matches!(op, Op::Geometry(geometry) if geometry.reg == GeomReg::Tid);
    if launch.mode == Mode::Grid3D && kernel.any(uses_tid) {
        return Err(LaunchError::NoTid { mode: launch.mode });
    }
    Ok(())
}

/// Runs every CTA asked for.
pub(super) fn run(
    kernel: &Kernel,
    launch: &Launch,
    args: &mut Arguments,
    config: &Config,
) -> Result<Stats, Box<Fault>> {
    let plan = Plan::new(kernel);
    let count = launch.grid.iter().fold(1u128, |count, &axis| count * u128::from(axis));
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    if kernel.any(|op| matches!(op, Op::NamedBarrier(_))) {
        let ctas: Vec<u64> = match &config.ctas {
            Some(chosen) => chosen.range(..count).copied().collect(),
            None => (0..count).collect(),
        };
        return turns::run(kernel, &plan, launch, args, config, &ctas);
    }
    let mut interp = Interp::new(kernel, &plan, launch, args, config);
    match &config.ctas {
        Some(chosen) => chosen.range(..count).try_for_each(|&cta| interp.cta(cta))?,
        None => (0..count).try_for_each(|cta| interp.cta(cta))?,
    }
    Ok(interp.stats)
}

/// What is known of a kernel before any CTA runs.
struct Plan {
    /// By region: its instructions, less those below.
    regions: Vec<Vec<InstId>>,
    /// Constants and parameters: their lanes are filled once.
    launch_wide: Vec<InstId>,
    /// Geometry: its lanes are filled once, or once per CTA.
    geometry: Vec<(ValueId, GeomReg)>,
    /// By value: whether a bitcast of it leaves a NaN's bits alone.
    keeps_nan: Vec<bool>,
}

impl Plan {
    fn new(kernel: &Kernel) -> Self {
        let mut plan = Self {
            regions: vec![Vec::new(); kernel.regions.len()],
            launch_wide: Vec::new(),
            geometry: Vec::new(),
            keeps_nan: vec![false; kernel.values.len()],
        };
        for (region, contents) in kernel.regions.iter() {
            for &id in &contents.insts {
                plan.add(kernel, region, id);
            }
        }
        plan
    }

    fn add(&mut self, kernel: &Kernel, region: RegionId, id: InstId) {
        let inst = &kernel.insts[id];
        for result in &inst.results {
            self.keeps_nan[result.index()] = inst.op.has_defined_nan();
        }
        match &inst.op {
            Op::Const(_) | Op::Scalar(_) | Op::Shape(_) | Op::Stride(_) => self.launch_wide.push(id),
            Op::Geometry(geometry) => self.geometry.push((inst.results[0], geometry.reg)),
            Op::Comment(_) => {}
            _ => self.regions[region.index()].push(id),
        }
    }
}

/// A mutable variable of every thread.
struct Variable {
    dtype: DType,
    lanes: Lanes,
    /// 1 for each thread that assigned it.
    set: Vec<u8>,
    /// Whether all did.
    is_set_everywhere: bool,
}

struct Interp<'a> {
    kernel: &'a Kernel,
    plan: &'a Plan,
    launch: &'a Launch,
    args: &'a mut Arguments,
    step_budget: u64,
    threads: usize,
    regs: Registers,
    locals: Vec<Variable>,
    /// Shared arrays as they are; per-thread arrays element by element, all threads' words of one element together.
    arrays: Vec<Buffer>,
    active: Mask,
    live: Mask,
    /// Whether the kernel has a CTA barrier, so that threads outside the extent run too.
    waits: bool,
    /// The threads still iterating, for each loop around the current instruction.
    loops: Vec<Mask>,
    /// The threads that entered each of them.
    entered: Vec<Mask>,
    /// Masks and trip counts not in use now, so that control flow allocates nothing in the long run.
    spare_masks: Vec<Mask>,
    spare_trips: Vec<Vec<u64>>,
    /// Of the current memory or warp operation: who takes part, and element addresses by thread.
    members: Mask,
    addresses: Vec<u64>,
    /// Asynchronous copies, by thread.
    in_flight: Vec<matrix::InFlight>,
    tensor_model: TensorModel,
    cta: [u64; 3],
    cta_steps: u64,
    current: Option<InstId>,
    stats: Stats,
    /// Where warps take turns: whose turns they are, and which warp this is.
    turns: Option<(&'a turns::Turns, usize)>,
}

impl<'a> Interp<'a> {
    fn new(
        kernel: &'a Kernel,
        plan: &'a Plan,
        launch: &'a Launch,
        args: &'a mut Arguments,
        config: &Config,
    ) -> Self {
        let threads = launch.cta_threads() as usize;
        let locals = kernel.locals.values().map(|local| Variable {
            dtype: local.dtype,
            lanes: Lanes::new(local.dtype, threads),
            set: vec![0; threads],
            is_set_everywhere: false,
        });
        let arrays = kernel.arrays.values().map(|array| {
            let copies = match array.space {
                ArraySpace::Shared => 1,
                ArraySpace::Private => threads as u64,
            };
            Buffer::uninitialised(array.dtype, u64::from(array.len) * copies)
        });
        let mut interp = Self {
            kernel,
            plan,
            launch,
            step_budget: config.step_budget,
            threads,
            regs: Registers::new(kernel, threads),
            locals: locals.collect(),
            arrays: arrays.collect(),
            active: Mask::full(threads),
            live: Mask::full(threads),
            waits: kernel.any(|op| matches!(op, Op::CtaBarrier(_))),
            loops: Vec::new(),
            entered: Vec::new(),
            spare_masks: Vec::new(),
            spare_trips: Vec::new(),
            members: Mask::empty(threads),
            addresses: vec![0; threads],
            in_flight: std::iter::repeat_with(matrix::InFlight::default).take(threads).collect(),
            tensor_model: config.tensor_model,
            cta: [0; 3],
            cta_steps: 0,
            current: None,
            stats: Stats::default(),
            turns: None,
            args,
        };
        interp.fill_launch_wide();
        interp
    }

    /// Runs one CTA.
    fn cta(&mut self, linear: u64) -> Done {
        self.begin_cta(linear);
        self.active = Mask::full(self.threads);
        self.arrays.iter_mut().for_each(Buffer::forget);
        self.region(self.kernel.body)?;
        self.stats.ctas += 1;
        Ok(())
    }

    /// Forgets the last CTA's registers.
    fn begin_cta(&mut self, linear: u64) {
        let [x, y, _] = self.launch.grid;
        self.cta = [linear % x, linear / x % y, linear / x / y];
        self.cta_steps = 0;
        self.in_flight.iter_mut().for_each(|copies| *copies = matrix::InFlight::default());
        self.fill_geometry();
        if !self.waits {
            // Nobody waits for threads outside the extent, and a loop that asks the warp would never end for them.
            self.active.copy_from(&self.live);
        }
        for variable in &mut self.locals {
            // Only a thread outside the extent can see these zeros, and it must not see the last CTA's values.
            variable.lanes.fill(0);
            variable.set.fill(0);
            variable.is_set_everywhere = false;
        }
    }

    /// Runs the instructions of a region for the active threads, until none is left.
    fn region(&mut self, region: RegionId) -> Done {
        let plan = self.plan;
        for &id in &plan.regions[region.index()] {
            if self.active.is_empty() {
                break;
            }
            self.current = Some(id);
            self.step()?;
            self.stats.lane_operations += self.active.count() as u64;
            self.instruction(id)?;
        }
        Ok(())
    }

    fn instruction(&mut self, id: InstId) -> Done {
        let kernel = self.kernel;
        let inst = &kernel.insts[id];
        let results = &inst.results[..];
        match &inst.op {
            // The plan took these out of the regions.
            Op::Const(_)
            | Op::Scalar(_)
            | Op::Shape(_)
            | Op::Stride(_)
            | Op::Geometry(_)
            | Op::Comment(_) => {}
            Op::Unary(op) => self.unary(op, results[0]),
            Op::Binary(op) => self.binary(op, results[0]),
            Op::Fma(op) => self.fma(op, results[0]),
            Op::Compare(op) => self.compare(op, results[0]),
            Op::Select(op) => self.select(op, results[0]),
            Op::Convert(op) => self.convert(op, results[0]),
            Op::Bitcast(op) => self.bitcast(op, results[0]),
            Op::Approx(op) => self.approx(op, results[0]),
            Op::LocalGet(op) => return self.local_get(op, results[0]),
            Op::LocalSet(op) => self.local_set(op),
            Op::Load(op) => return self.load(op, results),
            Op::Store(op) => return self.store(op),
            Op::Atomic(op) => return self.atomic(op, results),
            Op::AtomicCas(op) => return self.atomic_cas(op, results[0]),
            Op::AtomicLoad(op) => return self.atomic_load(op, results),
            Op::AtomicStore(op) => return self.atomic_store(op),
            // Memory is in order here.
            Op::Fence(_) => {}
            Op::Shuffle(op) => return self.shuffle(op, results[0]),
            Op::WarpReduce(op) => self.warp_reduce(op, results[0]),
            Op::WarpScan(op) => self.warp_scan(op, results[0]),
            Op::Vote(op) => self.vote(op, results[0]),
            Op::Ballot(op) => self.ballot(op, results[0]),
            Op::Match(op) => self.match_any(op, results[0]),
            // Threads of a warp run in lockstep here.
            Op::WarpBarrier(_) => {}
            Op::CtaBarrier(_) => return self.cta_barrier(),
            Op::NamedBarrier(op) => return self.named_barrier(op),
            Op::Mma(op) => return self.mma(op, results),
            Op::LdMatrix(op) => return self.ldmatrix(op, results),
            Op::CpAsync(op) => return self.cp_async(op),
            Op::CpAsyncCommit(_) => self.cp_async_commit(),
            Op::CpAsyncWait(op) => self.cp_async_wait(op),
            Op::Inline(op) => return self.inline(op, results),
            // The text whose model it ends takes the values.
            Op::Yield(_) => {}
            Op::If(op) => return self.branch(op),
            Op::For(op) => return self.counted_loop(op),
            Op::Loop(op) => return self.endless_loop(op),
            Op::Break(_) => self.leave_loop(),
            Op::Continue(_) => self.active.clear(),
        }
        Ok(())
    }

    fn step(&mut self) -> Done {
        self.cta_steps += 1;
        self.stats.steps += 1;
        if self.cta_steps <= self.step_budget {
            return Ok(());
        }
        let lane = self.active.range().start;
        Err(self.fault(lane, FaultKind::Hang { steps: self.step_budget }))
    }

    /// A fault of the current instruction.
    #[cold]
    fn fault(&self, lane: usize, kind: FaultKind) -> Box<Fault> {
        let kernel = self.kernel;
        let span = self.current.map_or(Span::NONE, |id| kernel.insts[id].span).or(kernel.span);
        Box::new(Fault {
            kind,
            kernel: kernel.path(),
            span,
            place: kernel.sources.locate(span),
            cta: self.cta,
            thread: geometry::thread_of(lane, self.launch.cta),
        })
    }

    /// Makes `members` the active threads inside the extent.
    fn gather_members(&mut self) {
        self.members.copy_from(&self.active);
        if self.live.count() < self.threads {
            self.members.retain(self.live.lanes(), true);
        }
    }

    fn take_mask(&mut self) -> Mask {
        self.spare_masks.pop().unwrap_or_else(|| Mask::empty(self.threads))
    }
}
