//! A launch that goes on after a finding, to list all of them, each once by what is wrong and where.
//!
//! Entry: a launch as for [`launch`](super::launch()). Exit: every site at which something was met, with how often and
//! where first. What goes on: a lane that reads what nobody wrote, races, or reads through the read-only path what was
//! written does its access all the same; one outside all bounds or off its alignment leaves it out, and keeps what its
//! registers held. What ends the CTA, while the others run: masks, barriers, deadlocks, traps, and what copies and mbarriers
//! do wrong. What ends the launch: a hang, since the next CTA would take as long. Later findings may follow from earlier
//! ones; those that come first say more.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::access::Access;
use super::atomic::{self, Atomic};
use super::config::{Config, LaunchConfig, Stats};
use super::context::Context;
use super::decode::Program;
use super::finding::{Finding, FindingKind};
use super::global::GlobalMemory;
use super::load_store::{self, Fault, Wrong};
use super::race::Race;
use super::warp::{Warp, memories};

/// What a launch did, and all that is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// What it did, without the CTAs that a finding ended.
    pub stats: Stats,
    /// By line, then by kind.
    pub met: Vec<Met>,
}

/// One thing that is wrong at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// Where it was met first, in the order of CTAs: x runs fastest.
    pub finding: Finding,
    /// How many lanes, warps or CTAs met it, in all.
    pub times: u64,
}

impl Met {
    /// Whether it is the same thing at the same place.
    pub fn is_same(&self, finding: &Finding) -> bool {
        self.finding.entry == finding.entry
            && self.finding.kind.name() == finding.kind.name()
            && self.finding.site == finding.site
    }
}

/// Adds what was met elsewhere to a list of sites.
pub(crate) fn merge(met: &mut Vec<Met>, other: Met) {
    let Some(known) = met.iter_mut().find(|known| known.is_same(&other.finding)) else {
        return met.push(other);
    };
    let order = |finding: &Finding| {
        let [x, y, z] = finding.cta;
        [z, y, x]
    };
    known.times += other.times;
    if order(&other.finding) < order(&known.finding) {
        known.finding = other.finding;
    }
}

/// Sorts sites by line, then by kind.
fn sort(met: &mut [Met]) {
    met.sort_by_key(|met| {
        let line = met.finding.site.as_ref().map_or(0, |site| site.line);
        (met.finding.entry.clone(), line, met.finding.kind.name())
    });
}

/// Where the workers of a launch put what they meet, and count the CTAs that have ended.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    met: Mutex<Vec<Met>>,
    done: &'a AtomicU64,
}

impl Collector<'_> {
    /// One more CTA has ended.
    pub(super) fn end_cta(&self) {
        self.done.fetch_add(1, Relaxed);
    }

    pub(super) fn add(&self, finding: Finding) {
        // A worker that panicked ends the launch, and the list with it.
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        merge(&mut met, Met { finding, times: 1 });
    }

    fn take(self) -> Vec<Met> {
        let mut met = self.met.into_inner().unwrap_or_else(PoisonError::into_inner);
        sort(&mut met);
        met
    }
}

/// Runs a kernel and lists everything that is wrong with it.
///
/// # Errors
/// The launch breaks a rule, or the tensor model lacks a form of the kernel: nothing ran.
pub fn survey(
    program: &Program,
    launch: &LaunchConfig,
    memory: &mut GlobalMemory,
    config: &Config,
) -> Result<Survey, Box<Finding>> {
    survey_counting(program, launch, memory, config, &AtomicU64::new(0))
}

/// The same; `done` grows by one with each CTA that has ended.
///
/// # Errors
/// As [`survey`].
pub fn survey_counting(
    program: &Program,
    launch: &LaunchConfig,
    memory: &mut GlobalMemory,
    config: &Config,
    done: &AtomicU64,
) -> Result<Survey, Box<Finding>> {
    let collector = Collector { met: Mutex::default(), done };
    let stats = super::launch::run(program, launch, memory, config, Some(&collector))?;
    Ok(Survey { stats, met: collector.take() })
}

/// Whether the launch ends with this finding, also where it is to go on.
pub(super) const fn ends_launch(kind: &FindingKind) -> bool {
    matches!(kind, FindingKind::Hang { .. } | FindingKind::MbarrierHang { .. })
}

