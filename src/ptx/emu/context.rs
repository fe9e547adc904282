//! What the warps of a CTA share while they run: program, memories, counters, the place in the grid.

use super::config::{Config, LaunchConfig, Schedule, Stats};
use super::decode::{LOCAL_BASE, Program};
use super::file::{LANES, Lanes};
use super::finding::{BadAccess, Finding, FindingKind, Lane, Missing, Race, Site};
use super::finding_async::{Held, InFlight};
use super::flight::{Busy, Flights, Holder};
use super::global::GlobalMemory;
use super::load_store::{Fault, Wrong};
use super::mbarrier::{ENGINE, Mbarriers};
use super::mma;
use super::order::Time;
use super::profile::Count;
use super::random::Random;
use super::shadow::{Clash, SPAN, Shadow};
use super::space::Bytes;
use super::survey::Collector;
use super::whereabouts::space_name;
use super::writer::Author;
use crate::numerics::tensor::TensorModel;
use crate::ptx::isa::SpecialReg;

/// What is the same for all CTAs of a launch.
pub(super) struct Launch<'a> {
    pub(super) program: &'a Program,
    pub(super) config: &'a Config,
    pub(super) launch: &'a LaunchConfig,
    pub(super) global: &'a GlobalMemory,
    pub(super) parallel: bool,
    /// Takes findings where the launch goes on after them.
    pub(super) collector: Option<&'a Collector<'a>>,
    /// What matrix multiplications compute, where the target has any.
    pub(super) model: Option<TensorModel>,
    /// Thread coordinates of each warp.
    pub(super) tids: Vec<[Lanes<u32>; 3]>,
}

impl<'a> Launch<'a> {
    pub(super) fn new(
        program: &'a Program,
        launch: &'a LaunchConfig,
        global: &'a GlobalMemory,
        config: &'a Config,
        (parallel, collector): (bool, Option<&'a Collector<'a>>),
    ) -> Self {
        let threads = threads(launch);
        let warps = threads.div_ceil(LANES as u32);
        let tids = (0..warps).map(|warp| {
            let coordinates =
                |axis| Lanes(std::array::from_fn(|lane| thread(launch, warp * 32 + lane as u32)[axis]));
            [coordinates(0), coordinates(1), coordinates(2)]
        });
        let model = mma::model(program, config);
        Self { program, config, launch, global, parallel, collector, model, tids: tids.collect() }
    }

    pub(super) fn shared_end(&self) -> u32 {
        self.program.shared_end + self.launch.dynamic_shared
    }
}

/// Threads of a CTA.
pub(super) fn threads(launch: &LaunchConfig) -> u32 {
    launch.block.iter().product()
}

/// Coordinates of a thread.
fn thread(launch: &LaunchConfig, linear: u32) -> [u32; 3] {
    let [x, y, _] = launch.block;
    [linear % x, linear / x % y, linear / x / y]
}

/// What one worker needs beside the warps.
pub(super) struct Context<'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) shared: Bytes,
    /// Shadows of the shared memory.
    pub(super) shadows: Vec<Shadow>,
    pub(super) time: Time,
    /// Copies on their way.
    pub(super) flights: Flights,
    pub(super) mbarriers: Mbarriers,
    pub(super) cta: [u32; 3],
    /// Instructions that the warps of the CTA have executed.
    pub(super) steps: u64,
    /// There for the adversarial schedule.
    pub(super) random: Option<Random>,
    pub(super) stats: Stats,
    /// Room for the operands of a matrix multiplication.
    pub(super) matrices: mma::Scratch,
}

impl<'a> Context<'a> {
    pub(super) fn new(launch: &'a Launch<'a>) -> Self {
        let counts = if launch.config.profile { launch.program.code.len() } else { 0 };
        let profile = vec![Count::default(); counts];
        let stats = Stats { profile, ..Stats::default() };
        let count = if launch.config.sanitize { (launch.shared_end() as usize).div_ceil(SPAN) } else { 0 };
        let shadows = std::iter::repeat_with(Shadow::default).take(count).collect();
        let (shared, time) = (Bytes::default(), Time::default());
        let (flights, mbarriers) = (Flights::default(), Mbarriers::new());
        let (cta, steps, random, matrices) = ([0; 3], 0, None, mma::Scratch::default());
        Self { launch, shared, shadows, time, flights, mbarriers, cta, steps, random, stats, matrices }
    }

