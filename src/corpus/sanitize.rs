//! Runs cases on the emulator under several schedules and lists everything that is wrong with their kernels.
//!
//! On entry: a filter and the schedules. On exit: each site once, with the case and the schedule that met it first. What a
//! case computes is not judged, so that neither the oracle nor a reference is asked. Not here: PTX of others (`runfile`).

use rayon::prelude::*;

use super::execute::start;
use super::filter::Filter;
use super::runner::ALIGN;
use super::selection::{Selected, catch, select};
use crate::backend::DeviceBackend as _;
use crate::diag::Help as _;
use crate::ptx::emu::Met;
use crate::runtime::{EmuBackend, EmuSettings, Schedule, compile};
use crate::target::Target;

/// How cases are run.
#[derive(Clone, Debug)]
pub struct SanitizeConfig {
    /// Chooses the inputs.
    pub seed: u64,
    /// The target that is emitted for and that the emulator stands for.
    pub target: Target,
    /// Each case runs once under each.
    pub schedules: Vec<Schedule>,
}

/// Something wrong with a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What, where, and how often in all.
    pub met: Met,
    /// The case that met it first.
    pub case: String,
    /// The schedule under which it did.
    pub schedule: Schedule,
    /// Launches that met it.
    pub launches: usize,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct SanitizeSummary {
    /// Everything that is wrong, in the order of the cases.
    pub sightings: Vec<Sighting>,
    /// Cases that ran.
    pub cases: usize,
    /// Launches.
    pub launches: usize,
    /// Cases that the target can't have, each with the reason.
    pub unsupported: Vec<String>,
    /// Cases that did not run, each with the reason.
    pub errors: Vec<String>,
}

/// Hears of a run as it goes. Called from several threads.
pub trait Watch: Sync {
    /// So many cases will run.
    fn begin(&self, cases: usize) {
        let _ = cases;
    }

    /// One is done.
    fn end(&self) {}
}

/// Hears nothing.
impl Watch for () {}

/// What a case came to.
enum Ran {
    Launched(Vec<(Schedule, Vec<Met>)>),
    Unsupported(String),
    Error(String),
}

/// Runs the cases that a filter takes.
pub fn sanitize(filter: &Filter, config: &SanitizeConfig, watch: &dyn Watch) -> SanitizeSummary {
    let cases = select(filter);
    watch.begin(cases.len());
    let ran: Vec<(String, Ran)> = cases
        .par_iter()
        .map(|selected| {
            let ran = catch(|| case(selected, config)).unwrap_or_else(Ran::Error);
            watch.end();
            (selected.id().to_string(), ran)
        })
        .collect();
    let mut summary = SanitizeSummary::default();
    for (id, ran) in ran {
        match ran {
            Ran::Unsupported(reason) => summary.unsupported.push(format!("{id}: {reason}")),
            Ran::Error(reason) => summary.errors.push(format!("{id}: {reason}")),
            Ran::Launched(launches) => {
                summary.cases += 1;
                summary.launches += launches.len();
                for (schedule, met) in launches {
                    met.into_iter().for_each(|met| summary.add(met, &id, schedule));
                }
            }
        }
    }
    summary
}

impl SanitizeSummary {
    /// Adds what a launch met; of what is known already only the counts grow.
    pub fn add(&mut self, met: Met, case: &str, schedule: Schedule) {
        match self.sightings.iter_mut().find(|known| known.met.is_same(&met.finding)) {
            Some(known) => {
                known.met.times += met.times;
                known.launches += 1;
            }
            None => self.sightings.push(Sighting { met, case: case.to_owned(), schedule, launches: 1 }),
        }
    }
}

fn case(selected: &Selected, config: &SanitizeConfig) -> Ran {
    let case = match selected.make(config.seed) {
        Ok(case) => case,
        Err(error) => return Ran::Error(error),
    };
    let emitted = match compile(&case.kernel, &case.launch.class(ALIGN), config.target.into()) {
        Ok(emitted) => emitted,
        Err(error) if error.is_unsupported() => return Ran::Unsupported(error.to_string()),
        Err(error) => return Ran::Error(error.to_string()),
    };
    let mut launches = Vec::new();
    for &schedule in &config.schedules {
        let settings = EmuSettings { target: config.target, schedule, workers: 1, ..EmuSettings::default() };
        let device = EmuBackend::surveying(settings);
        let done = device
            .load(&case.kernel, &emitted)
            .and_then(|module| start(&device, &*module, &emitted.params, &case).map(drop));
        if let Err(error) = done {
            let help = error.help().map(|help| format!("\n  help: {help}")).unwrap_or_default();
            return Ran::Error(format!("{error}{help}"));
        }
        launches.push((schedule, device.met()));
    }
    Ran::Launched(launches)
}
