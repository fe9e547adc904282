//! Runs cases on a device and gives each a verdict.
//!
//! On entry: cases and a device. On exit: one report a case, in the order of the cases, whatever order they ran in.
//! Cases run in parallel; a panic of one is its own error. Not here: what is shown, and where.

use std::time::Instant;

use rayon::prelude::*;

use super::execute::{ExecuteError, execute};
use super::filter::Filter;
use super::judge::judge;
use super::matrix_unit;
use super::prepare::{Refusal, prepare};
use super::selection::{Selected, catch, select, shape_text};
use super::verdict::{CaseReport, Summary, Verdict};
use crate::backend::{DeviceError, Emitted};
use crate::case::Case;
use crate::diag::{Code, Help};
use crate::runtime::{CompileError, Device, compile};

/// How cases are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Chooses the inputs.
    pub seed: u64,
}

/// Alignment that every buffer of a case has: both devices allocate at multiples of at least this.
pub(crate) const ALIGN: u32 = 16;

/// Hears of a run as it goes. Called from several threads.
pub trait Observer: Sync {
    /// So many cases will run.
    fn begin(&self, cases: usize) {
        let _ = cases;
    }

    /// One is done.
    fn end(&self, report: &CaseReport) {
        let _ = report;
    }
}

/// Hears nothing.
impl Observer for () {}

/// Runs the cases that a filter takes.
pub fn run(filter: &Filter, device: &Device, config: &Config, observer: &dyn Observer) -> Summary {
    let start = Instant::now();
    let cases = select(filter);
    observer.begin(cases.len());
    let reports = cases
        .par_iter()
        .map(|selected| {
            let report = run_case(selected, device, config);
            observer.end(&report);
            report
        })
        .collect();
    Summary::of(reports, device.description(), start.elapsed())
}

/// Runs one case.
pub fn run_case(selected: &Selected, device: &Device, config: &Config) -> CaseReport {
    run_case_edited(selected, device, config, &|_| ())
}

/// Runs one case after `edit` changed what was emitted for it: the way to show that a fault in emitted text, or in what
/// a launcher is told of it, is noticed. The oracle, the reference and the judgement are those of [`run_case`].
pub fn run_case_edited(
    selected: &Selected,
    device: &Device,
    config: &Config,
    edit: &dyn Fn(&mut Emitted),
) -> CaseReport {
    let start = Instant::now();
    let mut report = CaseReport::of(selected.id());
    match selected.make(config.seed) {
        Err(detail) => (report.code, report.detail) = (Some(Code::BrokenCases), detail),
        Ok(case) => {
            describe(&mut report, &case);
            if let Err(panic) = catch(|| judge_case(&case, device, edit, &mut report)) {
                (report.verdict, report.detail) = (Verdict::Error, panic);
                report.code = Some(Code::CasePanicked);
            }
        }
    }
    report.wall = start.elapsed();
    report
}

fn describe(report: &mut CaseReport, case: &Case) {
    report.kernel = case.kernel.path();
    report.shape = shape_text(case);
    report.class = Some(case.shape_class);
    report.guard = case.guard;
    let approx = case.approx.as_ref().map(|(why, tolerance)| format!("approximate, {tolerance}: {why}"));
    report.inexact = approx.or_else(|| case.unordered.as_ref().map(|why| format!("unordered: {why}")));
}

pub(super) fn judge_case(case: &Case, device: &Device, edit: &dyn Fn(&mut Emitted), report: &mut CaseReport) {
    let class = case.launch.class(ALIGN);
    // Compiled first: what a target can't have is no reason to spend time in the oracle.
    let mut emitted = match compile(&case.kernel, &class, device.target()) {
        Ok(emitted) => emitted,
        Err(error) => {
            (report.verdict, report.detail) = (of_compile_error(&error), error.to_string());
            report.code = Some(error.code());
            return;
        }
    };
    edit(&mut emitted);
    report.selection.clone_from(&emitted.selection);
    report.selection.extend(matrix_unit::models(&case.kernel, device));
    let expected = match prepare(case, device.tensor_model()) {
        Ok(expected) => expected,
        Err(refusal) => {
            // Nothing is wrong with the kernel: there is only nothing to compare with.
            if matches!(refusal, Refusal::Opaque { .. }) {
                report.verdict = Verdict::Unsupported;
            }
            (report.code, report.detail) = (Some(refusal.code()), with_help(&refusal));
            return;
        }
    };
    report.lane_operations = expected.lane_operations;
    // Cases run in parallel: on an emulator each gets its own, so that they don't wait for its memory.
    let own = device.backend().independent();
    let backend = own.as_deref().unwrap_or(device.backend());
    let ran = backend
        .load(&case.kernel, &emitted)
        .map_err(ExecuteError::from)
        .and_then(|module| execute(backend, &*module, &emitted.params, case, &expected));
    match ran {
        Err(ExecuteError::Device(error)) => {
            (report.code, report.detail) = (Some(error.code()), with_help(&error));
        }
        // Something else was written than the oracle writes.
        Err(error @ ExecuteError::Overrun { .. }) => {
            (report.verdict, report.detail) = (Verdict::Mismatch, error.to_string());
            report.code = Some(error.code());
        }
        Ok(outcome) => {
            report.lane_instructions = outcome.stats.lane_instructions;
            let judgement = judge(case, &expected, &outcome.left);
            report.worst_ulps = judgement.worst_ulps;
            report.verdict = if judgement.faults.is_empty() { Verdict::Pass } else { Verdict::Mismatch };
            report.detail = judgement.faults.join("\n");
            if report.verdict == Verdict::Mismatch {
                report.code = Some(Code::Mismatch);
                report
                    .detail
                    .extend(matrix_unit::settle(&case.kernel, device).iter().map(|line| format!("\n{line}")));
            }
        }
    }
}

fn of_compile_error(error: &CompileError) -> Verdict {
    if error.is_unsupported() { Verdict::Unsupported } else { Verdict::Error }
}

fn with_help<E: Help + std::fmt::Display>(error: &E) -> String {
    match error.help() {
        Some(help) => format!("{error}\n  help: {help}"),
        None => error.to_string(),
    }
}

impl Help for ExecuteError {
    fn help(&self) -> Option<String> {
        match self {
            Self::Device(error) => DeviceError::help(error),
            Self::Overrun { .. } => None,
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::Device(error) => error.code(),
            Self::Overrun { .. } => Code::Overrun,
        }
    }
}