/// Whether a lane may do its access although something is wrong with it.
const fn may_go_on(wrong: &Wrong) -> bool {
    match wrong {
        Wrong::Uninitialised | Wrong::ReadOnlyWritten | Wrong::Race(_) | Wrong::InFlight(_) => true,
        Wrong::OutOfBounds
        | Wrong::Misaligned
        | Wrong::CopySize
        | Wrong::Mbarrier(_)
        | Wrong::TensorMap(_) => false,
    }
}

impl Context<'_> {
    /// Notes a finding where the launch is to go on, else gives it back.
    fn note(&self, finding: Box<Finding>) -> Result<(), Box<Finding>> {
        let Some(collector) = self.launch.collector else { return Err(finding) };
        collector.add(*finding);
        Ok(())
    }
}

impl Warp {
    /// Goes on with a load or store in which a lane met something, if the launch is a survey.
    #[cold]
    pub(super) fn after_access(
        &mut self,
        access: &Access,
        (mask, pc): (u32, u32),
        mut fault: Fault,
        context: &mut Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let launch = context.launch;
        let warp = self.index;
        let (mut rest, mut forgiven) = (mask, 0);
        loop {
            context.note(context.fault(&fault, pc, warp, access.total(), access.verb()))?;
            rest &= !(1 << fault.lane);
            forgiven |= u32::from(may_go_on(&fault.wrong)) << fault.lane;
            if rest == 0 {
                break;
            }
            let writer = context.writer(warp);
            let mut memories = memories(launch, &mut context.shared, &mut self.local);
            memories.race = launch.config.sanitize.then(|| {
                let clocks = (&context.time, &mut self.order);
                Race::new(clocks, &mut context.shadows, (pc, warp), access.strong, launch.program.ordered)
            });
            memories.flights = context.flights.watched().filter(|_| launch.config.sanitize);
            memories.writer = writer;
            match load_store::run(access, &mut self.file, rest, &mut memories) {
                Ok(()) => break,
                Err(next) => fault = next,
            }
        }
        if forgiven == 0 {
            return Ok(());
        }
        let writer = context.writer(warp);
        let mut memories = memories(launch, &mut context.shared, &mut self.local);
        (memories.sanitize, memories.writer) = (false, writer);
        // `.nc` is checked against stores whatever the sanitizer says: it has been noted.
        memories.track_stores &= !access.nc;
        load_store::run(access, &mut self.file, forgiven, &mut memories)
            .map_err(|fault| context.fault(&fault, pc, warp, access.total(), access.verb()))
    }

    /// The same for an atomic operation; `lanes` are in the order in which they take their turns.
    #[cold]
    pub(super) fn after_atomic(
        &mut self,
        atomic: &Atomic,
        lanes: &[usize],
        pc: u32,
        mut fault: Fault,
        context: &mut Context<'_>,
    ) -> Result<(), Box<Finding>> {
        let launch = context.launch;
        let warp = self.index;
        let mut rest = lanes;
        loop {
            context.note(context.fault(&fault, pc, warp, atomic.bytes, "atomic"))?;
            let at = rest.iter().position(|&lane| lane == fault.lane as usize);
            let at = at.expect("a fault names a lane that was asked for");
            let (refused, after) = (&rest[at..=at], &rest[at + 1..]);
            let writer = context.writer(warp);
            if may_go_on(&fault.wrong) {
                let mut memories = memories(launch, &mut context.shared, &mut self.local);
                (memories.sanitize, memories.writer) = (false, writer);
                atomic::run(atomic, &mut self.file, refused, &mut memories)
                    .map_err(|fault| context.fault(&fault, pc, warp, atomic.bytes, "atomic"))?;
            }
            rest = after;
            if rest.is_empty() {
                return Ok(());
            }
            let mut memories = memories(launch, &mut context.shared, &mut self.local);
            memories.race = launch.config.sanitize.then(|| {
                let clocks = (&context.time, &mut self.order);
                let (place, strength) = ((pc, warp), Some(atomic.strength));
                Race::new(clocks, &mut context.shadows, place, strength, launch.program.ordered)
            });
            memories.flights = context.flights.watched().filter(|_| launch.config.sanitize);
            memories.writer = writer;
            match atomic::run(atomic, &mut self.file, rest, &mut memories) {
                Ok(()) => return Ok(()),
                Err(next) => fault = next,
            }
        }
    }
}