    /// Prepares for a CTA.
    pub(super) fn begin(&mut self, index: u64) {
        self.cta = self.coordinates(index);
        self.time.begin(index as u32);
        for shadow in &mut self.shadows {
            shadow.reset();
        }
        self.flights.reset();
        self.mbarriers.clear();
        self.shared.reset(self.launch.shared_end() as usize);
        self.steps = 0;
        self.random = match self.launch.config.schedule {
            Schedule::Default => None,
            // A generator of its own for each CTA: the order of workers then changes nothing.
            Schedule::Adversarial(seed) => {
                Some(Random::new(seed ^ (index + 1).wrapping_mul(0x2545_f491_4f6c_dd1d)))
            }
        };
    }

    /// Coordinates of a CTA.
    fn coordinates(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.launch.launch.grid.map(u64::from);
        [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
    }

    /// Whom a warp's stores are noted for, where that is asked for.
    pub(super) fn writer(&self, warp: u32) -> Option<Author> {
        self.launch.global.notes_writers().then(|| Author::new(self.time.cta, warp))
    }

    pub(super) fn site(&self, pc: u32) -> Site {
        self.launch.program.site(pc)
    }

    /// Coordinates of the lowest lane of a mask in a warp.
    pub(super) fn lowest(&self, warp: u32, lanes: u32) -> [u32; 3] {
        thread(self.launch.launch, warp * LANES as u32 + lanes.trailing_zeros())
    }

    /// A finding about the lowest lane of a mask.
    pub(super) fn finding(&self, kind: FindingKind, pc: u32, warp: u32, lanes: u32) -> Box<Finding> {
        let thread = (lanes != 0).then(|| self.lowest(warp, lanes));
        let entry = self.launch.program.name.clone();
        Box::new(Finding { kind, entry, site: Some(self.site(pc)), cta: self.cta, thread })
    }

    /// A finding about a memory access.
    pub(super) fn fault(
        &self,
        fault: &Fault,
        pc: u32,
        warp: u32,
        bytes: u32,
        verb: &'static str,
    ) -> Box<Finding> {
        let (space, place) = (space_name(fault.space), self.whereabouts(fault.space, fault.address));
        let access = BadAccess { verb, space, address: fault.address, bytes, place };
        let kind = match fault.wrong {
            Wrong::OutOfBounds => FindingKind::OutOfBounds(access),
            Wrong::Misaligned => FindingKind::Misaligned(access),
            Wrong::Uninitialised => FindingKind::Uninitialised(access),
            Wrong::ReadOnlyWritten => FindingKind::ReadOnlyWritten(access),
            Wrong::CopySize => FindingKind::CopySize(access),
            Wrong::Mbarrier(problem) => FindingKind::Mbarrier { problem, access },
            Wrong::TensorMap(problem) => FindingKind::TensorMap { problem, access },
            Wrong::InFlight(holder) => FindingKind::InFlight(Box::new(self.in_flight(access, &holder))),
            Wrong::Race(clash) => {
                FindingKind::Race(Box::new(self.race(access, &clash, (warp, fault.lane), pc)))
            }
        };
        self.finding(kind, pc, warp, 1 << fault.lane)
    }

    fn in_flight(&self, access: BadAccess, holder: &Holder) -> InFlight {
        let held = match holder.busy {
            Busy::Group => Held::Group,
            Busy::Phase => Held::Phase,
            Busy::Read => Held::Read,
            Busy::Barrier => Held::Barrier,
        };
        let other_thread = thread(self.launch.launch, holder.warp * LANES as u32 + holder.lane);
        InFlight { access, held, other: self.site(holder.pc), other_thread }
    }

    fn race(&self, access: BadAccess, clash: &Clash, (warp, lane): (u32, u32), pc: u32) -> Race {
        let record = &clash.record;
        let other = record.warp() * LANES as u32 + clash.lane;
        let same_warp = record.cta == self.time.cta && record.warp() == warp;
        let missing = if record.cta & ENGINE != 0 {
            Missing::Phase
        } else if same_warp && record.pc() == pc && access.verb == "store" && clash.wrote {
            Missing::OneWriter
        } else if same_warp {
            Missing::WarpBarrier
        } else if record.cta == self.time.cta {
            Missing::CtaBarrier
        } else if clash.narrow {
            Missing::Scope
        } else {
            Missing::Release
        };
        Race {
            wrote: clash.wrote,
            byte: clash.offset,
            lane: Lane { warp, lane },
            other: self.site(record.pc()),
            other_cta: self.coordinates(u64::from(record.cta & !ENGINE)),
            other_thread: thread(self.launch.launch, other),
            other_lane: Lane { warp: record.warp(), lane: clash.lane },
            missing,
            access,
        }
    }

    /// The value of a special register in the lanes of a warp.
    pub(super) fn special(&self, special: SpecialReg, warp: u32) -> [u64; LANES] {
        let launch = self.launch.launch;
        let tid = |axis: usize| self.launch.tids[warp as usize][axis].0.map(u64::from);
        let all = |value: u32| [u64::from(value); LANES];
        let by_lane = |mask: fn(u32) -> u32| std::array::from_fn(|lane| u64::from(mask(lane as u32)));
        match special {
            SpecialReg::TidX => tid(0),
            SpecialReg::TidY => tid(1),
            SpecialReg::TidZ => tid(2),
            SpecialReg::NtidX => all(launch.block[0]),
            SpecialReg::NtidY => all(launch.block[1]),
            SpecialReg::NtidZ => all(launch.block[2]),
            SpecialReg::CtaidX => all(self.cta[0]),
            SpecialReg::CtaidY => all(self.cta[1]),
            SpecialReg::CtaidZ => all(self.cta[2]),
            SpecialReg::NctaidX => all(launch.grid[0]),
            SpecialReg::NctaidY => all(launch.grid[1]),
            SpecialReg::NctaidZ => all(launch.grid[2]),
            SpecialReg::Laneid => by_lane(|lane| lane),
            SpecialReg::Warpid => all(warp),
            SpecialReg::Nwarpid => all(self.launch.tids.len() as u32),
            SpecialReg::Smid => all(0),
            SpecialReg::Nsmid => all(1),
            SpecialReg::LanemaskEq => by_lane(|lane| 1 << lane),
            SpecialReg::LanemaskLt => by_lane(|lane| (1 << lane) - 1),
            SpecialReg::LanemaskLe => by_lane(|lane| (2_u64 << lane).wrapping_sub(1) as u32),
            SpecialReg::LanemaskGt => by_lane(|lane| !((2_u64 << lane).wrapping_sub(1) as u32)),
            SpecialReg::LanemaskGe => by_lane(|lane| !((1 << lane) - 1)),
            // Time is what the CTA has executed: it grows, and every run sees the same.
            SpecialReg::Clock | SpecialReg::Clock64 | SpecialReg::Globaltimer => [self.steps; LANES],
            SpecialReg::Gridid => all(1),
            SpecialReg::DynamicSmemSize => all(launch.dynamic_shared),
            SpecialReg::ClockHi | SpecialReg::GlobaltimerHi => [self.steps >> 32; LANES],
            SpecialReg::GlobaltimerLo => [self.steps; LANES],
            // A cluster is one CTA, and no launch is a node of a graph.
            SpecialReg::ClusterCtarank
            | SpecialReg::ClusterCtaidX
            | SpecialReg::ClusterCtaidY
            | SpecialReg::ClusterCtaidZ
            | SpecialReg::CurrentGraphExec => all(0),
            SpecialReg::ClusterNctarank
            | SpecialReg::ClusterNctaidX
            | SpecialReg::ClusterNctaidY
            | SpecialReg::ClusterNctaidZ => all(1),
            SpecialReg::ClusteridX => all(self.cta[0]),
            SpecialReg::ClusteridY => all(self.cta[1]),
            SpecialReg::ClusteridZ => all(self.cta[2]),
            SpecialReg::NclusteridX => all(launch.grid[0]),
            SpecialReg::NclusteridY => all(launch.grid[1]),
            SpecialReg::NclusteridZ => all(launch.grid[2]),
            // Nothing is reserved. It would lie behind the CTA's own memory, so that its use is found and hits nothing.
            SpecialReg::ReservedSmemCap => all(0),
            SpecialReg::TotalSmemSize
            | SpecialReg::AggrSmemSize
            | SpecialReg::ReservedSmemBegin
            | SpecialReg::ReservedSmemEnd
            | SpecialReg::ReservedSmem0
            | SpecialReg::ReservedSmem1 => {
                all(self.launch.program.static_shared_bytes() + launch.dynamic_shared)
            }
        }
    }

    /// Bytes of local memory of a warp.
    pub(super) fn local_bytes(&self) -> usize {
        let end = self.launch.program.local_end;
        if end == LOCAL_BASE { 0 } else { super::load_store::lane_stride(end) * LANES }
    }
}
