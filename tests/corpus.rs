//! Every case of the corpus on the emulator: one trial a case.
//!
//! A case that the emulated target can't have is ignored with the reason. The binary stands alone: it needs neither
//! cargo nor the source tree. `WARPSMITH_SCHEDULE` and the other variables of the command are not read here: what a
//! test runs does not depend on the shell that starts it.

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use warpsmith::corpus::{self, CaseReport, Config, Filter, Selected, Verdict};
use warpsmith::runtime::Device;

fn main() {
    let arguments = Arguments::from_args();
    let device = Device::open("emu").expect("the emulator is always there");
    let cases = corpus::select(&Filter::default());
    let mut trials: Vec<_> = cases.into_iter().map(|selected| trial(selected, device.clone())).collect();
    trials.push(Trial::test("the_corpus_has_cases", has_cases));
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial(selected: Selected, device: Device) -> Trial {
    let name = selected.id().to_string();
    Trial::ignorable_test(name, move || outcome(&corpus::run_case(&selected, &device, &Config::default())))
}

fn outcome(report: &CaseReport) -> Result<Completion, Failed> {
    let said = || format!("{} ({}): {}", report.verdict, report.shape, report.detail);
    if report.is_finding() {
        return Err(said().into());
    }
    match report.verdict {
        Verdict::Pass => Ok(Completion::Completed),
        Verdict::Unsupported => Ok(Completion::ignored_with(said())),
        Verdict::Mismatch | Verdict::Error => Err(said().into()),
    }
}

/// An empty registry would make everything above pass.
fn has_cases() -> Result<(), Failed> {
    let count = corpus::select(&Filter::default()).len();
    if count == 0 { Err("no case is registered".into()) } else { Ok(()) }
}
