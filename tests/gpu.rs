//! Every case of the corpus on the first GPU: one trial a case.
//!
//! Without a device each is ignored with the reason, and `WARPSMITH_REQUIRE_GPU=1` makes that a failure. The binary
//! stands alone: it needs libcuda and a device, and neither cargo nor the source tree.

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use warpsmith::corpus::{self, CaseReport, Config, Filter, Selected, SizeLimit, Verdict};
use warpsmith::runtime::Device;

fn main() {
    let arguments = Arguments::from_args();
    let device = Device::open("cuda:0").map_err(|error| error.to_string());
    let is_required = std::env::var("WARPSMITH_REQUIRE_GPU").is_ok_and(|value| value == "1");
    let filter = Filter { size: SizeLimit::Gpu, ..Filter::default() };
    let trials = corpus::select(&filter)
        .into_iter()
        .map(|selected| trial(selected, device.clone(), is_required))
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial(selected: Selected, device: Result<Device, String>, is_required: bool) -> Trial {
    let name = selected.id().to_string();
    Trial::ignorable_test(name, move || match &device {
        Ok(device) => outcome(&corpus::run_case(&selected, device, &Config::default())),
        Err(reason) if is_required => Err(format!("WARPSMITH_REQUIRE_GPU is 1, but: {reason}").into()),
        Err(reason) => Ok(Completion::ignored_with(reason)),
    })
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
