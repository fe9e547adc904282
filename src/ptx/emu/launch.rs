//! Runs a grid: checks the launch, then CTA after CTA, on one worker or several.
//!
//! CTAs start in index order, or in a random one under the adversarial schedule. Exit: of several findings the one of
//! the CTA that starts first is given, so that it does not depend on the number of workers; only of a race between CTAs
//! either may be the one that meets the other.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::config::{Config, LaunchConfig, Schedule, Stats};
use super::context::{Launch, threads};
use super::cta::Cta;
use super::decode::Program;
use super::finding::{Finding, FindingKind};
use super::global::GlobalMemory;
use super::mma;
use super::random::Random;
use super::survey::{Collector, ends_launch};

/// Threads that a CTA may have.
const MAX_THREADS: u64 = 1024;

/// Runs a kernel.
///
/// # Errors
/// The first defect met, or a launch that breaks a rule.
pub fn launch(
    program: &Program,
    launch: &LaunchConfig,
    memory: &mut GlobalMemory,
    config: &Config,
) -> Result<Stats, Box<Finding>> {
    run(program, launch, memory, config, None)
}

/// Runs a kernel; with a collector it goes on after findings.
pub(super) fn run(
    program: &Program,
    launch: &LaunchConfig,
    memory: &mut GlobalMemory,
    config: &Config,
    collector: Option<&Collector<'_>>,
) -> Result<Stats, Box<Finding>> {
    check(program, launch)?;
    mma::check(program, config)?;
    memory.begin_launch();
    memory.place_module(&program.globals);
    let ctas: u64 = launch.grid.iter().map(|&extent| u64::from(extent)).product();
    let workers = match config.workers {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        workers => workers,
    };
    let workers = (workers as u64).min(ctas).max(1);
    let shared = Launch::new(program, launch, memory, config, (workers > 1, collector));
    let order = Order::new(ctas, config.schedule);
    let done = if workers == 1 { run_alone(&shared, &order) } else { run_parallel(&shared, &order, workers) };
    done.map(|mut stats| {
        stats.printed.sort_by_key(|(cta, _)| *cta);
        stats
    })
}

/// The order in which CTAs start.
struct Order {
    ctas: u64,
    shuffled: Vec<u64>,
}

/// Grids up to this size start in a random order; beyond it the table would be too large.
const MOST_SHUFFLED: u64 = 1 << 22;

impl Order {
    fn new(ctas: u64, schedule: Schedule) -> Self {
        let mut shuffled = Vec::new();
        if let Schedule::Adversarial(seed) = schedule
            && ctas <= MOST_SHUFFLED
        {
            shuffled.extend(0..ctas);
            let mut random = Random::new(seed);
            for at in (1..shuffled.len()).rev() {
                shuffled.swap(at, random.below(at + 1));
            }
        }
        Self { ctas, shuffled }
    }

    fn cta(&self, position: u64) -> u64 {
        self.shuffled.get(position as usize).copied().unwrap_or(position)
    }
}

fn run_alone(shared: &Launch<'_>, order: &Order) -> Result<Stats, Box<Finding>> {
    let mut cta = Cta::new(shared);
    for position in 0..order.ctas {
        let ran = cta.run(order.cta(position));
        shared.collector.iter().for_each(|collector| collector.end_cta());
        if let Err(finding) = ran {
            let Some(collector) = shared.collector else { return Err(finding) };
            let ends = ends_launch(&finding.kind);
            collector.add(*finding);
            if ends {
                break;
            }
        }
    }
    Ok(cta.context.stats)
}

fn run_parallel(shared: &Launch<'_>, order: &Order, workers: u64) -> Result<Stats, Box<Finding>> {
    let next = AtomicU64::new(0);
    // Position of the earliest CTA with a finding: those after it need not start.
    let failed = AtomicU64::new(u64::MAX);
    let worker = || {
        let mut cta = Cta::new(shared);
        loop {
            let position = next.fetch_add(1, Relaxed);
            if position >= order.ctas || position > failed.load(Relaxed) {
                return Ok(cta.context.stats);
            }
            let ran = cta.run(order.cta(position));
            shared.collector.iter().for_each(|collector| collector.end_cta());
            let Err(finding) = ran else { continue };
            let Some(collector) = shared.collector else {
                failed.fetch_min(position, Relaxed);
                return Err((position, finding));
            };
            if ends_launch(&finding.kind) {
                failed.fetch_min(position, Relaxed);
            }
            collector.add(*finding);
        }
    };
    let mut stats = Stats::default();
    let mut first: Option<(u64, Box<Finding>)> = None;
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        for handle in handles {
            match handle.join() {
                Ok(Ok(part)) => stats.add(&part),
                Ok(Err((position, finding))) => {
                    if first.as_ref().is_none_or(|(earlier, _)| position < *earlier) {
                        first = Some((position, finding));
                    }
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    first.map_or(Ok(stats), |(_, finding)| Err(finding))
}

fn check(program: &Program, launch: &LaunchConfig) -> Result<(), Box<Finding>> {
    let refuse = |rule, given: u64, limit: u64| {
        let kind = FindingKind::BadLaunch { rule, given, limit };
        let entry = program.name.clone();
        Err(Box::new(Finding { kind, entry, site: None, cta: [0; 3], thread: None }))
    };
    let product = |extents: [u32; 3]| extents.iter().map(|&extent| u64::from(extent)).product::<u64>();
    let count = product(launch.block);
    if count == 0 || count > MAX_THREADS {
        return refuse("a CTA has 1 to 1,024 threads", count, MAX_THREADS);
    }
    if let Some([y, z]) = Some([launch.grid[1], launch.grid[2]]).filter(|[y, z]| (*y).max(*z) > 65_535) {
        return refuse("y and z of a grid have a limit", u64::from(y.max(z)), 65_535);
    }
    if launch.params.len() as u64 != u64::from(program.param_bytes) {
        let given = launch.params.len() as u64;
        return refuse("parameters have the entry's size", given, u64::from(program.param_bytes));
    }
    if let Some(most) = program.bounds.max_threads.map(product)
        && count > most
    {
        return refuse("`.maxntid` limits the threads of a CTA", u64::from(threads(launch)), most);
    }
    if let Some(cluster) = program.bounds.cluster.map(product).filter(|&count| count != 1) {
        return refuse("the emulator has clusters of one CTA", cluster, 1);
    }
    if let Some(required) = program.bounds.required_threads
        && launch.block != required
    {
        return refuse("`.reqntid` fixes the threads of a CTA", count, product(required));
    }
    Ok(())
}
